package snapshot

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// Kinds of values that the builder turns dicts and lists into.
const (
	kindEvent pickle.Kind = pickle.FirstRecord + iota
	kindFrame
	kindSegment
	kindBlock
	kindHistory
	kindAnnotation
	kindRows     // a list of records; Ref: index into builder.lists
	kindOddStack // a list of frames and other items, which are counted; Ref: as kindStack
)

// kindStack is a list of frames; Ref: the interned stack.
const kindStack = pickle.Interned

// builder turns a pickle into the columns of a Snapshot while it is read. A dict becomes
// a row of the table that its keys belong to, a list of frames an interned stack, a list
// of rows a range. Everything else stays a generic value in the heap, which finish reads
// from the root.
type builder struct {
	s      *Snapshot
	keys   []key // by string index
	shape  shape
	fields []key // scratch of fieldsOf
	lists  []rowList
	listed int64 // rows that lists refer to one by one

	events       Events // all devices; traces are ranges of it
	frames       map[Frame]FrameID
	stacks       stackTable
	streams      interner[uint64, StreamID]
	pools        interner[Pool, PoolID]
	actions      []Action // by string index
	blockHasAddr []bool
	blockLists   []uint32      // by segment row: index of its list of blocks in lists, + 1; 0: none
	segmentKeys  []segmentKeys // by segment row
	history      []legacyBlock
	metadataOf   map[pickle.Value]StringID         // of dicts, which events may share
	tuples       map[pickle.Value]pickle.Container // tuples in place of lists, as the lists they replace
	walked       int                               // values in those dicts
	limits       pickle.Limits
	read         int64           // bytes of the pickle; set by finish
	partial      bool            // only the beginning was read; set by finish
	traced       map[uint32]bool // lists of events used as a device's trace; no two devices may share one
	assembled    int64           // bytes that finish has copied
}

func newBuilder(sizeHint int64, limits pickle.Limits) *builder {
	b := &builder{
		s:          &Snapshot{},
		limits:     limits.WithDefaults(),
		frames:     map[Frame]FrameID{},
		metadataOf: map[pickle.Value]StringID{},
		tuples:     map[pickle.Value]pickle.Container{},
		traced:     map[uint32]bool{},
		streams:    newInterner[uint64, StreamID](0),
		pools:      newInterner[Pool, PoolID](Pool{}),
	}
	b.stacks.init()
	b.events.reserve(int(min(sizeHint/bytesPerEvent, maxReserved)))
	return b
}

// bytesPerEvent is slightly less than an event and its stack take in a file, so that the
// columns need not grow while they fill.
const bytesPerEvent = 150

// maxReserved bounds the events that memory is reserved for, because a file's size is
// only a claim.
const maxReserved = 1 << 24

// Held implements pickle.Builder.
func (b *builder) Held() int64 {
	const forKey = 40 // a map entry
	n := b.events.held() + b.stacks.held() + (20+forKey)*int64(len(b.s.Frames)) +
		88*int64(len(b.s.Segments)) + 48*int64(len(b.s.Blocks)) + 16*int64(len(b.history)) +
		24*int64(len(b.s.Annotations)) +
		int64(len(b.keys)+len(b.actions)) + (8+forKey)*int64(len(b.streams.values)) +
		(16+forKey)*int64(len(b.pools.values)) +
		forKey*int64(len(b.metadataOf)+len(b.tuples)) + 40*int64(len(b.lists)) + 4*b.listed
	return n
}

// maxRescan bounds how many pairs of a dict are looked at again when more are added.
// Torch's records have at most 20.
const maxRescan = 64

// keyOf returns the meaning of a dict key.
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

// shape caches the keys of the latest dict that was classified by its keys alone, their
// meanings, and the kind of the record. Nearly every dict has the keys of the one before
// it.
type shape struct {
	keys   []pickle.Value
	fields []key
	kind   pickle.Kind
}

func (s *shape) fits(pairs []pickle.Value) bool {
	if len(pairs) != 2*len(s.keys) || len(pairs) == 0 {
		return false
	}
	for i, k := range s.keys {
		if pairs[2*i] != k {
			return false
		}
	}
	return true
}

func (s *shape) learn(kind pickle.Kind, fields []key, pairs []pickle.Value) {
	if len(fields) > maxRescan {
		return
	}
	s.kind, s.keys, s.fields = kind, s.keys[:0], append(s.fields[:0], fields...)
	for i := range fields {
		s.keys = append(s.keys, pairs[2*i])
	}
}

