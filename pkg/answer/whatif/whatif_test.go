package whatif

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/pkg/whatif"
)

func TestProofSentence(t *testing.T) {
	departure := &whatif.Departure{}
	for _, test := range []struct {
		whatif.Proof
		want string
	}{
		{whatif.Proof{Addresses: 5, AddressesOf: 5, DriverCalls: 3, DriverCallsOf: 3},
			"Under its own settings the model reproduces 5 of 5 addresses and all 3 driver calls of the recording."},
		{whatif.Proof{Addresses: 5, AddressesOf: 5},
			"Under its own settings the model reproduces 5 of 5 addresses; the recording has no driver calls."},
		{whatif.Proof{Addresses: 4, AddressesOf: 5, DriverCalls: 2, DriverCallsOf: 3, First: departure},
			"Not reproduced: under its own settings the model gives 4 of 5 addresses and 2 of 3 driver calls."},
		{whatif.Proof{Addresses: 4, AddressesOf: 5, DriverCalls: 3, DriverCallsOf: 3, First: departure},
			"Not reproduced: under its own settings the model gives 4 of 5 addresses and all 3 driver calls."},
		{whatif.Proof{Addresses: 4, AddressesOf: 5, First: departure},
			"Not reproduced: under its own settings the model gives 4 of 5 addresses."},
	} {
		if got := proofSentence(&test.Proof); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestDepartureSentence(t *testing.T) {
	call := whatif.Call{Action: snapshot.SegmentAlloc, Addr: 0x200000, Size: 2 * units.MiB}
	for _, test := range []struct {
		whatif.Departure
		want string
	}{
		{whatif.Departure{Event: replay.None, Cause: whatif.CauseStart},
			"First departure, before the first event: the state that the recording starts from cannot be rebuilt; " +
				"the events, undone from the final segments, do not fit them."},
		{whatif.Departure{Event: replay.None, Cause: whatif.CauseEnd, Recorded: call},
			"First departure, at the end: the final segments have segment_alloc of 2.00 MiB at 0x200000, the model " +
				"has nothing."},
		{whatif.Departure{Event: 1234, Cause: whatif.CauseNoCall,
			Model: whatif.Call{Action: snapshot.SegmentMap, Size: 2 * units.MiB}},
			"First departure, in state 1,234: the model calls the driver, the recording does not: segment_map of " +
				"2.00 MiB."},
		{whatif.Departure{Event: 0, Cause: whatif.CauseMissing,
			Recorded: whatif.Call{Action: snapshot.SegmentFree, Addr: 8}},
			"First departure, in state 0: the recording calls the driver, the model does not: segment_free."},
	} {
		if got := answertest.WithSpaces(departureSentence(&test.Departure)); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestOutcome(t *testing.T) {
	for threshold, needs := range map[float64]bool{0: false, 0.5: true} {
		o := &whatif.Outcome{Served: &whatif.Served{PeakEvent: 6}}
		o.Setting.Settings.GCThreshold = threshold
		if x := newOutcome(o); x.PeakState != 7 || x.NeedsFraction != needs {
			t.Errorf("a threshold of %g: %+v", threshold, x)
		}
	}
}

// TestSaved: what the best setting saves is the difference of two rows of the table,
// and its line to export is that of the report.
func TestSaved(t *testing.T) {
	in := answertest.Example(t, "out-of-memory")
	d := answertest.Asked(Answer([]answer.Input{in}, Options{})).Value.(*answer.Devices[Device]).Devices[0]
	conf, found := strings.CutPrefix(d.Export, "export PYTORCH_CUDA_ALLOC_CONF=")
	if !found {
		t.Fatalf("nothing to export: %q", d.Export)
	}
	for _, x := range d.Settings {
		if x.Setting == conf && d.Saved != max(d.Reference.ReservedPeakBytes-x.ReservedPeakBytes, 0) {
			t.Errorf("%d bytes saved by %+v, the reference is %+v", d.Saved, x, d.Reference)
		}
	}
	if p := Predict(in.Recordings[0]); p == nil || p.Best == nil ||
		p.Export != exportLine(in.Recordings[0], p.Best.Setting.Conf) {
		t.Errorf("the report exports %+v", p)
	}
}
