package replay

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestSortByAddress holds it against sorting by comparison.
func TestSortByAddress(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, bits := range []int{1, 9, 48, 64} {
		slots := make([]addressSlot, 1000)
		for i := range slots {
			slots[i] = addressSlot{addr: random.Uint64() >> (64 - bits), number: int32(i)}
		}
		want := slices.Clone(slots)
		slices.SortStableFunc(want, func(a, b addressSlot) int { return cmp.Compare(a.addr, b.addr) })
		if got := sortByAddress(slots); !slices.Equal(got, want) {
			t.Errorf("%d bits: %v, want %v", bits, got, want)
		}
	}
}

// TestNumberEvents numbers some batches of events, and compares the numbers with those
// that a map gives. Nothing of an event that moves no memory of a tensor counts.
func TestNumberEvents(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	e := &snapshot.Events{}
	for range 2*batchSize + 100 {
		e.Action = append(e.Action, snapshot.Action(random.IntN(int(snapshot.SnapshotTaken))))
		e.Addr = append(e.Addr, random.Uint64N(5000)<<(9*random.IntN(5)))
	}
	batches, table := make(chan []int32), newAddressTable()
	go table.numberEvents(&snapshot.Snapshot{}, &Device{Events: e}, batches)
	i, want := 0, map[uint64]int32{}
	for batch := range batches {
		for _, got := range batch {
			if e.Action[i] <= snapshot.Free {
				if _, ok := want[e.Addr[i]]; !ok {
					want[e.Addr[i]] = int32(len(want))
				}
				if got != want[e.Addr[i]] {
					t.Fatalf("event %d: number %d, want %d", i, got, want[e.Addr[i]])
				}
			}
			i++
		}
	}
	if i != len(e.Action) || table.used != len(want) {
		t.Errorf("%d events and %d addresses, want %d and %d", i, table.used, len(e.Action), len(want))
	}
}
