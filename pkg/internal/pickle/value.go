package pickle

import (
	"strings"
	"unicode/utf8"
)

// Value is one decoded value in one word: its Type in the low bits, a payload
// above. Words hold no pointers, so the collector has nothing to scan.
type Value uint64

// Type is the type of a Value.
type Type uint8

const (
	None   Type = iota
	Bool        // payload: 0 or 1
	Int         // payload: an integer of up to 61 bits
	Wide        // payload: index into the heap's wide integers
	Float       // payload: index into the heap's floats
	String      // payload: index into Heap.Strings
	Object      // payload: index into the heap's objects: a list, dict, tuple or record
	Opaque      // a value that is not kept, such as bytes
)

const (
	typeBits = 3
	minSmall = -1 << (63 - typeBits)
	maxSmall = 1<<(63-typeBits) - 1
)

func pack(t Type, payload uint64) Value { return Value(payload<<typeBits | uint64(t)) }

// Type returns the type of v.
func (v Value) Type() Type { return Type(v & (1<<typeBits - 1)) }

// Index returns the payload of a String or Object.
func (v Value) Index() int { return int(v >> typeBits) }

// Container is a list, tuple, dict or record in its current state. Kinds below
// FirstRecord belong to this package; a Builder gives meaning to the others.
type Container struct {
	Kind Kind   // 4 bits
	Ref  uint32 // 28 bits; its meaning depends on the kind
}

// refBits is the width of Ref in a packed Container. Limits.Objects keeps every Ref
// below 2^28, because each counts something that exists at most once per container.
const refBits = 28

func (c Container) pack() uint32 { return uint32(c.Kind)<<refBits | c.Ref }

func unpack(word uint32) Container {
	return Container{Kind: Kind(word >> refBits), Ref: word & (1<<refBits - 1)}
}

// Kind is the kind of a Container, as far as it is known.
type Kind uint8

const (
	EmptyDict Kind = iota
	EmptyList
	Dict  // Ref: its pairs in the heap
	List  // Ref: its items in the heap
	Tuple // Ref: its items in the heap
	// FirstRecord is the first kind that a Builder may use for its own.
	FirstRecord Kind = 6
	// Interned is a Builder's kind for lists that are the same Container whenever
	// their items are the same, and that never change.
	Interned Kind = 15
)

// Heap holds the data that Values refer to.
type Heap struct {
	Strings  []string // interned, valid UTF-8; Strings[0] is ""
	Repaired int      // how many different strings were not UTF-8

	intern  map[string]uint32
	last    uint32   // the string interned last, which often repeats
	wide    []uint64 // two's complement if isNeg, otherwise unsigned
	isNeg   []bool
	floats  []float64
	objects []uint32 // packed containers
	items   [][]Value

	text   int64 // bytes of all strings
	stored int64 // values in items
}

// held estimates the memory of the heap, in bytes.
func (h *Heap) held() int64 {
	const forString = 80 // the header and the map entry
	return forString*int64(len(h.Strings)) + h.text + 9*int64(len(h.wide)) + 8*int64(len(h.floats)) +
		4*int64(len(h.objects)) + 24*int64(len(h.items)) + 10*h.stored
}

func newHeap() *Heap {
	return &Heap{Strings: []string{""}, intern: map[string]uint32{"": 0}, items: [][]Value{nil}}
}

// Text interns a string.
func (h *Heap) Text(b []byte) Value {
	if string(b) == h.Strings[h.last] {
		return pack(String, uint64(h.last))
	}
	if i, ok := h.intern[string(b)]; ok {
		h.last = i
		return pack(String, uint64(i))
	}
	s := string(b)
	h.text += int64(len(s))
	i, ok := uint32(len(h.Strings)), false
	if !utf8.ValidString(s) {
		h.Repaired++
		clean := strings.ToValidUTF8(s, "\uFFFD")
		if i, ok = h.intern[clean]; !ok {
			i = uint32(len(h.Strings))
			h.intern[clean] = i
		}
		h.intern[s] = i
		s = clean
	} else {
		h.intern[s] = i
	}
	if !ok {
		h.Strings = append(h.Strings, s)
	}
	return pack(String, uint64(i))
}

