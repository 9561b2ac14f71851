// Package strip has the four answers in the strip above the page of a recording.
package strip

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
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Card is one of the four answers in the strip under the header of the page.
type Card struct {
	answer.Brief
	Families [families.Count]int64 // bytes by family, drawn as a bar
	Curve    []int64               // the least active bytes of each step, drawn as a line
	Evidence Evidence
}

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
func Cards(r *analysis.Recording, p *whatif.Prediction) ([]Card, []Failure, []RetryCard) {
	peak := r.Holders(r.Device.Totals.PeakState, holders.Grouping{By: holders.BySite})
	oom, failures := outOfMemory(r, p)
	return []Card{atPeak(r), GrowthCard(r, 0), allocatedBy(r, peak), oom}, failures, retryCards(r)
}

func atPeak(r *analysis.Recording) Card {
	d := r.Device
	t := &d.Totals
	c := Card{
		Brief: answer.Brief{Question: "What is in memory at the peak?", Mood: answer.Known,
			Value: units.Bytes(t.PeakBytes), Small: "final state"},
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
	for _, sentence := range stats.AvoidableSentences(r) {
		details = append(details, sentence.String())
	}
	if saved := t.PeakBytes - r.Peaks().Peak; saved > 0 {
		c.Line += "; " + units.Bytes(saved) + " avoidable"
	}
	if w, is := trust.FirstStep(r); is {
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
			Brief: answer.Brief{
				Question: question, Mood: answer.Unknown, Value: "No stacks recorded",
				Line: units.Count(known) + " of " + units.Plural(peak.Allocations, "tensor carries one",
					"tensors carry one"),
			},
			Evidence: noEvidence,
		}
	}
	site := r.Stacks.Site(top.Stack)
	largest := "largest site"
	if r.Device.Events.Len() > 0 {
		largest += " at the peak"
	}
	return Card{
		Brief: answer.Brief{
			Question: question, Mood: answer.Known, Value: units.Printable(site.Function), Small: fileAndLine(site),
			Line: largest + ": " + units.Bytes(top.Bytes) + ", " + units.Share(top.Bytes, peak.Bytes) + ", " +
				units.Plural(top.Allocations, "tensor", "tensors"),
		},
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
