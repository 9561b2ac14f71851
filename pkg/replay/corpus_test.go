package replay_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestGolden compares the replay with what PyTorch's own viewer computes for
// real snapshots.
func TestGolden(t *testing.T) {
	dir := testkit.CorpusDir(t)
	text, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	type view struct {
		Elements   int   `json:"elements"`
		PeakAtTime int64 `json:"peak_at_time"`
	}
	var golden map[string]map[string]map[string]json.RawMessage
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden) == 0 {
		t.Fatal("golden.json is empty")
	}
	for file, devices := range golden {
		t.Run(file, func(t *testing.T) {
			s, err := snapshot.Open(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			for ordinal, views := range devices {
				id, err := strconv.Atoi(ordinal)
				if err != nil {
					t.Fatal(err)
				}
				var want view
				if err := json.Unmarshal(views["active"], &want); err != nil {
					t.Fatal(err)
				}
				d := replay.Replay(s, snapshot.DeviceID(id))
				if got := len(d.Allocations); got != want.Elements {
					t.Errorf("device %d: %d allocations, upstream has %d", id, got, want.Elements)
				}
				if got := d.Totals.PeakBytes; got != want.PeakAtTime {
					t.Errorf("device %d: peak %d, upstream has %d", id, got, want.PeakAtTime)
				}
				if got, want := d.Totals.FinalBytes, d.Reconciliation.LiveRequestedBytes; got != want {
					t.Errorf("device %d: %d bytes at the end, the live blocks have %d", id, got, want)
				}
				if d.Contradicted() && !strings.HasPrefix(file, "synthetic") {
					t.Errorf("device %d of a real file is contradicted: %+v %+v", id, d.Anomalies, d.Reconciliation)
				}
				if d.AddsUp() != (d.Events.Len() > 1 && !d.Contradicted()) {
					t.Errorf("device %d with %d events: adds up is %t", id, d.Events.Len(), d.AddsUp())
				}
				if n := d.Anomalies[replay.UnevenSegments]; n > 0 && !strings.HasPrefix(file, "synthetic") {
					t.Errorf("device %d: %d of %d segments contradict their blocks", id, n, d.Reconciliation.Segments)
				}
				t.Logf("%s %s %+v %+v %+v", s.TorchVersion(), s.Format.Way, d.Totals, d.Anomalies, d.Reconciliation)
			}
		})
	}
}
