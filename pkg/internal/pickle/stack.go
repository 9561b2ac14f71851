package pickle

import (
	"encoding/binary"
	"math"
)

// The opcodes that push, pop and memoize single values.

func (d *decoder) push(v Value) error {
	if len(d.stack) == cap(d.stack) {
		if err := d.growStack(); err != nil {
			return err
		}
	}
	d.stack = append(d.stack, v)
	return nil
}

// growStack makes room for more values, up to the limit and no further.
func (d *decoder) growStack() error {
	n := int64(len(d.stack))
	if n >= d.limits.Stack {
		return d.tooManyValues()
	}
	grown := make([]Value, n, min(max(2*n, 1024), d.limits.Stack))
	copy(grown, d.stack)
	d.stack = grown
	return nil
}

func (d *decoder) tooManyValues() error {
	return d.over(keyValues, "more than %d values waiting for their container", d.limits.Stack)
}

func (d *decoder) mark() error {
	if int64(len(d.marks)) >= d.limits.Depth {
		return d.over(keyDepth, "more than %d containers inside one another", d.limits.Depth)
	}
	op, n := d.buf[d.pos], len(d.stack)
	if (op == opLongBinGet || op == opBinGet) && !d.runs.off && n > d.bottom(0) && d.stack[n-1].Type() == Object {
		switch top := d.stack[n-1]; d.heap.at(top).Kind {
		case EmptyList:
			return d.list(top)
		case EmptyDict:
			d.marks = append(d.marks, n)
			return d.pairs()
		}
	}
	d.marks = append(d.marks, n)
	return nil
}

// gets pushes a run of memo entries, such as a list of frames. Four of
// five opcodes are executed here, so it keeps what it needs in locals and looks
// for more input only when it leaves.
func (d *decoder) gets() error {
	buf, pos, words, stack := d.buf, d.pos, d.memo.words, d.stack
gets:
	for more := true; more; more = pos <= d.end-lookahead {
		var i, next int
		switch buf[pos] {
		case opLongBinGet:
			i, next = int(binary.LittleEndian.Uint32(buf[pos+1:])), pos+5
		case opBinGet:
			i, next = int(buf[pos+1]), pos+2
		default:
			break gets
		}
		if i >= len(words) {
			d.op, d.opAt, d.pos, d.stack = buf[pos], d.base+int64(pos), next, stack
			return d.fail(ErrMalformed, "memo entry %d of %d", i, len(words))
		}
		stack = append(stack, d.memo.value(words[i]))
		pos = next
	}
	d.pos, d.stack = pos, stack
	if int64(len(stack)) > d.limits.Stack {
		return d.tooManyValues()
	}
	return nil
}

// put stores the top of the stack as memo entry i. Every writer counts up, so
// an index that runs ahead is an attack on memory.
func (d *decoder) put(i int) error {
	switch {
	case len(d.stack) == 0:
		return d.fail(ErrMalformed, "nothing to remember")
	case int64(i) >= d.limits.Memo:
		return d.over(keyMemo, "memo entry %d, where %d is the highest", i, d.limits.Memo-1)
	case i > d.memo.len():
		return d.fail(ErrOtherWay, "memo entry %d after %d", i, d.memo.len())
	}
	top := d.stack[len(d.stack)-1]
	if i < d.memo.len() {
		d.memo.set(i, top)
		d.runs.off = true
	} else {
		d.memo.add(top)
	}
	return nil
}

func (d *decoder) container(kind Kind) error {
	if int64(len(d.heap.objects)) >= d.limits.Objects {
		return d.tooManyObjects()
	}
	return d.push(d.heap.object(kind))
}

func (d *decoder) tooManyObjects() error {
	return d.over(keyObjects, "more than %d lists, dicts and tuples", d.limits.Objects)
}

