package analysis

import (
	"cmp"
	"encoding/binary"
	"slices"
)

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
// and frees what it held: torch.cat replaces a buffer by a longer one.
func (j *leakJudge) grows(s *suspect, lives []life) bool {
	boundaries := j.last
	if boundaries < minShapeBoundaries || 10*len(lives) < 8*(boundaries-1) || j.feeding {
		return false
	}
	replaced := 0
	for _, x := range lives {
		if int(x.gone) < j.last {
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
