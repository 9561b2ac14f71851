package space

// none stands for no node.
const none int32 = -1

// node is a block, or a gap. The nodes of a segment of cudaMalloc tile it; so do those of
// an unbroken run of pages. Left of a cut, a node stays the same.
type node struct {
	place, size uint32
	prev, next  int32 // neighbours
	kind        int32
	free        bool
}

// edge is an end of an unbroken run of pages.
type edge struct {
	place uint32
	upper bool
}

// model is the memory of a device in one state.
type model struct {
	frame  *Frame
	ends   []uint64 // by lane: the place behind it
	nodes  []node
	spare  []int32
	gaps   []gapList // by kind
	first  []int32   // by reservation of cudaMalloc: its lowest node
	edges  map[edge]int32
	guess  map[group]int32
	budget int

	lastGroup group // whose guess is lastKind
	lastKind  int32
}

// group is what allocations have in common that tend to be of one kind.
type group struct {
	pool, stream uint32
	small        bool
}

func newModel(f *Frame, count int) *model {
	m := &model{frame: f, gaps: make([]gapList, len(f.Kinds)), first: make([]int32, len(f.Reservations)),
		edges: map[edge]int32{}, guess: map[group]int32{}, budget: budget + perItem*(count+len(f.Reservations)),
		lastKind: none}
	end := uint64(0)
	for _, size := range f.Lanes {
		end += uint64(size)
		m.ends = append(m.ends, end)
	}
	for i := len(f.Kinds) - 1; i >= 0; i-- {
		k := f.Kinds[i]
		m.guess[group{k.Pool, k.Stream, k.Small}] = int32(i)
	}
	return m
}

// kindOf is the kind that an allocation of a group is expected to be of, or none.
func (m *model) kindOf(g group) int32 {
	if m.lastKind == none || g != m.lastGroup {
		kind, is := m.guess[g]
		if !is {
			return none
		}
		m.lastGroup, m.lastKind = g, kind
	}
	return m.lastKind
}

// learn notes the kind of an allocation that was not as expected.
func (m *model) learn(g group, kind int32) {
	m.guess[g] = kind
	m.lastGroup, m.lastKind = g, kind
}

func (m *model) make(place, size uint32, kind int32) int32 {
	n := node{place: place, size: size, prev: none, next: none, kind: kind}
	if last := len(m.spare) - 1; last >= 0 {
		x := m.spare[last]
		m.spare = m.spare[:last]
		m.nodes[x] = n
		return x
	}
	m.nodes = append(m.nodes, n)
	return int32(len(m.nodes) - 1)
}

func (m *model) list(x int32) {
	n := &m.nodes[x]
	n.free = true
	m.gaps[n.kind].add(gap{keyOf(n.size, n.place), x})
}

func (m *model) unlist(x int32) {
	n := &m.nodes[x]
	n.free = false
	m.gaps[n.kind].remove(keyOf(n.size, n.place))
}

// reserve adds a reservation, which is free.
func (m *model) reserve(number int) {
	r := &m.frame.Reservations[number]
	x := m.make(r.Start, r.Size, r.Kind)
	if !m.frame.Kinds[r.Kind].Expandable {
		m.first[number] = x
		m.list(x)
		return
	}
	// It joins the pages on both sides of it. Lanes touch in places, not in addresses.
	end := r.Start + r.Size
	if low, is := m.edges[edge{r.Start, true}]; is && m.nodes[low].kind == r.Kind && !m.startsLane(r) {
		m.nodes[x].prev, m.nodes[low].next = low, x
		delete(m.edges, edge{r.Start, true})
	} else {
		m.edges[edge{r.Start, false}] = x
	}
	if high, is := m.edges[edge{end, false}]; is && m.nodes[high].kind == r.Kind && uint64(end) != m.ends[r.Lane] {
		m.nodes[x].next, m.nodes[high].prev = high, x
		delete(m.edges, edge{end, false})
	} else {
		m.edges[edge{end, true}] = x
	}
	m.release(x)
}

func (m *model) startsLane(r *Reservation) bool {
	return r.Lane == 0 && r.Start == 0 || r.Lane > 0 && uint64(r.Start) == m.ends[r.Lane-1]
}

// release makes a node free, and one with the gaps beside it.
func (m *model) release(x int32) {
	if low := m.nodes[x].prev; low != none && m.nodes[low].free {
		m.unlist(low)
		m.absorb(low, x)
		x = low
	}
	if high := m.nodes[x].next; high != none && m.nodes[high].free {
		m.unlist(high)
		m.absorb(x, high)
	}
	m.list(x)
}

