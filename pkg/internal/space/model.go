package space

// none means no reservation, or no kind.
const none int32 = -1

// model is the memory of a device in one state.
type model struct {
	frame    *Frame
	reserved list   // reservations by place
	free     list   // gaps by place
	sizes    []list // gaps by size, for each kind
	guess    map[group]int32
	budget   int

	lastGroup group // lastKind is the guess for this group
	lastKind  int32
}

// group identifies allocations that tend to be of one kind.
type group struct {
	pool, stream uint32
	small        bool
}

func newModel(f *Frame, count int) *model {
	m := &model{frame: f, sizes: make([]list, len(f.Kinds)), guess: map[group]int32{},
		budget: budget + perItem*(count+len(f.Reservations)), lastKind: none}
	for i := len(f.Kinds) - 1; i >= 0; i-- {
		k := f.Kinds[i]
		m.guess[group{k.Pool, k.Stream, k.Small}] = int32(i)
	}
	return m
}

// kindOf returns the expected kind of an allocation in a group, or none.
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

// kind returns the kind of a gap's memory.
func (m *model) kind(g gap) int32 { return m.frame.Reservations[g.in].Kind }

// joined reports whether gaps of two reservations merge where they touch: pages of one
// kind in one lane do. Lanes touch in places, not in addresses.
func (m *model) joined(a, b int32) bool {
	if a == b {
		return true
	}
	x, y := &m.frame.Reservations[a], &m.frame.Reservations[b]
	return x.Kind == y.Kind && x.Lane == y.Lane && m.frame.Kinds[x.Kind].Expandable
}

// reserve adds a reservation as free memory.
func (m *model) reserve(number int) error {
	r := &m.frame.Reservations[number]
	x := gap{r.Start, r.Size, int32(number)}
	c := m.reserved.find(keyOf(r.Start, 0))
	if above, is := m.reserved.at(c); is && above.ofPlaces().place < x.end() {
		return errOverlap
	}
	if low, is := m.reserved.before(c); is && m.reserved.entry(low).ofPlaces().end() > r.Start {
		return errOverlap
	}
	m.reserved.insert(c, x.byPlace())
	m.release(x)
	return nil
}

// release frees a range and merges it with adjacent gaps.
func (m *model) release(x gap) {
	c := m.free.find(keyOf(x.place, 0))
	low, isBelow := m.free.before(c)
	sizes := &m.sizes[m.kind(x)]
	if isBelow {
		below := m.free.entry(low).ofPlaces()
		if isBelow = below.end() == x.place && m.joined(below.in, x.in); isBelow {
			sizes.remove(below.bySize().key)
			x.place, x.size = below.place, below.size+x.size
		}
	}
	e, isAbove := m.free.at(c)
	if isAbove {
		above := e.ofPlaces()
		if isAbove = above.place == x.end() && m.joined(above.in, x.in); isAbove {
			sizes.remove(above.bySize().key)
			x.size += above.size
		}
	}
	sizes.add(x.bySize())
	switch {
	case isBelow:
		m.free.set(low, x.byPlace())
		if isAbove {
			m.free.removeAt(c)
		}
	case isAbove:
		m.free.set(c, x.byPlace())
	default:
		m.free.insert(c, x.byPlace())
	}
}

// take makes size units of a gap a block, offset units after its start.
func (m *model) take(x gap, offset, size uint32) {
	sizes := &m.sizes[m.kind(x)]
	sizes.remove(x.bySize().key)
	m.cut(sizes, x, offset, size)
}

// cut is take for a gap that is no longer in the list by size.
func (m *model) cut(sizes *list, x gap, offset, size uint32) {
	c := m.free.find(x.byPlace().key)
	high := gap{x.place + offset + size, x.size - offset - size, x.in}
	if high.size > 0 {
		sizes.add(high.bySize())
	}
	if offset == 0 {
		if high.size > 0 {
			m.free.set(c, high.byPlace())
		} else {
			m.free.removeAt(c)
		}
		return
	}
	low := gap{x.place, offset, x.in}
	sizes.add(low.bySize())
	m.free.set(c, low.byPlace())
	if high.size > 0 {
		m.free.add(high.byPlace())
	}
}

// giveBack removes a reservation, all of which must be free.
func (m *model) giveBack(number int) error {
	r := &m.frame.Reservations[number]
	x, is := m.around(r.Start)
	if !is || !x.holds(r.Start, r.Size) || !m.joined(x.in, int32(number)) {
		return ErrContradiction
	}
	m.take(x, r.Start-x.place, r.Size)
	m.reserved.remove(keyOf(r.Start, r.Size))
	return nil
}

// around returns the gap that contains a place, if it is free.
func (m *model) around(place uint32) (gap, bool) {
	c, is := m.free.before(m.free.find(keyOf(place+1, 0)))
	if !is {
		return gap{}, false
	}
	x := m.free.entry(c).ofPlaces()
	return x, place < x.end()
}

// pick returns where the allocator would look for size units of a kind: the position in
// its list, which may be the end.
func (m *model) pick(kind int32, size uint32) cursor {
	l := &m.sizes[kind]
	c := l.find(keyOf(size, 0))
	if !m.frame.Kinds[kind].Expandable {
		return c
	}
	x, is := l.at(c)
	for range maxRounds {
		if !is {
			break
		}
		next := l.next(c)
		other, more := l.at(next)
		if !more || m.room(other.ofSizes()) >= m.room(x.ofSizes()) {
			break
		}
		c, x = next, other
	}
	return c
}

// unsplit returns the units of a request's block when room units are free at its place:
// the allocator leaves a remainder that is too small to use in the block. The result is
// at most room, whatever the assumed rounding.
func (m *model) unsplit(rounded, room uint32, kind int32) uint32 {
	k := &m.frame.Kinds[kind]
	if rounded > room || !k.Expandable && !k.Small && int64(room-rounded)*m.frame.Unit <= smallSize {
		return room
	}
	return rounded
}

// groupOf returns the group of an allocation of rounded units.
func (m *model) groupOf(t *Tensors, i int, rounded uint32) group {
	return group{t.Pool(i), t.Stream(i), int64(rounded)*m.frame.Unit <= smallSize}
}

// room returns the units that a gap of an expandable segment could grow to.
func (m *model) room(x gap) int64 {
	c := m.reserved.find(keyOf(x.end()+1, 0))
	if low, is := m.reserved.before(c); is {
		behind := m.reserved.entry(low).ofPlaces()
		if x.end() < behind.end() && m.joined(behind.in, x.in) {
			return int64(x.size)
		}
	}
	return unmapped - int64(x.place)
}
