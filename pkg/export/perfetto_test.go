package export

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// trace is a trace as its readers see it.
type trace struct {
	BaseTime  int64             `json:"baseTimeNanoseconds"`
	OtherData map[string]string `json:"otherData"`
	Events    []traceEvent      `json:"traceEvents"`
}

type traceEvent struct {
	Phase    string `json:"ph"`
	Name     string `json:"name"`
	Process  int64  `json:"pid"`
	Thread   int64  `json:"tid"`
	At       int64  `json:"ts"`
	Duration int64  `json:"dur"`
	ID       struct {
		Local string `json:"local"`
	} `json:"id2"`
	Args map[string]any `json:"args"`
}

// bytes returns the value of a counter, or the bytes of an allocation.
func (e *traceEvent) bytes(t testing.TB) int64 {
	t.Helper()
	n, ok := e.Args["bytes"].(json.Number)
	if !ok {
		t.Fatalf("%+v has no bytes", e)
	}
	return intOf(t, n.String())
}

// readTrace reads a trace and validates it.
func readTrace(t testing.TB, data []byte) *trace {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", "trace.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	read := new(trace)
	if err := d.Decode(read); err != nil {
		t.Fatal(err)
	}
	return read
}

// TestPerfetto: traces are valid, their counters are exact at every event, slices of a
// thread do not overlap, and each tensor that begins ends.
func TestPerfetto(t *testing.T) {
	eachSnapshot(t, func(t *testing.T, in []answer.Input) {
		const minSize = 1 << 20
		read := readTrace(t, write(t, perfettoFormat, in, Options{MinSize: minSize}))
		for i, r := range in[0].Recordings {
			p := &process{t: t, counters: map[string]int64{}, ends: map[int64]int64{}, open: map[string]int64{}}
			for j := range read.Events {
				if e := &read.Events[j]; e.Process == int64(firstProcess+i) {
					p.see(e)
				}
			}
			totals := r.Device.Totals
			if len(p.open) > 0 {
				t.Errorf("%d tensors never end", len(p.open))
			}
			want := 0
			for k := range r.Device.Allocations {
				if r.Device.Allocations[k].Size >= minSize {
					want++
				}
			}
			if p.tensors != want {
				t.Errorf("%d tensors, want %d", p.tensors, want)
			}
			if r.Device.Events.Len() == 0 {
				continue // nothing happened
			}
			p.checkFamilies()
			got := [4]int64{p.peak, p.counters["active"], p.reservedPeak, p.counters["reserved"]}
			if want := [4]int64{totals.PeakBytes, totals.FinalBytes, totals.ReservedPeakBytes,
				totals.ReservedFinalBytes}; got != want {
				t.Errorf("active and reserved, peak and end, are %v, want %v", got, want)
			}
			if p.failures != totals.OOMEvents {
				t.Errorf("%d failures, want %d", p.failures, totals.OOMEvents)
			}
		}
	})
}

// process is the state of one process of a trace, event by event.
type process struct {
	t                  *testing.T
	counters           map[string]int64
	peak, reservedPeak int64
	ends               map[int64]int64 // of the last slice, by thread
	open               map[string]int64
	tensors, failures  int
}

func (p *process) see(e *traceEvent) {
	switch e.Phase {
	case "C":
		if e.Name == "active" || e.Name == "reserved" {
			p.checkFamilies()
		}
		p.counters[e.Name] = e.bytes(p.t)
		p.peak, p.reservedPeak = max(p.peak, p.counters["active"]), max(p.reservedPeak, p.counters["reserved"])
	case "X":
		if e.At < p.ends[e.Thread] {
			p.t.Errorf("%s begins at %d, before the previous slice ends", e.Name, e.At)
		}
		p.ends[e.Thread] = e.At + e.Duration
	case "b":
		p.open[e.ID.Local] = e.At
		p.tensors++
	case "e":
		if from, open := p.open[e.ID.Local]; !open || from > e.At {
			p.t.Errorf("%s ends at %d and begins at %d", e.ID.Local, e.At, from)
		}
		delete(p.open, e.ID.Local)
	case "i":
		if e.Name == "out of memory" {
			p.failures++
		}
	}
}

