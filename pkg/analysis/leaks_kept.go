package analysis

// Kept is memory that was asked for in the recording and is held at its end,
// by call sites that did so in one step only: what weights, optimizer state
// and caches look like.
type Kept struct {
	Sites, Allocations int
	Bytes              int64
	Families           [FamilyCount]int64
}

// add counts a site, if what it holds at the end was all born in one step.
func (k *Kept) add(f *Families, lives []life) {
	n, bytes, step := 0, int64(0), int32(-1)
	for _, x := range lives {
		if !x.stays() {
			continue
		}
		if step >= 0 && x.born != step {
			return
		}
		step = x.born
		n++
		bytes += x.size
	}
	if n == 0 {
		return
	}
	k.Sites++
	k.Allocations += n
	k.Bytes += bytes
	for _, x := range lives {
		if x.stays() {
			k.Families[f.Family(int(x.allocation))] += x.size
		}
	}
}
