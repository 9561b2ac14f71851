package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Stream reads one pickle of the kind that torch writes, and nothing behind
// its STOP. size is the length of the input if known, else 0; it only guides
// how much room is set aside.
func Stream(r io.Reader, size int64, b Builder, limits Limits) (*Result, error) {
	d := &decoder{source: newSource(r), heap: newHeap(), build: b, runs: newRuns(), limits: limits.withDefaults()}
	if size > 0 {
		// Virtual until used; torch's files have about one memo entry for 70
		// bytes, and one container for 110.
		d.memo.words = make([]uint32, 0, min(size/64, int64(d.limits.Memo)))
		d.heap.objects = make([]uint32, 0, min(size/96, int64(d.limits.Objects)))
	}
	root, err := d.run()
	d.stop()
	if errors.Is(err, ErrOtherWay) {
		<-d.done // the caller will read the input again
	}
	if err != nil {
		return nil, err
	}
	return &Result{Heap: d.heap, Root: root, Protocol: d.protocol, Bytes: d.offset()}, nil
}

// decoder is the stack machine of the stream way.
type decoder struct {
	*source
	heap     *Heap
	build    Builder
	limits   Limits
	stack    []Value
	marks    []int
	memo     memo
	runs     runs
	protocol int
	text     int64 // bytes of all strings read
	op       byte
	opAt     int64
}

func (d *decoder) fail(kind error, format string, args ...any) error {
	return &Error{Offset: d.opAt, Op: d.op, What: fmt.Sprintf(format, args...), Err: kind}
}

// run executes opcodes until STOP.
func (d *decoder) run() (Value, error) {
	if err := d.refill(lookahead); err != nil {
		return 0, err
	}
	if err := d.header(); err != nil {
		return 0, err
	}
	for {
		if d.pos+lookahead > d.end {
			if err := d.refill(lookahead); err != nil {
				return 0, err
			}
			if d.eof && d.pos >= d.end {
				d.op, d.opAt = opStop, d.base+int64(d.end)
				return 0, d.fail(ErrTruncated, "no STOP")
			}
		}
		d.op, d.opAt = d.buf[d.pos], d.base+int64(d.pos)
		d.pos++
		var err error
		switch d.op {
		case opBinGet, opLongBinGet:
			d.pos--
			err = d.gets()
		case opMemoize:
			err = d.put(d.memo.len())
		case opBinPut:
			err = d.put(int(d.buf[d.pos]))
			d.pos++
		case opLongBinPut:
			err = d.put(int(binary.LittleEndian.Uint32(d.buf[d.pos:])))
			d.pos += 4
		case opMark:
			err = d.mark()
		case opBinInt1:
			err = d.push(pack(Int, uint64(d.buf[d.pos])))
			d.pos++
		case opBinInt2:
			err = d.push(pack(Int, uint64(binary.LittleEndian.Uint16(d.buf[d.pos:]))))
			d.pos += 2
		case opBinInt:
			err = d.push(d.heap.Integer(int64(int32(binary.LittleEndian.Uint32(d.buf[d.pos:])))))
			d.pos += 4
		case opLong1:
			err = d.long()
		case opEmptyDict:
			err = d.container(EmptyDict)
		case opEmptyList:
			err = d.container(EmptyList)
		case opSetItems:
			err = d.setItems()
		case opAppends:
			err = d.appends()
		case opSetItem:
			err = d.setItem()
		case opAppend:
			err = d.append()
		case opShortBinUnicode:
			n := int(d.buf[d.pos])
			d.pos++
			err = d.str(n)
		case opBinUnicode:
			n := int(binary.LittleEndian.Uint32(d.buf[d.pos:]))
			d.pos += 4
			err = d.str(n)
		case opNone:
			err = d.push(pack(None, 0))
		case opNewTrue:
			err = d.push(boolean(true))
		case opNewFalse:
			err = d.push(boolean(false))
		case opBinFloat:
			err = d.push(d.heap.float(math.Float64frombits(binary.BigEndian.Uint64(d.buf[d.pos:]))))
			d.pos += 8
		case opEmptyTuple:
			err = d.tuple(0)
		case opTuple1:
			err = d.tuple(1)
		case opTuple2:
			err = d.tuple(2)
		case opTuple3:
			err = d.tuple(3)
		case opTuple:
			err = d.markedTuple()
		case opFrame:
			d.pos += 8 // a hint for readers that seek; its length proves nothing
		case opStop:
			return d.stop()
		default:
			err = d.otherwise()
		}
		if err != nil && d.overrun() {
			err = d.fail(ErrTruncated, "its argument is cut")
		}
		if err != nil {
			return 0, err
		}
	}
}

// header reads PROTO. Protocols 0 and 1 have none and go the other way.
func (d *decoder) header() error {
	first, have := d.buf[d.pos], d.end-d.pos
	d.op, d.opAt = first, 0
	switch {
	case have == 0:
		return d.fail(ErrTruncated, "the file is empty")
	case first != opProto && opTable[first].arg == argUnknown:
		return d.fail(ErrNotPickle, "it begins with %q", d.buf[d.pos:d.pos+min(have, lookahead)])
	case first != opProto:
		return d.fail(ErrOtherWay, "protocol 0 or 1")
	case have == 1:
		return d.fail(ErrTruncated, "the file has one byte")
	}
	d.protocol = int(d.buf[d.pos+1])
	d.pos += 2
	if d.protocol < 2 {
		return d.fail(ErrOtherWay, "protocol %d", d.protocol)
	} else if d.protocol > 5 {
		return d.fail(ErrNotPickle, "protocol %d is not known", d.protocol)
	}
	return nil
}

