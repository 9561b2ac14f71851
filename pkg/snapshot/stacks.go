package snapshot

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// frame interns a frame dict.
func (b *builder) frame(h *pickle.Heap, pairs []pickle.Value) pickle.Container {
	var f Frame
	for i := 0; i < len(pairs); i += 2 {
		v := pairs[i+1]
		switch b.keyOf(h, pairs[i]) {
		case keyName:
			f.Name = b.text(v, "frame.name")
		case keyFilename:
			f.File = b.text(v, "frame.filename")
		case keyLine:
			// 2^64-1 means no line (code objects of Python 3.13).
			if line, ok := h.Uint64(v); !ok {
				b.wrongType("frame.line")
			} else if line <= math.MaxInt32 {
				f.Line = int32(line)
			}
		case keyUnknown:
			b.unknownKey(h, pairs[i])
		}
	}
	id, ok := b.frames[f]
	if !ok {
		id = FrameID(len(b.s.Frames))
		b.s.Frames = append(b.s.Frames, f)
		b.frames[f] = id
	}
	return pickle.Container{Kind: kindFrame, Ref: uint32(id)}
}

// extendStack interns a list of frames. Torch fills a list before any row refers to it.
// If a list grows later, rows that already refer to it must see that, so pickle.Load has
// to read the file.
func (b *builder) extendStack(h *pickle.Heap, l pickle.Container, items []pickle.Value) (pickle.Container, error) {
	t, kind := &b.stacks, kindStack
	t.scratch = t.scratch[:0]
	if l.Kind != pickle.EmptyList {
		kind = l.Kind
		if t.used[l.Ref] {
			return l, pickle.ErrOtherWay
		}
		t.scratch = append(t.scratch, t.table.Frames(StackID(l.Ref))...)
		if t.again += len(t.scratch); t.again > maxAgain {
			return l, pickle.OverLimit("", 0, "stacks that grow frame by frame")
		}
	}
	for _, item := range items {
		if c, ok := h.Container(item); ok && c.Kind == kindFrame {
			t.scratch = append(t.scratch, FrameID(c.Ref))
		} else {
			b.wrongType("item of frames")
			kind = kindOddStack
		}
	}
	if most := b.limits.Frames; int64(len(t.scratch)) > most {
		b.wrongType("frames beyond the limit")
		kind = kindOddStack
		t.scratch = t.scratch[:most]
	}
	return pickle.Container{Kind: kind, Ref: uint32(t.intern())}, nil
}

// stack returns the stack for the value of a frames key.
func (b *builder) stack(h *pickle.Heap, v pickle.Value, field string) StackID {
	c, ok := b.list(h, v)
	switch {
	case ok && (c.Kind == kindStack || c.Kind == kindOddStack):
		b.stacks.used[c.Ref] = true
		return StackID(c.Ref)
	case ok && c.Kind == pickle.EmptyList, v.Type() == pickle.None:
	default:
		b.wrongType(field)
	}
	return 0
}

// stackTable interns lists of frames by content.
type stackTable struct {
	table   Stacks
	hashes  []uint64 // by stack
	used    []bool   // by stack: a row refers to it
	slots   []uint32 // open addressing: stack id + 1
	seed    uint64   // random, so that no file can be made to collide
	scratch []FrameID
	again   int // frames interned again because their list grew
}

// maxAgain bounds the work for lists that grow frame by frame. Picklers add a thousand
// items at a time, and hardly any stack is that deep.
const maxAgain = 1 << 24

// held is the memory that the stacks take, in bytes.
func (t *stackTable) held() int64 {
	return 4*int64(len(t.table.frames)+len(t.slots)) + 13*int64(len(t.hashes))
}

func (t *stackTable) init() {
	t.seed = rand.Uint64() | 1
	t.slots = make([]uint32, 1024)
	t.table.ends = []uint32{0} // the empty stack
	t.hashes = []uint64{0}
	t.used = []bool{false}
}

// intern returns the stack whose frames are in scratch.
func (t *stackTable) intern() StackID {
	if len(t.scratch) == 0 {
		return 0
	}
	hash := t.seed
	for _, f := range t.scratch {
		hash = (hash ^ uint64(f)) * 0x9e3779b97f4a7c15
		hash ^= hash >> 29
	}
	mask := uint64(len(t.slots) - 1)
	slot := hash & mask
	for ; t.slots[slot] != 0; slot = (slot + 1) & mask {
		id := StackID(t.slots[slot] - 1)
		if t.hashes[id] == hash && slices.Equal(t.table.Frames(id), t.scratch) {
			return id
		}
	}
	id := StackID(len(t.table.ends))
	t.table.frames = append(t.table.frames, t.scratch...)
	t.table.ends = append(t.table.ends, uint32(len(t.table.frames)))
	t.hashes = append(t.hashes, hash)
	t.used = append(t.used, false)
	t.slots[slot] = uint32(id) + 1
	if 2*len(t.hashes) > len(t.slots) {
		t.grow()
	}
	return id
}

func (t *stackTable) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	mask := uint64(len(t.slots) - 1)
	for id := 1; id < len(t.hashes); id++ {
		slot := t.hashes[id] & mask
		for t.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.slots[slot] = uint32(id) + 1
	}
}
