package answer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
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

	Families [families.Count]int64 // bytes by family, for a small picture
	Curve    []int64               // lowest totals, for a small picture
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
var nowhere = Evidence{State: timeline.NoState, Allocation: -1}

// Cards are the four answers, in the order in which they are shown, and what to
// say beside each request that failed. The last ones take what [Predict] says of
// the recording, if anything.
func Cards(r *analysis.Recording, p *Prediction) ([]Card, []Failure) {
	peak := r.Holders(r.Device.Totals.PeakState, holders.Grouping{By: holders.BySite})
	oom, failures := outOfMemory(r, p)
	return []Card{atPeak(r), growing(r), allocatedBy(r, peak), oom}, failures
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
	order := make([]families.Family, families.Count)
	for i := range order {
		order[i] = families.Family(i)
	}
	slices.SortStableFunc(order, func(a, b families.Family) int { return cmp.Compare(c.Families[b], c.Families[a]) })
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
func allocatedBy(r *analysis.Recording, peak *holders.Holding) Card {
	const question = "Who allocated it?"
	var without int64
	var top *holders.Row
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
			Line: units.Count(known) + " of " + units.Plural(peak.Allocations, "tensor carries one",
				"tensors carry one"),
		}
	}
	site := r.Stacks.Site(top.Stack)
	largest := "largest site"
	if hasHistory(r.Device) {
		largest += " at the peak"
	}
	return Card{
		Question: question, Mood: Known, Value: units.Printable(site.Function), Small: placeOf(site),
		Line: largest + ": " + units.Bytes(top.Bytes) + ", " + units.Share(top.Bytes, peak.Bytes) + ", " +
			units.Plural(top.Allocations, "tensor", "tensors"),
		Evidence: Evidence{State: peak.State, Allocation: top.Largest},
	}
}

// placeOf is a site's file without its folders, and its line.
func placeOf(site stacks.Site) string {
	if site.File == "" {
		return ""
	}
	file := units.Printable(site.File[strings.LastIndexAny(site.File, `/\`)+1:])
	if site.Line > 0 {
		file += ":" + strconv.Itoa(site.Line)
	}
	return file
}
