package allocator

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestRestore stops programs anywhere, restores an allocator from the listing,
// and lets both go on: they must stay the same.
func TestRestore(t *testing.T) {
	for i, settings := range referenceSettings {
		if settings.GCThreshold > 0 {
			continue // no listing has the ages
		}
		for seed := range uint64(20) {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			driver := NewSimulatedDriver((100 + random.Int64N(500)) * mib)
			a := New(settings, driver)
			var live, given []uint64
			step := func(with ...*Allocator) {
				size, x := fuzzSizes[random.IntN(len(fuzzSizes))], random.IntN(100)
				at := random.IntN(len(live) + len(given) + 1)
				for n, a := range with {
					last := n == len(with)-1
					switch {
					case x < 50:
						addr, err := a.Alloc(size, Stream(256*(x/40)))
						if err == nil && last {
							live = append(live, addr)
						}
					case x < 98 && at < len(live):
						free := a.Free
						if x > 80 {
							free = a.RequestFree
						}
						must(t, free(live[at]))
						if last {
							if x > 80 {
								given = append(given, live[at])
							}
							live = append(live[:at], live[at+1:]...)
						}
					case x < 98 && at-len(live) < len(given):
						g := at - len(live)
						_ = a.CompleteFree(given[g]) // emptying the cache may have done it
						if last {
							given = append(given[:g], given[g+1:]...)
						}
					case x == 99:
						a.EmptyCache()
					}
				}
			}
			for range 50 + random.IntN(200) {
				step(a)
			}
			b := restored(t, a, settings, driver)
			for range 200 {
				step(a, b)
				checkInvariants(t, b)
				if x, y := a.Segments(), b.Segments(); !same(x, y) {
					t.Fatalf("settings %d, seed %d: the restored allocator has\n%+v\nwant\n%+v", i, seed, y, x)
				}
			}
		}
	}
}

// same compares listings, but for what free blocks served last, which is stale.
func same(x, y []Segment) bool {
	for _, list := range [][]Segment{x, y} {
		for i := range list {
			for j := range list[i].Blocks {
				if b := &list[i].Blocks[j]; !b.State.Live() {
					b.RequestedSize = 0
				}
			}
		}
	}
	return reflect.DeepEqual(x, y)
}

// restored is another allocator that holds what a does, on a device of its own.
func restored(t *testing.T, a *Allocator, settings Settings, driver *SimulatedDriver) *Allocator {
	t.Helper()
	device := *driver
	device.mallocs = maps.Clone(driver.mallocs)
	b := New(settings, &device)
	var spaces []Reservation
	seen := map[*reservation]bool{}
	for _, p := range a.pools() {
		for x := range p.unmapped.all() {
			if r := x.reservation; !seen[r] {
				seen[r] = true
				spaces = append(spaces, Reservation{r.addr, r.size, x.stream, p.id, p.class})
			}
		}
	}
	must(t, b.Restore(a.Segments(), spaces))
	checkInvariants(t, b)
	return b
}

func TestRestoreRejects(t *testing.T) {
	const at = uint64(1 << 32)
	block := func(addr uint64, size int64) Block { return Block{Address: addr, Size: size} }
	segment := func(addr uint64, size int64, expandable bool, blocks ...Block) Segment {
		return Segment{Address: addr, TotalSize: size, SizeClass: snapshot.SizeClassLarge, Expandable: expandable,
			Blocks: blocks}
	}
	space := Reservation{Address: at, Size: 200 * mib, SizeClass: snapshot.SizeClassLarge}
	tests := []struct {
		name     string
		segments []Segment
		spaces   []Reservation
		want     string
	}{
		{"gap", []Segment{segment(at, 20*mib, false, block(at, mib), block(at+2*mib, 18*mib))}, nil, "does not follow"},
		{"too short", []Segment{segment(at, 20*mib, false, block(at, mib))}, nil, "its blocks end"},
		{"no blocks", []Segment{segment(at, 0, false)}, nil, "its blocks end"},
		{"overlap", []Segment{segment(at, 20*mib, false, block(at, 20*mib)),
			segment(at+mib, 20*mib, false, block(at+mib, 20*mib))}, nil, "lies on"},
		{"no reservation", []Segment{segment(at, 20*mib, true, block(at, 20*mib))}, nil, "not each in one"},
		{"past the reservation", []Segment{segment(at+190*mib, 20*mib, true, block(at+190*mib, 20*mib))},
			[]Reservation{space}, "whole pages"},
		{"half a page", []Segment{segment(at+10*mib, 20*mib, true, block(at+10*mib, 20*mib))}, []Reservation{space},
			"whole pages"},
		{"inside another's", []Segment{segment(at, 20*mib, false, block(at, 20*mib))}, []Reservation{space},
			"of others"},
		{"a part of a page", nil, []Reservation{{Address: at, Size: mib, SizeClass: snapshot.SizeClassLarge}},
			"whole pages"},
	}
	for _, test := range tests {
		err := New(Settings{Expandable: true}, NewSimulatedDriver(1<<40)).Restore(test.segments, test.spaces)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
}
