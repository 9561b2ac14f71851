package snapshot

import (
	"github.com/memviz-go/memviz/pkg/pickle"
)

// What the dicts and lists of a snapshot turn into as they arrive.
const (
	kindEvent pickle.Kind = pickle.FirstRecord + iota
	kindFrame
	kindSegment
	kindBlock
	kindHistory
	kindAnnotation
	kindRows     // a list of records; Ref: index into builder.lists
	kindOddStack // a list of frames and other things, which are counted; Ref: as kindStack
)

// kindStack is a list of frames; Ref: the interned stack.
const kindStack = pickle.Interned

// builder turns a pickle into a Snapshot's columns while it is read. A dict
// becomes a row of the table that its keys call for, a list of frames an
// interned stack, a list of rows a range. Whatever is none of these stays a
// generic value in the heap, for the root to look at.
type builder struct {
	s      *Snapshot
	keys   []key // by string index
	lists  []rowList
	listed int64 // rows that lists name one by one

	events       Events // all devices; traces are ranges of it
	frames       map[Frame]FrameID
	stacks       stackTable
	streams      interner[uint64, StreamID]
	pools        interner[Pool, PoolID]
	actions      []Action // by string index
	blockHasAddr []bool
	blockLists   []uint32 // by segment row: its list of blocks + 1
	history      []legacyBlock
	metadataOf   map[pickle.Value]StringID // of dicts, which events may share
	walked       int                       // values in those dicts
	limits       pickle.Limits
	read         int64 // bytes of the whole pickle, known to finish
	cut          bool  // it is a part, likewise
	assembled    int64 // bytes that finish has copied
}

func newBuilder(sizeHint int64, limits pickle.Limits) *builder {
	b := &builder{
		s:          &Snapshot{},
		limits:     limits.WithDefaults(),
		frames:     map[Frame]FrameID{},
		metadataOf: map[pickle.Value]StringID{},
		streams:    newInterner[uint64, StreamID](0),
		pools:      newInterner[Pool, PoolID](Pool{}),
	}
	b.stacks.init()
	b.events.reserve(int(min(sizeHint/bytesPerEvent, maxReserved)))
	return b
}

// bytesPerEvent is a little less than torch spends on an event and its stack,
// so that the columns need not grow while they fill.
const bytesPerEvent = 150

// maxReserved bounds that room, in events, because a size is only a claim.
const maxReserved = 1 << 24

// Held implements pickle.Builder.
func (b *builder) Held() int64 {
	const forKey = 40 // the place of a key in a map
	n := b.events.held() + b.stacks.held() + (20+forKey)*int64(len(b.s.Frames)) +
		88*int64(len(b.s.Segments)) + 48*int64(len(b.s.Blocks)) + 16*int64(len(b.history)) + 24*int64(len(b.s.Annotations)) +
		int64(len(b.keys)+len(b.actions)) + (8+forKey)*int64(len(b.streams.values)) + (16+forKey)*int64(len(b.pools.values)) +
		forKey*int64(len(b.metadataOf)) + 40*int64(len(b.lists)) + 4*b.listed
	return n
}

// keyOf is what a key means.
func (b *builder) keyOf(h *pickle.Heap, v pickle.Value) key {
	if v.Type() != pickle.String {
		return keyUnknown
	}
	i := v.Index()
	for len(b.keys) <= i {
		b.keys = append(b.keys, keyNames[h.Strings[len(b.keys)]])
	}
	return b.keys[i]
}

// classify says what a dict is by the first decisive key.
func (b *builder) classify(h *pickle.Heap, pairs []pickle.Value) (pickle.Kind, bool) {
	for i := 0; i < len(pairs); i += 2 {
		switch b.keyOf(h, pairs[i]) {
		case keyAction:
			return kindEvent, true
		case keyFilename:
			return kindFrame, true
		case keyTotalSize:
			return kindSegment, true
		case keyState:
			return kindBlock, true
		case keyRealSize:
			return kindHistory, true
		case keyStage:
			return kindAnnotation, true
		}
	}
	return 0, false
}

