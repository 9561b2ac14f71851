package allocator

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// naive is a second allocator, written from the rules alone and with nothing to
// make it quick: one list of all blocks by address, walked from end to end for
// every question. Ages are counted up block by block, pools are a flag, and
// neighbours are entries beside each other. It does everything but private pools.
type naive struct {
	Settings
	driver  Driver
	allowed int64 // 0: no limit
	blocks  []*piece
	waiting map[Stream][]*piece // by the stream whose event a block waits for
	done    map[Stream]int
	events  []Event
}

// piece is a block of the naive allocator.
type piece struct {
	addr, space uint64 // space: start of its segment or reservation
	size, asked int64
	stream      Stream
	large       bool
	expandable  bool
	state       blockState
	users       []Stream
	events      int
	age         int // searches since it became free
}

func newNaive(s Settings, d Driver) *naive {
	return &naive{Settings: s, driver: d, waiting: map[Stream][]*piece{}, done: map[Stream]int{}}
}

func (n *naive) emit(action snapshot.Action, addr uint64, size int64, stream Stream) {
	n.events = append(n.events, Event{Action: action, Addr: addr, Size: size, Stream: stream})
}

func (n *naive) reserved() (bytes int64) {
	for _, p := range n.blocks {
		if p.state != unmapped {
			bytes += p.size
		}
	}
	return bytes
}

// where are the pieces that a test holds for, by stream, size and address: the
// order in which the allocator looks at free blocks.
func (n *naive) where(test func(*piece) bool) (list []*piece) {
	for _, p := range n.blocks {
		if test(p) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(x, y *piece) int {
		return cmp.Or(cmp.Compare(x.stream, y.stream), cmp.Compare(x.size, y.size), cmp.Compare(x.addr, y.addr))
	})
	return list
}

// beside is the neighbour of a piece in its segment, or nil.
func (n *naive) beside(p *piece, step int) *piece {
	i := slices.Index(n.blocks, p) + step
	if i < 0 || i >= len(n.blocks) || n.blocks[i].space != p.space {
		return nil
	}
	return n.blocks[i]
}

func (n *naive) whole(p *piece) bool { return n.beside(p, -1) == nil && n.beside(p, 1) == nil }

func (n *naive) add(p *piece) *piece {
	n.blocks = append(n.blocks, p)
	slices.SortFunc(n.blocks, func(x, y *piece) int { return cmp.Compare(x.addr, y.addr) })
	return p
}

func (n *naive) drop(p *piece) {
	n.blocks = slices.DeleteFunc(n.blocks, func(x *piece) bool { return x == p })
}

// cut makes all but the first size bytes of a piece a piece of its own.
func (n *naive) cut(p *piece, size int64) (rest *piece) {
	x := *p
	x.addr, x.size, x.age, x.users = p.addr+uint64(size), p.size-size, 0, nil
	p.size = size
	return n.add(&x)
}

// merge joins a piece that became free or unmapped with neighbours like it.
func (n *naive) merge(p *piece) *piece {
	p.age = 0
	for _, step := range []int{-1, 1} {
		x := n.beside(p, step)
		if x == nil || x.state != p.state {
			continue
		}
		p.addr = min(p.addr, x.addr)
		p.size += x.size
		n.drop(x)
	}
	return p
}

func (n *naive) Alloc(asked int64, stream Stream) (uint64, bool) {
	n.poll()
	size := n.RoundSize(asked)
	large := size > smallSize
	p := n.search(size, stream, large)
	if p == nil {
		n.collect()
		p = n.grow(size, stream, large)
	}
	if p == nil && n.oversize(size, stream, large) {
		p = n.grow(size, stream, large)
	}
	if p == nil {
		n.EmptyCache()
		p = n.grow(size, stream, large)
	}
	if p == nil {
		free, _ := n.driver.Memory()
		n.events = append(n.events, Event{Action: snapshot.OOM, Size: size, Stream: stream, DeviceFree: free})
		return 0, false
	}
	rest := p.size - size
	if (!large || n.Expandable) && rest >= 512 || (large && !n.Expandable) && rest > 1<<20 &&
		(n.MaxSplitSize <= 0 || size < n.MaxSplitSize) {
		n.cut(p, size)
	}
	p.state, p.asked = allocated, asked
	n.emit(snapshot.Alloc, p.addr, asked, stream)
	return p.addr, true
}

