package leaks

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// suspect is one call site that grows with the steps.
type suspect struct {
	stack   snapshot.StackID
	kind    Kind
	doubt   Doubt
	rhythm  string     // encodes the steps in which it grows, or for a sawtooth those that free
	members []survivor // the allocations of the growth, in order of birth

	firstStep, lastStep, growingSteps int
	every                             int // distance of growing steps; 0: it varies
	perStep, perGrowth                int64
	liveBytes                         int64 // at the end of the recording
	held                              int   // allocations with these bytes
	freedAcross                       int   // survivors that were freed later
	bursts, burstSteps                int
	burstBytes                        int64
}

// detector applies the rules to one site after another. Step 0 ends at the first
// boundary; step last begins at the last boundary, and the end of the recording
// cuts it.
type detector struct {
	last    int  // the number of boundaries; last-1 is the last whole step
	calls   bool // steps are calls of backward
	guess   bool // steps are only a guess, so no finding is strong
	feeding bool // each step is fed more data than the one before

	// State of the current site.
	growing []int      // complete steps that add to it, ascending
	added   []int64    // bytes, in each of growing
	freed   []survivor // by the step in which they were freed
}

func newDetector(in *Input) *detector {
	found := in.Steps
	return &detector{
		last:    len(found.Boundaries),
		calls:   found.Method == steps.ByBackward || found.Method == steps.ByBackwardRuns,
		guess:   found.Guess,
		feeding: in.stepsAreFedMore(),
	}
}

// site tries the kinds in order. Survivors are in order of birth.
func (j *detector) site(stack snapshot.StackID, survivors []survivor) (suspect, bool) {
	s := suspect{stack: stack}
	for _, x := range survivors {
		if x.live() {
			s.liveBytes += x.size
			s.held++
		} else {
			s.freedAcross++
		}
	}
	switch {
	case j.accumulates(&s, survivors):
	case j.sawtooth(&s, survivors):
	case j.grows(&s, survivors):
	default:
		return s, false
	}
	return s, true
}

