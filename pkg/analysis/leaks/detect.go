package leaks

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// suspect is one call site that grows with the steps.
type suspect struct {
	stack   snapshot.StackID
	kind    Kind
	strong  bool
	rhythm  string     // equal for sites that grow in the same steps
	members []survivor // what the growth is made of, in order of birth

	firstStep, lastStep, growingSteps int
	perStep                           int64
	held                              int64 // at the end of the recording
	freedAcross                       int
	bursts, burstSteps                int
	burstBytes                        int64
}

// leakJudge applies the rules to one site after another. Steps are numbered
// from 0, which ends at the first boundary, to last, which begins at the last
// one and is cut by the end of the recording.
type detector struct {
	last    int  // the number of boundaries; last-1 is the last whole step
	calls   bool // steps are calls of backward
	hint    bool // steps are only a guess, which no verdict may rest on
	feeding bool // each step is fed more than the one before

	// Of the site being judged.
	growing []int // steps that add to it, ascending, none of them cut
	added   []int64
	freed   []survivor // sorted by step of their freeing
}

func newDetector(in *Input) *detector {
	found := in.Steps
	return &detector{
		last:    len(found.Boundaries),
		calls:   found.Method == steps.ByBackward || found.Method == steps.ByBackwardRuns,
		hint:    found.Guess,
		feeding: in.stepsAreFedMore(),
	}
}

// site tries the kinds in order. Lives are in order of birth.
func (j *detector) site(stack snapshot.StackID, lives []survivor) (suspect, bool) {
	s := suspect{stack: stack}
	for _, x := range lives {
		if x.live() {
			s.held += x.size
		} else {
			s.freedAcross++
		}
	}
	switch {
	case j.accumulates(&s, lives):
	case j.sawtooth(&s, lives):
	case j.grows(&s, lives):
	default:
		return s, false
	}
	return s, true
}

// accumulates: survivors were born in most steps, or at a steady distance of
// several, and not only while things were getting ready.
func (j *detector) accumulates(s *suspect, lives []survivor) bool {
	j.growing, j.added = j.growing[:0], j.added[:0]
	lag := 0 // most steps between birth and freeing
	for _, x := range lives {
		n := len(j.growing)
		switch born := int(x.born); {
		case !x.live():
			lag = max(lag, int(x.freed-x.born))
		case born == j.last:
		case n > 0 && j.growing[n-1] == born:
			j.added[n-1] += x.size
		default:
			j.growing, j.added = append(j.growing, born), append(j.added, x.size)
		}
	}
	n := len(j.growing)
	old := n // steps whose survivors have seen at least two boundaries
	if n > 0 && j.growing[n-1] == j.last-1 {
		old--
	}
	if old < 2 || !j.steady(old) || !j.recent() || s.freedAcross >= 2 && !j.outlive(old, lag) {
		return false
	}
	s.kind = Accumulates
	for _, x := range lives {
		if x.live() {
			s.members = append(s.members, x)
		}
	}
	j.describe(s)
	s.strong = j.strong()
	return true
}

// steady reports whether growth, in its first n steps, comes in at least 60 %
// of the steps, or at distances that stay near their average.
func (j *detector) steady(n int) bool {
	span := j.last - 1 - j.growing[0]
	return 10*n >= 6*span || n >= 3 && j.longestGap(n) <= max(2, 2*span/n)
}

// longestGap is between two of the first n growing steps that follow each other.
func (j *detector) longestGap(n int) int {
	gap := 0
	for i := 1; i < n; i++ {
		gap = max(gap, j.growing[i]-j.growing[i-1])
	}
	return gap
}

// recent reports whether growth has not stopped: it has not paused for longer
// than before, and what grew in every step did so in the last whole one.
func (j *detector) recent() bool {
	n := len(j.growing)
	pause, gap := j.last-1-j.growing[n-1], j.longestGap(n)
	return pause <= gap && (pause == 0 || gap > 1) && pause < max(2, (j.last-1)/3)
}

// outlive reports whether survivors of at least two steps are older than
// anything that the site ever freed: a queue holds its youngest as well.
func (j *detector) outlive(old, lag int) bool {
	return old >= 2 && j.last-j.growing[1] > lag+1
}

// Growth must outlast two steps of getting ready and a cache for a few steps,
// and not slow down, before it is called strong.
const (
	minStrongBoundaries = 8
	minStrongSteps      = 5
	warmUpSteps         = 2
)

func (j *detector) strong() bool {
	if j.hint || j.last < minStrongBoundaries {
		return false
	}
	half := (j.last - 1) / 2
	late, first, second := 0, int64(0), int64(0)
	for i, step := range j.growing {
		if step >= warmUpSteps {
			late++
		}
		switch {
		case step > half:
			second += j.added[i]
		case step > 0:
			first += j.added[i]
		}
	}
	slopeBefore, slopeAfter := float64(first)/float64(half), float64(second)/float64(j.last-1-half)
	return late >= minStrongSteps && 2*slopeAfter >= slopeBefore
}

