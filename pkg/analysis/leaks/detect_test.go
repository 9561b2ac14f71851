package leaks

import (
	"cmp"
	"slices"
	"testing"
)

// survivorsIn are survivors of 8 bytes, live at the end, that steps leave.
func survivorsIn(born ...int32) (list []survivor) {
	for _, step := range born {
		list = append(list, survivor{born: step, freed: neverFreed, size: 8})
	}
	return list
}

func upTo(last int32) (steps []int32) {
	for i := range last + 1 {
		steps = append(steps, i)
	}
	return steps
}

// freed is one survivor of 8 bytes that is freed in a later step.
func freed(born, freed int32) survivor { return survivor{born: born, freed: freed, size: 8} }

// find tries all kinds on survivors in order of birth.
func (j detector) find(survivors []survivor) (suspect, bool) {
	slices.SortStableFunc(survivors, func(a, b survivor) int { return cmp.Compare(a.born, b.born) })
	for i := range survivors {
		survivors[i].allocation = int32(i)
	}
	return j.site(1, survivors)
}

// TestAccumulatesBounds tries the rules for memory that stays at their bounds. A detector
// with n boundaries has the whole steps 0 to n-1.
func TestAccumulatesBounds(t *testing.T) {
	tests := []struct {
		name      string
		last      int
		survivors []survivor
		want      bool
	}{
		{"two steps before the last whole one", 3, survivorsIn(0, 1, 2), true},
		{"one step before it", 2, survivorsIn(0, 1), false},
		{"only the step that the end cuts", 8, survivorsIn(8, 8, 8), false},
		{"6 of 10 steps, unevenly", 11, survivorsIn(0, 1, 2, 3, 4, 9), true},
		{"5 of 10 steps, unevenly", 11, survivorsIn(0, 1, 2, 3, 9), false},
		{"twice the average distance, 10", 21, survivorsIn(0, 10, 12, 18), true},
		{"11 where the average is 5", 21, survivorsIn(0, 11, 12, 18), false},
		{"one distance shows no rhythm", 21, survivorsIn(0, 15), false},
		{"two do", 21, survivorsIn(0, 10, 18), true},
		{"pause as long as the others", 13, survivorsIn(0, 3, 6, 9), true},
		{"pause longer than the others", 13, survivorsIn(1, 3, 5, 7, 9), false},
		{"pause of a quarter of the recording", 13, survivorsIn(0, 4, 8, 9), true},
		{"pause of a third of it", 13, survivorsIn(0, 4, 8), false},
		{"pause of one step in a short recording", 5, survivorsIn(0, 2, 3), true},
		{"each step but the last", 11, survivorsIn(upTo(9)...), false},
		{"each step", 11, survivorsIn(upTo(10)...), true},
		{"older than what is freed after 7 steps", 10, append(survivorsIn(upTo(9)...), freed(0, 7), freed(0, 7)), true},
		{"no older than what is freed after 8", 10, append(survivorsIn(upTo(9)...), freed(0, 8), freed(0, 8)), false},
		{"buffers replaced in random order, no more of them", 12, append(survivorsIn(2, 4, 6, 8, 10),
			freed(0, 2), freed(0, 4), freed(0, 6), freed(3, 8), freed(5, 10)), false},
		{"the same, and more of them", 12, append(survivorsIn(2, 4, 6, 8, 10),
			freed(0, 4), freed(0, 6), freed(3, 8)), true},
		{"a single late free", 10, append(survivorsIn(upTo(9)...), freed(0, 8)), true},
	}
	for _, test := range tests {
		s, found := detector{last: test.last}.find(test.survivors)
		if found != test.want || found && s.kind != Accumulates {
			t.Errorf("%s: found %t, kind %d", test.name, found, s.kind)
		}
	}
}

// TestAccumulatesNumbers: 8 bytes in each of five steps.
func TestAccumulatesNumbers(t *testing.T) {
	s, found := detector{last: 8}.find(append(survivorsIn(3, 4, 5, 6, 7, 7), freed(3, 4)))
	if !found || s.firstStep != 3 || s.lastStep != 7 || s.growingSteps != 5 || s.perStep != 9 || s.liveBytes != 48 ||
		s.freedAcross != 1 || len(s.members) != 6 { // 48 bytes in 5 steps are 9 a step
		t.Errorf("found %t: %+v", found, s)
	}
}

