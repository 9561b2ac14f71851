package layout_test

import (
	"path/filepath"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestLayoutsOfRecordings holds the layouts of recorded files against the
// replay, which counts reserved and active memory without them, and the last one
// against the file's own segments.
func TestLayoutsOfRecordings(t *testing.T) {
	addUp := 0
	for _, file := range testkit.Corpus(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s, err := snapshot.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, device := range s.Devices() {
				r := analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, device))
				holdLayouts(t, r)
				if r.Device.AddsUp() {
					addUp++
				}
			}
		})
	}
	if addUp == 0 {
		t.Error("no recording adds up")
	}
}

func holdLayouts(t *testing.T, r *analysis.Recording) {
	t.Helper()
	d := r.Device
	const samples = 40
	var states []int
	for i := range samples + 1 {
		states = append(states, i*d.Events.Len()/samples)
	}
	reserved, active := d.ReservedBytes(), d.ActiveBytes()
	for l := range r.Layouts().All(states...) {
		if l.ReservedBytes != reserved[l.State] {
			t.Errorf("device %d state %d: %d bytes reserved, replay has %d", d.ID, l.State, l.ReservedBytes,
				reserved[l.State])
		}
		if !d.AddsUp() {
			continue // blocks overlap, or lie outside of every segment: no allocator wrote this
		}
		if l.State == d.Events.Len() {
			if got, want := testsnap.FirstDifference(layoutText(r, l), testsnap.SegmentsText(finalSegments(r))); got != want {
				t.Errorf("device %d: at the end\n%s\nthe file has\n%s", d.ID, got, want)
			}
		}
		if l.Anomalies != (layout.Anomalies{}) || l.RequestedBytes != active[l.State] {
			t.Errorf("device %d state %d: %d bytes requested, replay has %d: %+v", d.ID, l.State, l.RequestedBytes,
				active[l.State], l.Anomalies)
		}
		if l.ActiveBytes < l.RequestedBytes || l.ActiveBytes > l.ReservedBytes {
			t.Errorf("device %d state %d: %d bytes active of %d", d.ID, l.State, l.ActiveBytes, l.ReservedBytes)
		}
	}
}

// finalSegments are the segments of the file.
func finalSegments(r *analysis.Recording) []allocator.Segment {
	s := r.Snapshot
	var list []allocator.Segment
	for i := range s.Segments {
		seg := &s.Segments[i]
		if seg.Device != r.Device.ID {
			continue
		}
		class := seg.SizeClass
		if class == snapshot.SizeClassUnknown {
			class = layout.ClassOfMalloc(seg.TotalSize)
		}
		x := allocator.Segment{
			Address: seg.Address, TotalSize: seg.TotalSize, Stream: allocator.Stream(s.Streams[seg.Stream]),
			Pool: s.Pools[seg.Pool], SizeClass: class, Expandable: seg.Expandable,
		}
		for _, b := range s.BlocksOf(seg) {
			x.Blocks = append(x.Blocks,
				allocator.Block{Address: b.Address, Size: b.Size, RequestedSize: b.RequestedSize, State: b.State})
		}
		list = append(list, x)
	}
	return list
}
