package layout_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestHoles: in many states of every real snapshot and story the holes are what is
// reserved without the blocks, and as much of them is returnable as fragmentation says.
func TestHoles(t *testing.T) {
	files := testkit.Examples(t)
	files = append(files, testkit.Snapshots(t)...)
	states := 0
	for _, path := range files {
		s, err := snapshot.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r := recorded.Snapshot(s)
		n := r.Device.Events.Len()
		var sampled []int
		for k := 0; k <= n; k += max(n/15, 1) {
			sampled = append(sampled, k)
		}
		reserved := r.Device.ReservedBytes()
		for l := range r.Layouts().All(sampled...) {
			states++
			f := layout.FragmentationOf(l, 1)
			var stuck, returnable, largest int64
			for i := range l.Segments {
				h, free := l.HolesOf(&l.Segments[i]), l.Segments[i].FreeBytes()
				if h.Stuck < 0 || h.Stuck+h.Returnable != free || (h.Count == 0) != (h.Largest == 0) {
					t.Errorf("%s, state %d: segment %d has %+v", path, l.State, i, h)
				}
				stuck, returnable, largest = stuck+h.Stuck, returnable+h.Returnable, max(largest, h.Largest)
			}
			if stuck+returnable != reserved[l.State]-l.ActiveBytes || returnable != f.Returnable ||
				largest != f.Largest {
				t.Errorf("%s, state %d: %d bytes stuck, %d returnable, largest %d; reserved %d, active %d, %+v",
					path, l.State, stuck, returnable, largest, reserved[l.State], l.ActiveBytes, f)
			}
		}
	}
	if states < 300 {
		t.Errorf("only %d states", states)
	}
}

func TestNearlyIdle(t *testing.T) {
	malloc := layout.Segment{SizeClass: snapshot.SizeClassLarge}
	at := func(address uint64) layout.Segment {
		malloc.Address = address
		return malloc
	}
	l := &layout.Map{}
	pieces(l, at(1<<40), 4, -50, 6, -40) // ten of a hundred
	pieces(l, at(2<<40), 11, -89)
	pieces(l, at(3<<40), -100) // nothing keeps it
	want := layout.NearlyIdle{Segments: 1, Blocks: 2, Active: 10 * mib, Stuck: 90 * mib}
	if got := l.NearlyIdle(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
