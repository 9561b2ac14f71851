package pickle

import "math"

// memo is what a pickle remembers, by index. Nearly all of it is containers and
// strings that are never asked for again, so an entry has 32 bits: a Value whose
// payload is small, as those of containers and strings are, or the place of
// another one in spill.
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
