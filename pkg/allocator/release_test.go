package allocator

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestOversizeRelease frees just the oversize blocks that a request needs.
func TestOversizeRelease(t *testing.T) {
	a := newRecorder(t, Settings{MaxSplitSize: 32 * mib}, 140*mib)
	a.free(a.alloc(40 * mib))
	a.free(a.alloc(70 * mib))
	a.actions()
	a.alloc(100 * mib) // 40 + 70 MiB are enough
	a.expect(snapshot.SegmentFree, snapshot.SegmentFree, snapshot.SegmentAlloc, snapshot.Alloc)
	if s := a.Stats(); s.Retries != 0 || s.Reserved.Peak != 110*mib {
		t.Errorf("%+v: want no retry, and a peak of 110 MiB", s)
	}
}

// TestMaxSplitSize is about requests and blocks at the limit: it belongs to those
// that are not split, and 20 MiB more than the request are too much.
func TestMaxSplitSize(t *testing.T) {
	const limit = 32 * mib
	tests := []struct {
		name                        string
		cached, requested, wantSize int64 // wantSize is the block's; 0 if it must be a new one
	}{
		{"small request, block below the limit", 30 * mib, 28 * mib, 28 * mib},
		{"small request, block at the limit", limit, limit - 512, 0},
		{"request at the limit, block at the limit", limit, limit, limit},
		{"request at the limit, larger block", limit + 4*mib, limit, limit + 4*mib},
		{"almost too much waste", limit + 20*mib, limit + 512, limit + 20*mib},
		{"too much waste", limit + 20*mib, limit, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := newRecorder(t, Settings{MaxSplitSize: limit}, 1<<30)
			cached := a.alloc(test.cached)
			a.free(cached)
			got := a.alloc(test.requested)
			if test.wantSize == 0 {
				if got == cached {
					t.Error("the cached block serves the request")
				}
			} else if b := a.blocks[got]; got != cached || b.size != test.wantSize {
				t.Errorf("a block of %d bytes at %#x serves the request, want %d bytes of the cached block", b.size,
					got, test.wantSize)
			}
			checkInvariants(t, a.Allocator)
		})
	}
}

// TestGarbageCollection frees the segments unused for longest, but only when a
// fraction says what the threshold is a part of.
func TestGarbageCollection(t *testing.T) {
	for _, limited := range []bool{false, true} {
		a := newRecorder(t, Settings{GCThreshold: 0.5}, 200*mib)
		if limited {
			a.SetMemoryFraction(1)
		}
		old := a.alloc(60 * mib)
		a.free(old)
		young := a.alloc(70 * mib)
		a.free(young)
		a.actions()
		a.alloc(72 * mib)
		if !limited {
			// The driver refuses 72 MiB once, and all is released.
			a.expect(snapshot.SegmentFree, snapshot.SegmentFree, snapshot.SegmentAlloc, snapshot.Alloc)
			continue
		}
		if e := a.events[0]; e.Action != snapshot.SegmentFree || e.Addr != old {
			t.Errorf("first %+v, want the free of the old segment at %#x", e, old)
		}
		a.expect(snapshot.SegmentFree, snapshot.SegmentAlloc, snapshot.Alloc)
	}
}

// TestRejectAtLimit: a request above the fraction fails with the cache as it was, and one
// below it is served.
func TestRejectAtLimit(t *testing.T) {
	for conf, want := range map[string]int64{"": 0, "throw_on_cudamalloc_oom:True": 30 * mib} {
		a := newRecorder(t, mustParse(t, conf), 100*mib)
		a.SetMemoryFraction(0.5)
		a.free(a.alloc(30 * mib))
		_, err := a.Alloc(60*mib, 0)
		if _, is := err.(*OutOfMemoryError); !is || a.Reserved() != want {
			t.Errorf("%q: error %v with %d bytes reserved, want %d", conf, err, a.Reserved(), want)
		}
		if _, err := a.Alloc(20*mib, 0); err != nil {
			t.Errorf("%q: %v", conf, err)
		}
	}
}
