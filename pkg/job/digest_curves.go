package job

import (
	"math/bits"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
)

// addCurves adds the curves. The steps of the digest must be known.
func (d *Digest) addCurves(r *analysis.Recording) {
	stretches := make([]timeline.Range, 0, len(d.Steps)+1)
	for i := range d.Steps {
		stretches = append(stretches, timeline.Range{From: d.Steps[i].Start, To: d.Steps[i].End})
	}
	from, last := 0, r.Device.States()-1
	if n := len(stretches); n > 0 {
		from = stretches[n-1].To
	}
	if len(stretches) == 0 || from < last {
		stretches = append(stretches, timeline.Range{From: from, To: last})
		d.Curves.Tail = true
	}
	d.Curves.FewPerStep = max(fewColumns/len(stretches), 1)
	d.Curves.PerStep = d.Curves.FewPerStep * (Columns / fewColumns)

	c, active := &d.Curves, r.Device.ActiveBytes()
	n := len(stretches) * c.PerStep
	c.Max, c.Min, c.Reserved = make([]int16, 0, n), make([]int16, 0, n), make([]int16, 0, n)
	highest := make([]int, 0, n/(Columns/fewColumns)) // states with the most active memory, by column of families
	reserved := newReservedCurve(r.Device)
	for _, stretch := range stretches {
		for k := range c.PerStep {
			from, to := column(stretch, k, c.PerStep)
			if k%(Columns/fewColumns) == 0 {
				highest = append(highest, from)
			}
			peak := &highest[len(highest)-1]
			most, least := active[from], active[from]
			for state := from; state <= to; state++ {
				most, least = max(most, active[state]), min(least, active[state])
				if active[state] > active[*peak] {
					*peak = state
				}
			}
			c.Max = append(c.Max, inUnits(most, d.PeakBytes, up))
			c.Min = append(c.Min, inUnits(least, d.PeakBytes, down))
			c.Reserved = append(c.Reserved, inUnits(reserved.highest(from, to), d.ReservedPeakBytes, up))
		}
	}
	for _, curve := range [][]int16{c.Max, c.Min, c.Reserved} {
		delta(curve)
	}
	c.Families = familyCurves(r, highest, d.PeakBytes)
}

// column returns the states of column k of n, from and to, both included. A stretch with
// fewer states than columns has some in several columns.
func column(stretch timeline.Range, k, n int) (from, to int) {
	states := stretch.To - stretch.From + 1
	from, to = k*states/n, (k+1)*states/n-1
	return stretch.From + from, stretch.From + max(from, to)
}

type rounding uint8

const (
	down rounding = iota
	nearest
	up
)

// inUnits returns bytes in units of a 4096th of a peak, from 0 to 4096.
func inUnits(bytes, peak int64, round rounding) int16 {
	if bytes <= 0 || peak <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(min(bytes, peak)), unitsOfPeak)
	unit, rest := bits.Div64(high, low, uint64(peak))
	if round == up && rest > 0 || round == nearest && rest >= uint64(peak)-rest {
		unit++
	}
	return int16(unit)
}

// familyCurves returns the bytes of each family in some states, in ascending order.
func familyCurves(r *analysis.Recording, states []int, peak int64) [][]int16 {
	changes := make([][families.Count]int64, len(states)+1) // between a state and the one before
	assigned, next := r.Families(), 0
	for i := range r.Device.Allocations {
		a := &r.Device.Allocations[i]
		for next < len(states) && states[next] <= int(a.Start) { // allocations are in the order of their starts
			next++
		}
		if next == len(states) {
			break
		}
		if a.End != replay.None && int(a.End) < states[next] {
			continue // it is live between two of the states only
		}
		end := next
		for end < len(states) && a.LiveIn(states[end]) {
			end++
		}
		family := assigned.Family(i)
		changes[next][family] += a.Size
		changes[end][family] -= a.Size
	}
	curves := make([][]int16, families.Count)
	for f := range curves {
		bytes := int64(0)
		curve, any := make([]int16, len(states)), false
		for k := range states {
			bytes += changes[k][f]
			curve[k] = inUnits(bytes, peak, nearest)
			any = any || bytes > 0
		}
		if !any {
			curve = []int16{}
		}
		curves[f] = delta(curve)
	}
	return curves
}

// delta replaces each number but the first by its difference from the one before.
func delta(curve []int16) []int16 {
	for i := len(curve) - 1; i > 0; i-- {
		curve[i] -= curve[i-1]
	}
	return curve
}

// reservedCurve finds the most reserved bytes in ranges of states, in ascending order.
type reservedCurve struct {
	changes []replay.ReservedChange // not yet applied
	bytes   int64                   // reserved before them
}

func newReservedCurve(d *replay.Device) *reservedCurve {
	return &reservedCurve{d.Reserved, d.Totals.ReservedBaselineBytes}
}

// highest returns the most reserved bytes in the states from to to, both included. From
// call to call, from must not decrease.
func (c *reservedCurve) highest(from, to int) int64 {
	for len(c.changes) > 0 && int(c.changes[0].Event) < from {
		c.bytes += c.changes[0].Delta
		c.changes = c.changes[1:]
	}
	bytes, most := c.bytes, c.bytes
	for _, change := range c.changes {
		if int(change.Event) >= to {
			break
		}
		bytes += change.Delta
		most = max(most, bytes)
	}
	return most
}
