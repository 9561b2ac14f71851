package allocator

import "slices"

// releaseCached waits for all events, then returns free segments and pages to the driver:
// of the large pool first, then of the small one, then of private pools without users
// (upstream release_cached_blocks).
func (a *Allocator) releaseCached() {
	a.finishEvents()
	a.releaseFree(&a.shared.large)
	a.releaseFree(&a.shared.small)
	a.releaseUnusedPools()
}

// releaseFree returns the segments of a pool that are one free block, then the free pages
// of its expandable ones, both in the order of the free set.
func (a *Allocator) releaseFree(p *pool) {
	var segments, expandable []*block
	for b := range p.free.all() {
		switch {
		case b.reservation != nil:
			expandable = append(expandable, b)
		case !b.split():
			segments = append(segments, b)
		}
	}
	for _, b := range segments {
		a.freeSegment(b)
	}
	for _, b := range expandable {
		a.unmap(b)
	}
}

// releaseOversize makes room for a request by returning free blocks of MaxSplitSize or
// more: the smallest that is large enough or, if there is none, the largest ones until
// they add up (upstream release_available_cached_blocks). It reports whether that is
// enough.
func (a *Allocator) releaseOversize(r request) (enough bool) {
	limit := a.settings.splitLimit()
	var oversize []*block
	for b := range r.pool.free.from(key{stream: r.stream, size: limit}) {
		if b.stream != r.stream {
			break
		}
		// A block can be oversize and split if expandable segments were turned on
		// meanwhile. PyTorch would make the invalid call of cudaFree; the model does not.
		if b.reservation == nil && !b.split() {
			oversize = append(oversize, b)
		}
	}

	for _, b := range oversize {
		if b.size >= r.size {
			a.freeSegment(b)
			return true
		}
	}
	missing := r.size
	for _, b := range slices.Backward(oversize) {
		if missing <= 0 {
			break
		}
		missing -= b.size
		a.freeSegment(b)
	}
	return missing <= 0
}

// collectsGarbage reports whether garbage collection is on.
func (a *Allocator) collectsGarbage() bool { return a.limited && a.settings.GCThreshold > 0 }

// collectGarbage frees segments of the default large pool that have been unused for at
// least the mean time, until reserved memory is down to the threshold (upstream
// garbage_collect_cached_blocks).
func (a *Allocator) collectGarbage() {
	if !a.collectsGarbage() {
		return
	}
	threshold := int64(a.settings.GCThreshold * float64(a.allowed))
	if a.Reserved() <= threshold {
		return
	}
	p := &a.shared.large
	var unused []*block
	for b := range p.free.all() {
		if b.reservation == nil && !b.split() {
			unused = append(unused, b)
		}
	}
	for a.Reserved() > threshold && len(unused) > 0 {
		mean := meanAge(p, unused)
		// Every pass frees at least one block, because the oldest is never younger than
		// the mean. As in PyTorch, a pass does not stop at the threshold.
		unused = slices.DeleteFunc(unused, func(b *block) bool {
			old := float64(p.age(b)) >= mean
			if old {
				a.freeSegment(b)
			}
			return old
		})
	}
}

// meanAge returns the mean age of free blocks of a pool.
func meanAge(p *pool, blocks []*block) float64 {
	var sum uint64
	for _, b := range blocks {
		sum += p.age(b)
	}
	return float64(sum) / float64(len(blocks))
}
