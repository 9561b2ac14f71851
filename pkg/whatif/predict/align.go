package predict

// Shares of requests that have to be aligned.
const (
	// leastAligned: pairs of recordings with less are of two programs. Pairs of
	// different programs reach 81 %, those of the same program 98 % or more.
	leastAligned = 0.90
	// mostlyAligned: with less, recordings may have different numbers of steps, such as 11
	// and 10, and the requests of the extra step would follow no law.
	mostlyAligned = 0.97
	// nearlyAligned: with more, no other key is tried.
	nearlyAligned = 0.999
	// betterAligned: the weaker key has to align that much more.
	betterAligned = 0.02
)

// alignment pairs the requests of two recordings that are the same.
type alignment struct {
	pairs []pair // indices into sample.requests
	key   keyKind
	share float64 // of the requests of the recording with more of them
}

// alignments are the alignments of all recordings with each other.
type alignments struct {
	all  []*sample
	of   [][]alignment // of[i][j] for i < j
	last bool          // of the last complete steps
}

// alignAll aligns all recordings with each other: whole if that aligns most requests of
// every pair, else their last complete steps if those align better. ok is false if too
// few requests align in either way; the result is then the better one. The recordings are
// left as they were aligned, whole or cut.
func alignAll(all []*sample) (a *alignments, ok bool) {
	k := newKeyer(all)
	whole := alignEach(k, all)
	if whole.least() >= mostlyAligned {
		return whole, true
	}
	if last := alignLastSteps(k, all); last != nil && last.least() > whole.least() {
		return last, last.least() >= leastAligned
	}
	for _, r := range all {
		r.useAll()
	}
	return whole, whole.least() >= leastAligned
}

// alignLastSteps cuts all recordings to their last complete steps and aligns these. It
// returns nil if a recording has no step known to be complete.
func alignLastSteps(k *keyer, all []*sample) *alignments {
	for _, r := range all {
		if !r.useLastStep() {
			return nil
		}
	}
	a := alignEach(k, all)
	a.last = true
	return a
}

func alignEach(k *keyer, all []*sample) *alignments {
	a := &alignments{all: all, of: make([][]alignment, len(all))}
	for i := range all {
		a.of[i] = make([]alignment, len(all))
		for j := i + 1; j < len(all); j++ {
			a.of[i][j] = alignTwo(k, all[i], all[j])
		}
	}
	return a
}

func alignTwo(k *keyer, x, y *sample) alignment {
	by := func(key keyKind) alignment {
		pairs := align(k.keys(x, key), k.keys(y, key))
		share := 0.0
		if n := max(len(x.requests), len(y.requests)); n > 0 {
			share = float64(len(pairs)) / float64(n)
		}
		return alignment{pairs, key, share}
	}
	first := by(byStack)
	if first.share >= nearlyAligned {
		return first
	}
	if second := by(byFunction); second.share >= first.share+betterAligned {
		return second
	}
	return first
}

// least returns the share of requests that are aligned in the worst pair of recordings.
func (a *alignments) least() float64 {
	least := 1.0
	for i := range a.all {
		for j := i + 1; j < len(a.all); j++ {
			least = min(least, a.of[i][j].share)
		}
	}
	return least
}

// partners maps the requests of recording i to requests of recording j, or -1; both are
// indices into sample.requests.
func (a *alignments) partners(i, j int) []int32 {
	list := make([]int32, len(a.all[i].requests))
	for n := range list {
		list[n] = -1
	}
	if i < j {
		for _, p := range a.of[i][j].pairs {
			list[p.a] = p.b
		}
	} else {
		for _, p := range a.of[j][i].pairs {
			list[p.b] = p.a
		}
	}
	return list
}
