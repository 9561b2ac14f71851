package measures

import "slices"

// exclusive are pairs of measures that make each other meaningless.
var exclusive = [][2]Measure{{Fused, NoForeach}, {ShardOptimizer, ShardTensors}, {Accumulate, HalfBatch}}

// together returns the cheapest combination under which no request fails, nil if there is
// none. It adds one measure after another until no request fails, from the cheapest class
// in which one helps: the one under which nothing fails, else the one with the lowest peak
// of active memory. Then it drops each measure that turns out not to be needed.
func (x *measurer) together(applicable []Measure, base Outcome) *Outcome {
	var taken []Measure
	now := base
	for now.Failed > 0 {
		best := now
		// Each measure may move the peak to where a cheaper one helps that did not before.
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

// bestOf returns taken plus the best measure of a class, or taken itself.
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

// attempt is outcome, but serves nothing that needs more active memory than there is.
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

// better reports whether a combination is better than the best so far, and sufficiently
// better than the one before it to be worth a measure: no request fails, or fewer bytes
// are active at the peak.
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