// fieldsOf returns the meanings of the keys of pairs. It is valid until the next call.
func (b *builder) fieldsOf(h *pickle.Heap, pairs []pickle.Value) []key {
	if b.shape.fits(pairs) {
		return b.shape.fields
	}
	b.fields = b.fields[:0]
	for i := 0; i < len(pairs); i += 2 {
		b.fields = append(b.fields, b.keyOf(h, pairs[i]))
	}
	return b.fields
}

// classify decides what kind of record a dict is, by a decisive key and companions, so
// that a user's own dict, which user_metadata may hold, is not taken for a record. One
// companion is enough beside an action or a state that the format has.
func (b *builder) classify(h *pickle.Heap, pairs []pickle.Value) (pickle.Kind, bool) {
	var decided, once, twice kinds
	fields := b.fieldsOf(h, pairs)
	for _, k := range fields {
		decided |= decisive[k]
		twice |= once & companions[k]
		once |= companions[k]
		if both := decided & (twice | once&^needTwo); both != 0 {
			b.shape.learn(both.first(), fields, pairs)
			return both.first(), true
		}
	}
	if decided&once == 0 {
		return 0, false
	}
	for i, k := range fields {
		if kind := decisive[k] & once; kind != 0 && isWord(h, pairs[2*i+1]) {
			return kind.first(), true
		}
	}
	return 0, false
}

// isWord reports whether a value is an action or a state of a block that the format has.
func isWord(h *pickle.Heap, v pickle.Value) bool {
	if v.Type() != pickle.String {
		return false
	}
	word := h.Strings[v.Index()]
	_, isState := blockStates[word]
	return isState || slices.Contains(actionNames[:NoAction], word)
}

// SetItems implements pickle.Builder.
func (b *builder) SetItems(h *pickle.Heap, d pickle.Container, pairs []pickle.Value) (pickle.Container, error) {
	switch d.Kind {
	case pickle.EmptyDict:
	case pickle.Dict: // filled in several steps, so its decisive keys may come late
		d = h.Store(d, pairs)
		stored := h.Stored(d)
		if kind, ok := b.classify(h, stored[:min(len(stored), 2*maxRescan)]); ok {
			return b.record(h, kind, stored), nil
		}
		return d, nil
	default:
		return b.update(h, d, pairs)
	}
	kind, ok := b.shape.kind, true
	if !b.shape.fits(pairs) {
		kind, ok = b.classify(h, pairs)
	} else if kind == kindEvent {
		row := b.events.add()
		b.setEvent(h, int(row), b.shape.fields, pairs)
		return pickle.Container{Kind: kindEvent, Ref: row}, nil
	}
	if !ok {
		return h.Store(d, pairs), nil
	}
	return b.record(h, kind, pairs), nil
}

// record makes a dict a row of its table.
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
		b.segmentKeys = append(b.segmentKeys, segmentKeys{})
	case kindBlock:
		c.Ref = uint32(len(b.s.Blocks))
		b.s.Blocks = append(b.s.Blocks, Block{Size: noSize, RequestedSize: noSize})
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
		b.setEvent(h, int(c.Ref), b.fieldsOf(h, pairs), pairs)
	case kindSegment:
		b.setSegment(h, int(c.Ref), pairs)
	case kindBlock:
		b.setBlock(h, int(c.Ref), pairs)
	case kindHistory:
		b.setHistory(h, int(c.Ref), pairs)
	case kindAnnotation:
		b.setAnnotation(h, int(c.Ref), pairs)
	case kindFrame: // an interned frame cannot change
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
		kind = b.listKind(h, items)
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

// listKind decides the kind of a list that begins with these items: a list of the first
// kind of record among them, unless a list comes first. Other items are counted when they
// are added.
func (b *builder) listKind(h *pickle.Heap, items []pickle.Value) pickle.Kind {
	for _, item := range items {
		switch c, _ := h.Container(item); {
		case c.Kind == kindFrame:
			return kindStack
		case isRow(c.Kind):
			return kindRows
		case c.Kind == kindRows, c.Kind == pickle.List, c.Kind == pickle.EmptyList:
			return pickle.List
		}
	}
	return pickle.List
}
