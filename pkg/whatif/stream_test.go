package whatif

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
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
			up, down := stream.Serve(Options{Placement: PlaceUpwards}), stream.Serve(Options{Placement: PlaceDownwards})
			least, most := min(up.ReservedPeak, down.ReservedPeak), max(up.ReservedPeak, down.ReservedPeak)
			if n := run.ReservedPeak(); 1000*n < 995*least || 1000*n > 1005*most {
				t.Errorf("%s: reserved %d to %d, recorded %d", name, least, most, n)
			}
			if twice := stream.Serve(Options{Placement: PlaceUpwards,
				Times: 2}); twice.ReservedPeak < up.ReservedPeak ||
				twice.FailedOf > 0 {
				t.Errorf("%s: served twice: %+v; once: %+v", name, twice, up)
			}
		}
	}
	if fromStart < 10 {
		t.Errorf("%d recordings from the start", fromStart)
	}
}

// TestServeFails: the first request for which there is no memory is reported.
func TestServeFails(t *testing.T) {
	const mib = 1 << 20
	s := &Stream{run: New(emptyRecording()), Requests: []Request{{Bytes: 20 * mib}, {Bytes: 40 * mib},
		{Bytes: 30 * mib}},
		Before: []int32{0}, Ops: []Op{{Kind: Allocate, Request: 1, Event: 0}, {Kind: Free, Request: 1, Event: 1},
			{Kind: Allocate, Request: 2, Event: 2}, {Kind: Allocate, Request: 1, Event: 3}}}
	for _, test := range []struct {
		limit           int64
		failed, retries int
		at              replay.EventIndex
		bytes, reserved int64
		before          bool
	}{
		{limit: 0, reserved: 100 * mib}, // the block of 40 MiB is split for the request of 30
		{limit: 100 * mib, reserved: 100 * mib},
		{limit: 99 * mib, reserved: 60 * mib, failed: 1, at: 3, bytes: 40 * mib, retries: 1},
		{limit: 50 * mib, reserved: 50 * mib, failed: 2, at: 0, bytes: 40 * mib, retries: 2},
		{limit: 10 * mib, reserved: 0, failed: 3, at: 0, bytes: 40 * mib, retries: 3, before: true},
	} {
		got := s.Serve(Options{Limit: test.limit})
		if got.ReservedPeak != test.reserved || got.FailedOf != test.failed || got.Retries != test.retries ||
			got.TooMuch != test.before || test.before && got.TooMuchBytes != 20*mib ||
			got.FailedOf > 0 && (got.Failures[0].Event != test.at || got.Failures[0].Bytes != test.bytes) {
			t.Errorf("limit %d: %+v, want %+v", test.limit, got, test)
		}
		strict := s.Serve(Options{Limit: test.limit, Strict: true})
		if strict.Fails() != got.Fails() || strict.FailedOf > 1 || strict.TooMuch && strict.FailedOf > 0 ||
			strict.FailedOf > 0 && strict.Failures[0].Event != test.at {
			t.Errorf("limit %d: %+v", test.limit, strict)
		}
	}
	if peak, op := s.ActivePeak(); peak != 90*mib || op != 3 {
		t.Errorf("active peak %d after op %d", peak, op)
	}
	if peak, op := s.ActivePeakFrom(1); peak != 90*mib || op != 3 {
		t.Errorf("active peak %d after op %d", peak, op)
	}
}
