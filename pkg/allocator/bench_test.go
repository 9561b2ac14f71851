package allocator

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkTraining runs the requests of training steps: activations that stay until
// the backward pass, gradients, and temporaries of both. An operation is a step.
func BenchmarkTraining(b *testing.B) {
	for _, test := range []struct {
		name     string
		settings Settings
	}{
		{"default", Settings{}},
		{"expandable", Settings{Expandable: true}},
		{"max_split_gc", Settings{MaxSplitSize: 64 * mib, GCThreshold: 0.8}},
	} {
		b.Run(test.name, func(b *testing.B) {
			a := New(test.settings, NewSimulatedDriver(80<<30))
			a.SetMemoryFraction(1)
			events := 0
			a.Emit = func(Event) { events++ }
			m := newTraining(b, a)
			m.step() // the first one fills the cache
			events = 0
			b.ReportAllocs()
			for b.Loop() {
				m.step()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			b.ReportMetric(float64(events)/float64(b.N), "events/op")
		})
	}
}

// training makes the requests of a model with many layers.
type training struct {
	*Allocator
	b      *testing.B
	random *rand.Rand
	layers []int64 // bytes of a layer's weights
	stack  []uint64
}

func newTraining(b *testing.B, a *Allocator) *training {
	m := &training{Allocator: a, b: b, random: rand.New(rand.NewPCG(3, 4))}
	for range 300 {
		size := 4*m.random.Int64N(4<<m.random.IntN(20)) + 4
		m.layers = append(m.layers, size)
		m.alloc(size)
	}
	return m
}

func (m *training) alloc(requested int64) uint64 {
	addr, err := m.Alloc(requested, 0)
	if err != nil {
		m.b.Fatal(err)
	}
	return addr
}

func (m *training) free(addr uint64) {
	if err := m.Free(addr); err != nil {
		m.b.Fatal(err)
	}
}

func (m *training) step() {
	batch := m.random.Int64N(64) + 64 // sequence lengths differ
	gradients := make([]uint64, 0, len(m.layers))
	for _, layer := range m.layers {
		for range 3 {
			m.stack = append(m.stack, m.alloc(batch*(layer%50_000+1)))
		}
		m.temporaries(batch)
	}
	for _, layer := range m.layers {
		m.temporaries(batch)
		gradients = append(gradients, m.alloc(layer))
		for range 3 {
			m.free(m.stack[len(m.stack)-1])
			m.stack = m.stack[:len(m.stack)-1]
		}
	}
	for _, addr := range gradients {
		m.free(addr)
	}
}

// temporaries are freed at once, not in the order they were made.
func (m *training) temporaries(batch int64) {
	x, y := m.alloc(batch*m.random.Int64N(2000)+1), m.alloc(batch*4)
	m.free(x)
	m.free(y)
}