func (n *naive) search(size int64, stream Stream, large bool) *piece {
	usable := n.where(func(p *piece) bool { return p.state == free && p.stream == stream && p.large == large })
	if n.allowed > 0 && n.GCThreshold > 0 {
		for _, p := range n.blocks {
			if p.state == free && p.large == large {
				p.age++
			}
		}
	}
	usable = slices.DeleteFunc(usable, func(p *piece) bool { return p.size < size || p.expandable && !n.Expandable })
	if len(usable) == 0 {
		return nil
	}
	best := usable[0]
	for _, p := range usable[1:] {
		if !n.Expandable || !best.expandable || n.room(p) >= n.room(best) {
			break
		}
		best = p
	}
	if limit := n.MaxSplitSize; limit > 0 && size < limit && best.size >= limit || limit > 0 && size >= limit &&
		best.size >= size+n.NonSplitRounding() {
		return nil
	}
	return best
}

func (n *naive) room(p *piece) int64 {
	if next := n.beside(p, 1); next != nil && next.state == unmapped {
		return p.size + next.size
	}
	return p.size
}

func (n *naive) grow(size int64, stream Stream, large bool) *piece {
	bytes := n.SegmentSize(size)
	if n.allowed > 0 && n.reserved()+bytes > n.allowed {
		return nil
	}
	if n.Expandable {
		return n.growPages(size, stream, large)
	}
	addr, ok := n.driver.Malloc(bytes)
	if !ok {
		return nil
	}
	n.emit(snapshot.SegmentAlloc, addr, bytes, stream)
	return n.add(&piece{addr: addr, space: addr, size: bytes, stream: stream, large: large, state: free})
}

func (n *naive) page(large bool) int64 {
	if large {
		return 20 << 20
	}
	return 2 << 20
}

func (n *naive) growPages(size int64, stream Stream, large bool) *piece {
	at := n.island(size, stream, large)
	if at == nil {
		bytes := roundUp(n.driver.GlobalMemory()*9/8, n.page(large))
		if bytes < size {
			return nil
		}
		addr, ok := n.driver.Reserve(bytes)
		if !ok {
			return nil
		}
		at = n.add(&piece{addr: addr, space: addr, size: bytes, stream: stream, large: large, expandable: true,
			state: unmapped})
	}
	for at.state == unmapped || at.size < size {
		u, missing := at, size
		if at.state == free {
			u, missing = n.beside(at, 1), size-at.size
		}
		bytes := min(roundUp(missing, n.page(large)), u.size)
		addr := u.addr
		if !n.driver.Map(addr, bytes) {
			return nil
		}
		if bytes < u.size {
			n.cut(u, bytes)
		}
		u.state = free
		at = n.merge(u)
		n.emit(snapshot.SegmentMap, addr, bytes, stream)
	}
	return at
}

// island is where unmapped and free pieces in a row have room for a size.
func (n *naive) island(size int64, stream Stream, large bool) *piece {
	for i, p := range n.blocks {
		if p.state != unmapped || p.stream != stream || p.large != large {
			continue
		}
		start, sum := p, int64(0)
		if i > 0 && n.blocks[i-1].space == p.space && n.blocks[i-1].state == free {
			start = n.blocks[i-1]
		}
		for x := start; x != nil && (x.state == free || x.state == unmapped); x = n.beside(x, 1) {
			sum += x.size
		}
		if sum >= size {
			return start
		}
	}
	return nil
}
