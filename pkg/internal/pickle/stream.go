package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Stream reads one pickle of the kind that torch writes. size is the length of the input
// in bytes if it is known, otherwise 0; it only decides how much room is allocated.
func Stream(r io.Reader, size int64, b Builder, limits Limits) (*Result, error) {
	d := newDecoder(r, size, b, limits)
	root, err := d.decode()
	if err != nil {
		return nil, err
	}
	return d.result(root), nil
}

func newDecoder(r io.Reader, size int64, b Builder, limits Limits) *decoder {
	d := &decoder{source: newSource(r), heap: newHeap(), build: b, runs: newRuns(), limits: limits.WithDefaults()}
	if size > 0 {
		// Virtual until used; torch's files have about one memo entry for 70
		// bytes, and one container for 110.
		d.memo.words = make([]uint32, 0, min(size/64, d.limits.Memo))
		d.heap.objects = make([]uint32, 0, min(size/96, d.limits.Objects))
	}
	return d
}

// decode runs the machine and leaves the input alone afterwards.
func (d *decoder) decode() (Value, error) {
	root, err := d.run()
	if err == nil {
		err = d.last()
	}
	d.close()
	if errors.Is(err, ErrOtherWay) {
		<-d.done // the caller will read the input again
	}
	return root, err
}

// last reads a little past STOP. The content is ignored, but a decompressor may detect
// only there that the input is damaged.
func (d *decoder) last() error {
	d.stopped = d.offset()
	for range chunksAhead {
		if d.eof {
			break
		}
		d.pos = d.end
		if err := d.refill(lookahead); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) result(root Value) *Result {
	return &Result{Heap: d.heap, Root: root, Protocol: d.protocol, Bytes: d.stopped}
}

// decoder is the stack machine of Stream.
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
	op       byte
	opAt     int64
	stopped  int64 // offset after STOP
}

func (d *decoder) fail(kind error, format string, args ...any) error {
	return &Error{Offset: d.opAt, Op: d.op, What: fmt.Sprintf(format, args...), Err: kind}
}

// over is the error for a bound that is exceeded.
func (d *decoder) over(key, format string, args ...any) error {
	return &Error{Offset: d.opAt, Op: d.op, Limit: key, What: fmt.Sprintf(format, args...), Err: ErrLimit}
}

// more makes the next opcode and its fixed argument available. Here, once for
// each chunk and not for each opcode, the bounds on the whole are checked: no
// opcode takes more than some fifty bytes of memory for each of its own.
func (d *decoder) more() error {
	if err := d.refill(lookahead); err != nil {
		return err
	}
	if d.overrun() {
		d.dropCut()
		return d.fail(ErrTruncated, "its argument is cut")
	} else if d.eof && d.pos >= d.end {
		d.op, d.opAt = opStop, d.base+int64(d.end)
		return d.fail(ErrTruncated, "no STOP")
	}
	read := d.offset()
	if held, most := d.held(), d.limits.MemoryFor(read); held > most {
		return d.over(keyMemory, "%d bytes are held of what was read so far, where %d are allowed", held, most)
	} else if read > d.limits.Input {
		return d.over(keyInput, "it goes on after %d bytes", d.limits.Input)
	}
	return nil
}

// held estimates the memory of the machine, the heap and the builder, in bytes.
func (d *decoder) held() int64 {
	return 8*int64(len(d.stack)) + 4*int64(len(d.memo.words)) + 8*int64(len(d.memo.spill)) + d.runs.held() +
		d.heap.held() + d.build.Held()
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
			if err := d.more(); err != nil {
				return 0, err
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
			err = d.push(d.heap.integer(int64(int32(binary.LittleEndian.Uint32(d.buf[d.pos:])))))
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

// header reads PROTO. Protocols 0 and 1 have none and are read by Load.
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

// otherwise is the error for an opcode that Stream does not support.
func (d *decoder) otherwise() error {
	if opTable[d.op].arg == argUnknown {
		return d.fail(ErrMalformed, "no such opcode")
	}
	return d.fail(ErrOtherWay, "torch does not write it")
}

func (d *decoder) stop() (Value, error) {
	if d.overrun() {
		return 0, d.fail(ErrTruncated, "no STOP")
	} else if len(d.stack) != 1 || len(d.marks) != 0 {
		return 0, d.fail(ErrMalformed, "%d values and %d marks are left at STOP", len(d.stack), len(d.marks))
	}
	return d.stack[0], nil
}
