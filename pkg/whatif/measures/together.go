package measures

import "slices"

// exclusive are measures of which one makes the other meaningless.
var exclusive = [][2]Measure{{Fused, NoForeach}, {ShardOptimizer, ShardTensors}, {Accumulate, HalfBatch}}

// together is the cheapest combination under which no request fails, nil if there is
// none. One measure after another is taken until that is so, of the cheapest class that
// has one that helps: the one under which nothing fails, else the one with the lowest peak
// of active memory. Then each measure is left out without which it still is so.
func (x *measurer) together(applicable []Measure, base Outcome) *Outcome {
	var taken []Measure
	now := base
	for now.Failed > 0 {
		best := now
		// With each measure the peak may go where one that costs less helps, which did not before.
		for class := costNothing; class <= costGPUs && slices.Equal(best.Measures, taken); class++ {
			best = x.bestOf(applicable, class, taken, now)
		}
		if slices.Equal(best.Measures, taken) {
			break
		}
		taken, now = best.Measures, best
	}
	if now.Failed > 0 {
		return nil
	}
	for _, m := range slices.Backward(taken) {
		without := slices.DeleteFunc(slices.Clone(taken), func(o Measure) bool { return o == m })
		if len(without) == 0 {
			break
		}
		if o := x.attempt(without); o != nil && o.Failed == 0 {
			taken, now = without, *o
		}
	}
	return &now
}

// bestOf is what is taken with the best measure of a class, or what was before it.
func (x *measurer) bestOf(applicable []Measure, class cost, taken []Measure, before Outcome) Outcome {
	candidates := slices.DeleteFunc(slices.Clone(applicable), func(m Measure) bool {
		return measureCosts[m] != class || slices.Contains(taken, m) || excluded(taken, m)
	})
	outcomes := make([]*Outcome, len(candidates))
	inParallel(len(candidates), func(i int) {
		outcomes[i] = x.attempt(sorted(append(slices.Clone(taken), candidates[i])))
	})
	best := before
	for _, o := range outcomes {
		if o != nil && better(o, &best, &before) {
			best = *o
		}
	}
	return best
}

// attempt is outcome, without serving what needs more active memory than there is.
func (x *measurer) attempt(measures []Measure) *Outcome {
	if len(measures) == 1 {
		return x.single[measures[0]]
	}
	o := x.predict(measures, func(o *Outcome) bool { return x.limit == 0 || o.Active <= x.limit })
	if o != nil && x.limit > 0 && o.Active > x.limit {
		o.Failed = 1
	}
	return o
}

// better reports whether a combination is better than the best so far, and enough better
// than the one before it to be worth a measure: no request fails, or fewer bytes are
// active at the peak.
func better(o, best, before *Outcome) bool {
	if fits, fit := o.Failed == 0, best.Failed == 0; fits != fit {
		return fits
	}
	return o.Active < best.Active && o.Active < before.Active-before.Active/worthMeasuring
}

func excluded(taken []Measure, m Measure) bool {
	return slices.ContainsFunc(exclusive, func(pair [2]Measure) bool {
		return pair[0] == m && slices.Contains(taken, pair[1]) || pair[1] == m && slices.Contains(taken, pair[0])
	})
}

func sorted(list []Measure) []Measure {
	slices.Sort(list)
	return list
}
