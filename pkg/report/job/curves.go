package job

import (
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/job"
)

// The curves of a job in its payload: the numbers of all columns of a rank behind one
// another, rank after rank, in units of jobModel.Unit, each an int16 of which all low
// bytes stand before all high bytes, which packs better. A column that the rank did not
// record is missingColumn.
//
// First the most active memory, as its distance from the median of the group where the
// rank has one. Where jobModel.FewPerStretch is not 0, the most reserved memory, and the
// families, by family.
const (
	missingColumn = -1 << 15
	curveUnits    = 4095 // of the largest peak
)

// columnsOf is how many columns the curves of each rank have at most.
func columnsOf(ranks int) int {
	switch {
	case ranks <= 24:
		return 768
	case ranks <= 256:
		return 320
	case ranks <= manyRanks:
		return 192
	}
	return 128
}

const (
	// mostPiles is up to how many ranks the page has the families of all columns.
	mostPiles    = 64
	fewColumnsOf = 192
)

// curves lays the curves of all ranks of a job side by side: by their last finished
// steps, and what follows the last.
type curves struct {
	*job.Job
	view    *jobModel
	steps   int // of the stretches
	hasTail bool
	active  [][]int16 // by rank and column
}

// addCurves makes the payload of the curves, and what the view says of it.
func (v *jobModel) addCurves(j *job.Job) []byte {
	c := &curves{Job: j, view: v}
	c.findStretches()
	var largest int64
	for i := range j.Ranks {
		largest = max(largest, j.Ranks[i].PeakBytes, j.Ranks[i].ReservedPeakBytes)
	}
	v.Unit = max(1, (largest+curveUnits-1)/curveUnits)
	c.active = make([][]int16, len(j.Ranks))
	for i := range j.Ranks {
		d := &j.Ranks[i]
		c.active[i] = c.align(d, d.MaxBytes(), d.Curves.PerStep, v.PerStretch)
	}
	c.compareGroups()
	var all []int16
	for i := range j.Ranks {
		all = append(all, c.apart(i)...)
	}
	if v.FewPerStretch > 0 {
		for i := range j.Ranks {
			d := &j.Ranks[i]
			all = append(all, c.align(d, d.ReservedBytes(), d.Curves.PerStep, v.PerStretch)...)
		}
		for i := range j.Ranks {
			d := &j.Ranks[i]
			for f := range families.Count {
				all = append(all, c.align(d, d.FamilyBytes(f), d.Curves.FewPerStep, v.FewPerStretch)...)
			}
		}
	}
	c.addTimes()
	return bytePlanes(all)
}

// findStretches counts what is laid side by side.
func (c *curves) findStretches() {
	v, perStep, few := c.view, 1, 1
	for i := range c.Ranks {
		d := &c.Ranks[i]
		c.hasTail = c.hasTail || d.Curves.Tail || len(d.Steps) == 0
		c.steps = max(c.steps, min(len(d.Steps), c.CommonSteps))
		perStep, few = max(perStep, d.Curves.PerStep), max(few, d.Curves.FewPerStep)
	}
	for s := range c.steps {
		v.Stretches = append(v.Stretches, strconv.Itoa(c.CommonSteps-c.steps+s+1))
	}
	if c.hasTail {
		name := "not finished"
		if c.steps == 0 {
			name = "whole recording"
		}
		v.Stretches = append(v.Stretches, name)
	}
	if len(v.Stretches) == 0 {
		v.Stretches = []string{"whole recording"}
		c.hasTail = true
	}
	v.Steps = c.steps
	n := len(v.Stretches)
	v.PerStretch = max(1, min(columnsOf(len(c.Ranks))/n, perStep))
	if len(c.Ranks) <= mostPiles {
		v.FewPerStretch = max(1, min(fewColumnsOf/n, few))
	}
}

