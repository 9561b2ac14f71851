package allocator

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// referenceSettings are every option alone, and the ones that meet.
var referenceSettings = []Settings{
	{},
	{Expandable: true},
	{MaxSplitSize: 32 * mib},
	{MaxSplitSize: 21 * mib, MaxNonSplitRounding: 40 * mib},
	{GCThreshold: 0.5},
	{GCThreshold: 0.3, MaxSplitSize: 64 * mib},
	{RoundUpPower2Divisions: [powerOfTwoIntervals]int64{2, 4, 4, 8, 8, 4, 4, 4}},
	{Expandable: true, RoundUpPower2Divisions: [powerOfTwoIntervals]int64{4, 4, 4, 4, 4, 4, 4, 4}},
	{Expandable: true, MaxSplitSize: 32 * mib, GCThreshold: 0.3},
}

// TestAgainstNaive runs random programs through the allocator and through the
// naive one, and compares every event and the state after every call.
func TestAgainstNaive(t *testing.T) {
	programs, calls := 5, 400
	if testing.Short() {
		programs = 3
	}
	for i, settings := range referenceSettings {
		var failed, retried int64
		for seed := range uint64(programs) {
			p := newPair(t, settings, seed)
			for range calls {
				p.call()
			}
			failed += p.Stats().OOMs
			retried += p.Stats().Retries
		}
		if failed == 0 || retried == failed {
			t.Errorf("settings %d: %d requests fail and %d are tried again, so little shows what happens then", i,
				failed, retried)
		}
	}
}

// FuzzAgainstNaive does the same with settings and seeds that the fuzzer finds.
func FuzzAgainstNaive(f *testing.F) {
	for i := range referenceSettings {
		f.Add(uint8(i), uint64(i), uint16(300))
	}
	f.Fuzz(func(t *testing.T, settings uint8, seed uint64, calls uint16) {
		p := newPair(t, referenceSettings[int(settings)%len(referenceSettings)], seed)
		for range calls % 1000 {
			p.call()
		}
	})
}

// pair is two allocators that get the same calls.
type pair struct {
	*Allocator
	t      *testing.T
	naive  *naive
	random *rand.Rand
	events []Event
	live   []uint64
	sizes  []int64
}

func newPair(t *testing.T, settings Settings, seed uint64) *pair {
	random := rand.New(rand.NewPCG(seed, 5))
	capacity := (100 + random.Int64N(500)) * mib
	p := &pair{Allocator: New(settings, newStrictDriver(t, capacity)), t: t,
		naive: newNaive(settings, newStrictDriver(t, capacity)), random: random}
	p.Emit = func(e Event) { p.events = append(p.events, e) }
	if settings.GCThreshold > 0 || random.IntN(3) == 0 {
		p.SetMemoryFraction(0.9)
		p.naive.allowed = int64(0.9 * float64(capacity))
	}
	for range 6 + random.IntN(10) { // few sizes come again and again
		p.sizes = append(p.sizes, 1+random.Int64N(int64(1000)<<random.IntN(17)))
	}
	return p
}

func (p *pair) call() {
	x := p.random.IntN(100)
	switch {
	case x < 50:
		size := p.sizes[p.random.IntN(len(p.sizes))]
		if p.random.IntN(5) == 0 {
			size = fuzzSizes[p.random.IntN(len(fuzzSizes))]
		}
		stream := Stream(256 * (p.random.IntN(5) / 4))
		addr, err := p.Alloc(size, stream)
		again, ok := p.naive.Alloc(size, stream)
		if (err == nil) != ok || addr != again {
			p.t.Fatalf("Alloc(%d) = %#x, %v; the naive allocator says %#x, %t", size, addr, err, again, ok)
		}
		if ok {
			p.live = append(p.live, addr)
		}
	case x < 92 && len(p.live) > 0:
		i := p.random.IntN(len(p.live))
		if err := p.Free(p.live[i]); err != nil {
			p.t.Fatal(err)
		}
		p.naive.Free(p.live[i])
		p.live = slices.Delete(p.live, i, i+1)
	case x < 96 && len(p.live) > 0:
		addr, stream := p.live[p.random.IntN(len(p.live))], Stream(256*p.random.IntN(4))
		if err := p.RecordStream(addr, stream); err != nil {
			p.t.Fatal(err)
		}
		p.naive.RecordStream(addr, stream)
	case x < 98:
		p.Synchronize()
		p.naive.Synchronize()
	case x == 99:
		p.EmptyCache()
		p.naive.EmptyCache()
	}
	p.compare()
}

func (p *pair) compare() {
	p.t.Helper()
	if !slices.Equal(p.events, p.naive.events) {
		p.t.Fatalf("events differ:\n got %+v\nwant %+v", p.events, p.naive.events)
	}
	p.events, p.naive.events = p.events[:0], p.naive.events[:0]
	var blocks []*piece
	for _, b := range p.naive.blocks {
		if b.state != unmapped {
			blocks = append(blocks, b)
		}
	}
	i := 0
	for _, s := range p.Segments() {
		for _, b := range s.Blocks {
			if i >= len(blocks) || b.Address != blocks[i].addr || b.Size != blocks[i].size ||
				b.State != snapshotState(blocks[i].state) {
				p.t.Fatalf("block %d is %+v; the naive allocator has another", i, b)
			}
			i++
		}
	}
	if i != len(blocks) || p.Reserved() != p.naive.reserved() {
		p.t.Fatalf("%d blocks and %d bytes; the naive allocator has %d and %d", i, p.Reserved(), len(blocks),
			p.naive.reserved())
	}
	checkInvariants(p.t, p.Allocator)
}
