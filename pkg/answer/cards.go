package answer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Card is one of the four answers in the strip under the header of the page.
type Card struct {
	Question string
	Mood     Mood
	Value    string // the answer in a few words
	Small    string // beside the value
	Line     string // below the value
	Detail   string // a whole sentence, or empty

	Families [families.Count]int64 // bytes by family, drawn as a bar
	Curve    []int64               // the least active bytes of each step, drawn as a line
	Evidence Evidence
}

// Mood says what kind of answer a card has.
type Mood string

const (
	Known   Mood = "known"
	Unknown Mood = "unknown" // the recording does not say, or there is nothing to say
	Alarm   Mood = "alarm"
)

// Evidence is what the page shows when a card is clicked.
type Evidence struct {
	From       int `json:"from"` // states; From == To: the whole recording
	To         int `json:"to"`
	State      int `json:"state"`      // timeline.NoState: there is nothing to show
	Allocation int `json:"allocation"` // index into Device.Allocations; -1: none
}

var noEvidence = Evidence{State: timeline.NoState, Allocation: -1}

// Cards are the four answers in the order of the strip, and the texts about each
// failed request and each retry. p is what [Predict] returned for the recording.
func Cards(r *analysis.Recording, p *Prediction) ([]Card, []Failure, []RetryCard) {
	peak := r.Holders(r.Device.Totals.PeakState, holders.Grouping{By: holders.BySite})
	oom, failures := outOfMemory(r, p)
	return []Card{atPeak(r), GrowthCard(r, 0), allocatedBy(r, peak), oom}, failures, retryCards(r)
}

func atPeak(r *analysis.Recording) Card {
	d := r.Device
	t := &d.Totals
	c := Card{
		Question: "What is in memory at the peak?", Mood: Known, Value: units.Bytes(t.PeakBytes), Small: "final state",
		Families: r.Families().BytesIn(d, t.PeakState), Evidence: Evidence{State: t.PeakState, Allocation: -1},
	}
	if d.Events.Len() > 0 {
		c.Small = "in state " + units.Count(t.PeakState)
	}
	if r.Snapshot.Cut(d.ID) {
		c.Value = "at least " + c.Value
	}
	var order [families.Count]families.Family
	for i := range order {
		order[i] = families.Family(i)
	}
	slices.SortStableFunc(order[:], func(a, b families.Family) int { return cmp.Compare(c.Families[b], c.Families[a]) })
	var named []string
	for _, f := range order[:3] {
		if bytes := c.Families[f]; bytes > 0 && 200*bytes >= t.PeakBytes {
			named = append(named, lowered(f.Label())+" "+units.Share(bytes, t.PeakBytes))
		}
	}
	if d.ID == snapshot.Pinned && c.Families[families.Unknown] == t.PeakBytes {
		named = nil // what host memory is for is known only from rules of a person
		if t.PeakBytes > 0 {
			named = []string{units.Bytes(max(0, t.ReservedAtPeakBytes-t.PeakBytes)) + " more in the cache"}
		}
	}
	c.Line = cmp.Or(strings.Join(named, ", "), "no tensor is live")
	var details []string
	for _, sentence := range avoidableSentences(r) {
		details = append(details, sentence.String())
	}
	if saved := t.PeakBytes - r.Peaks().Peak; saved > 0 {
		c.Line += "; " + units.Bytes(saved) + " avoidable"
	}
	if w, is := warnFirstStep(r); is {
		c.Line += "; a first step"
		details = append(details, w.Fact)
	}
	c.Detail = strings.Join(details, " ")
	return c
}

// lowered is a label in lower case, unless it is an abbreviation.
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
			Question: question, Mood: Unknown, Value: "No stacks recorded", Evidence: noEvidence,
			Line: units.Count(known) + " of " + units.Plural(peak.Allocations, "tensor carries one",
				"tensors carry one"),
		}
	}
	site := r.Stacks.Site(top.Stack)
	largest := "largest site"
	if r.Device.Events.Len() > 0 {
		largest += " at the peak"
	}
	return Card{
		Question: question, Mood: Known, Value: units.Printable(site.Function), Small: fileAndLine(site),
		Line: largest + ": " + units.Bytes(top.Bytes) + ", " + units.Share(top.Bytes, peak.Bytes) + ", " +
			units.Plural(top.Allocations, "tensor", "tensors"),
		Evidence: Evidence{State: peak.State, Allocation: top.Largest},
	}
}

