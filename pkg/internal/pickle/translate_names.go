package pickle

import (
	"encoding/binary"
	"strings"
)

// Memo entries without a counterpart in the new memo.
const (
	orderedDict = -1 // the class
	partOfName  = -2 // a text that names it
)

// orderedName returns the end of a reference to the class OrderedDict in protocol 4: two
// texts, and the opcode that looks up the class.
func (t *translator) orderedName(in instruction, text []byte) (next int, is bool) {
	if string(text) != "collections" {
		return 0, false
	}
	name := t.next(in.next)
	if text, is := textOf(name.op, t.data[name.arg:min(name.end, len(t.data))]); !is || string(text) != "OrderedDict" {
		return 0, false
	}
	class := t.next(name.next)
	if class.op != opStackGlobal {
		return 0, false
	}
	t.skipStores(in.next, partOfName)
	t.skipStores(name.next, partOfName)
	return t.skipStores(class.next, orderedDict), true
}

// skipStores assigns a meaning to the memo entries stored from pos on, and returns the
// offset after them.
func (t *translator) skipStores(pos, meaning int) int {
	for {
		in, ok := instructionAt(t.data, pos)
		if !ok || !stores(in.op) {
			return pos
		}
		if old, err := t.entry(in.op, t.data[in.arg:in.end]); err == nil {
			t.memo[old] = meaning
		}
		pos = in.next
	}
}

// makesOrdered begins the dict made by a call of OrderedDict at pos.
func (t *translator) makesOrdered(pos int) {
	call := t.next(pos)
	switch call.op {
	case opEmptyTuple:
		call = t.next(call.next)
	case opMark: // an empty tuple of protocol 0
		if call = t.next(call.next); call.op == opTuple {
			call = t.next(call.next)
		}
	}
	if call.op != opReduce {
		t.ended = true
		return
	}
	t.pos = call.next
	t.container(isDict, opEmptyDict, false)
}

// global drops wrappers around containers, and turns an OrderedDict into a dict.
func (t *translator) global(in instruction, name string) {
	switch {
	case name == "collections\nOrderedDict":
		t.makesOrdered(t.skipStores(in.next, orderedDict))
	case strings.HasPrefix(name, "torch.jit._pickle\n"):
		t.push(isWrapper)
		t.pos = t.next(in.next).start
	default:
		t.ended = true // Stream would not support it either
		t.write(t.data[in.start:in.next]...)
	}
}

// tag drops a text that names the type of the container below it, with its wrapper.
func (t *translator) tag(in instruction) bool {
	tuple := t.next(in.next)
	call := t.next(tuple.next)
	switch {
	case t.top(1).kind != isWrapper || t.top(0).kind == isMark:
		return false
	case call.next > len(t.data) && (tuple.next > len(t.data) || tuple.op == opTuple2):
		t.ended = true // cut off before it can be known
		return true
	case tuple.op != opTuple2 || call.op != opReduce:
		return false
	}
	t.unwrap(call)
	return true
}

// unwrap drops the wrapper below the container on top.
func (t *translator) unwrap(call instruction) {
	t.close()
	t.drop(2)
	t.push(isValue)
	t.pos = call.next
}

// index returns the new index of a memo entry.
func (t *translator) index(op byte, argument []byte) (int, bool) {
	old, err := oldIndex(op, argument)
	index, ok := t.memo[old]
	if err != nil || !ok || index < 0 {
		t.ended = true
		t.write(opLongBinGet, 255, 255, 255, 255) // Stream will report it
		return 0, false
	}
	return index, true
}

func oldIndex(op byte, argument []byte) (int, error) {
	c := checker{op: op}
	if op == opPut || op == opGet {
		return c.index(nil, string(argument))
	}
	return c.index(argument, "")
}

// entry returns the memo index that an opcode stores at.
func (t *translator) entry(op byte, argument []byte) (int, error) {
	if op == opMemoize {
		return len(t.memo), nil
	}
	return oldIndex(op, argument)
}

func (t *translator) remember(op byte, argument []byte) {
	old, err := t.entry(op, argument)
	if err != nil {
		t.ended = true
		return
	}
	index, again := t.memo[old]
	if !again || index < 0 {
		index = t.put
		t.memo[old] = index
		t.put++
	}
	t.write(opLongBinPut)
	t.out = binary.LittleEndian.AppendUint32(t.out, uint32(index))
}
