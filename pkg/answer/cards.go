package answer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// Card is the answer to one of the four questions that people come with, short
// enough for a strip of them.
type Card struct {
	Question string
	Mood     Mood
	Value    string // the answer in a few words
	Small    string // beside it
	Line     string // below it
	Detail   string // a whole sentence, or empty

	Families [analysis.FamilyCount]int64 // bytes by family, for a small picture
	Curve    []int64                     // lowest totals, for a small picture
	Evidence Evidence
}

// Mood is how an answer is meant.
type Mood string

const (
	Known   Mood = "known"
	Nothing Mood = "unknown" // the recording cannot tell, or there is nothing to tell
	Alarm   Mood = "alarm"
)

// Evidence is what in the recording shows that the answer is true.
type Evidence struct {
	From, To   int // states to look at; From == To: the whole recording
	State      int // to look into; NoState: there is nothing to see
	Allocation int // to point at, an index into Device.Allocations; -1: none
}

// nowhere is no evidence.
var nowhere = Evidence{State: analysis.NoState, Allocation: -1}

// Cards are the four answers, in the order in which they are shown. The last one
// takes what [Predict] says of the recording, if anything.
func Cards(r *analysis.Recording, p *Prediction) []Card {
	peak := analysis.Holders(r, r.Device.Totals.PeakState, analysis.Grouping{By: analysis.BySite})
	return []Card{atPeak(r), growing(r), allocatedBy(r, peak), outOfMemory(r, p)}
}

func hasHistory(d *replay.Device) bool { return d.Events.Len() > 0 }

func atPeak(r *analysis.Recording) Card {
	d := r.Device
	t := &d.Totals
	c := Card{
		Question: "What is in memory at the peak?", Mood: Known, Value: units.Bytes(t.PeakBytes), Small: "final state",
		Families: r.Families().BytesIn(d, t.PeakState), Evidence: Evidence{State: t.PeakState, Allocation: -1},
	}
	if hasHistory(d) {
		c.Small = "in state " + units.Count(t.PeakState)
	}
	order := make([]analysis.Family, analysis.FamilyCount)
	for i := range order {
		order[i] = analysis.Family(i)
	}
	slices.SortStableFunc(order, func(a, b analysis.Family) int { return cmp.Compare(c.Families[b], c.Families[a]) })
	var named []string
	for _, f := range order[:3] {
		if 200*c.Families[f] >= t.PeakBytes && c.Families[f] > 0 {
			named = append(named, lowered(f.Label())+" "+units.Share(c.Families[f], t.PeakBytes))
		}
	}
	c.Line = cmp.Or(strings.Join(named, ", "), "no tensor is live")
	return c
}

// lowered is a label inside a sentence; abbreviations stay.
func lowered(label string) string {
	if len(label) > 1 && label[1] >= 'a' && label[1] <= 'z' {
		return strings.ToLower(label[:1]) + label[1:]
	}
	return label
}

// allocatedBy names the largest call site at the peak.
func allocatedBy(r *analysis.Recording, peak *analysis.Holding) Card {
	const question = "Who allocated it?"
	var without int64
	var top *analysis.Holder
	known := peak.Allocations
	for i := range peak.Rows {
		switch row := &peak.Rows[i]; {
		case row.Key == "":
			without = row.Bytes
			known -= row.Allocations
		case top == nil && row.Bytes > 0:
			top = row
		}
	}
	if top == nil || 10*without > 9*peak.Bytes {
		return Card{
			Question: question, Mood: Nothing, Value: "No stacks recorded", Evidence: nowhere,
			Line: units.Count(known) + " of " + units.Plural(peak.Allocations, "tensor carries one", "tensors carry one"),
		}
	}
	site := r.Stacks.Site(top.Stack)
	return Card{
		Question: question, Mood: Known, Value: units.Printable(site.Function), Small: placeOf(site),
		Line: "largest site at the peak: " + units.Bytes(top.Bytes) + ", " + units.Share(top.Bytes, peak.Bytes) + ", " +
			units.Plural(top.Allocations, "tensor", "tensors"),
		Evidence: Evidence{State: peak.State, Allocation: top.Largest},
	}
}

// placeOf is a site's file without its folders, and its line.
func placeOf(site analysis.Site) string {
	if site.File == "" {
		return ""
	}
	file := units.Printable(site.File[strings.LastIndexAny(site.File, `/\`)+1:])
	if site.Line > 0 {
		file += ":" + units.Plain(site.Line)
	}
	return file
}

// oomWords are the verdicts on an out-of-memory event in a few words.
var oomWords = map[analysis.OOMVerdict]string{
	analysis.OOMPressure:   "nearly all was in use",
	analysis.OOMFragmented: "enough free, in pieces",
	analysis.OOMOther:      "free for another stream",
	analysis.OOMOutside:    "used outside PyTorch",
	analysis.OOMLimit:      "a limit refused it",
}

func outOfMemory(r *analysis.Recording, p *Prediction) Card {
	const question = "What happened at the OOM?"
	d := r.Device
	f := &failure{r: r, settings: analysis.SettingsOf(r.Snapshot), capacity: analysis.CapacityOf(r, 0)}
	ooms := analysis.FindOOMs(r, 0)
	if len(ooms) == 0 {
		c := Card{Question: question, Mood: Nothing, Value: "No out-of-memory event", Line: "needs a history of events", Evidence: nowhere}
		if hasHistory(d) {
			peak := d.Totals.PeakState
			unused := max(0, d.ReservedBytes()[peak]-d.Totals.PeakBytes)
			c.Line = units.Bytes(unused) + " of the reserved memory unused at the peak"
			c.Evidence = Evidence{State: peak, Allocation: -1}
		}
		if p != nil {
			c.Detail = p.Sentence
		}
		return c
	}
	o := &ooms[len(ooms)-1]
	c := Card{
		Question: question, Mood: Alarm, Value: "Asked " + units.Bytes(o.Requested), Small: units.Bytes(o.DeviceFree) + " free on the device",
		Line: oomWords[o.Verdict] + "; " + units.Bytes(max(0, o.Reserved-o.Active)) + " reserved but unused", Detail: f.sentence(o).with(plainName),
		Evidence: Evidence{State: o.State(), Allocation: -1},
	}
	if len(ooms) > 1 {
		c.Line += ", the last of " + units.Count(len(ooms))
	}
	if p != nil && p.Sentence != "" {
		c.Detail += " " + p.Sentence
	}
	return c
}
