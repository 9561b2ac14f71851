package answer

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

func TestRecordCall(t *testing.T) {
	old := &snapshot.Snapshot{Segments: make([]snapshot.Segment, 1)} // without segment_pool_id: torch 2.0
	now := &snapshot.Snapshot{Format: snapshot.Format{HasPoolID: true, HasAnnotations: true}}
	for _, test := range []struct {
		s        *snapshot.Snapshot
		room     int
		argument string
		want     string
	}{
		{now, 0, "", "()"},
		{now, 0, `context="all"`, `(context="all")`},
		{now, 1_000_000, "", "(max_entries=1000000)"},
		{old, 0, `context="all"`, "(True, trace_alloc_max_entries=100000, trace_alloc_record_context=True)"},
		{old, 1_000_000, "", "(True, trace_alloc_max_entries=1000000, trace_alloc_record_context=True)"},
	} {
		if got, want := recordCall(test.s, test.room, test.argument), "torch.cuda.memory._record_memory_history"+
			test.want; got != want {
			t.Errorf("torch %s: %s, want %s", test.s.TorchVersion(), got, want)
		}
	}
}