// fileAndLine is the file of a site without its folders, and the line.
func fileAndLine(site stacks.Site) string {
	if site.File == "" {
		return ""
	}
	file := units.Printable(site.File[strings.LastIndexAny(site.File, `/\`)+1:])
	if site.Line > 0 {
		file += ":" + strconv.Itoa(site.Line)
	}
	return file
}

// curvePoints is how many points the curve of a card has without steps.
const curvePoints = 24

// GrowthCard says how much more is live after each step, from where, and how many
// steps are left on a device of a capacity in bytes; 0: not given.
func GrowthCard(r *analysis.Recording, capacity int64) Card {
	d := r.Device
	c := Card{Question: "What keeps growing?", Mood: Unknown, Evidence: noEvidence}
	if !d.HasHistory() {
		c.Value, c.Line = "Not recorded", "needs a history of events"
		return c
	}
	list := r.Steps()
	n, word := len(list.Boundaries), list.Method.Word
	switch n {
	case 0:
		return growingWithoutSteps(c, r)
	case 1:
		c.Value, c.Line = "One "+word(1)+" only", "growth cannot be told"
		return c
	case 2:
		c.Value, c.Line = "Two "+word(2)+" only", "growth cannot be told"
		return c
	}
	found := r.LeaksWithoutCycles()
	growth := found.Growth
	c.Mood, c.Value = Known, units.Change(growth.Bytes)
	c.Small = grownSince(word)
	c.Curve = lowest(d, list.Ranges())
	c.Evidence = Evidence{From: growth.From, To: growth.To, State: growth.To, Allocation: -1}
	switch trend := found.Trend; {
	case found.Limit == leaks.TooFewSteps:
		c.Line = "too few " + word(2) + " to tell growth from getting ready"
	case len(found.Leaks) > 0:
		leak := &found.Leaks[0]
		site := leak.Site(r.Stacks)
		c.Line = units.Printable(site.Function) + " " + fileAndLine(site) + " keeps " +
			strings.ReplaceAll(grown(leak, list.Method, " more"), "\u00a0", " ") // as in the other lines of the strip
		c.Detail = leakSentence(r, leak).String()
		c.Evidence.Allocation = leak.Last
	case trend != nil && trend.Resized:
		c.Line = "no call site keeps more tensors, but some are replaced by larger ones"
	case trend != nil && trend.GoesOn:
		c.Line = units.Bytes(trend.PerStep) + " each " + word(1) + " that no call site explains"
		c.Detail = "The least memory of each " + word(1) + " grows by " + units.Bytes(trend.PerStep) + " ± " +
			units.Bytes(trend.Spread) + "."
	case found.Limit == leaks.NoLimit && found.FedMore:
		c.Line = "no call site keeps more, but each " + word(1) + " works on more data"
	case found.Limit == leaks.NoLimit && (trend == nil || n < recordMore):
		c.Line = noGrowthSeen(list)
	case found.Limit == leaks.NoLimit:
		c.Line = "no call site keeps more each " + word(1)
	case found.Limit == leaks.KeepsForwards:
		c.Line = "forward passes keep their activations"
	}
	room, _ := capacityOf(r, capacity)
	if left := stepsLeft(r, found, room); left != nil {
		c.Small += ", " + units.Plural(*left, word(1), word(2)) + " left at most"
		c.Detail += " " + stepsLeftSentence(r, found, capacity)
	}
	return c
}

// growingWithoutSteps compares the end of a recording with its beginning.
func growingWithoutSteps(c Card, r *analysis.Recording) Card {
	d := r.Device
	last := d.States() - 1
	c.Mood, c.Value, c.Small = Known, units.Change(d.Totals.FinalBytes-d.Totals.BaselineBytes), "first to last event"
	c.Curve = lowest(d, timeline.EveryEvents(d, max(1, (last+curvePoints-1)/curvePoints)))
	c.Line = "nothing allocated here is still live"
	c.Evidence = Evidence{State: last, Allocation: -1}
	for _, row := range r.HoldersSince(last, 0, holders.Grouping{By: holders.BySite}).Rows {
		if row.Key != "" && row.Change() > 0 {
			site := r.Stacks.Site(row.Stack)
			c.Line = units.Printable(site.Function) + " " + fileAndLine(site) + " keeps " + units.Bytes(row.Change())
			c.Evidence.Allocation = row.Largest
			break
		}
	}
	return c
}

// lowest is the least active bytes in each range.
func lowest(d *replay.Device, ranges []timeline.Range) []int64 {
	active := d.ActiveBytes()
	list := make([]int64, len(ranges))
	for i, states := range ranges {
		list[i] = slices.Min(active[states.From : states.To+1])
	}
	return list
}

// Failure is the text of the page's panel about a request that failed.
type Failure struct {
	State     int    `json:"state"`
	FreeBytes *int64 `json:"free_bytes,omitempty"` // in the cache where the request may be served; not in old reports
	// LargestBytes is the largest hole of these; not in old reports.
	LargestBytes *int64 `json:"largest_bytes,omitempty"`
	Stream       int    `json:"stream"` // numbers of the request's stream and pool, 0 for the default
	Pool         int    `json:"pool"`
	Diagnosis    string `json:"diagnosis"` // a sentence without the numbers that the panel lists
	Evidence     string `json:"evidence"`  // the sentence with all numbers
	Try          string `json:"try"`       // a sentence on the most promising thing to change
}

// haveLess is the advice when no setting helps.
const haveLess = "Have less memory live at a time: what was live stands below, the largest first."

// noHostFailures says why it is not known whether requests for host memory failed.
const noHostFailures = "torch records no request for host memory that fails"

// outOfMemory is the card of the last failed request, and the texts about all of
// them.
func outOfMemory(r *analysis.Recording, p *Prediction) (Card, []Failure) {
	const question = "What happened at the OOM?"
	d := r.Device
	ooms := r.OOMs(0)
	if len(ooms) == 0 {
		c := Card{Question: question, Mood: Unknown, Value: "Not recorded", Line: "needs a history of events",
			Evidence: noEvidence}
		if d.HasHistory() {
			t := &d.Totals
			c.Value = "No out-of-memory event"
			c.Line = units.Bytes(max(0, t.ReservedAtPeakBytes-t.PeakBytes)) + " reserved but not requested at the peak"
			c.Evidence = Evidence{State: t.PeakState, Allocation: -1}
		}
		if d.ID == snapshot.Pinned {
			c.Value, c.Line = "Not recorded", noHostFailures
		} else if r.Snapshot.Format.MLX {
			c.Value, c.Line = "Not recorded", "MLX records no request that fails"
		}
		if p != nil {
			c.Detail = p.Sentence
		}
		if list := r.Retries().Served(); len(list) > 0 {
			c.Mood, c.Value, c.Small = Known, "Near it", units.Plural(len(list), "time", "times")
			c.Line, c.Detail = "served only after the cache was given back", retriesSentence(r)
			c.Evidence.State = list[len(list)-1].State()
		}
		return c, []Failure{}
	}
	f := newOOMContext(nil, r, 0)
	failures := make([]Failure, len(ooms))
	for i := range ooms {
		o := &ooms[i]
		failures[i] = Failure{State: o.State(), FreeBytes: &o.FreeSame, LargestBytes: &o.LargestSame,
			Stream: int(o.Stream), Pool: int(o.Pool()), Diagnosis: verdicts[o.Verdict].brief(o),
			Evidence: f.sentence(o).String(), Try: haveLess}
		if advice := f.advice(o, p); len(advice) > 0 {
			if failures[i].Try = advice[0].Text; advice[0].Kind == predictedKind {
				failures[i].Try = bestSentence(p.Study) // the proof stands beside the settings
			}
		}
	}
	last := len(ooms) - 1
	o := &ooms[last]
	c := Card{
		Question: question, Mood: Alarm, Value: "Asked " + units.Bytes(o.Requested),
		Small: units.Bytes(o.DeviceFree) + " free on the device", Line: verdicts[o.Verdict].short(o),
		Detail:   failures[last].Evidence,
		Evidence: Evidence{State: o.State(), Allocation: -1},
	}
	if len(ooms) > 1 {
		c.Line += ", the last of " + units.Count(len(ooms))
	}
	return c, failures
}
