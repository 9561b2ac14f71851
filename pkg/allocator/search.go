package allocator

// search takes the block that fits a request best out of the free set: the
// smallest that is large enough, at the lowest address (upstream get_free_block).
func (a *Allocator) search(r request) *block {
	if a.collectsGarbage() {
		r.pool.searches++
	}
	b := a.bestFit(r)
	if b == nil || a.oversizeMisfit(b, r.size) {
		return nil // no other block is tried: the ones after it are larger still
	}
	b.pool.remove(b)
	return b
}

// bestFit is the first free block, by size, that can serve a request. In an
// expandable segment a block counts with what it could grow to, so that the
// growing end of the segment is used last.
func (a *Allocator) bestFit(r request) *block {
	var best *block
	for b := range r.pool.free.from(key{stream: r.stream, size: r.size}) {
		if b.stream != r.stream {
			break
		}
		if !a.settings.Expandable {
			if b.reservation != nil {
				continue // left from when they were on
			}
			return b
		}
		if best != nil && (best.reservation == nil || b.room() >= best.room()) {
			break
		}
		best = b
	}
	return best
}

// oversizeMisfit reports whether MaxSplitSize keeps a block from serving a size:
// blocks from the limit on are not for smaller requests, and as they are not split
// they must not waste too much on larger ones.
func (a *Allocator) oversizeMisfit(b *block, size int64) bool {
	limit := a.settings.splitLimit()
	if size < limit {
		return b.size >= limit
	}
	return b.size-size >= a.settings.nonSplitRounding()
}