// SetItems implements pickle.Builder.
func (b *builder) SetItems(h *pickle.Heap, d pickle.Container, pairs []pickle.Value) (pickle.Container, error) {
	switch d.Kind {
	case pickle.EmptyDict:
	case pickle.Dict: // filled in several steps, of which none was decisive yet
		kind, ok := b.classify(h, pairs)
		d = h.Store(d, pairs)
		if ok {
			return b.record(h, kind, h.Stored(d)), nil
		}
		return d, nil
	default:
		return b.update(h, d, pairs)
	}
	kind, ok := b.classify(h, pairs)
	if !ok {
		return h.Store(d, pairs), nil
	}
	return b.record(h, kind, pairs), nil
}

// record makes a row of a dict.
func (b *builder) record(h *pickle.Heap, kind pickle.Kind, pairs []pickle.Value) pickle.Container {
	c := pickle.Container{Kind: kind}
	switch kind {
	case kindEvent:
		c.Ref = b.events.add()
	case kindFrame:
		return b.frame(h, pairs)
	case kindSegment:
		c.Ref = uint32(len(b.s.Segments))
		b.s.Segments = append(b.s.Segments, Segment{})
		b.blockLists = append(b.blockLists, 0)
		b.s.Format.HasProfilerSegment = b.s.Format.HasProfilerSegment || !b.has(h, pairs, keyAllocatedSize)
	case kindBlock:
		c.Ref = uint32(len(b.s.Blocks))
		b.s.Blocks = append(b.s.Blocks, Block{RequestedSize: noSize})
		b.blockHasAddr = append(b.blockHasAddr, false)
	case kindHistory:
		c.Ref = uint32(len(b.history))
		b.history = append(b.history, legacyBlock{})
	case kindAnnotation:
		c.Ref = uint32(len(b.s.Annotations))
		b.s.Annotations = append(b.s.Annotations, Annotation{})
	}
	b.update(h, c, pairs)
	return c
}

// update sets the fields of a row.
func (b *builder) update(h *pickle.Heap, c pickle.Container, pairs []pickle.Value) (pickle.Container, error) {
	switch c.Kind {
	case kindEvent:
		b.setEvent(h, int(c.Ref), pairs)
	case kindSegment:
		b.setSegment(h, int(c.Ref), pairs)
	case kindBlock:
		b.setBlock(h, int(c.Ref), pairs)
	case kindHistory:
		b.setHistory(h, int(c.Ref), pairs)
	case kindAnnotation:
		b.setAnnotation(h, int(c.Ref), pairs)
	case kindFrame: // final, because frames are interned
		return c, pickle.ErrOtherWay
	default:
		return c, pickle.ErrMalformed // it is a list
	}
	return c, nil
}

// Append implements pickle.Builder.
func (b *builder) Append(h *pickle.Heap, l pickle.Container, items []pickle.Value) (pickle.Container, error) {
	if len(items) == 0 {
		return l, nil
	}
	kind := l.Kind
	if kind == pickle.EmptyList {
		kind = b.listKind(h, items[0])
	}
	switch kind {
	case kindStack, kindOddStack:
		return b.extendStack(h, l, items)
	case kindRows:
		return b.extendRows(h, l, items), nil
	case pickle.List:
		return h.Store(l, items), nil
	}
	return l, pickle.ErrMalformed // it is a dict
}

// listKind is what a list becomes whose first item this is.
func (b *builder) listKind(h *pickle.Heap, first pickle.Value) pickle.Kind {
	c, _ := h.Container(first)
	switch c.Kind {
	case kindFrame:
		return kindStack
	case kindEvent, kindSegment, kindBlock, kindHistory, kindAnnotation:
		return kindRows
	}
	return pickle.List
}

// has reports whether a dict has a key.
func (b *builder) has(h *pickle.Heap, pairs []pickle.Value, k key) bool {
	for i := 0; i < len(pairs); i += 2 {
		if b.keyOf(h, pairs[i]) == k {
			return true
		}
	}
	return false
}
