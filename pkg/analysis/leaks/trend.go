package leaks

import (
	"maps"
	"math"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Trend is how the least active bytes of each step change, without those of call
// sites that are suspect or caches: a straight line through them.
type Trend struct {
	PerStep int64 // slope
	Spread  int64 // two standard errors of the slope
	Steps   int   // that it is based on
	Least   int64 // the smallest slope distinguishable from chance

	// GoesOn means that memory keeps growing: the slope is far above its spread, in the
	// second half of the steps as in the first, and at least three steps rose.
	GoesOn bool
	// Resized means that the growth comes from call sites that free as many tensors as
	// they make, and only their bytes rise: a buffer that is made anew for a longer input,
	// sizes that vary by chance, or growth. They cannot be distinguished.
	Resized bool

	// Stack is the call site whose survivors grow most in the second half of the steps,
	// and Bytes how much they grow per step; 0 bytes if there is none.
	Stack snapshot.StackID
	Bytes int64
}

// The steps that a trend needs, and the rising ones that it needs to go on.
const (
	minTrendSteps = 5
	minTrendRises = 3
)

// trend returns nil for too few steps. It drops findings that are weak because few steps
// add to them if as much grows elsewhere: of many call sites used at random, some are
// used at steady distances.
func (in *Input) trend(l *Findings, survivors *survivorsBySite) *Trend {
	t := in.trendBeside(l, survivors)
	if t == nil || !t.GoesOn {
		return t
	}
	without := *l
	without.Leaks = slices.DeleteFunc(slices.Clone(l.Leaks), func(leak Leak) bool {
		return leak.Doubt == FewGrowingSteps && leak.PerStep < t.PerStep
	})
	if len(without.Leaks) < len(l.Leaks) {
		if all := in.trendBeside(&without, survivors); all.GoesOn {
			l.Leaks, t = without.Leaks, all
		}
	}
	return t
}

// trendBeside returns the trend of memory apart from leaks and caches. Set-up steps do
// not count.
func (in *Input) trendBeside(l *Findings, survivors *survivorsBySite) *Trend {
	boundaries := in.Steps.Boundaries
	first := 1
	if len(boundaries) >= minStrongBoundaries {
		first = warmUpSteps
	}
	n := len(boundaries) - first
	if n < minTrendSteps {
		return nil
	}
	floors := func(without map[snapshot.StackID]bool) []int64 {
		rest := in.activeWithout(without)
		floors := make([]int64, n)
		for i := range floors {
			from, to := boundaries[first+i-1], boundaries[first+i]
			floors[i] = slices.Min(rest[from : to+1])
		}
		return floors
	}
	known := l.sites(Accumulates, Grows, Sawtooth)
	t := trendOf(floors(known))
	if !t.GoesOn {
		return t
	}
	middle, last := first+n/2, len(boundaries)-1
	resized := map[snapshot.StackID]bool{}
	for stack, list := range survivors.all() {
		if !known[stack] && resizes(list, middle, last) {
			resized[stack] = true
		}
	}
	if len(resized) > 0 {
		maps.Copy(known, resized)
		t.GoesOn = trendOf(floors(known)).GoesOn
		t.Resized = !t.GoesOn
	}
	for stack, list := range survivors.all() {
		if resized[stack] != t.Resized || known[stack] && !resized[stack] {
			continue
		}
		grown := (heldAt(list, last) - heldAt(list, middle)) / int64(max(last-middle, 1))
		if grown > t.Bytes {
			t.Stack, t.Bytes = stack, grown
		}
	}
	return t
}

// resizes reports whether a site frees as many tensors as it makes between two boundaries.
func resizes(survivors []survivor, from, to int) bool {
	before, after, freed := 0, 0, false
	for _, x := range survivors {
		before += liveAt(int(x.born), int(x.freed), from)
		after += liveAt(int(x.born), int(x.freed), to)
		freed = freed || int(x.freed) > from && int(x.freed) <= to
	}
	return freed && after <= before
}

// heldAt returns what survivors hold at a boundary.
func heldAt(survivors []survivor, boundary int) (bytes int64) {
	for _, x := range survivors {
		if int(x.born) <= boundary && int(x.freed) > boundary {
			bytes += x.size
		}
	}
	return bytes
}

// activeWithout returns the active bytes of each state without what some call sites
// allocated in the recording.
func (in *Input) activeWithout(sites map[snapshot.StackID]bool) []int64 {
	if len(sites) == 0 {
		return in.Device.ActiveBytes()
	}
	rest := slices.Clone(in.Device.ActiveBytes())
	change := make([]int64, len(rest)+1)
	born := in.Device.Allocations[in.Device.PreExisting:]
	for i := range born {
		if a := &born[i]; sites[a.Stack] {
			change[a.Start+1] += a.Size
			if a.End != replay.None {
				change[a.End+1] -= a.Size
			}
		}
	}
	held := int64(0)
	for k := range rest {
		held += change[k]
		rest[k] -= held
	}
	return rest
}

// trendOf fits a line through the least bytes of steps.
func trendOf(floors []int64) *Trend {
	n := len(floors)
	slope, deviation := line(floors)
	before, _ := line(floors[:(n+1)/2])
	after, _ := line(floors[n/2:])
	rises := 0
	for i := 1; i < n; i++ {
		if floors[i] > floors[i-1] {
			rises++
		}
	}
	least := max(maxTinyBytes, surely(n)*deviation)
	t := &Trend{
		PerStep: int64(math.Round(slope)), Spread: int64(math.Round(2 * deviation)), Steps: n,
		Least: int64(math.Ceil(least)),
	}
	t.GoesOn = slope > least && rises >= max(minTrendRises, n/3) && before > 0 && 2*after >= before && 2*after >= slope
	return t
}

// surely returns how many standard errors the slope of a line through n values exceeds by
// chance in one case of a thousand: nearly the t distribution's quantile.
func surely(n int) float64 { return 3 + 11/float64(n-2) }

// line returns the slope of the least-squares line through values at equal distances, and
// its standard error; 0 and 0 for fewer than two values. Residuals are assumed to be
// correlated with their predecessors, as when steps hold tensors of earlier steps: n
// values that each resemble their neighbour carry as little information as a few
// independent ones.
func line(values []int64) (slope, deviation float64) {
	n := float64(len(values))
	if n < 2 {
		return 0, 0
	}
	middle, mean := (n-1)/2, 0.0
	for _, v := range values {
		mean += float64(v) / n
	}
	squares, product, rest := 0.0, 0.0, 0.0
	for i, v := range values {
		x := float64(i) - middle
		squares += x * x
		product += x * (float64(v) - mean)
	}
	slope = product / squares
	before, alike := 0.0, 0.0
	for i, v := range values {
		d := float64(v) - mean - slope*(float64(i)-middle)
		rest += d * d
		alike += d * before
		before = d
	}
	if n > 2 && rest > 0 {
		// Few values underestimate the correlation, by (1+4r)/n on average.
		r := alike / rest
		r = min(max(0, r+(1+4*r)/n), 0.9)
		deviation = math.Sqrt(rest / (n - 2) / squares * (1 + r) / (1 - r))
	}
	return slope, deviation
}

// stepsAreFedMore reports whether nearly every step works on more data than the
// one before, as when batches are sorted by length: then everything made from the
// data grows too. The data are the inputs known by name; where there are none, all
// that forward passes allocate, except key-value caches, which grow by themselves.
func (in *Input) stepsAreFedMore() bool {
	steps := in.Steps
	k := len(steps.Boundaries)
	inputs, forward := make([]int64, k+1), make([]int64, k+1)
	rules, known := in.Families.Rules, false
	step := 0
	for i := in.Device.PreExisting; i < len(in.Device.Allocations); i++ {
		a := &in.Device.Allocations[i]
		for step < k && steps.Boundaries[step] <= a.Start {
			step++
		}
		switch rule := rules[i]; {
		case rule.InputByName():
			inputs[step] += a.Size
			known = true
		case in.Activities.Alloc(a.Stack) == stacks.InForward && in.Families.Family(i) != families.Cache:
			forward[step] += a.Size
		}
	}
	if known {
		return risesMostly(inputs[1:k])
	}
	return risesMostly(forward[1:k])
}

// risesMostly reports whether at least 80 % of more than two values are above their
// predecessor.
func risesMostly(values []int64) bool {
	rises := 0
	for i := range values {
		if i > 0 && values[i] > values[i-1] {
			rises++
		}
	}
	return len(values) > 2 && 10*rises >= 8*(len(values)-1)
}
