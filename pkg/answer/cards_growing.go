package answer

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// curvePoints is how many points the small picture of growth has without steps.
const curvePoints = 24

// growing says what is still live, step after step.
func growing(r *analysis.Recording) Card {
	d := r.Device
	c := Card{Question: "What keeps growing?", Mood: Nothing, Evidence: nowhere}
	if !hasHistory(d) {
		c.Value, c.Line = "Not recorded", "needs a history of events"
		return c
	}
	list := r.Steps()
	n, word := len(list.Boundaries), list.Method.Word
	switch n {
	case 0:
		return growingWithout(c, r)
	case 1:
		c.Value, c.Line = "One "+word(1)+" only", "growth cannot be told"
		return c
	}
	growth, _ := list.Growth(d.ActiveBytes())
	c.Mood, c.Value = Known, units.Change(growth.Bytes)
	c.Small = "over " + units.Plural(growth.Steps, word(1), word(2))
	c.Curve = lowest(d, list.Ranges())
	c.Evidence = Evidence{From: growth.From, To: growth.To, State: growth.To, Allocation: -1}
	found := leaksOf(r)
	switch {
	case len(found.Leaks) > 0:
		leak := &found.Leaks[0]
		site := leakSite(r, leak)
		c.Line = units.Printable(site.Function) + " " + placeOf(site) + " keeps " + units.Bytes(leak.PerStep) +
			" more each " + word(1)
		c.Detail = leakSentence(r, leak).with(asText)
		c.Evidence.Allocation = leak.Last
	case found.Limit == leaks.NoLimit:
		c.Line = "no call site keeps more each " + word(1)
	case found.Limit == leaks.KeepsForwards:
		c.Line = "forward passes keep their activations"
	default:
		c.Line = "too few " + word(2) + " to tell growth from getting ready"
	}
	return c
}

// growingWithout compares the ends of a recording in which nothing repeats.
func growingWithout(c Card, r *analysis.Recording) Card {
	d := r.Device
	last := d.States() - 1
	c.Mood, c.Value, c.Small = Known, units.Change(d.Totals.FinalBytes-d.Totals.BaselineBytes), "first to last event"
	c.Curve = lowest(d, timeline.EveryEvents(d, max(1, (last+curvePoints-1)/curvePoints)))
	c.Line = "nothing allocated here is still live"
	c.Evidence = Evidence{State: last, Allocation: -1}
	for _, row := range r.HoldersSince(last, 0, holders.Grouping{By: holders.BySite}).Rows {
		// What was there before is in BeforeBytes.
		if row.Key != "" && row.Change() > 0 {
			site := r.Stacks.Site(row.Stack)
			c.Line = units.Printable(site.Function) + " " + placeOf(site) + " keeps " + units.Bytes(row.Change())
			c.Evidence.Allocation = row.Largest
			break
		}
	}
	return c
}

// lowest are the lowest totals of stretches.
func lowest(d *replay.Device, ranges []timeline.Range) []int64 {
	active := d.ActiveBytes()
	list := make([]int64, len(ranges))
	for i, stretch := range ranges {
		list[i] = slices.Min(active[stretch.From : stretch.To+1])
	}
	return list
}
