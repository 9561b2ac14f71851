package answer_test

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// without is a snapshot as it would have been recorded with skip_actions.
func without(s *snapshot.Snapshot, skipped ...snapshot.Action) *snapshot.Snapshot {
	of := *s
	of.Traces = slices.Clone(s.Traces)
	for i := range of.Traces {
		actions := of.Traces[i].Events.Action
		columns := reflect.ValueOf(&of.Traces[i].Events).Elem()
		for j := range columns.NumField() {
			column := columns.Field(j)
			kept := reflect.MakeSlice(column.Type(), 0, column.Len())
			for row := range column.Len() {
				if !slices.Contains(skipped, actions[row]) {
					kept = reflect.Append(kept, column.Index(row))
				}
			}
			if column.Len() > 0 {
				column.Set(kept)
			}
		}
	}
	return &of
}

// TestSkippedActions: a recording that left out all events of some action says so where numbers
// depend on it, and what they do not depend on is as in the whole recording.
func TestSkippedActions(t *testing.T) {
	s, err := snapshot.Open(filepath.Join(testkit.Root(t), "examples", "record-stream", "snapshot.pickle.gz"))
	if err != nil {
		t.Fatal(err)
	}
	whole := replay.Replay(s, 0)
	if !whole.AddsUp() {
		t.Fatal("the whole recording does not add up")
	}
	for _, test := range []struct {
		name    string
		skipped []snapshot.Action
		warning string // "": none
		addsUp  bool   // so it ends with as many bytes as the whole recording
		same    bool   // the peak of active memory is the same
	}{
		{"requests", []snapshot.Action{snapshot.FreeRequested}, "", true, true},
		{"completions", []snapshot.Action{snapshot.FreeCompleted}, "holds no free_completed events", true, false},
		{"segments", []snapshot.Action{snapshot.SegmentAlloc, snapshot.SegmentFree}, "", true, true},
		{"allocs", []snapshot.Action{snapshot.Alloc}, "holds no alloc events", false, false},
		{"frees", []snapshot.Action{snapshot.FreeRequested, snapshot.FreeCompleted}, "holds no frees", false, false},
	} {
		of := without(s, test.skipped...)
		d := replay.Replay(of, 0)
		if test.addsUp && d.Totals.FinalBytes != whole.Totals.FinalBytes {
			t.Errorf("without %s it ends with %d bytes, want %d", test.name, d.Totals.FinalBytes,
				whole.Totals.FinalBytes)
		}
		if same := d.Totals.PeakBytes == whole.Totals.PeakBytes; test.same && !same {
			t.Errorf("without %s the peak is %d, want %d", test.name, d.Totals.PeakBytes, whole.Totals.PeakBytes)
		}
		said := ""
		for _, w := range trust.WarningsOn(of, d) {
			said += w.Fact + " " + w.Consequence + "\n"
		}
		if !strings.Contains(said, test.warning) || test.warning == "" && said != "" {
			t.Errorf("without %s: %q, want %q", test.name, said, test.warning)
		}
		if d.AddsUp() != test.addsUp {
			t.Errorf("without %s it adds up: %t: %s", test.name, d.AddsUp(), trust.VerdictOn(d).Why)
		}
	}
}
