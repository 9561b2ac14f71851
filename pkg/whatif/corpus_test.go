package whatif

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestCorpus reproduces real recordings, and what is committed as examples. Every
// one with requests is exact but one, which somebody made by hand.
func TestCorpus(t *testing.T) {
	byHand := map[string]bool{"synthetic_random_streams.pickle": true}
	for _, file := range testkit.Snapshots(t) {
		s, err := snapshot.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range s.Devices() {
			run := New(analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, id)))
			p := &run.Proof
			t.Logf("%-45s %d  %5d of %5d addresses, %4d of %4d driver calls%s",
				filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file)), id,
				p.Addresses, p.AddressesOf, p.DriverCalls, p.DriverCallsOf, departed(p.First))
			if want := p.AddressesOf > 0 && !byHand[filepath.Base(file)]; p.Holds() != want || want &&
				p.Addresses != p.AddressesOf {
				t.Errorf("%s: holds %t, want %t", file, p.Holds(), want)
			}
			if !p.Holds() {
				continue
			}
			// Under its own settings, with a driver that decides by itself, it is the same again.
			if got := run.predict(run.settings.Settings,
				Options{Limit: run.Limit.Bytes}); got.ReservedPeak != run.ReservedPeak() || got.FailedOf != run.Failed {
				t.Errorf("%s: peak %d and %d failures, recorded are %d and %d", file, got.ReservedPeak, got.FailedOf,
					run.ReservedPeak(), run.Failed)
			}
		}
	}
}

func departed(d *Departure) string {
	if d == nil {
		return ""
	}
	return fmt.Sprintf("; departs in state %d: %s, %s", d.Event, d.Cause.Key(), d.Why.Key())
}
