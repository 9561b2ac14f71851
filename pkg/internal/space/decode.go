package space

import (
	"cmp"
	"errors"
	"slices"
)

var (
	errCodes = errors.New("there are not as many codes as allocations")
	errPlace = errors.New("an allocation lies where nothing is free")
	errSize  = errors.New("a block has no size that a block can have")
)

// decoder reads the output of an encoder.
type decoder struct {
	*model
	*Codes
	t       *Tensors
	places  []uint32
	blocks  []uint32
	offsets []uint32 // remaining
	escapes []uint64 // remaining
	used    int      // entries of More
	last    map[int64]uint32
	rounded map[int64]int64 // bytes of Rounded, by requested ones
}

// Decode returns the place of each allocation, or Outside, and the units of its block.
// It is an error if the codes do not fit the allocations.
func Decode(f *Frame, t *Tensors, codes *Codes) (places, blocks []uint32, err error) {
	if err := f.check(t.Events, t.Count); err != nil {
		return nil, nil, err
	}
	if len(codes.Codes) != t.Count-t.PreExisting {
		return nil, nil, errCodes
	}
	d := &decoder{model: newModel(f, t.Count), Codes: codes, t: t, places: make([]uint32, t.Count),
		blocks: make([]uint32, t.Count),

		offsets: codes.Offsets, escapes: codes.Escapes, last: map[int64]uint32{}, rounded: map[int64]int64{}}
	for _, r := range codes.Rounded {
		d.rounded[r.Requested] = r.Bytes
	}
	if err := f.walk(t, d.model, d.old, d.born); err != nil {
		return nil, nil, err
	}
	if len(d.offsets)+len(d.escapes) > 0 || d.used < len(d.More) {
		return nil, nil, errCodes
	}
	return d.places, d.blocks, nil
}

// round returns the units that a request is rounded up to.
func (d *decoder) round(i int) (uint32, error) {
	requested := d.t.Size(i)
	bytes := Round(requested)
	if len(d.rounded) > 0 {
		if other, is := d.rounded[requested]; is {
			bytes = other
		}
	}
	if bytes <= 0 || bytes/d.frame.Unit >= MaxPlaces {
		return 0, errSize
	}
	return uint32(bytes / d.frame.Unit), nil
}

// moreOf returns by how many units an allocation's block exceeds the model's.
func (d *decoder) moreOf(i int) int64 {
	at, is := slices.BinarySearchFunc(d.More, i, func(m More, i int) int { return cmp.Compare(m.Index, i) })
	if !is {
		return 0
	}
	d.used++
	return d.More[at].Units
}

// take makes the block of an allocation of rounded units in a gap, offset units from its
// start, where room units are free.
func (d *decoder) take(i int, x gap, offset, rounded, room uint32) (block gap, err error) {
	units := int64(d.unsplit(rounded, room, d.kind(x))) + d.moreOf(i)
	if units <= 0 || units > int64(room) {
		return gap{}, errSize
	}
	d.places[i], d.blocks[i] = x.place+offset, uint32(units)
	d.model.take(x, offset, uint32(units))
	return gap{d.places[i], d.blocks[i], x.in}, nil
}

// escape returns the next explicit place.
func (d *decoder) escape(i int) (place uint32, err error) {
	if len(d.escapes) == 0 {
		return 0, errCodes
	}
	v := d.escapes[0]
	d.escapes = d.escapes[1:]
	if v == 0 {
		return Outside, nil
	}
	size := d.t.Size(i)
	at := int64(d.last[size]) + unzigzag(v-1)
	if at < 0 || at >= Outside {
		return 0, errPlace
	}
	d.last[size] = uint32(at)
	return uint32(at), nil
}

func (d *decoder) old(hold func(i int, block gap)) (err error) {
	var order []int32
	for i := range d.t.PreExisting {
		if d.places[i], err = d.escape(i); err != nil {
			return err
		}
		if d.places[i] != Outside {
			order = append(order, int32(i))
		}
	}
	sortByPlace(order, d.places)
	for number, i := range order {
		place := d.places[i]
		rounded, err := d.round(int(i))
		if err != nil {
			return err
		}
		x, is := d.around(place)
		if !is {
			return errPlace
		}
		block, err := d.take(int(i), x, place-x.place, rounded, roomBelow(x, place, order[number+1:], d.places))
		if err != nil {
			return err
		}
		hold(int(i), block)
	}
	return nil
}

func (d *decoder) born(i int) (block gap, err error) {
	code := d.Codes.Codes[i-d.t.PreExisting]
	rounded, err := d.round(i)
	if code == 1 {
		return d.bornAt(i, rounded, err)
	} else if err != nil {
		return gap{}, err
	}
	kind := d.kindOf(d.groupOf(d.t, i, rounded))
	if kind == none {
		return gap{}, errPlace
	}
	l := &d.sizes[kind]
	var c cursor
	offset := uint32(0)
	if code == 0 {
		c = d.pick(kind, rounded)
	} else {
		if code&1 == 1 {
			if len(d.offsets) == 0 {
				return gap{}, errCodes
			}
			offset, d.offsets = d.offsets[0], d.offsets[1:]
		}
		hops := 0
		c, hops = l.skip(l.find(keyOf(rounded, 0)), (code-2)/2)
		if d.budget -= hops; d.budget < 0 {
			return gap{}, errBudget
		}
	}
	e, is := l.at(c)
	x := e.ofSizes()
	if !is || offset >= x.size {
		return gap{}, errPlace
	}
	return d.take(i, x, offset, rounded, x.size-offset)
}

// bornAt places an allocation with an explicit place. badSize is the error of its size,
// which matters only if it lies in a gap.
func (d *decoder) bornAt(i int, rounded uint32, badSize error) (block gap, err error) {
	place, err := d.escape(i)
	if d.places[i] = place; err != nil || place == Outside {
		return gap{}, err
	} else if badSize != nil {
		return gap{}, badSize
	}
	x, is := d.around(place)
	if !is {
		return gap{}, errPlace
	}
	d.learn(d.groupOf(d.t, i, rounded), d.kind(x))
	return d.take(i, x, place-x.place, rounded, x.end()-place)
}
