package stats

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// TestSummaryTorch compares simulated stories with the counters of the allocator that
// made them.
func TestSummaryTorch(t *testing.T) {
	var says struct {
		Snapshots map[string]struct {
			Allocated    int64            `json:"memory_allocated"`
			MaxAllocated int64            `json:"max_memory_allocated"`
			Reserved     int64            `json:"memory_reserved"`
			MaxReserved  int64            `json:"max_memory_reserved"`
			Stats        map[string]int64 `json:"memory_stats"`
		} `json:"snapshots"`
	}
	text, err := os.ReadFile("../../../cmd/memviz/testdata/torch_says.json")
	if err == nil {
		err = json.Unmarshal(text, &says)
	}
	if err != nil || len(says.Snapshots) < 6 {
		t.Fatal(len(says.Snapshots), err)
	}
	for file, want := range says.Snapshots {
		s, err := snapshot.Open(filepath.Join("../../../examples", file))
		if err != nil {
			t.Fatal(err)
		}
		in := answer.NewInput(file, s)
		r := slices.MaxFunc(in.Recordings, func(a, b *analysis.Recording) int {
			return int(a.Device.Totals.ReservedFinalBytes - b.Device.Totals.ReservedFinalBytes)
		})
		m := newSummary(r)
		for _, test := range []struct {
			what      string
			got, want int64
		}{
			{"allocated", *m.Allocated.All.Current, want.Allocated},
			{"most allocated", *m.Allocated.All.Peak, want.MaxAllocated},
			{"reserved", *m.Reserved.All.Current, want.Reserved},
			{"most reserved", *m.Reserved.All.Peak, want.MaxReserved},
			{"active", *m.Active.All.Current, want.Stats["active_bytes.all.current"]},
			{"most active", *m.Active.All.Peak, want.Stats["active_bytes.all.peak"]},
			{"requested", *m.Requested.All.Current, want.Stats["requested_bytes.all.current"]},
			{"most requested", *m.Requested.All.Peak, want.Stats["requested_bytes.all.peak"]},
		} {
			if test.got != test.want {
				t.Errorf("%s: %s is %d, torch says %d", file, test.what, test.got, test.want)
			}
		}
	}
}

// TestSummaryAddsUp counts the events and the final blocks of recordings by
// themselves.
func TestSummaryAddsUp(t *testing.T) {
	inputs := map[string]*snapshot.Snapshot{"tiny": testsnap.Training()}
	files, err := filepath.Glob("../../../examples/*/*.pickle.gz")
	if corpus, more := os.Getenv("MEMVIZ_CORPUS"), []string(nil); err == nil && corpus != "" {
		more, err = filepath.Glob(filepath.Join(corpus, "*.pickle"))
		files = append(files, more...)
	}
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		s, err := snapshot.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		inputs[file] = s
	}
	for file, s := range inputs {
		in := answer.NewInput(file, s)
		for _, r := range in.Recordings {
			checkSummary(t, file, s, r.Device, newSummary(r))
		}
	}
}

func checkSummary(t *testing.T, file string, s *snapshot.Snapshot, d *replay.Device, m *Summary) {
	t.Helper()
	equal := func(what string, got *int64, want int64) {
		t.Helper()
		if got == nil || *got != want {
			t.Errorf("%s, device %d: %s is %v, want %d", file, d.ID, what, shownNumber(got), want)
		}
	}
	var allocated, active, allocations, actives, split, segments int64
	for i := range s.Segments {
		seg := &s.Segments[i]
		if seg.Device != d.ID {
			continue
		}
		free, live := int64(0), false
		for _, b := range s.BlocksOf(seg) {
			switch b.State {
			case snapshot.ActiveAllocated:
				allocated, allocations = allocated+b.Size, allocations+1
				fallthrough
			case snapshot.ActivePendingFree:
				active, actives, live = active+b.Size, actives+1, true
			default:
				free += b.Size
			}
		}
		if !seg.Expandable {
			segments++
			if live {
				split += free
			}
		}
	}
	if d.AddsUp() {
		equal("allocated", m.Allocated.All.Current, allocated)
		equal("active", m.Active.All.Current, active)
		equal("allocations", m.Allocations.All.Current, allocations)
		equal("active allocations", m.ActiveAllocations.All.Current, actives)
		equal("inactive split", m.InactiveSplit.All.Current, split)
		equal("segments", m.Segments.All.Current, segments)
	}
	equal("requested", m.Requested.All.Current, d.Totals.FinalBytes)
	equal("reserved", m.Reserved.All.Current, d.Totals.ReservedFinalBytes)
	for _, p := range []*SummaryPools{&m.Allocated, &m.Active, &m.Requested, &m.Reserved, &m.InactiveSplit,
		&m.Allocations,
		&m.ActiveAllocations, &m.Segments} {
		if d.AddsUp() {
			equal("large and small", p.All.Current, *p.Large.Current+*p.Small.Current)
		}
	}
	if d.Events.Len() <= 1 {
		if m.Requested.All.Peak != nil || m.Allocations.All.Allocated != nil {
			t.Errorf("%s: peaks and totals without history", file)
		}
		return
	}
	var requests, requested, got, back, given, taken int64
	for i, action := range d.Events.Action {
		switch size := d.Events.Size[i]; action {
		case snapshot.Alloc:
			requests, requested = requests+1, requested+size
		case snapshot.SegmentAlloc:
			given++
			fallthrough
		case snapshot.SegmentMap:
			got += size
		case snapshot.SegmentFree:
			taken++
			fallthrough
		case snapshot.SegmentUnmap:
			back += size
		}
	}
	equal("most requested", m.Requested.All.Peak, d.Totals.PeakBytes)
	equal("most reserved", m.Reserved.All.Peak, d.Totals.ReservedPeakBytes)
	if d.AddsUp() {
		equal("allocations in all", m.Allocations.All.Allocated, requests)
		equal("requested in all", m.Requested.All.Allocated, requested)
		equal("reserved in all", m.Reserved.All.Allocated, got)
		equal("given back in all", m.Reserved.All.Freed, back)
		equal("segments in all", m.Segments.All.Allocated, given)
		equal("segments given back", m.Segments.All.Freed, taken)
	}
}

// TestSummaryText: what is not recorded is a dash, and is named.
func TestSummaryText(t *testing.T) {
	in := []answer.Input{answer.NewInput("tiny.pickle", testsnap.Training())}
	text := strings.Join(strings.Fields(string(answertest.Written(t, Answer(in, Options{Summary: true}),
		sheet.Text))), " ")
	for _, want := range []string{"1 OOM, 0 retries", "current peak total allocated total freed",
		"torch counts from the start of the process", "Not recorded (–)", "non-releasable memory"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	if _, holds, err := answertest.Condition(t, "stats", "summary.requested_bytes.all.peak>1").Holds(
		Answer(in, Options{Summary: true})); !holds || err != nil {
		t.Error(holds, err)
	}
	if _, _,
		err := answertest.Condition(t, "stats", "summary.requested_bytes.all.peak>1").Holds(Answer(in,
		Options{})); err == nil {
		t.Error("a condition on the summary holds or not without one")
	}
}

func shownNumber(n *int64) any {
	if n == nil {
		return nil
	}
	return *n
}
