package layout

import (
	"fmt"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/internal/tapes"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestPools reads pools from events, and tells apart as many as fit a byte.
func TestPools(t *testing.T) {
	tape := tapes.New()
	const pools = maxPools + 20
	var want []string
	var of []snapshot.PoolID // by event
	for i := range pools {
		tape.Alloc(tapes.Loop, 512)
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

// TestPoolsUnknown: a file that names no pool says so.
func TestPoolsUnknown(t *testing.T) {
	tape := tapes.New()
	tape.Alloc(tapes.Module, 512)
	s, d := tape.Replay()
	if p := FindPools(s, d); len(p.Names) != 1 || p.Names[0] != "unknown" || p.Of[0] != 0 {
		t.Errorf("%+v", p)
	}
}
