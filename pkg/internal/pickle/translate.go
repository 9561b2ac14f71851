package pickle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// SalvageOther is [Salvage] for the pickles that [Load] reads: while reading, it
// translates a pickle of protocol 0 or 1, or one in which libtorch's pickler tagged the
// types of containers, to the opcodes that Stream supports. Offsets refer to the original
// pickle.
func SalvageOther(r io.Reader, b Builder, limits Limits) (*Result, error) {
	limits = limits.WithDefaults()
	data, readErr := io.ReadAll(io.LimitReader(r, limits.LoadBytes))
	var refused *Error
	if _, err := check(data, limits); errors.As(err, &refused) && (errors.Is(err, ErrForbidden) || len(data) == 0 ||
		data[0] != opProto && refused.Offset < oldBegin) {
		return nil, err
	} else if errors.Is(err, ErrLimit) {
		data, readErr = data[:refused.Offset], err // so that memory stays within the checker's bound
	}
	t := newTranslator(data)
	res, err := Salvage(t, 0, b, limits)
	if res != nil {
		res.Bytes = t.origin(res.Bytes)
		res.Protocol = 0
		if data[0] == opProto {
			res.Protocol = int(data[1])
		}
	}
	if located := new(Error); errors.As(err, &located) {
		located.Offset = t.origin(located.Offset)
	}
	if res != nil && readErr != nil {
		res.Partial, err = true, readErr
	}
	return res, err
}

// translator is a reader that translates one pickle into another with the same value.
// The result fills containers from a mark, never item by item, because a Builder wants
// to see dicts whole.
type translator struct {
	data  []byte
	pos   int
	out   []byte // not read yet
	ended bool

	stack []translated
	memo  map[int]int // new index of an entry, by the old one
	put   int         // entries of the new memo
}

// translated is the translator's record of a value on the stack.
type translated struct {
	kind  translatedKind
	items int  // of a container that is filled item by item: how many follow its mark
	open  bool // such a container, to which more items may come
}

type translatedKind uint8

const (
	isValue translatedKind = iota
	isMark
	isList
	isDict
	isWrapper // a function around a container, which is left out
)

// batch is the number of items per mark, as in Python.
const batch = 1000

func newTranslator(data []byte) *translator {
	t := &translator{data: data, memo: map[int]int{}, out: []byte{opProto, 2}}
	if len(data) >= 2 && data[0] == opProto {
		t.pos = 2
	}
	return t
}

func (t *translator) Read(b []byte) (int, error) {
	for len(t.out) == 0 {
		if t.ended {
			return 0, io.EOF
		}
		t.step()
	}
	n := copy(b, t.out)
	t.out = t.out[n:]
	return n, nil
}

// origin maps an offset in the output to the opcode in data that it was translated from.
func (t *translator) origin(offset int64) int64 {
	again := newTranslator(t.data)
	for done := int64(0); !again.ended; {
		if done += int64(len(again.out)); done > offset {
			break
		}
		again.out = again.out[:0]
		at := again.pos
		if again.step(); done+int64(len(again.out)) > offset {
			return int64(at)
		}
	}
	return int64(again.pos)
}

func (t *translator) write(b ...byte) { t.out = append(t.out, b...) }

func (t *translator) push(kind translatedKind) { t.stack = append(t.stack, translated{kind: kind}) }

func (t *translator) drop(n int) { t.stack = t.stack[:max(len(t.stack)-n, 0)] }

func (t *translator) top(n int) *translated {
	if n >= len(t.stack) {
		return &translated{}
	}
	return &t.stack[len(t.stack)-1-n]
}

// dropMark drops the last mark and everything above it.
func (t *translator) dropMark() {
	for len(t.stack) > 0 {
		top := *t.top(0)
		if t.drop(1); top.kind == isMark {
			return
		}
		t.ended = t.ended || top.open // below other values, so its end is unknown
	}
}

// next returns the instruction at an offset, skipping FRAMEs and opcodes that store in
// the memo.
func (t *translator) next(pos int) instruction {
	for {
		in, ok := instructionAt(t.data, pos)
		if !ok {
			return instruction{op: opStop, start: pos, next: len(t.data) + 1}
		} else if !stores(in.op) && in.op != opFrame {
			return in
		}
		pos = in.next
	}
}

// stores reports whether an opcode stores the value on top in the memo.
func stores(op byte) bool {
	return op == opPut || op == opBinPut || op == opLongBinPut || op == opMemoize
}