// integer makes a value of a signed integer.
func (h *Heap) integer(i int64) Value {
	if i >= minSmall && i <= maxSmall {
		return pack(Int, uint64(i))
	}
	return h.wideInt(uint64(i), i < 0)
}

// unsigned makes a value of an unsigned integer.
func (h *Heap) unsigned(u uint64) Value {
	if u <= maxSmall {
		return pack(Int, u)
	}
	return h.wideInt(u, false)
}

func (h *Heap) wideInt(bits uint64, neg bool) Value {
	h.wide = append(h.wide, bits)
	h.isNeg = append(h.isNeg, neg)
	return pack(Wide, uint64(len(h.wide)-1))
}

func (h *Heap) float(f float64) Value {
	h.floats = append(h.floats, f)
	return pack(Float, uint64(len(h.floats)-1))
}

func boolean(b bool) Value {
	if b {
		return pack(Bool, 1)
	}
	return pack(Bool, 0)
}

func (h *Heap) object(kind Kind) Value {
	h.objects = append(h.objects, Container{Kind: kind}.pack())
	return pack(Object, uint64(len(h.objects)-1))
}

// tuple makes a tuple; it keeps a copy of items.
func (h *Heap) tuple(items []Value) Value {
	v := h.object(Tuple)
	h.set(v, h.Store(Container{Kind: Tuple}, items))
	return v
}

// Container returns the current Container of an Object value.
func (h *Heap) Container(v Value) (Container, bool) {
	if v.Type() != Object {
		return Container{}, false
	}
	return h.at(v), true
}

// at returns the container of an Object value.
func (h *Heap) at(v Value) Container { return unpack(h.objects[v.Index()]) }

func (h *Heap) set(v Value, c Container) { h.objects[v.Index()] = c.pack() }

// Store appends items (or pairs) to a container that is kept in the heap, and returns
// the updated container.
func (h *Heap) Store(c Container, items []Value) Container {
	switch c.Kind {
	case EmptyDict:
		c = Container{Kind: Dict}
	case EmptyList:
		c = Container{Kind: List}
	}
	if len(items) == 0 {
		return c
	}
	if c.Ref == 0 {
		c.Ref = uint32(len(h.items))
		h.items = append(h.items, nil)
	}
	h.items[c.Ref] = append(h.items[c.Ref], items...)
	h.stored += int64(len(items))
	return c
}

// Stored returns the items (or pairs) of a Dict, List or Tuple.
func (h *Heap) Stored(c Container) []Value { return h.items[c.Ref] }

// Items returns the stored items of a List or Tuple, or the pairs of a Dict; nil
// for anything else.
func (h *Heap) Items(v Value) []Value {
	c, ok := h.Container(v)
	if !ok || c.Kind < Dict || c.Kind > Tuple {
		return nil
	}
	return h.items[c.Ref]
}

// Int64 returns v as a signed integer; an unsigned one of 2^63 or more is not ok.
func (h *Heap) Int64(v Value) (i int64, ok bool) {
	switch v.Type() {
	case Int:
		return int64(v) >> typeBits, true
	case Wide:
		i := v.Index()
		return int64(h.wide[i]), h.isNeg[i] || int64(h.wide[i]) >= 0
	}
	return 0, false
}

// Uint64 returns v as an unsigned integer. A negative one is reinterpreted, because
// C++ writers cast addresses to int64.
func (h *Heap) Uint64(v Value) (u uint64, ok bool) {
	switch v.Type() {
	case Int:
		return uint64(int64(v) >> typeBits), true
	case Wide:
		return h.wide[v.Index()], true
	}
	return 0, false
}

// Float64 returns v as a float.
func (h *Heap) Float64(v Value) (f float64, ok bool) {
	if v.Type() == Float {
		return h.floats[v.Index()], true
	}
	return 0, false
}

// Truth returns v as a boolean.
func (v Value) Truth() (b, ok bool) { return v>>typeBits == 1, v.Type() == Bool }
