package allocator

import (
	"errors"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

func TestUnknownAddresses(t *testing.T) {
	a := newRecorder(t, Settings{}, 1<<30)
	addr := a.alloc(1000)
	if err := a.RecordStream(addr, 256); err != nil {
		t.Fatal(err)
	}
	a.free(addr) // pending from here on
	a.actions()
	for _, unknown := range []uint64{0, addr, addr + 512} {
		if err := a.Free(unknown); !errors.Is(err, errNotAllocated) {
			t.Errorf("Free(%#x): %v", unknown, err)
		}
		if err := a.RecordStream(unknown, 256); !errors.Is(err, errNotAllocated) {
			t.Errorf("RecordStream(%#x): %v", unknown, err)
		}
	}
	a.expect()
}

func TestPendingUntilStreamIsDone(t *testing.T) {
	a := newRecorder(t, Settings{}, 1<<30)
	addr := a.alloc(1000)
	for _, stream := range []Stream{0, 256, 512, 256} { // 0 is its own
		if err := a.RecordStream(addr, stream); err != nil {
			t.Fatal(err)
		}
	}
	a.free(addr)
	a.alloc(1000)
	a.expect(snapshot.SegmentAlloc, snapshot.Alloc, snapshot.FreeRequested, snapshot.Alloc)
	if s := a.Stats(); s.Allocated.Current != 1024 || s.Active.Current != 2048 || s.Requested.Current != 2000 {
		t.Errorf("%+v", s)
	}
	if b := a.Segments()[0].Blocks[0]; b.State != snapshot.ActivePendingFree {
		t.Errorf("the block is %v", b.State)
	}

	a.Synchronize()
	a.expect()
	if got := a.alloc(1000); got != addr {
		t.Errorf("got %#x, want the block that became free at %#x", got, addr)
	}
	a.expect(snapshot.FreeCompleted, snapshot.Alloc)
}

func TestEmptyCacheWaitsForStreams(t *testing.T) {
	a := newRecorder(t, Settings{}, 1<<30)
	addr := a.alloc(1000)
	if err := a.RecordStream(addr, 256); err != nil {
		t.Fatal(err)
	}
	a.free(addr)
	a.actions()
	a.EmptyCache()
	a.expect(snapshot.FreeCompleted, snapshot.SegmentFree)
	a.EmptyCache()
	a.expect()
}
