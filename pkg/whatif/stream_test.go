package whatif

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testkit"
)

// TestStreamIsTheRecording: nothing changed, a stream has the active peak of its
// recording. Where nothing was reserved before the recording and the driver refused
// nothing, serving it reserves what was recorded, or what other addresses may lead to.
func TestStreamIsTheRecording(t *testing.T) {
	fromStart := 0
	for _, file := range testkit.Snapshots(t) {
		s, err := snapshot.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range s.Devices() {
			run := New(analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, id)))
			if !run.Proof.Holds() {
				continue
			}
			d, stream, name := run.r.Device, run.Stream(), filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file)
			if peak, _ := stream.ActivePeak(); peak != d.Totals.PeakBytes {
				t.Errorf("%s: active peak %d, recorded %d", name, peak, d.Totals.PeakBytes)
			}
			// The peak of the second half, of which all that is live at its beginning is there before.
			half := replay.EventIndex(d.Events.Len() / 2)
			want := slices.Max(d.ActiveBytes()[half:])
			if peak, _ := run.StreamBetween(half, replay.EventIndex(d.Events.Len())).ActivePeak(); peak != want {
				t.Errorf("%s: active peak of the second half %d, recorded %d", name, peak, want)
			}
			if d.Totals.ReservedBaselineBytes > 0 || run.Retries > 0 || run.Failed > 0 {
				continue
			}
			fromStart++
			up, down := stream.Serve(ServeOptions{}), stream.Serve(ServeOptions{Downwards: true})
			least, most := min(up.ReservedPeak, down.ReservedPeak), max(up.ReservedPeak, down.ReservedPeak)
			if n := run.ReservedPeak(); 1000*n < 995*least || 1000*n > 1005*most {
				t.Errorf("%s: reserved %d to %d, recorded %d", name, least, most, n)
			}
			if twice := stream.Serve(ServeOptions{Times: 2}); twice.ReservedPeak < up.ReservedPeak || twice.Failed > 0 {
				t.Errorf("%s: served twice: %+v; once: %+v", name, twice, up)
			}
		}
	}
	if fromStart < 10 {
		t.Errorf("%d recordings from the start", fromStart)
	}
}

// TestServeFails: the first request for which there is no memory is told.
func TestServeFails(t *testing.T) {
	const mib = 1 << 20
	s := &Stream{Requests: []Request{{Bytes: 20 * mib}, {Bytes: 40 * mib}, {Bytes: 30 * mib}}, Before: []int32{0},
		Steps: []Step{{Kind: Allocate, Request: 1}, {Kind: Free, Request: 1}, {Kind: Allocate, Request: 2},
			{Kind: Allocate, Request: 1}}}
	for _, test := range []struct {
		limit           int64
		failed, at      int
		retries         int
		bytes, reserved int64
	}{
		{limit: 0, reserved: 100 * mib}, // the block of 40 MiB is split for the request of 30
		{limit: 100 * mib, reserved: 100 * mib},
		{limit: 99 * mib, reserved: 60 * mib, failed: 1, at: 3, bytes: 40 * mib, retries: 1},
		{limit: 50 * mib, reserved: 50 * mib, failed: 2, at: 0, bytes: 40 * mib, retries: 2},
		{limit: 10 * mib, reserved: 0, failed: 4, at: -1, bytes: 20 * mib, retries: 4},
	} {
		got := s.Serve(ServeOptions{Limit: test.limit})
		if got.ReservedPeak != test.reserved || got.Failed != test.failed || got.Retries != test.retries ||
			got.Failed > 0 && (got.FailedAt != test.at || got.FailedBytes != test.bytes) {
			t.Errorf("limit %d: %+v, want %+v", test.limit, got, test)
		}
		if strict := s.Serve(ServeOptions{Limit: test.limit,
			Strict: true}); strict.Failed > 0 && strict.FailedAt != test.at {
			t.Errorf("limit %d: %+v", test.limit, strict)
		}
	}
	if peak, step := s.ActivePeak(); peak != 90*mib || step != 3 {
		t.Errorf("active peak %d in step %d", peak, step)
	}
	if peak, step := s.ActivePeakFrom(1); peak != 90*mib || step != 3 {
		t.Errorf("active peak %d in step %d", peak, step)
	}
}
