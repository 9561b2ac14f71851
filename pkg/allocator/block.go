package allocator

// blockState is the state of a block.
type blockState uint8

const (
	unmapped  blockState = iota // address space of an expandable segment without memory
	free                        // has memory and waits for a request
	allocated                   // in use
	pending                     // freed by the user, still used on another stream
)

// block is a piece of a segment. The blocks of a segment form a list in address
// order and tile it without gaps.
type block struct {
	addr      uint64
	size      int64
	requested int64 // bytes of the latest request; meaningless unless the block is live
	stream    Stream
	pool      *pool // for life
	state     blockState

	prev, next  *block       // neighbours in the segment, or in the reservation
	reservation *reservation // nil in a segment that cudaMalloc made

	inserted    uint64   // pool.searches when the block was last put into the free set
	usedBy      []Stream // other streams that use the block, in the order recorded
	outstanding int      // events not done yet, one for each stream of usedBy
}

// end returns the address after the block.
func (b *block) end() uint64 { return b.addr + uint64(b.size) }

// live reports whether the block's bytes count as active.
func (b *block) live() bool { return b.state == allocated || b.state == pending }

// split reports whether the segment has other blocks.
func (b *block) split() bool { return b.prev != nil || b.next != nil }

// room returns the size in bytes that the block can grow to: its own plus the unmapped
// address space after it.
func (b *block) room() int64 {
	if b.next != nil && b.next.state == unmapped {
		return b.size + b.next.size
	}
	return b.size
}

// cutFront makes the first size bytes of b a new block before it, in the same state.
// Neither is in a set afterwards.
func (a *Allocator) cutFront(b *block, size int64) *block {
	front := a.newBlock()
	front.addr, front.size = b.addr, size
	front.stream, front.pool, front.reservation, front.state = b.stream, b.pool, b.reservation, b.state
	b.addr += uint64(size)
	b.size -= size

	front.prev, front.next = b.prev, b
	if b.prev != nil {
		b.prev.next = front
	}
	b.prev = front
	return front
}

// splitFront is cutFront with the rest put into the set of its state.
func (a *Allocator) splitFront(b *block, size int64) (front *block) {
	front = a.cutFront(b, size)
	b.pool.insert(b)
	return front
}

// join merges the neighbour x into b if both have the same state. x leaves its set; b
// must be in none.
func (a *Allocator) join(b, x *block) {
	if x == nil || x.state != b.state {
		return
	}
	x.pool.remove(x)
	if x == b.prev {
		b.addr = x.addr
		b.prev = x.prev
		if b.prev != nil {
			b.prev.next = b
		}
	} else {
		b.next = x.next
		if b.next != nil {
			b.next.prev = b
		}
	}
	b.size += x.size
	a.recycle(x)
}

// settle joins a block that became free or unmapped with its neighbours and
// puts it into the set of its state.
func (a *Allocator) settle(b *block) {
	a.join(b, b.prev)
	a.join(b, b.next)
	b.pool.insert(b)
}

// newBlock returns an empty block, a recycled one if possible.
func (a *Allocator) newBlock() *block {
	b := a.spare
	if b == nil {
		return new(block)
	}
	a.spare = b.next
	*b = block{usedBy: b.usedBy[:0]}
	return b
}

// recycle keeps for newBlock a block that nothing refers to any more.
func (a *Allocator) recycle(b *block) {
	b.next = a.spare
	a.spare = b
}
