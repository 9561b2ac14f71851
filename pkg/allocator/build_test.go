package allocator

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestBuilds are the sizes and addresses by which builds of the allocator differ.
func TestBuilds(t *testing.T) {
	one := mustParse(t, "roundup_power2_divisions:1")
	old := one
	old.Build.OneDivisionKeepsSize = true
	npu := Settings{Build: Build{Padding: 32, Alignment: 16 * kib}}
	for _, test := range []struct {
		name            string
		settings        Settings
		requested, want int64
	}{
		{"one division is none", one, 5000, 5120},
		{"one division, up to 2.3", old, 5000, 5000},
		{"one division, up to 2.3, small", old, 100, 512},
		{"torch_npu adds 32 bytes", npu, 1000, 1536},
		{"torch_npu sends 1 MiB to the large pool", npu, mib, mib + 512},
	} {
		if got := test.settings.RoundSize(test.requested); got != test.want {
			t.Errorf("%s: RoundSize(%d) = %d, want %d", test.name, test.requested, got, test.want)
		}
	}
	large := mustParse(t, "large_segment_size_mb:40")
	if got := large.SegmentSize(2 * mib); got != 40*mib || large.PageSize(snapshot.SizeClassLarge) != 40*mib ||
		large.PageSize(snapshot.SizeClassSmall) != 2*mib {
		t.Errorf("segments of %d bytes", got)
	}
	if got := large.NonSplitRounding(); got != 40*mib {
		t.Errorf("by default a block may be %d bytes larger than its request", got)
	}
}

// TestAlignment: in torch_npu a large block of an expandable segment moves up, and
// what it leaves is free.
func TestAlignment(t *testing.T) {
	a := newRecorder(t, Settings{Expandable: true, Build: Build{Alignment: 16 * kib}}, 1<<30)
	first := a.alloc(3*mib + 512)
	if got, want := a.alloc(3*mib), first+3*mib+16*kib; got != want {
		t.Errorf("at %#x, want %#x", got, want)
	}
	if got, want := a.alloc(1*mib+512), first+6*mib+16*kib; got != want {
		t.Errorf("a block below 2 MiB at %#x, want %#x", got, want)
	}
	checkInvariants(t, a.Allocator)
}

// TestAllocIn serves a private pool by its id until nobody uses it any more.
func TestAllocIn(t *testing.T) {
	a := newRecorder(t, Settings{}, 30*mib)
	graph := snapshot.Pool{B: 3}
	addr, err := a.AllocIn(graph, 2*mib, 0)
	must(t, err)
	if pool := a.Segments()[0].Pool; pool != graph {
		t.Errorf("in pool %v", pool)
	}
	a.free(addr)
	a.actions()
	a.EmptyCache()
	a.expect() // it is in use
	if _, err := a.AllocIn(graph, 25*mib, 0); err == nil {
		t.Error("25 MiB fit beside 20")
	}
	a.expect(snapshot.OOM) // a capture gives nothing back
	if id, private := a.AbandonPool(addr + 512); !private || id != graph {
		t.Errorf("the block is in pool %v, %t", id, private)
	}
	if _, private := a.AbandonPool(1); private {
		t.Error("an address of nobody is in a private pool")
	}
	a.alloc(25 * mib)
	a.expect(snapshot.SegmentFree, snapshot.SegmentAlloc, snapshot.Alloc)
	if _, err := a.AllocIn(graph, 0, 0); err == nil {
		t.Error("0 bytes are served")
	}
}

// TestSegmentReserve: a request has to fit into the address space of one expandable segment, and what does not
// fit beside others goes into another one.
func TestSegmentReserve(t *testing.T) {
	a := New(Settings{Expandable: true, SegmentReserve: 64 * mib}, NewSimulatedDriver(1<<30))
	first, err := a.Alloc(60*mib, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Alloc(80*mib+1, 0); err == nil {
		t.Error("80 MiB of addresses, which are whole pages of 20 MiB, had room for more")
	}
	second, err := a.Alloc(80*mib, 0)
	if err != nil {
		t.Fatal(err)
	}
	third, err := a.Alloc(20*mib, 0)
	if err != nil {
		t.Fatal(err)
	}
	if third != first+60*mib || second < first+80*mib && first < second+80*mib {
		t.Errorf("60 MiB at %#x, 80 MiB at %#x, 20 MiB at %#x", first, second, third)
	}
}