// absorb adds the node behind x to x.
func (m *model) absorb(x, high int32) {
	n, h := &m.nodes[x], &m.nodes[high]
	n.size += h.size
	n.next = h.next
	m.link(x)
	m.spare = append(m.spare, high)
}

// link tells what is behind a node that it is there.
func (m *model) link(x int32) {
	n := &m.nodes[x]
	if n.next != none {
		m.nodes[n.next].prev = x
	} else if m.frame.Kinds[n.kind].Expandable {
		m.edges[edge{n.place + n.size, true}] = x
	}
}

// split cuts a node in two and gives the upper one. Neither is in a list.
func (m *model) split(x int32, size uint32) int32 {
	n := m.nodes[x]
	high := m.make(n.place+size, n.size-size, n.kind)
	m.nodes[high].prev, m.nodes[high].next = x, n.next
	m.nodes[x].size, m.nodes[x].next = size, high
	m.link(high)
	return high
}

// take makes a block of some units of a gap, from so many units behind its start.
func (m *model) take(x int32, offset, size uint32) int32 {
	m.unlist(x)
	if offset > 0 {
		high := m.split(x, offset)
		m.list(x)
		x = high
	}
	if m.nodes[x].size > size {
		m.list(m.split(x, size))
	}
	return x
}

// takeFirst is take of the start of the gap at a position in a list.
func (m *model) takeFirst(l *gapList, c cursor, size uint32) int32 {
	x := l.chunks[c.chunk][c.i].node
	l.removeAt(c)
	m.nodes[x].free = false
	if m.nodes[x].size > size {
		m.list(m.split(x, size))
	}
	return x
}

// giveBack removes a reservation, all of which must be free.
func (m *model) giveBack(number int) error {
	r := &m.frame.Reservations[number]
	if !m.frame.Kinds[r.Kind].Expandable {
		x := m.first[number]
		if n := &m.nodes[x]; !n.free || n.size != r.Size {
			return ErrContradiction
		}
		m.unlist(x)
		m.spare = append(m.spare, x)
		return nil
	}
	x, err := m.gapAround(r.Kind, r.Start, r.Size)
	if err != nil {
		return err
	} else if x == none {
		return ErrContradiction
	}
	x = m.take(x, r.Start-m.nodes[x].place, r.Size)
	n, end := m.nodes[x], r.Start+r.Size
	if n.prev != none {
		m.nodes[n.prev].next = none
		m.edges[edge{r.Start, true}] = n.prev
	} else {
		delete(m.edges, edge{r.Start, false})
	}
	if n.next != none {
		m.nodes[n.next].prev = none
		m.edges[edge{end, false}] = n.next
	} else {
		delete(m.edges, edge{end, true})
	}
	m.spare = append(m.spare, x)
	return nil
}

// gapAround is the gap of a kind that a range lies in, or none.
func (m *model) gapAround(kind int32, place, size uint32) (int32, error) {
	l := &m.gaps[kind]
	for c := l.find(keyOf(size, 0)); ; c = l.next(c) {
		g, is := l.at(c)
		if !is {
			return none, nil
		}
		if g.holds(place, size) {
			return g.node, nil
		}
		if m.budget--; m.budget < 0 {
			return none, errBudget
		}
	}
}

// pick is where the allocator would look for so many units of a kind: the position in
// its list, which may be the end.
func (m *model) pick(kind int32, size uint32) cursor {
	l := &m.gaps[kind]
	c := l.find(keyOf(size, 0))
	if !m.frame.Kinds[kind].Expandable {
		return c
	}
	g, is := l.at(c)
	for range maxRounds {
		if !is {
			break
		}
		next := l.next(c)
		other, more := l.at(next)
		if !more || m.room(other) >= m.room(g) {
			break
		}
		c, g = next, other
	}
	return c
}

// unsplit is how many units the block of a request has when so many are free from where
// it lies: the allocator leaves what is too small to be used to the block. It has no more
// than is free, whatever the request is thought to be rounded up to.
func (m *model) unsplit(rounded, room uint32, kind int32) uint32 {
	k := &m.frame.Kinds[kind]
	if rounded > room || !k.Expandable && !k.Small && int64(room-rounded)*m.frame.Unit <= smallSize {
		return room
	}
	return rounded
}

// groupOf is the group of an allocation that is rounded up to so many units.
func (m *model) groupOf(t *Tensors, i int, rounded uint32) group {
	return group{t.Pool(i), t.Stream(i), int64(rounded)*m.frame.Unit <= smallSize}
}

// room is how many units a gap of an expandable segment could grow to.
func (m *model) room(g gap) int64 {
	if m.nodes[g.node].next == none {
		return unmapped - int64(g.place())
	}
	return int64(g.size())
}