// otherwise explains an opcode that this way does not speak.
func (d *decoder) otherwise() error {
	if opTable[d.op].arg == argUnknown {
		return d.fail(ErrMalformed, "no such opcode")
	}
	return d.fail(ErrOtherWay, "torch does not write it")
}

func (d *decoder) push(v Value) error {
	if len(d.stack) >= d.limits.Stack {
		return d.tooManyValues()
	}
	d.stack = append(d.stack, v)
	return nil
}

func (d *decoder) tooManyValues() error {
	return d.fail(ErrLimit, "more than %d values waiting for their container", d.limits.Stack)
}

func (d *decoder) mark() error {
	if len(d.marks) >= d.limits.Depth {
		return d.fail(ErrLimit, "more than %d containers inside one another", d.limits.Depth)
	}
	if op := d.buf[d.pos]; (op == opLongBinGet || op == opBinGet) && !d.runs.off && len(d.stack) > d.bottom(0) {
		if top := d.stack[len(d.stack)-1]; top.Type() == Object && d.heap.at(top).Kind == EmptyList {
			return d.list(top)
		}
	}
	d.marks = append(d.marks, len(d.stack))
	return nil
}

// list fills an empty list, from its mark to its APPENDS if GETs are all there
// is between.
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
	d.op, d.opAt = opAppends, d.offset()
	d.pos++
	err := d.appends()
	if list := d.heap.at(into); err == nil && list.Kind == Interned {
		d.runs.add(text, list)
	}
	return err
}

// gets pushes a run of memo entries, which is what a list of frames is. Four of
// five opcodes are executed here, so it keeps what it needs in locals and looks
// for more input only when it leaves.
func (d *decoder) gets() error {
	buf, pos, words, stack := d.buf, d.pos, d.memo.words, d.stack
	for more := true; more; more = pos <= d.end-lookahead {
		var i, next int
		switch buf[pos] {
		case opLongBinGet:
			i, next = int(binary.LittleEndian.Uint32(buf[pos+1:])), pos+5
		case opBinGet:
			i, next = int(buf[pos+1]), pos+2
		default:
			d.pos, d.stack = pos, stack
			return nil
		}
		if i >= len(words) {
			d.op, d.opAt, d.pos = buf[pos], d.base+int64(pos), next
			return d.fail(ErrMalformed, "memo entry %d of %d", i, len(words))
		}
		stack = append(stack, d.memo.value(words[i]))
		pos = next
	}
	d.pos, d.stack = pos, stack
	if len(stack) > d.limits.Stack {
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
	case i >= d.limits.Memo:
		return d.fail(ErrLimit, "memo entry %d", i)
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
	if len(d.heap.objects) >= d.limits.Objects {
		return d.fail(ErrLimit, "more than %d lists and dicts", d.limits.Objects)
	}
	return d.push(d.heap.object(kind))
}

func (d *decoder) str(n int) error {
	if n > d.limits.StringBytes {
		return d.fail(ErrLimit, "a string of %d bytes", n)
	}
	b, err := d.take(n)
	if err != nil {
		return err
	} else if b == nil {
		return d.fail(ErrTruncated, "a string of %d bytes is cut", n)
	}
	if d.text += int64(n); d.text > d.limits.TextBytes {
		return d.fail(ErrLimit, "more than %d bytes of text", d.limits.TextBytes)
	}
	return d.push(d.heap.Text(b))
}

// long reads LONG1: little-endian two's complement.
func (d *decoder) long() error {
	n := int(d.buf[d.pos])
	b := d.buf[d.pos+1 : d.pos+10]
	d.pos += 1 + n
	if n == 9 && b[8] == 0 {
		return d.push(d.heap.Unsigned(binary.LittleEndian.Uint64(b)))
	} else if n > 8 {
		d.pos -= n
		return d.fail(ErrOtherWay, "an integer of %d bytes", n)
	}
	bits := binary.LittleEndian.Uint64(b)
	unused := 64 - 8*n
	return d.push(d.heap.Integer(int64(bits<<unused) >> unused))
}

// popMark returns what was pushed since the last mark and the container below it.
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

// fill hands items to the builder, for the container they go into.
func (d *decoder) fill(into Value, items []Value, dict bool) error {
	if into.Type() != Object {
		return d.fail(ErrMalformed, "what should take the items is no container")
	}
	c := d.heap.at(into)
	if c.Kind == Tuple || dict && (c.Kind == EmptyList || c.Kind == List) || !dict && (c.Kind == EmptyDict || c.Kind == Dict) {
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

// refused says where the builder could not go on.
func (d *decoder) refused(err error) error {
	if errors.Is(err, ErrOtherWay) || errors.Is(err, ErrMalformed) || errors.Is(err, ErrLimit) {
		return d.fail(err, "a container is filled in an unusual order")
	}
	return err
}

func (d *decoder) tuple(n int) error {
	items, err := d.pop(n)
	if err != nil {
		return err
	}
	return d.push(d.heap.tuple(items))
}

func (d *decoder) markedTuple() error {
	if len(d.marks) == 0 || d.marks[len(d.marks)-1] > len(d.stack) {
		return d.fail(ErrMalformed, "no mark")
	}
	mark := d.marks[len(d.marks)-1]
	d.marks = d.marks[:len(d.marks)-1]
	v := d.heap.tuple(d.stack[mark:])
	d.stack = append(d.stack[:mark], v)
	return nil
}

func (d *decoder) stop() (Value, error) {
	if d.overrun() {
		return 0, d.fail(ErrTruncated, "no STOP")
	} else if len(d.stack) != 1 || len(d.marks) != 0 {
		return 0, d.fail(ErrMalformed, "%d values and %d marks are left at STOP", len(d.stack), len(d.marks))
	}
	return d.stack[0], nil
}