// align gives the highest of each column of a curve in units, with the rank's last steps
// under the last steps of the others.
func (c *curves) align(d *job.Digest, bytes []int64, perStep, perStretch int) []int16 {
	n := len(c.view.Stretches)
	columns := slices.Repeat([]int16{missingColumn}, n*perStretch)
	if len(bytes) == 0 || perStep == 0 {
		return columns
	}
	stretches := len(bytes) / perStep
	steps := min(len(d.Steps), stretches)
	for s := range stretches {
		to := c.steps - steps + s // the rank's last step stands at the last step
		if to < 0 || to >= n {
			continue
		}
		from := bytes[s*perStep : (s+1)*perStep]
		for k := range perStretch {
			low := k * perStep / perStretch
			high := max(low+1, (k+1)*perStep/perStretch)
			most := slices.Max(from[low:min(high, perStep)])
			columns[to*perStretch+k] = int16(min(max((most+c.view.Unit/2)/c.view.Unit, 0), curveUnits))
		}
	}
	return columns
}

// compareGroups finds, for each group and column, the median of its ranks, and what most
// of them hold: 5 to 95 %, or all but the lowest and the highest of a small group.
func (c *curves) compareGroups() {
	var values []int16
	for g := range c.Groups {
		group := c.view.data.Groups[g]
		for column := range len(c.view.Stretches) * c.view.PerStretch {
			values = values[:0]
			for _, rank := range c.Groups[g].Ranks {
				if v := c.active[rank][column]; v != missingColumn {
					values = append(values, v)
				}
			}
			slices.Sort(values)
			n := len(values)
			low, middle, high := int16(-1), int16(-1), int16(-1)
			if n > 0 {
				aside := max(1, n/20)
				if n < 3 {
					aside = 0
				}
				low, middle, high = values[aside], values[n/2], values[n-1-aside]
			}
			group.Low, group.Middle, group.High = append(group.Low, low), append(group.Middle, middle),
				append(group.High, high)
		}
	}
}

// apart is the distance of a rank from its group.
func (c *curves) apart(rank int) []int16 {
	if c.GroupOf[rank] == job.NoGroup {
		return c.active[rank]
	}
	apart := slices.Clone(c.active[rank])
	for column, middle := range c.view.data.Groups[c.GroupOf[rank]].Middle {
		if apart[column] != missingColumn {
			apart[column] -= middle
		}
	}
	return apart
}

// addTimes adds when the stretches of each rank were, by its own clock.
func (c *curves) addTimes() {
	var first *int64
	for i := range c.Ranks {
		if t := c.Ranks[i].FirstMicros; t != nil && (first == nil || *t < *first) {
			first = t
		}
	}
	if first == nil {
		return
	}
	known := 0
	for i := range c.Ranks {
		d := &c.Ranks[i]
		if times := c.times(d, *first); times != nil {
			c.view.data.Ranks[i].Times = times
			known++
		}
	}
	c.view.HasTime = 2*known > len(c.Ranks)
	if !c.view.HasTime {
		for _, r := range c.view.data.Ranks {
			r.Times = nil
		}
	}
}

func (c *curves) times(d *job.Digest, first int64) [][2]int64 {
	if d.FirstMicros == nil || d.SpanMicros == nil {
		return nil
	}
	ms := func(t int64) int64 { return (t - first) / 1000 }
	end := ms(*d.FirstMicros + *d.SpanMicros)
	times := slices.Repeat([][2]int64{{-1, -1}}, len(c.view.Stretches))
	last := ms(*d.FirstMicros)
	for s := range d.Steps {
		step := &d.Steps[s]
		if step.StartMicros == nil || step.Micros == nil {
			return nil
		}
		last = ms(*step.StartMicros + *step.Micros)
		if to := c.steps - len(d.Steps) + s; to >= 0 {
			times[to] = [2]int64{ms(*step.StartMicros), last}
		}
	}
	if (d.Curves.Tail || len(d.Steps) == 0) && c.steps < len(times) {
		times[c.steps] = [2]int64{last, max(last, end)}
	}
	return times
}

// bytePlanes are numbers as bytes: all low bytes, then all high bytes.
func bytePlanes(values []int16) []byte {
	n := len(values)
	planes := make([]byte, 2*n)
	for i, v := range values {
		planes[i], planes[n+i] = byte(v), byte(uint16(v)>>8)
	}
	return planes
}
