package pickle

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"math/big"
	"slices"
)

const (
	batchSize   = 1000     // CPython's pickler fills containers in batches of this many items
	frameTarget = 64 << 10 // and ends a frame once it is this long
)

// Ref is an entry of the memo that an Encoder has written.
type Ref int32

// Encoder writes pickles as CPython's C pickler does: the same opcodes, batches, frames
// and memo numbers. Sharing is up to the caller, who writes a value once and then
// refers to it with Get.
type Encoder struct {
	w        *bufio.Writer
	protocol int
	frame    []byte
	memo     Ref
	shared   map[string]Ref
	native   bool // see NewNativeEncoder
	err      error
}

// NewEncoder begins a pickle of protocol 2 to 5.
func NewEncoder(w io.Writer, protocol int) *Encoder {
	e := &Encoder{w: bufio.NewWriterSize(w, frameTarget), protocol: protocol, shared: map[string]Ref{}}
	e.note(e.w.Write([]byte{opProto, byte(protocol)}))
	return e
}

// NewNativeEncoder begins a pickle as torch's own C++ pickler writes it: protocol
// 2, equal strings are shared, containers are filled in one batch and memoized after
// that, and integers are signed, with eight bytes if they need more than 32 bits.
func NewNativeEncoder(w io.Writer) *Encoder {
	e := NewEncoder(w, 2)
	e.native = true
	return e
}

func (e *Encoder) note(_ int, err error) {
	if e.err == nil {
		e.err = err
	}
}

// emit appends one whole opcode to the frame.
func (e *Encoder) emit(b ...byte) {
	e.frame = append(e.frame, b...)
	if len(e.frame) >= frameTarget {
		e.endFrame()
	}
}

func (e *Encoder) endFrame() {
	if e.protocol >= 4 && len(e.frame) > 3 {
		e.note(e.w.Write(binary.LittleEndian.AppendUint64([]byte{opFrame}, uint64(len(e.frame)))))
	}
	e.note(e.w.Write(e.frame))
	e.frame = e.frame[:0]
}

// Close writes STOP and flushes. It returns the first error of the writer.
func (e *Encoder) Close() error {
	e.emit(opStop)
	e.endFrame()
	if err := e.w.Flush(); e.err == nil {
		e.err = err
	}
	return e.err
}

// memoize gives the value just written its memo entry.
func (e *Encoder) memoize() Ref {
	ref := e.memo
	e.memo++
	switch {
	case e.protocol >= 4:
		e.emit(opMemoize)
	case ref < 256:
		e.emit(opBinPut, byte(ref))
	default:
		e.emit(binary.LittleEndian.AppendUint32([]byte{opLongBinPut}, uint32(ref))...)
	}
	return ref
}

// Get writes a value that was written before.
func (e *Encoder) Get(ref Ref) {
	if ref < 256 {
		e.emit(opBinGet, byte(ref))
		return
	}
	e.emit(binary.LittleEndian.AppendUint32([]byte{opLongBinGet}, uint32(ref))...)
}

// Text writes a string, without sharing an equal one that was written before, except in
// a native pickle.
func (e *Encoder) Text(s string) Ref {
	if e.native {
		e.Shared(s)
		return e.shared[s]
	}
	return e.text(s)
}

func (e *Encoder) text(s string) Ref {
	if e.protocol >= 4 && len(s) < 256 {
		e.emit(append([]byte{opShortBinUnicode, byte(len(s))}, s...)...)
	} else {
		e.emit(append(binary.LittleEndian.AppendUint32([]byte{opBinUnicode}, uint32(len(s))), s...)...)
	}
	return e.memoize()
}

// Shared writes a string once and refers to it from then on, as Python does for
// interned strings such as dict keys.
func (e *Encoder) Shared(s string) {
	if ref, ok := e.shared[s]; ok {
		e.Get(ref)
		return
	}
	e.shared[s] = e.text(s)
}

// Int writes a signed integer.
func (e *Encoder) Int(i int64) {
	switch {
	case i >= 0 && i < 1<<8:
		e.emit(opBinInt1, byte(i))
	case i >= 0 && i < 1<<16:
		e.emit(binary.LittleEndian.AppendUint16([]byte{opBinInt2}, uint16(i))...)
	case i >= math.MinInt32 && i <= math.MaxInt32:
		e.emit(binary.LittleEndian.AppendUint32([]byte{opBinInt}, uint32(i))...)
	case e.native:
		e.emit(binary.LittleEndian.AppendUint64([]byte{opLong1, 8}, uint64(i))...)
	default:
		e.long(big.NewInt(i))
	}
}

// Uint writes an unsigned integer.
func (e *Encoder) Uint(u uint64) {
	if u <= math.MaxInt64 || e.native {
		e.Int(int64(u))
		return
	}
	e.long(new(big.Int).SetUint64(u))
}

// long writes LONG1: little-endian two's complement, as short as possible.
func (e *Encoder) long(i *big.Int) {
	bits := i.BitLen() + 1
	if i.Sign() < 0 {
		bits = new(big.Int).Not(i).BitLen() + 1
	}
	n := (bits + 7) / 8
	mod := new(big.Int).Lsh(big.NewInt(1), uint(8*n))
	b := new(big.Int).Mod(i, mod).FillBytes(make([]byte, n))
	slices.Reverse(b)
	e.emit(append([]byte{opLong1, byte(n)}, b...)...)
}

// Float writes a float.
func (e *Encoder) Float(f float64) {
	e.emit(binary.BigEndian.AppendUint64([]byte{opBinFloat}, math.Float64bits(f))...)
}

// Bool writes True or False.
func (e *Encoder) Bool(b bool) {
	if b {
		e.emit(opNewTrue)
	} else {
		e.emit(opNewFalse)
	}
}

// Pair writes a tuple of two integers.
func (e *Encoder) Pair(a, b uint64) Ref {
	e.Uint(a)
	e.Uint(b)
	e.emit(opTuple2)
	return e.memoize()
}

// List writes a list of n items; item(i) writes one.
func (e *Encoder) List(n int, item func(i int)) Ref {
	return e.container(opEmptyList, n, item, opAppend, opAppends)
}

// Dict writes a dict of n pairs; pair(i) writes a key and its value.
func (e *Encoder) Dict(n int, pair func(i int)) Ref {
	return e.container(opEmptyDict, n, pair, opSetItem, opSetItems)
}

func (e *Encoder) container(empty byte, n int, item func(i int), one, many byte) Ref {
	e.emit(empty)
	if e.native {
		e.emit(opMark)
		for i := range n {
			item(i)
		}
		e.emit(many)
		return e.memoize()
	}
	ref := e.memoize()
	e.batches(n, item, one, many)
	return ref
}

func (e *Encoder) batches(n int, item func(i int), one, many byte) {
	if n == 1 {
		item(0)
		e.emit(one)
		return
	}
	for from := 0; from < n; from += batchSize {
		e.emit(opMark)
		for i := from; i < min(from+batchSize, n); i++ {
			item(i)
		}
		e.emit(many)
	}
}
