package layout

import (
	"fmt"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// TestPools reads pools from events, and distinguishes as many as fit a byte.
func TestPools(t *testing.T) {
	tape := testsnap.NewTape()
	const pools = maxPools + 20
	var want []string
	var of []snapshot.PoolID // by event
	for i := range pools {
		tape.Alloc(testsnap.Loop, 512)
		of = append(of, tape.Pool(snapshot.Pool{A: uint64(i / 2), B: uint64(i % 2)}))
		switch {
		case i == 0:
			want = append(want, "default")
		case i < maxPools:
			want = append(want, fmt.Sprintf("%d,%d", i/2, i%2))
		default:
			want = append(want, "others")
		}
	}
	s, d := tape.Replay()
	d.Events.Pool = of
	p := FindPools(s, d)
	if len(p.Names) != maxPools+1 || len(p.Of) != pools {
		t.Fatalf("%d names for %d allocations", len(p.Names), len(p.Of))
	}
	for i, name := range want {
		if got := p.Names[p.Of[i]]; got != name {
			t.Errorf("allocation %d lies in %q, want %q", i, got, name)
		}
	}
}

// TestPoolsOfSegments: without a pool in its events, an allocation is in that of
// the final segment around its address.
func TestPoolsOfSegments(t *testing.T) {
	tape := testsnap.NewTapeIn(snapshot.Format{HasPoolID: true})
	private, other := tape.Pool(snapshot.Pool{A: 1, B: 2}), tape.Pool(snapshot.Pool{A: 3, B: 4})
	tape.Segment(snapshot.Segment{Address: 8192, TotalSize: 2048, Pool: private})
	tape.Segment(snapshot.Segment{Address: 4096, TotalSize: 2048})
	tape.Segment(snapshot.Segment{Address: 16384, TotalSize: 2048, Pool: other, Device: 1})
	tests := []struct {
		addr      uint64
		name, key string
	}{
		{4095, "unknown", ""},
		{4096, "default", "0,0"},
		{6143, "default", "0,0"},
		{6144, "unknown", ""},
		{8192, "1,2", "1,2"},
		{10239, "1,2", "1,2"},
		{10240, "unknown", ""},
		{16384, "unknown", ""}, // a segment of another device
	}
	for _, test := range tests {
		tape.Emit(snapshot.Alloc, testsnap.Tensor{Addr: test.addr, Size: 1}, "")
	}
	p := FindPools(tape.Replay())
	for i := range p.Of {
		id := p.ID(&replay.Allocation{Addr: tests[i].addr})
		if name, key := p.Names[p.Of[i]], p.Key(id); name != tests[i].name || key != tests[i].key {
			t.Errorf("address %d lies in %q with the key %q, want %+v", tests[i].addr, name, key, tests[i])
		}
	}
	if len(p.Of) != len(tests) {
		t.Errorf("%d allocations, want %d", len(p.Of), len(tests))
	}
}

// TestPoolsUnknown: a file that names no pool says so.
func TestPoolsUnknown(t *testing.T) {
	tape := testsnap.NewTape()
	tape.Alloc(testsnap.Module, 512)
	s, d := tape.Replay()
	if p := FindPools(s, d); len(p.Names) != 1 || p.Names[0] != "unknown" || p.Of[0] != 0 {
		t.Errorf("%+v", p)
	}
}