// TestStrong tries what makes a leak strong at its bounds.
func TestStrong(t *testing.T) {
	// sized are survivors of these sizes in the steps from 0 on. With eight boundaries, steps 1 to 3 are
	// the first half and steps 4 to 7 the second.
	sized := func(sizes ...int64) (list []survivor) {
		for i, size := range sizes {
			list = append(list, survivor{born: int32(i), freed: neverFreed, size: size})
		}
		return list
	}
	tests := []struct {
		name      string
		detector  detector
		survivors []survivor
		want      bool
	}{
		{"eight boundaries", detector{last: 8}, survivorsIn(upTo(7)...), true},
		{"seven boundaries", detector{last: 7}, survivorsIn(upTo(6)...), false},
		{"guessed steps", detector{last: 8, guess: true}, survivorsIn(upTo(7)...), false},
		{"five steps after the second", detector{last: 8}, survivorsIn(2, 4, 5, 6, 7), true},
		{"four steps after the second", detector{last: 8}, survivorsIn(1, 4, 5, 6, 7), false},
		{"half as steep later", detector{last: 8}, sized(1000, 20, 20, 20, 10, 10, 10, 10), true},
		{"less than half as steep", detector{last: 8}, sized(1000, 20, 20, 20, 10, 10, 10, 9), false},
	}
	for _, test := range tests {
		if s, found := test.detector.find(test.survivors); !found || (s.doubt == NoDoubt) != test.want {
			t.Errorf("%s: found %t, doubt %q", test.name, found, s.doubt.Key())
		}
	}
}

func TestSawtoothBounds(t *testing.T) {
	burst := []survivor{freed(0, 3), freed(1, 3), freed(2, 3)}
	and := func(more ...survivor) []survivor { return slices.Concat(burst, more) }
	tests := []struct {
		name      string
		detector  detector
		survivors []survivor
		want      int // bursts
	}{
		{"memory of three steps", detector{last: 4}, burst, 1},
		{"of two steps", detector{last: 10}, []survivor{freed(0, 3), freed(1, 3), freed(1, 3), freed(1, 3)}, 0},
		{"freed after the last boundary", detector{last: 3}, burst, 0},
		{"two bursts in six steps", detector{last: 6}, and(freed(2, 5), freed(3, 5), freed(4, 5)), 2},
		{"two bursts in five steps", detector{last: 5}, and(freed(1, 4), freed(2, 4), freed(3, 4)), 0},
		{"half of what is freed", detector{last: 10}, and(freed(0, 1), freed(1, 2), freed(4, 5)), 1},
		{"less than half of it", detector{last: 10}, and(freed(0, 1), freed(1, 2), freed(4, 5), freed(5, 6)), 0},
		{"half of what the site holds", detector{last: 10}, and(survivor{born: 0, freed: 9, size: 24}), 1},
		{"less than that", detector{last: 10}, and(survivor{born: 0, freed: 9, size: 25}), 0},
		{"groups of calls of backward", detector{last: 10, calls: true}, and(freed(3, 6), freed(4, 6), freed(5, 6)), 0},
		{"one group of them", detector{last: 10, calls: true}, burst, 1},
		{"groups of different sizes", detector{last: 10, calls: true},
			and(freed(3, 7), freed(4, 7), freed(5, 7), freed(6, 7)), 2},
	}
	for _, test := range tests {
		s, found := test.detector.find(test.survivors)
		if found != (test.want > 0) || s.bursts != test.want || found && s.kind != Sawtooth {
			t.Errorf("%s: found %t, %d bursts, kind %d", test.name, found, s.bursts, s.kind)
		}
	}
	s, _ := detector{last: 9}.find([]survivor{{born: 1, freed: 4, size: 10}, {born: 2, freed: 4, size: 20},
		{born: 2, freed: 4, size: 5}, {born: 3, freed: 4, size: 25}})
	if s.burstSteps != 3 || s.burstBytes != 60 || s.perStep != 20 || s.growingSteps != 3 || s.firstStep != 1 ||
		s.lastStep != 3 || s.freedAcross != 4 || s.liveBytes != 0 || len(s.members) != 4 {
		t.Errorf("60 bytes of three steps at once: %+v", s)
	}
}