// checkFamilies compares the families with the active bytes, just before the next event,
// when all are of the same state.
func (p *process) checkFamilies() {
	var sum int64
	seen := false
	for name, bytes := range p.counters {
		if name != "active" && name != "reserved" {
			sum += bytes
			seen = true
		}
	}
	if seen && sum != p.counters["active"] {
		p.t.Fatalf("families hold %d, active are %d", sum, p.counters["active"])
	}
}

// TestClock: times match the recording, counted from the same base as by torch's
// profiler.
func TestClock(t *testing.T) {
	in := input(testsnap.Training())
	read := readTrace(t, write(t, perfettoFormat, in, Options{}))
	times := map[int64]bool{}
	for _, micros := range in[0].Devices[0].Events.TimeMicros {
		times[micros] = true
	}
	for _, a := range in[0].Snapshot.Annotations {
		times[a.TimeMicros] = true
	}
	for _, e := range read.Events {
		if e.Phase != "M" && !times[e.At+read.BaseTime/1000] {
			t.Errorf("%s is at %d, when nothing was recorded", e.Name, e.At+read.BaseTime/1000)
		}
	}
	// A trace of the profiler from January 2026 has this base.
	at := func(micros int64) int64 {
		c := snapshot.NewComposer(snapshot.Format{HasTime: true})
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: 1 << 20, Size: 512, TimeMicros: micros})
		return readTrace(t, write(t, perfettoFormat, input(c.Snapshot()), Options{})).BaseTime
	}
	for micros, want := range map[int64]int64{
		1_767_225_600_000_017: 1_767_189_312_000_000_000, 1_767_189_312_000_000: 1_767_189_312_000_000_000,
		1_767_189_311_999_999: 1_759_300_074_000_000_000, 5: 0, -5: 0,
	} {
		if got := at(micros); got != want {
			t.Errorf("%d counts from %d, want %d", micros, got, want)
		}
	}
}

// TestAnnotations: annotated ranges begin and end where the program entered and left them.
func TestAnnotations(t *testing.T) {
	const start = 1_767_225_600_000_000
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasAnnotations: true})
	for i := range int64(5) {
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(1+i) << 20, Size: 512,
			TimeMicros: start + 100*i})
	}
	c.Annotation("step", true, start+150)
	c.Annotation("forward", true, start+160)
	c.Annotation("forward", false, start+240)
	c.Annotation("step", false, start+350)
	read := readTrace(t, write(t, perfettoFormat, input(c.Snapshot()), Options{}))
	got := map[string][3]int64{}
	for _, e := range read.Events {
		if e.Phase == "X" && e.Thread >= annotationsThread {
			from := e.At + read.BaseTime/1000 - start
			got[e.Name] = [3]int64{e.Thread - annotationsThread, from, from + e.Duration}
		}
	}
	if want := map[string][3]int64{"step": {0, 150, 350}, "forward": {1, 160, 240}}; !maps.Equal(got, want) {
		t.Errorf("depths, starts and ends are %v, want %v", got, want)
	}
}

// TestTracesOfRanks: files are processes of one trace, on one clock.
func TestTracesOfRanks(t *testing.T) {
	in := append(input(testsnap.Training()), input(testsnap.Training())...)
	read := readTrace(t, write(t, perfettoFormat, in, Options{}))
	first := map[int64]int64{}
	for _, e := range read.Events {
		if _, known := first[e.Process]; !known && e.Phase == "C" {
			first[e.Process] = e.At
		}
	}
	if len(first) != 2 || first[firstProcess] != first[firstProcess+1] {
		t.Errorf("processes begin at %v", first)
	}
}