// accumulates reports whether memory of most steps, or of steps at a steady distance, is
// still live, not only memory of the first steps.
func (j *detector) accumulates(s *suspect, survivors []survivor) bool {
	j.growing, j.added = j.growing[:0], j.added[:0]
	lag := 0 // most steps between the birth and the free of an allocation
	for _, x := range survivors {
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
	old := n // growing steps whose survivors are at least two boundaries old
	if n > 0 && j.growing[n-1] == j.last-1 {
		old--
	}
	if old < 2 || !j.steady(old) || !j.recent() ||
		s.freedAcross >= 2 && !(j.olderThan(lag) && j.addsUp(survivors)) {
		return false
	}
	s.kind = Accumulates
	for _, x := range survivors {
		if x.live() {
			s.members = append(s.members, x)
		}
	}
	j.describe(s)
	s.doubt = j.doubt()
	return true
}

// steady reports whether growth, in its first n steps, comes in at least 60 %
// of the steps, or at distances that stay near their average.
func (j *detector) steady(n int) bool {
	span := j.last - 1 - j.growing[0]
	return 10*n >= 6*span || n >= 3 && j.longestGap(n) <= 2*span/n
}

// longestGap is the largest distance between neighbours of the first n growing
// steps.
func (j *detector) longestGap(n int) int {
	gap := 0
	for i := 1; i < n; i++ {
		gap = max(gap, j.growing[i]-j.growing[i-1])
	}
	return gap
}

// recent reports whether the growth continues at the end: the current pause is no
// longer than earlier ones, and a site that grew in every step also grew in the
// last whole one.
func (j *detector) recent() bool {
	n := len(j.growing)
	pause, gap := j.last-1-j.growing[n-1], j.longestGap(n)
	return pause <= gap && (pause == 0 || gap > 1) && pause < max(2, (j.last-1)/3)
}

// olderThan reports whether live memory of two steps is older than anything that the site
// freed ever was. A queue also has live memory, but only its youngest.
func (j *detector) olderThan(lag int) bool { return j.last-j.growing[1] > lag+1 }

// addsUp reports whether a site that also frees has grown by at least half of what the
// growing steps have added. Of buffers that are replaced in random order some are always
// old, but their number does not grow.
func (j *detector) addsUp(survivors []survivor) bool {
	held, before, added := bytesAt(survivors, j.last), int64(0), int64(0)
	if first := j.growing[0]; first > 0 {
		before = held[first-1]
	}
	for _, bytes := range j.added {
		added += bytes
	}
	return 2*(held[j.last-1]-before) >= added
}

// A finding is strong if the growth outlasts two steps of set-up and a cache that
// fills for a few steps, and does not slow down.
const (
	minStrongBoundaries = 8
	minStrongSteps      = 5
	warmUpSteps         = 2
)

// doubt returns why growth is not a strong finding.
func (j *detector) doubt() Doubt {
	switch {
	case j.last < minStrongBoundaries:
		return FewSteps
	case j.guess:
		return GuessedSteps
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
	switch {
	case late < minStrongSteps:
		return FewGrowingSteps
	case 2*slopeAfter < slopeBefore:
		return SlowingDown
	}
	return NoDoubt
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
	s.perStep, s.perGrowth = sum/int64(j.last-j.growing[0]), sum/int64(n)
	if gap := j.longestGap(n); gap*(n-1) == s.lastStep-s.firstStep {
		s.every = gap
	}
}

// filled reports whether a site that is not a suspect kept memory of several steps and
// then stopped: more steps have passed since the last addition than in any pause between
// two additions.
func (j *detector) filled(survivors []survivor) (f Filled, is bool) {
	var growing []int
	for _, x := range survivors {
		if !x.live() {
			return f, false
		}
		if n := len(growing); n == 0 || growing[n-1] != int(x.born) {
			growing = append(growing, int(x.born))
		}
		f.Bytes += x.size
	}
	n := len(growing)
	if n < 2 {
		return f, false
	}
	gap := 1
	for i := 1; i < n; i++ {
		gap = max(gap, growing[i]-growing[i-1])
	}
	f.Sites, f.Allocations = 1, len(survivors)
	f.FirstStep, f.LastStep = growing[0], growing[n-1]
	return f, j.last-1-f.LastStep > gap
}

// minShapeBoundaries is how many ends of steps it takes to recognise a sawtooth or a
// growing buffer.
const minShapeBoundaries = 4

// sawtooth reports whether some steps, at most a third, each free memory of three steps
// or more at once, at least half of what the site holds, and these frees are at least
// half of what the site frees later than in its own step. Frees after the last boundary
// do not count: scripts clean up at their end.
func (j *detector) sawtooth(s *suspect, survivors []survivor) bool {
	if j.last < minShapeBoundaries || s.freedAcross < 3 {
		return false
	}
	j.freed = j.freed[:0]
	for _, x := range survivors {
		if !x.live() && int(x.freed) < j.last {
			j.freed = append(j.freed, x)
		}
	}
	slices.SortStableFunc(j.freed, func(a, b survivor) int { return cmp.Compare(a.freed, b.freed) })
	held := bytesAt(survivors, j.last)
	var rhythm []byte
	alike := true // all bursts free memory of equally many steps
	for start := 0; start < len(j.freed); {
		end, births, bytes := start, 0, int64(0)
		for ; end < len(j.freed) && j.freed[end].freed == j.freed[start].freed; end++ {
			if end == start || j.freed[end].born != j.freed[end-1].born {
				births++
			}
			bytes += j.freed[end].size
		}
		if births >= 3 && 2*bytes >= held[j.freed[start].freed-1] {
			alike = alike && (s.bursts == 0 || births == s.burstSteps)
			s.bursts++
			s.burstSteps, s.burstBytes = max(s.burstSteps, births), max(s.burstBytes, bytes)
			s.members = append(s.members, j.freed[start:end]...)
			rhythm = binary.AppendUvarint(rhythm, uint64(j.freed[start].freed))
		}
		start = end
	}
	// With gradient accumulation, groups of backward calls look like this.
	grouped := j.calls && alike && s.bursts > 1
	if s.bursts == 0 || 3*s.bursts > j.last || 2*len(s.members) < len(j.freed) || grouped {
		s.bursts, s.burstSteps, s.burstBytes, s.members = 0, 0, 0, nil
		return false
	}
	s.kind, s.rhythm, s.doubt = Sawtooth, string(rhythm), Delayed
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

// grows reports whether the site holds more at nearly every boundary than at the
// one before and frees what it held, as when torch.cat replaces a buffer by a
// longer one, or a queue grows faster than it is emptied.
func (j *detector) grows(s *suspect, survivors []survivor) bool {
	boundaries := j.last
	if boundaries < minShapeBoundaries || 10*len(survivors) < 8*(boundaries-1) || j.feeding {
		return false
	}
	replaced := 0
	for _, x := range survivors {
		if int(x.freed) < j.last {
			replaced++
		}
	}
	bytes := bytesAt(survivors, boundaries)
	j.growing, j.added = j.growing[:0], j.added[:0]
	first := bytes[0]
	for i := 1; i < boundaries; i++ {
		if 2*bytes[i] < bytes[i-1] {
			return false
		}
		if first == 0 {
			first = bytes[i]
		}
		if bytes[i] > bytes[i-1] {
			j.growing, j.added = append(j.growing, i), append(j.added, bytes[i]-bytes[i-1])
		}
	}
	last := bytes[boundaries-1]
	if 10*len(j.growing) < 8*(boundaries-1) || 2*replaced < len(j.growing) || 2*last < 3*first ||
		last <= bytes[boundaries-2] || !moreOrLarger(survivors, boundaries) {
		return false
	}
	s.kind, s.members = Grows, survivors
	j.describe(s)
	s.doubt = j.doubt()
	return true
}

// moreOrLarger reports whether a site holds more tensors at the last boundary than
// halfway there, or makes more bytes in nearly every step than in the one before. A full
// queue does neither, though the sizes of its tensors may rise by chance.
func moreOrLarger(survivors []survivor, boundaries int) bool {
	half, last := 0, 0
	made := make([]int64, boundaries)
	for _, x := range survivors {
		born, freed := int(x.born), int(x.freed)
		if born < boundaries {
			made[born] += x.size
			last += liveAt(born, freed, boundaries-1)
			half += liveAt(born, freed, boundaries/2)
		}
	}
	return last > half || risesMostly(slices.DeleteFunc(made, func(bytes int64) bool { return bytes == 0 }))
}

// liveAt returns 1 if an allocation born and freed in these steps is live at a boundary,
// else 0.
func liveAt(born, freed, boundary int) int {
	if born <= boundary && freed > boundary {
		return 1
	}
	return 0
}
