package analysis

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// suspect is one call site that grows with the steps.
type suspect struct {
	stack   snapshot.StackID
	kind    LeakKind
	strong  bool
	rhythm  string // equal for sites that grow in the same steps
	members []life // what the growth is made of, in order of birth

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
type leakJudge struct {
	last    int // the number of boundaries; last-1 is the last whole step
	calls   bool
	feeding bool // each step is fed more than the one before
	// Of the site being judged.
	growing []int // steps that add to it, ascending, none of them cut
	added   []int64
	freed   []life // sorted by step of their freeing
}

func newLeakJudge(r *Recording, steps *Steps) *leakJudge {
	return &leakJudge{
		last:    len(steps.Boundaries),
		calls:   steps.Method == StepsByBackward || steps.Method == StepsByBackwardRuns,
		feeding: inputsGrow(r, steps),
	}
}

// site tries the kinds in order. Lives are in order of birth.
func (j *leakJudge) site(stack snapshot.StackID, lives []life) (suspect, bool) {
	s := suspect{stack: stack}
	for _, x := range lives {
		if x.stays() {
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
func (j *leakJudge) accumulates(s *suspect, lives []life) bool {
	j.growing, j.added = j.growing[:0], j.added[:0]
	lag := 0 // most steps between birth and freeing
	for _, x := range lives {
		n := len(j.growing)
		switch born := int(x.born); {
		case !x.stays():
			lag = max(lag, int(x.gone-x.born))
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
		if x.stays() {
			s.members = append(s.members, x)
		}
	}
	j.describe(s)
	s.strong = j.strong()
	return true
}

// steady reports whether growth, in its first n steps, comes in at least 60 %
// of the steps, or at distances that stay near their average.
func (j *leakJudge) steady(n int) bool {
	span := j.last - 1 - j.growing[0]
	return 10*n >= 6*span || n >= 3 && j.longestGap(n) <= max(2, 2*span/n)
}

// longestGap is between two of the first n growing steps that follow each other.
func (j *leakJudge) longestGap(n int) int {
	gap := 0
	for i := 1; i < n; i++ {
		gap = max(gap, j.growing[i]-j.growing[i-1])
	}
	return gap
}

// recent reports whether growth has not stopped: it has not paused for longer
// than before, and what grew in every step did so in the last whole one.
func (j *leakJudge) recent() bool {
	n := len(j.growing)
	pause, gap := j.last-1-j.growing[n-1], j.longestGap(n)
	return pause <= gap && (pause == 0 || gap > 1) && pause < max(2, (j.last-1)/3)
}

// outlive reports whether survivors of at least two steps are older than
// anything that the site ever freed: a queue holds its youngest as well.
func (j *leakJudge) outlive(old, lag int) bool {
	return old >= 2 && j.last-j.growing[1] > lag+1
}

// Growth must outlast two steps of getting ready and a cache for a few steps,
// and not slow down, before it is called strong.
const (
	minStrongBoundaries = 8
	minStrongSteps      = 5
	warmUpSteps         = 2
)

func (j *leakJudge) strong() bool {
	if j.last < minStrongBoundaries {
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
func (j *leakJudge) describe(s *suspect) {
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
func (j *leakJudge) sawtooth(s *suspect, lives []life) bool {
	if j.last < minShapeBoundaries || s.freedAcross < 3 {
		return false
	}
	j.freed = j.freed[:0]
	for _, x := range lives {
		if !x.stays() && int(x.gone) < j.last {
			j.freed = append(j.freed, x)
		}
	}
	slices.SortStableFunc(j.freed, func(a, b life) int { return cmp.Compare(a.gone, b.gone) })
	var rhythm []byte
	alike := true // all bursts clear as many steps
	for start := 0; start < len(j.freed); {
		end, births, bytes := start, 0, int64(0)
		for ; end < len(j.freed) && j.freed[end].gone == j.freed[start].gone; end++ {
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
			rhythm = binary.AppendUvarint(rhythm, uint64(j.freed[start].gone))
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
	slices.SortFunc(s.members, func(a, b life) int { return cmp.Compare(a.allocation, b.allocation) })
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
// as a buffer that torch.cat replaces by a longer one does.
func (j *leakJudge) grows(s *suspect, lives []life) bool {
	boundaries := j.last
	if boundaries < minShapeBoundaries || 10*len(lives) < 8*(boundaries-1) || j.feeding {
		return false
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
	if 10*len(j.growing) < 8*(boundaries-1) || 2*last < 3*first || last <= held[boundaries-2] {
		return false
	}
	s.kind, s.members = Grows, lives
	j.describe(s)
	s.strong = j.strong()
	return true
}

// heldAt is what lives hold at each boundary.
func heldAt(lives []life, boundaries int) []int64 {
	held := make([]int64, boundaries+1)
	for _, x := range lives {
		held[x.born] += x.size
		if !x.stays() {
			held[x.gone] -= x.size
		}
	}
	for i := 1; i <= boundaries; i++ {
		held[i] += held[i-1]
	}
	return held[:boundaries]
}

// inputsGrow reports whether the inputs of nearly every step are larger than
// those of the step before. What is made from them grows as well then.
func inputsGrow(r *Recording, steps *Steps) bool {
	k := len(steps.Boundaries)
	bytes := make([]int64, k+1)
	step := 0
	for i := r.Device.PreExisting; i < len(r.Device.Allocations); i++ {
		a := &r.Device.Allocations[i]
		for step < k && steps.Boundaries[step] <= a.Start {
			step++
		}
		if r.Families.Family(i) == Input {
			bytes[step] += a.Size
		}
	}
	rises := 0
	for j := 2; j < k; j++ {
		if bytes[j] > bytes[j-1] {
			rises++
		}
	}
	return k > 2 && 10*rises >= 8*(k-2)
}
