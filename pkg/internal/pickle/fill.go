package pickle

import "errors"

// The opcodes that fill lists and dicts.

func (d *decoder) setItems() error {
	below, pairs, err := d.popMark()
	if err != nil {
		return err
	} else if len(pairs)%2 != 0 {
		return d.fail(ErrMalformed, "a key without a value")
	}
	return d.fill(below, pairs, true)
}

func (d *decoder) appends() error {
	below, items, err := d.popMark()
	if err != nil {
		return err
	}
	return d.fill(below, items, false)
}

func (d *decoder) setItem() error {
	items, err := d.pop(3)
	if err != nil {
		return err
	}
	d.stack = append(d.stack, items[0])
	return d.fill(items[0], items[1:], true)
}

func (d *decoder) append() error {
	items, err := d.pop(2)
	if err != nil {
		return err
	}
	d.stack = append(d.stack, items[0])
	return d.fill(items[0], items[1:], false)
}

// fill hands items to the builder, for their container.
func (d *decoder) fill(into Value, items []Value, dict bool) error {
	if into.Type() != Object {
		return d.fail(ErrMalformed, "items are added to something that is not a container")
	}
	c := d.heap.at(into)
	if c.Kind == Tuple || dict && (c.Kind == EmptyList || c.Kind == List) || !dict &&
		(c.Kind == EmptyDict || c.Kind == Dict) {
		return d.fail(ErrMalformed, "what should take the items is another kind of container")
	}
	var filled Container
	var err error
	if dict {
		filled, err = d.build.SetItems(d.heap, c, items)
	} else {
		filled, err = d.build.Append(d.heap, c, items)
	}
	if err != nil {
		return d.refused(err)
	}
	d.heap.set(into, filled)
	return nil
}

// refused adds the position to an error of the builder.
func (d *decoder) refused(err error) error {
	var located *Error
	switch {
	case errors.As(err, &located):
		located.Offset, located.Op = d.opAt, d.op
	case errors.Is(err, ErrOtherWay), errors.Is(err, ErrMalformed):
		return d.fail(err, "a container is filled in an unusual order")
	}
	return err
}

// list fills an empty list, from its mark to its APPENDS, if there are only GETs
// between them.
func (d *decoder) list(into Value) error {
	list, text, ok := d.runs.find(d.buf[d.pos:d.end])
	if ok {
		d.heap.set(into, list)
		d.pos += len(text)
		return nil
	}
	d.marks = append(d.marks, len(d.stack))
	if text == nil {
		return nil
	}
	if err := d.gets(); err != nil {
		return err
	}
	if d.buf[d.pos] != opAppends {
		return nil // the window ended in between; the rest comes as usual
	}
	d.op, d.opAt = opAppends, d.offset()
	d.pos++
	err := d.appends()
	if list := d.heap.at(into); err == nil && list.Kind == Interned {
		d.runs.add(text, list)
	}
	return err
}
