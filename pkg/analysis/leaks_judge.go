package analysis

import (
	"encoding/binary"

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
	last    int  // the number of boundaries; last-1 is the last whole step
	calls   bool // steps are calls of backward
	hint    bool // steps are only a guess, which no verdict may rest on
	feeding bool // each step is fed more than the one before

	// Of the site being judged.
	growing []int // steps that add to it, ascending, none of them cut
	added   []int64
	freed   []life // sorted by step of their freeing
}

func newLeakJudge(in *LeakInput) *leakJudge {
	steps := in.Steps
	return &leakJudge{
		last:    len(steps.Boundaries),
		calls:   steps.Method == StepsByBackward || steps.Method == StepsByBackwardRuns,
		hint:    steps.hint,
		feeding: in.stepsAreFedMore(),
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
