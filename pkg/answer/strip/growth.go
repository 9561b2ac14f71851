package strip

import (
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/answer"
	leaksanswer "github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// curvePoints is how many points the curve of a card has without steps.
const curvePoints = 24

// GrowthCard says how much more is live after each step, from where, and how many
// steps are left on a device of a capacity in bytes; 0: not given.
func GrowthCard(r *analysis.Recording, capacity int64) Card {
	d := r.Device
	c := Card{Brief: answer.Brief{Question: "What keeps growing?", Mood: answer.Unknown}, Evidence: noEvidence}
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
	c.Mood, c.Value = answer.Known, units.Change(growth.Bytes)
	c.Small = leaksanswer.GrownSince(word)
	c.Curve = lowest(d, list.Ranges())
	c.Evidence = Evidence{From: growth.From, To: growth.To, State: growth.To, Allocation: -1}
	switch trend := found.Trend; {
	case found.Limit == leaks.TooFewSteps:
		c.Line = "too few " + word(2) + " to tell growth from getting ready"
	case len(found.Leaks) > 0:
		leak := &found.Leaks[0]
		site := leak.Site(r.Stacks)
		c.Line = units.Printable(site.Function) + " " + fileAndLine(site) + " keeps " +
			strings.ReplaceAll(leaksanswer.Grown(leak, list.Method, " more"), "\u00a0",
				" ") // as in the other lines of the strip
		c.Detail = leaksanswer.Sentence(r, leak).String()
		c.Evidence.Allocation = leak.Last
	case trend != nil && trend.Resized:
		c.Line = "no call site keeps more tensors, but some are replaced by larger ones"
	case trend != nil && trend.GoesOn:
		c.Line = units.Bytes(trend.PerStep) + " each " + word(1) + " that no call site explains"
		c.Detail = "The least memory of each " + word(1) + " grows by " + units.Bytes(trend.PerStep) + " ± " +
			units.Bytes(trend.Spread) + "."
	case found.Limit == leaks.NoLimit && found.FedMore:
		c.Line = "no call site keeps more, but each " + word(1) + " works on more data"
	case found.Limit == leaks.NoLimit && (trend == nil || n < trust.RecordMore):
		c.Line = leaksanswer.NoGrowthSeen(list)
	case found.Limit == leaks.NoLimit:
		c.Line = "no call site keeps more each " + word(1)
	case found.Limit == leaks.KeepsForwards:
		c.Line = "forward passes keep their activations"
	}
	room, _ := leaksanswer.CapacityOf(r, capacity)
	if left := leaksanswer.StepsLeft(r, found, room); left != nil {
		c.Small += ", " + units.Plural(*left, word(1), word(2)) + " left at most"
		c.Detail += " " + leaksanswer.StepsLeftSentence(r, found, capacity)
	}
	return c
}

// growingWithoutSteps compares the end of a recording with its beginning.
func growingWithoutSteps(c Card, r *analysis.Recording) Card {
	d := r.Device
	last := d.States() - 1
	c.Mood, c.Small = answer.Known, "first to last event"
	c.Value = units.Change(d.Totals.FinalBytes - d.Totals.BaselineBytes)
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