// step translates an opcode.
func (t *translator) step() {
	in, ok := instructionAt(t.data, t.pos)
	if !ok {
		t.ended = true
		if t.pos < len(t.data) && opTable[t.data[t.pos]].arg == argUnknown {
			t.write(t.data[t.pos]) // Stream will report it
		}
		return
	}
	t.pos = in.next
	if consumes(in.op) {
		t.close()
	}
	argument := t.data[in.arg:in.end]
	switch in.op {
	case opFrame:
	case opMark:
		t.mark(in)
	case opEmptyDict:
		t.container(isDict, opEmptyDict, false)
	case opEmptyList:
		t.container(isList, opEmptyList, false)
	case opAppend:
		t.fill(1, opAppend)
	case opSetItem:
		t.fill(2, opSetItem)
	case opAppends, opSetItems:
		t.dropMark()
		t.write(in.op)
	case opTuple:
		t.dropMark()
		t.push(isValue)
		t.write(in.op)
	case opTuple1, opTuple2, opTuple3:
		if in.op == opTuple1 && t.top(1).kind == isWrapper && t.next(in.next).op == opReduce {
			t.unwrap(t.next(in.next))
			return
		}
		t.drop(int(in.op-opTuple1) + 1)
		t.push(isValue)
		t.write(in.op)
	case opGlobal:
		t.global(in, string(argument))
	case opPut, opBinPut, opLongBinPut, opMemoize:
		t.remember(in.op, argument)
	case opGet, opBinGet, opLongBinGet:
		if t.tag(in) {
			return
		} else if old, err := oldIndex(in.op, argument); err == nil && t.memo[old] == orderedDict {
			t.makesOrdered(in.next)
		} else if index, ok := t.index(in.op, argument); ok {
			t.push(isValue)
			t.write(opLongBinGet)
			t.out = binary.LittleEndian.AppendUint32(t.out, uint32(index))
		}
	default:
		if text, is := textOf(in.op, argument); !is {
			t.push(isValue)
			t.number(in, strings.TrimSpace(string(argument)))
		} else if class, is := t.orderedName(in, text); is {
			t.makesOrdered(class)
		} else if !t.tag(in) {
			t.push(isValue)
			t.write(opBinUnicode)
			t.out = binary.LittleEndian.AppendUint32(t.out, uint32(len(text)))
			t.out = append(t.out, text...)
		}
		t.ended = t.ended || in.op == opStop
	}
}

// consumes reports whether an opcode takes the value on top, which completes it.
func consumes(op byte) bool {
	switch op {
	case opAppend, opSetItem, opAppends, opSetItems, opTuple, opTuple1, opTuple2, opTuple3, opReduce, opStop:
		return true
	}
	return false
}

// close ends the container on top if it is filled item by item.
func (t *translator) close() {
	if top := t.top(0); top.open {
		top.open = false
		t.write(map[translatedKind]byte{isList: opAppends, isDict: opSetItems}[top.kind])
	}
}

// mark translates a MARK, or an empty container of protocol 0, which is a mark without items.
func (t *translator) mark(in instruction) {
	switch after, ok := instructionAt(t.data, in.next); {
	case !ok:
		t.ended = true
	case after.op == opDict:
		t.pos = after.next
		t.container(isDict, opEmptyDict, true)
	case after.op == opList:
		t.pos = after.next
		t.container(isList, opEmptyList, true)
	default:
		t.push(isMark)
		t.write(opMark)
	}
}

// container makes an empty container. In protocol 0 items follow one by one, so a mark is
// inserted before them; later protocols do this only for a single item.
func (t *translator) container(kind translatedKind, op byte, oneByOne bool) {
	t.push(kind)
	t.write(op)
	if in, ok := instructionAt(t.data, t.pos); ok && stores(in.op) {
		t.pos = in.next
		t.remember(in.op, t.data[in.arg:in.end])
	}
	if after := t.next(t.pos); oneByOne && !consumes(after.op) {
		t.top(0).open = true
		t.write(opMark)
	}
}

// fill puts the n values on top into the container below them.
func (t *translator) fill(n int, op byte) {
	t.drop(n)
	into := t.top(0)
	if !into.open {
		t.write(op)
		return
	}
	if into.items++; into.items%batch == 0 && into.kind == isList {
		t.write(opAppends, opMark)
	}
}

// textOf returns the text of a string opcode.
func textOf(op byte, argument []byte) (text []byte, is bool) {
	switch op {
	case opUnicode:
		return unescapeText(argument), true
	case opString:
		argument = bytes.TrimSpace(argument)
		if n := len(argument); n >= 2 && !bytes.Contains(argument, []byte(`\`)) {
			return argument[1 : n-1], true
		}
		return nil, false
	case opBinString, opShortBinString, opBinUnicode, opShortBinUnicode:
		return argument, true
	}
	return nil, false
}

// number translates the numbers of protocol 0, and leaves every other opcode as it is.
func (t *translator) number(in instruction, text string) {
	switch in.op {
	case opInt, opLong:
		i, ok := new(big.Int).SetString(strings.TrimSuffix(text, "L"), 10)
		switch {
		case in.op == opInt && text == "00":
			t.write(opNewFalse)
		case in.op == opInt && text == "01":
			t.write(opNewTrue)
		case ok && i.IsInt64():
			t.write(opLong1, 8)
			t.out = binary.LittleEndian.AppendUint64(t.out, uint64(i.Int64()))
		case ok && i.IsUint64():
			t.write(opLong1, 9)
			t.out = append(binary.LittleEndian.AppendUint64(t.out, i.Uint64()), 0)
		default:
			t.write(opNone) // like Load for an integer beyond 64 bits
		}
	case opFloat:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.ended = true // Load would not accept it either
			return
		}
		t.write(opBinFloat)
		t.out = binary.BigEndian.AppendUint64(t.out, math.Float64bits(f))
	default:
		t.write(t.data[in.start:in.next]...)
	}
}
