package pickle

import (
	"errors"
	"io"
)

// Salvage reads like [Stream]. If that fails in the middle, because the input ends, is
// damaged or exceeds a limit, it returns everything complete until then together with the
// error: lists end with their last complete item, and incomplete dicts are left out,
// except for the root. The result is nil if the root had not begun, and with
// [ErrForbidden] and [ErrNotPickle].
func Salvage(r io.Reader, size int64, b Builder, limits Limits) (*Result, error) {
	d := newDecoder(r, size, b, limits)
	root, err := d.decode()
	switch {
	case err == nil:
		return d.result(root), nil
	case errors.Is(err, ErrForbidden), errors.Is(err, ErrNotPickle), len(d.stack) == 0, d.stack[0].Type() != Object:
		return nil, err
	}
	res := d.result(d.stack[0])
	res.Bytes, res.Partial, res.Reading = d.opAt, true, d.closeOpen()
	return res, err
}

// closeOpen fills the containers that are open on the stack with the items read so far,
// from the innermost to the root. It returns the key of the root dict whose value is
// incomplete.
func (d *decoder) closeOpen() (reading Value) {
	for i := len(d.marks) - 1; i >= 0; i-- {
		mark := min(d.marks[i], len(d.stack))
		if mark == 0 {
			continue
		}
		below, items := d.stack[mark-1], d.finished(d.stack[mark:])
		d.stack = d.stack[:mark]
		switch {
		case d.isDict(below) && mark == 1:
			return d.closeRoot(below, items)
		case d.isDict(below):
			d.stack = d.stack[:mark-1]
		default:
			d.appendAll(below, items)
		}
	}
	return d.closeRoot(d.stack[0], d.finished(d.stack[1:]))
}

// finished returns items without the last one if it is an incomplete dict.
func (d *decoder) finished(items []Value) []Value {
	if n := len(items); n > 0 && items[n-1].Type() == Object && d.heap.at(items[n-1]).Kind == EmptyDict {
		return items[:n-1]
	}
	return items
}

// closeRoot fills the root with its complete pairs. After the last key there may be
// several containers, each of which would have been added to the one before it.
func (d *decoder) closeRoot(root Value, items []Value) (reading Value) {
	if !d.isDict(root) {
		d.appendAll(root, items)
		return 0
	}
	whole := 0
	for whole+1 < len(items) && items[whole].Type() == String &&
		(whole+2 >= len(items) || items[whole+2].Type() == String) {
		whole += 2
	}
	if whole < len(items) && items[whole].Type() == String {
		reading = items[whole]
	}
	if rest := items[whole:]; len(rest) > 1 {
		for i := len(rest) - 1; i > 1; i-- {
			d.appendAll(rest[i-1], rest[i:i+1])
		}
		whole += 2
	} else if whole > 0 && reading == 0 && d.open() {
		reading = items[whole-2]
	}
	_ = d.fill(root, items[:whole], true) // items that do not fit are left out
	return reading
}

// open reports whether marks above the root's own were open, which means that the last
// value is incomplete.
func (d *decoder) open() bool { return len(d.marks) > 0 && d.marks[len(d.marks)-1] > 1 }

// dropCut removes a value with a truncated opcode: its missing bytes were read as zeros.
func (d *decoder) dropCut() {
	switch d.op {
	case opFrame, opBinPut, opLongBinPut:
		return // they push nothing
	}
	if n := len(d.stack); n > 1 {
		d.stack = d.stack[:n-1]
	}
}

// appendAll appends items to a list, if it is one.
func (d *decoder) appendAll(list Value, items []Value) {
	if list.Type() == Object && !d.isDict(list) && len(items) > 0 {
		_ = d.fill(list, items, false) // items that do not fit are left out
	}
}

func (d *decoder) isDict(v Value) bool {
	if v.Type() != Object {
		return false
	}
	kind := d.heap.at(v).Kind
	return kind == EmptyDict || kind == Dict
}