// describe sums up the growing steps.
func (j *detector) describe(s *suspect) {
	n := len(j.growing)
	var rhythm []byte
	var sum int64
	for i, step := range j.growing {
		rhythm = binary.AppendUvarint(rhythm, uint64(step))
		sum += j.added[i]
	}
	s.rhythm = string(rhythm)
	s.firstStep, s.lastStep, s.growingSteps = j.growing[0], j.growing[n-1], n
	s.perStep = sum / int64(j.last-j.growing[0])
}

// minShapeBoundaries is how many ends of steps it takes to see a sawtooth or a
// buffer that grows.
const minShapeBoundaries = 4

// sawtooth: some steps free the work of three steps or more at once, most of
// what the site keeps across steps ends that way, and such steps are few. The
// end of the recording, where a script clears up, does not count.
func (j *detector) sawtooth(s *suspect, lives []survivor) bool {
	if j.last < minShapeBoundaries || s.freedAcross < 3 {
		return false
	}
	j.freed = j.freed[:0]
	for _, x := range lives {
		if !x.live() && int(x.freed) < j.last {
			j.freed = append(j.freed, x)
		}
	}
	slices.SortStableFunc(j.freed, func(a, b survivor) int { return cmp.Compare(a.freed, b.freed) })
	var rhythm []byte
	alike := true // all bursts clear as many steps
	for start := 0; start < len(j.freed); {
		end, births, bytes := start, 0, int64(0)
		for ; end < len(j.freed) && j.freed[end].freed == j.freed[start].freed; end++ {
			if end == start || j.freed[end].born != j.freed[end-1].born {
				births++
			}
			bytes += j.freed[end].size
		}
		if births >= 3 {
			alike = alike && (s.bursts == 0 || births == s.burstSteps)
			s.bursts++
			s.burstSteps, s.burstBytes = max(s.burstSteps, births), max(s.burstBytes, bytes)
			s.members = append(s.members, j.freed[start:end]...)
			rhythm = binary.AppendUvarint(rhythm, uint64(j.freed[start].freed))
		}
		start = end
	}
	// Backward calls whose gradients are accumulated come in such groups.
	grouped := j.calls && alike && s.bursts > 1
	if s.bursts == 0 || 3*s.bursts > j.last || 2*len(s.members) < len(j.freed) || grouped {
		s.bursts, s.burstSteps, s.burstBytes, s.members = 0, 0, 0, nil
		return false
	}
	s.kind, s.rhythm = Sawtooth, string(rhythm)
	slices.SortFunc(s.members, func(a, b survivor) int { return cmp.Compare(a.allocation, b.allocation) })
	s.firstStep, s.lastStep = int(s.members[0].born), int(s.members[len(s.members)-1].born)
	s.perStep = s.burstBytes / int64(s.burstSteps)
	for i, x := range s.members {
		if i == 0 || x.born != s.members[i-1].born {
			s.growingSteps++
		}
	}
	return true
}

// grows: the site holds more at nearly every boundary than at the one before,
// and frees what it held: torch.cat replaces a buffer by a longer one.
func (j *detector) grows(s *suspect, lives []survivor) bool {
	boundaries := j.last
	if boundaries < minShapeBoundaries || 10*len(lives) < 8*(boundaries-1) || j.feeding {
		return false
	}
	replaced := 0
	for _, x := range lives {
		if int(x.freed) < j.last {
			replaced++
		}
	}
	held := heldAt(lives, boundaries)
	j.growing, j.added = j.growing[:0], j.added[:0]
	first := held[0]
	for i := 1; i < boundaries; i++ {
		if 2*held[i] < held[i-1] {
			return false
		}
		if first == 0 {
			first = held[i]
		}
		if held[i] > held[i-1] {
			j.growing, j.added = append(j.growing, i), append(j.added, held[i]-held[i-1])
		}
	}
	last := held[boundaries-1]
	if 10*len(j.growing) < 8*(boundaries-1) || 2*replaced < len(j.growing) || 2*last < 3*first ||
		last <= held[boundaries-2] {
		return false
	}
	s.kind, s.members = Grows, lives
	j.describe(s)
	s.strong = j.strong()
	return true
}

// stepsAreFedMore reports whether nearly every step works on more data than the
// one before, as when batches are sorted by length. What is made from the data
// grows as well then. Where no input is known by name, forward passes tell, without
// the key-value cache, which grows by itself.
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

// risesMostly reports whether at least 80 % of several values are above the one
// before.
func risesMostly(values []int64) bool {
	rises := 0
	for i := range values {
		if i > 0 && values[i] > values[i-1] {
			rises++
		}
	}
	return len(values) > 2 && 10*rises >= 8*(len(values)-1)
}