// TestGrowsBounds tries the rules for a buffer that each step replaces by a longer one.
func TestGrowsBounds(t *testing.T) {
	// buffer has these sizes at the boundaries from 0 on.
	buffer := func(sizes ...int64) (list []survivor) {
		for i, size := range sizes {
			list = append(list, survivor{born: int32(i), freed: int32(i + 1), size: size})
		}
		return list
	}
	// kept is replaced n times of four, and else freed only after the last of five boundaries.
	kept := func(n int) (list []survivor) {
		for i := range int32(5) {
			list = append(list, freed(i, 5))
		}
		return append(list, []survivor{{born: 0, freed: 1, size: 1}, {born: 1, freed: 2, size: 1}}[:n]...)
	}
	// queue holds the last three, of these sizes.
	queue := func(sizes ...int64) (list []survivor) {
		for i, size := range sizes {
			list = append(list, survivor{born: int32(i), freed: int32(min(i+3, len(sizes))), size: size})
		}
		return list
	}
	tests := []struct {
		name      string
		last      int
		survivors []survivor
		want      bool
	}{
		{"full, of sizes that rise by chance", 9, queue(30, 10, 20, 31, 11, 21, 32, 12, 22), false},
		{"full, of larger and larger ones", 9, queue(30, 31, 32, 33, 34, 35, 36, 37, 38), true},
		{"four boundaries", 4, buffer(10, 20, 30, 40), true},
		{"three boundaries", 3, buffer(10, 20, 30), false},
		{"8 of 10 times", 11, buffer(10, 20, 30, 40, 50, 60, 70, 80, 80, 80, 90), true},
		{"7 of 10 times", 11, buffer(10, 20, 30, 40, 50, 60, 70, 70, 70, 70, 80), false},
		{"by half", 5, buffer(20, 22, 24, 26, 30), true},
		{"by less than half", 5, buffer(20, 22, 24, 26, 29), false},
		{"not at the end", 10, buffer(10, 20, 30, 40, 50, 60, 70, 80, 90, 90), false},
		{"falls to half once", 11, buffer(10, 20, 30, 40, 20, 30, 40, 50, 60, 70, 80), true},
		{"falls below half once", 11, buffer(10, 20, 30, 40, 19, 30, 40, 50, 60, 70, 80), false},
		{"by half, once it is there", 6, buffer(0, 10, 11, 12, 13, 15), true},
		{"by less, once it is there", 6, buffer(0, 10, 11, 12, 13, 14), false},
		{"replaced half of the times", 5, kept(2), true},
		{"replaced once", 5, kept(1), false},
	}
	for _, test := range tests {
		s, found := detector{last: test.last}.find(test.survivors)
		if found != test.want || found && s.kind != Grows {
			t.Errorf("%s: found %t, kind %d", test.name, found, s.kind)
		}
	}
	if _, found := (detector{last: 4, feeding: true}).find(buffer(10, 20, 30, 40)); found {
		t.Error("it grows with the data that steps are fed")
	}
	s, _ := detector{last: 4}.find(buffer(10, 20, 30, 40))
	if s.firstStep != 1 || s.lastStep != 3 || s.growingSteps != 3 || s.perStep != 10 {
		t.Errorf("10 bytes a step: %+v", s)
	}
}

// TestTrendOfNoise: the least bytes of steps that hold buffers of random sizes, replaced
// in random order, or the last few tensors of random sizes.
func TestTrendOfNoise(t *testing.T) {
	for name, test := range map[string]struct {
		floors []int64
		want   bool
	}{
		"steady":                         {[]int64{100, 110, 120, 130, 140, 150, 160}, true},
		"steady, with lengths that vary": {[]int64{203, 208, 216, 226, 236, 246, 251, 255, 263, 272, 283}, true},
		"buffers": {[]int64{9386, 9464, 9411, 9353, 9374, 9658, 9453, 9677, 9481, 9646, 9722},
			false},
		"more buffers": {[]int64{9672, 9644, 9731, 9652, 9799, 9647, 9771, 9810, 9829, 9835}, false},
		"waves": {[]int64{100, 104, 109, 111, 108, 105, 104, 106, 110, 114, 116, 114, 111,
			110}, false},
	} {
		for i := range test.floors {
			test.floors[i] <<= 20
		}
		if got := trendOf(test.floors); got.GoesOn != test.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestRisesMostly(t *testing.T) {
	for _, test := range []struct {
		values []int64
		want   bool
	}{
		{nil, false}, {[]int64{1, 2}, false}, {[]int64{1, 2, 3}, true},
		{[]int64{1, 2, 3, 4, 5, 5}, true},  // 4 of 5
		{[]int64{1, 2, 3, 4, 4, 4}, false}, // 3 of 5
	} {
		if risesMostly(test.values) != test.want {
			t.Errorf("%v: %t", test.values, !test.want)
		}
	}
}
