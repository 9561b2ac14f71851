package space

import (
	"cmp"
	"slices"
)

// Source says where the tensors lie. Bytes of blocks are multiples of the unit.
type Source struct {
	// Place returns the place of an allocation, if it lies in a lane.
	Place func(i int) (place uint32, is bool)
	// Rounded returns the size in bytes that a request is rounded up to.
	Rounded func(requested int64) int64
	// Block returns the size of the block in bytes, given room bytes before the next block,
	// in memory of a kind.
	Block func(i int, room int64, k *Kind) int64
}

// encoder writes where the allocations differ from the model.
type encoder struct {
	*model
	*Codes
	t       *Tensors
	s       *Source
	unit    int64
	last    map[int64]uint32 // place of the last escape, by requested size
	counts  Counts
	unusual map[int64]bool // requested sizes in Rounded
}

// Counts are the numbers of allocations that are not where the allocator usually puts them.
type Counts struct {
	Outside int // in no gap
	// Inside are those made in the recording in a large segment of cudaMalloc, with room
	// left between them and the block below.
	Inside int
}

// Encode returns the codes of all allocations.
func Encode(f *Frame, t *Tensors, s *Source) (codes *Codes, counts Counts, err error) {
	if err := f.check(t.Events, t.Count); err != nil {
		return nil, counts, err
	}
	e := &encoder{model: newModel(f, t.Count), Codes: &Codes{}, t: t, s: s, unit: f.Unit,
		last: map[int64]uint32{}, unusual: map[int64]bool{}}
	e.Codes.Codes = make([]uint32, 0, t.Count-t.PreExisting)
	if err := f.walk(t, e.model, e.old, e.born); err != nil {
		return nil, counts, err
	}
	slices.SortFunc(e.More, func(a, b More) int { return cmp.Compare(a.Index, b.Index) })
	for _, escape := range e.Escapes {
		if escape == 0 {
			e.counts.Outside++
		}
	}
	return e.Codes, e.counts, nil
}

// old places the allocations from before the first event, from the lowest place up.
func (e *encoder) old(hold func(i int, block gap)) error {
	n := e.t.PreExisting
	order, places := make([]int32, 0, n), make([]uint32, n)
	for i := range n {
		place, is := e.s.Place(i)
		if places[i] = place; is {
			order = append(order, int32(i))
		} else {
			places[i] = Outside
		}
	}
	sortByPlace(order, places)
	for number, i := range order {
		place := places[i]
		rounded, fits := e.rounded(int(i))
		x, is := e.around(place)
		places[i] = Outside
		if !is || !fits {
			continue
		}
		units, fits := e.block(int(i), rounded, roomBelow(x, place, order[number+1:], places), e.kind(x))
		if !fits {
			continue
		}
		places[i] = place
		e.take(x, place-x.place, units)
		hold(int(i), gap{place, units, x.in})
	}
	for i, place := range places {
		e.escape(i, place)
	}
	return nil
}

// rounded returns the units that a request is rounded up to, if a block can have that size.
func (e *encoder) rounded(i int) (units uint32, fits bool) {
	requested := e.t.Size(i)
	bytes := e.s.Rounded(requested)
	if bytes != Round(requested) && !e.unusual[requested] {
		e.unusual[requested] = true
		e.Codes.Rounded = append(e.Codes.Rounded, Rounded{requested, bytes})
	}
	if bytes/e.unit >= MaxPlaces {
		return 0, false
	}
	return uint32(bytes / e.unit), true
}

// block returns the size of an allocation's block in units, given room units. It writes
// any difference from the model.
func (e *encoder) block(i int, rounded, room uint32, kind int32) (units uint32, fits bool) {
	bytes := min(e.s.Block(i, int64(room)*e.unit, &e.frame.Kinds[kind]), int64(room)*e.unit)
	if bytes <= 0 {
		return 0, false
	}
	units = uint32(bytes / e.unit)
	if expected := e.unsplit(rounded, room, kind); units != expected {
		e.More = append(e.More, More{i, int64(units) - int64(expected)})
	}
	return units, true
}

func (e *encoder) escape(i int, place uint32) {
	if place == Outside {
		e.Escapes = append(e.Escapes, 0)
		return
	}
	size := e.t.Size(i)
	e.Escapes = append(e.Escapes, 1+zigzag(int64(place)-int64(e.last[size])))
	e.last[size] = place
}

// born places an allocation that an event makes.
func (e *encoder) born(i int) (block gap, err error) {
	place, is := e.s.Place(i)
	rounded, fits := e.rounded(i)
	if !is || !fits {
		return e.bornOutside(i), nil
	}
	kind := e.kindOf(e.groupOf(e.t, i, rounded))
	if kind != none {
		// Usually it is where the model says.
		c := e.pick(kind, rounded)
		if picked, some := e.sizes[kind].at(c); some && picked.ofSizes().place == place {
			return e.bornFirst(i, picked.ofSizes(), c, rounded), nil
		}
	}
	x, is := e.around(place)
	if !is {
		return e.bornOutside(i), nil
	}
	code := uint32(1)
	if e.kind(x) == kind && x.holds(place, rounded) {
		l := &e.sizes[kind]
		rank, hops := l.count(l.find(keyOf(rounded, 0)), l.find(x.bySize().key))
		if e.budget -= hops; e.budget < 0 {
			return gap{}, errBudget
		}
		code = 2 + 2*rank
	}
	return e.bornAt(i, code, place-x.place, x, rounded), nil
}

// bornFirst places an allocation where the model says.
func (e *encoder) bornFirst(i int, x gap, c cursor, rounded uint32) (block gap) {
	units, fits := e.block(i, rounded, x.size, e.kind(x))
	if !fits {
		return e.bornOutside(i)
	}
	e.Codes.Codes = append(e.Codes.Codes, 0)
	sizes := &e.sizes[e.kind(x)]
	sizes.removeAt(c)
	e.cut(sizes, x, 0, units)
	return gap{x.place, units, x.in}
}

func (e *encoder) bornOutside(i int) (block gap) {
	e.Codes.Codes = append(e.Codes.Codes, 1)
	e.escape(i, Outside)
	return gap{}
}

// bornAt writes that a block lies offset units after the start of a gap.
func (e *encoder) bornAt(i int, code, offset uint32, x gap, rounded uint32) (block gap) {
	kind := e.kind(x)
	units, fits := e.block(i, rounded, x.size-offset, kind)
	if !fits {
		return e.bornOutside(i)
	}
	if k := &e.frame.Kinds[kind]; offset > 0 && !k.Expandable && !k.Small {
		e.counts.Inside++
	}
	switch {
	case code == 1:
		e.escape(i, x.place+offset)
		e.learn(e.groupOf(e.t, i, rounded), kind)
	case offset > 0:
		code++
		e.Offsets = append(e.Offsets, offset)
	}
	e.Codes.Codes = append(e.Codes.Codes, code)
	e.take(x, offset, units)
	return gap{x.place + offset, units, x.in}
}
