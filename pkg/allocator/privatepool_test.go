package allocator

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// on claims the requests of one stream.
func on(stream Stream) func(Stream) bool {
	return func(s Stream) bool { return s == stream }
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestPrivatePool follows a pool from its capture to its release.
func TestPrivatePool(t *testing.T) {
	a := newRecorder(t, Settings{}, 1<<30)
	graph := snapshot.Pool{B: 7}
	must(t, a.BeginPool(graph, on(0)))
	a.free(a.alloc(1000))
	if _, err := a.Alloc(1000, 256); err != nil {
		t.Fatal(err)
	}
	a.actions()
	a.EmptyCache() // does nothing now
	a.expect()
	must(t, a.EndPool(graph))
	if s := a.Segments(); s[0].Pool != graph || s[1].Pool != (snapshot.Pool{}) {
		t.Errorf("the segments are in pools %v and %v", s[0].Pool, s[1].Pool)
	}

	a.alloc(1000) // not from the private pool any more
	a.expect(snapshot.SegmentAlloc, snapshot.Alloc)
	a.EmptyCache()
	a.expect()
	must(t, a.ReleasePool(graph))
	a.EmptyCache()
	a.expect(snapshot.SegmentFree)
	must(t, a.BeginPool(graph, on(0))) // a new pool of that name
}

func TestPrivatePoolMisuse(t *testing.T) {
	a := New(Settings{}, NewSimulatedDriver(1<<30))
	graph := snapshot.Pool{B: 7}
	if a.EndPool(graph) == nil || a.ReleasePool(graph) == nil {
		t.Error("a pool that does not exist can be closed or released")
	}
	must(t, a.BeginPool(graph, on(0)))
	if a.BeginPool(graph, on(0)) == nil {
		t.Error("a pool can be opened twice at once")
	}
	must(t, a.EndPool(graph))
	if a.EndPool(graph) == nil {
		t.Error("a pool can be closed twice")
	}
	must(t, a.ReleasePool(graph))
	if a.ReleasePool(graph) == nil {
		t.Error("a pool can be released twice")
	}
	if a.BeginPool(graph, on(0)) == nil {
		t.Error("a released pool can be opened")
	}
}

func TestFirstCaptureWins(t *testing.T) {
	a := newRecorder(t, Settings{}, 1<<30)
	first, second := snapshot.Pool{B: 2}, snapshot.Pool{B: 1}
	must(t, a.BeginPool(first, on(0)))
	must(t, a.BeginPool(second, on(0)))
	a.alloc(1000)
	if pool := a.Segments()[0].Pool; pool != first {
		t.Errorf("the request went to pool %v, want %v", pool, first)
	}
}

// TestPendingDuringCapture: events cannot be recorded during a capture, so what
// is freed then waits for work queued up to the first request after it.
func TestPendingDuringCapture(t *testing.T) {
	a := newRecorder(t, Settings{}, 1<<30)
	graph := snapshot.Pool{B: 7}
	before, during := a.alloc(1000), a.alloc(2000)
	must(t, a.RecordStream(before, 256))
	must(t, a.RecordStream(during, 256))
	a.free(before)
	must(t, a.BeginPool(graph, on(512)))
	a.free(during)
	a.Synchronize()
	a.actions()
	a.alloc(1000)
	a.expect(snapshot.Alloc) // nobody looks at events
	must(t, a.EndPool(graph))
	a.alloc(1000)
	a.expect(snapshot.FreeCompleted, snapshot.Alloc)
	a.Synchronize()
	if got := a.alloc(2000); got != during {
		t.Errorf("got %#x, want the block freed during the capture at %#x", got, during)
	}
	a.expect(snapshot.FreeCompleted, snapshot.Alloc)
}
