package predict

import (
	"path/filepath"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// TestDifferentPrograms: no two real recordings, or examples, are taken for one program
// at two sizes. They are of different programs, or of one that did something else.
func TestDifferentPrograms(t *testing.T) {
	var all []Given
	for _, file := range testkit.Snapshots(t) {
		s, err := snapshot.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Base(filepath.Dir(file))
		for _, id := range s.Devices()[:min(1, len(s.Devices()))] {
			d := replay.Replay(s, id)
			if folder == "what-fits" || d.Events.Len() > 5_000 {
				continue // it is one program at three sizes; and long ones take too long for all pairs
			}
			all = append(all, Given{Name: folder + "/" + filepath.Base(file),
				Run: whatif.New(analysis.NewRecording(analysis.NewSource(s), d))})
		}
	}
	pairs, aligned := 0, 0
	for i := range all {
		for j := i + 1; j < len(all); j++ {
			a, b := all[i], all[j]
			a.X, b.X = 128, 256
			pairs++
			s := New([]Given{a, b}, Options{})
			if s.Aligned >= leastAligned {
				aligned++
				t.Logf("%s and %s: %.3f aligned, %+v", a.Name, b.Name, s.Aligned, s.Refused)
			}
			if s.Refused == nil || s.Possible() {
				t.Errorf("%s and %s are not refused", a.Name, b.Name)
			}
		}
	}
	t.Logf("%d pairs, %d align", pairs, aligned)
}

// TestForcedCorpus: whatever recordings are forced together, predictions are within bounds.
func TestForcedCorpus(t *testing.T) {
	for _, file := range testkit.Snapshots(t) {
		s, err := snapshot.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range s.Devices() {
			d := replay.Replay(s, id)
			run := whatif.New(analysis.NewRecording(analysis.NewSource(s), d))
			study := New([]Given{{X: 100, Run: run}, {X: 200, Run: run}}, Options{Force: true})
			if !study.Possible() {
				continue
			}
			if p := study.At(200, 0); p.ActivePeak != d.Totals.PeakBytes && !study.LastStep {
				t.Errorf("%s: all is constant, and the active peak is %d instead of %d", file, p.ActivePeak,
					d.Totals.PeakBytes)
			}
			for _, x := range []int64{1, 7, 150, 1000, MaxX} {
				p := study.At(x, 0)
				if p.Active.Low > p.ActivePeak || p.ActivePeak > p.Active.High || p.Active.Low < 0 {
					t.Errorf("%s at %d: %+v", file, x, p)
				}
				if r := p.Reserved; r != nil && (r.Low > r.Peak || r.Peak > r.High) {
					t.Errorf("%s at %d: %+v", file, x, *r)
				}
			}
		}
	}
}