func (d *decoder) str(n int) error {
	if int64(n) > d.limits.StringBytes {
		return d.over(keyString, "a string of %d bytes, where %d are allowed", n, d.limits.StringBytes)
	}
	b, err := d.take(n)
	if err != nil {
		return err
	} else if b == nil {
		return d.fail(ErrTruncated, "a string of %d bytes is cut", n)
	}
	return d.push(d.heap.Text(b))
}

// long reads LONG1: little-endian two's complement.
func (d *decoder) long() error {
	n := int(d.buf[d.pos])
	b := d.buf[d.pos+1 : d.pos+10]
	d.pos += 1 + n
	if n == 9 && b[8] == 0 {
		return d.push(d.heap.unsigned(binary.LittleEndian.Uint64(b)))
	} else if n > 8 {
		d.pos -= n
		return d.fail(ErrOtherWay, "an integer of %d bytes", n)
	}
	bits := binary.LittleEndian.Uint64(b)
	unused := 64 - 8*n
	return d.push(d.heap.integer(int64(bits<<unused) >> unused))
}

// popMark returns the values pushed since the last mark and the container below it.
func (d *decoder) popMark() (below Value, items []Value, err error) {
	if len(d.marks) == 0 {
		return 0, nil, d.fail(ErrMalformed, "no mark")
	}
	mark := d.marks[len(d.marks)-1]
	if mark == 0 || mark > len(d.stack) || d.bottom(1) >= mark {
		return 0, nil, d.fail(ErrMalformed, "no container below the mark")
	}
	d.marks = d.marks[:len(d.marks)-1]
	items = d.stack[mark:]
	d.stack = d.stack[:mark]
	return d.stack[mark-1], items, nil
}

// bottom is where the values above the n-th last mark begin.
func (d *decoder) bottom(n int) int {
	if len(d.marks) <= n {
		return 0
	}
	return d.marks[len(d.marks)-1-n]
}

// pop takes n values that were pushed since the last mark.
func (d *decoder) pop(n int) ([]Value, error) {
	if len(d.stack)-d.bottom(0) < n {
		return nil, d.fail(ErrMalformed, "too few values")
	}
	items := d.stack[len(d.stack)-n:]
	d.stack = d.stack[:len(d.stack)-n]
	return items, nil
}

func (d *decoder) tuple(n int) error {
	if int64(len(d.heap.objects)) >= d.limits.Objects {
		return d.tooManyObjects()
	}
	items, err := d.pop(n)
	if err != nil {
		return err
	}
	return d.push(d.heap.tuple(items))
}

func (d *decoder) markedTuple() error {
	if len(d.marks) == 0 || d.marks[len(d.marks)-1] > len(d.stack) {
		return d.fail(ErrMalformed, "no mark")
	} else if int64(len(d.heap.objects)) >= d.limits.Objects {
		return d.tooManyObjects()
	}
	mark := d.marks[len(d.marks)-1]
	d.marks = d.marks[:len(d.marks)-1]
	v := d.heap.tuple(d.stack[mark:])
	d.stack = append(d.stack[:mark], v)
	return nil
}

// memo is the memo of a pickle, by index. Nearly all entries are containers and
// strings that are never fetched again, so an entry has 32 bits: a Value with a
// small payload, as containers and strings have, or the index of any other Value
// in spill.
type memo struct {
	words []uint32
	spill []Value
}

func (m *memo) len() int { return len(m.words) }

func (m *memo) word(v Value) uint32 {
	if v <= math.MaxUint32 && v.Type() != Opaque {
		return uint32(v)
	}
	m.spill = append(m.spill, v)
	return uint32(pack(Opaque, uint64(len(m.spill)-1)))
}

// value is the Value of a word.
func (m *memo) value(word uint32) Value {
	if v := Value(word); v.Type() != Opaque {
		return v
	}
	return m.spill[Value(word).Index()]
}

func (m *memo) add(v Value) { m.words = append(m.words, m.word(v)) }

func (m *memo) set(i int, v Value) { m.words[i] = m.word(v) }
