package answer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/predict"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/strip"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/units"
)

// TestHostMemory: host memory is answered about like that of a GPU, and what is about the
// allocator of GPUs is not said of it.
func TestHostMemory(t *testing.T) {
	in := []answer.Input{answer.NewInput("host.pickle", testsnap.HostMemory())}
	figures := func(s *sheet.Sheet, err error) map[string]any {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ Devices []map[string]any }
		if err := json.Unmarshal(answertest.Written(t, s, sheet.JSON), &answer); err != nil {
			t.Fatal(err)
		}
		if text := string(answertest.Written(t, s, sheet.Text)); !strings.Contains(text, "pinned") {
			t.Errorf("it does not name the device:\n%s", text)
		}
		if len(answer.Devices) == 0 {
			return nil
		}
		return answer.Devices[0]
	}

	totals := stats.Answer(in, stats.Options{Capacity: units.GiB, Summary: true})
	answertest.Fits(t, "stats", totals)
	d := figures(totals, nil)
	for key, want := range map[string]any{
		"device": -1.0, "adds_up": true, "peak_bytes": 264.0 * units.MiB, "final_bytes": 8.0 * units.MiB,
		"reserved_peak_bytes": 264.0*units.MiB + 64, "reserved_final_bytes": 8.0*units.MiB + 64, "segments": 3.0,
		"live_block_requested_bytes": 8.0 * units.MiB, "capacity_bytes": 0.0, "alloc_conf": "", "summary": nil,
		"late_events": 1.0,
	} {
		if d[key] != want {
			t.Errorf("%s is %v, want %v", key, d[key], want)
		}
	}
	text := string(answertest.Written(t, stats.Answer(in, stats.Options{}), sheet.Text))
	if !strings.Contains(text, "These are rounded sizes.") || !strings.Contains(text, "1 free was recorded late.") ||

		strings.Contains(text, "history cut") {
		t.Errorf("stats:\n%s", text)
	}

	whatIf, err := whatif.Answer(in, whatif.Options{})
	if figures(whatIf, err) != nil {
		t.Error("settings of GPUs are predicted for it")
	}
	failed, err := oom.Answer(in, oom.Options{Capacity: units.GiB})
	if figures(failed, err) != nil {
		t.Error("it is said whether a request failed")
	}
	r := in[0].Recordings[0]
	if settings, measures := whatif.PredictAll(r); settings != nil || measures != nil {
		t.Error("the page predicts for it")
	}
	cards, failures, retries := strip.Cards(r, nil)
	if len(cards) != 4 || cards[3].Value != "Not recorded" || len(failures)+len(retries) > 0 {
		t.Errorf("cards %+v", cards)
	}
	for i := range r.Device.Allocations {
		if family := r.Families().Family(i); family != 0 {
			t.Errorf("allocation %d is %s", i, family.One())
		}
	}

	places, err := segments.Answer(in, answer.End, 10)
	if err != nil {
		t.Fatal(err)
	}
	d = figures(places, nil)
	if d["reserved_bytes"] != 8.0*units.MiB+64 || d["pending_bytes"] != 4.0*units.MiB || d["free_bytes"] != 64.0 {
		t.Errorf("segments %v", d)
	}
	atPeak, err := segments.Answer(in, answer.Peak, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, segment := range figures(atPeak, nil)["segments"].([]any) {
		if class := segment.(map[string]any)["size_class"]; class != "small" {
			t.Errorf("a segment is %v, and files say small of all", class)
		}
	}
	if text := string(answertest.Written(t, places, sheet.Text)); strings.Contains(text, "empty_cache") {
		t.Errorf("segments:\n%s", text)
	}
}

// TestRecordCallOfHostMemory: without the argument, the advice would record no host memory.
func TestRecordCallOfHostMemory(t *testing.T) {
	s := testsnap.HostMemory()
	s.Traces[0].Events = snapshot.Events{}
	text := string(answertest.Written(t, stats.Answer([]answer.Input{answer.NewInput("host.pickle", s)},
		stats.Options{}), sheet.Text))
	if !strings.Contains(text, "_record_memory_history(record_pinned_host_memory=True)") {
		t.Errorf("stats:\n%s", text)
	}
}

// TestHostMemoryIsNotPredicted: predictions are of GPUs only.
func TestHostMemoryIsNotPredicted(t *testing.T) {
	in := answer.NewInput("host.pickle", testsnap.HostMemory())
	_, err := predict.Answer([]predict.SizedInput{{X: 1, Input: &in}, {X: 2, Input: &in}}, predict.Options{})
	if err == nil || !strings.Contains(err.Error(), "no GPU in common") {
		t.Errorf("error %v", err)
	}
}

// gpuAndHost is a snapshot of host memory and of a GPU whose tensors have so many bytes.
func gpuAndHost(t *testing.T, name string, device snapshot.DeviceID, bytes int64) answer.Input {
	t.Helper()
	c := snapshot.NewComposer(snapshot.Format{HasHost: true})
	for _, id := range []snapshot.DeviceID{device, snapshot.Pinned} {
		size := bytes
		if id == snapshot.Pinned {
			size = 100
		}
		c.Event(id, snapshot.EventText{Action: snapshot.SegmentAlloc, Addr: 1 << 30, Size: 1 << 20})
		c.Event(id, snapshot.EventText{Action: snapshot.Alloc, Addr: 1 << 30, Size: size})
	}
	return answer.NewInput(name, c.Snapshot())
}

// TestHostMemoryIsComparedWithItself: neither a comparison nor a condition mixes it with GPUs.
func TestHostMemoryIsComparedWithItself(t *testing.T) {
	before, after := gpuAndHost(t, "before", 0, 10), gpuAndHost(t, "after", 1, 30)
	pairs, err := diff.Pairs(&before, &after)
	if err != nil || len(pairs) != 2 {
		t.Fatalf("%d pairs: %v", len(pairs), err)
	}
	for i, want := range [][2]snapshot.DeviceID{{0, 1}, {snapshot.Pinned, snapshot.Pinned}} {
		if got := [2]snapshot.DeviceID{pairs[i].Sides[0].Device.ID, pairs[i].Sides[1].Device.ID}; got != want {
			t.Errorf("pair %d is of devices %d, want %d", i, got, want)
		}
	}
	host := answer.NewInput("host", testsnap.HostMemory())
	gpu := answer.NewInput("gpu", testsnap.Training())
	if pairs, err := diff.Pairs(&host, &gpu); err == nil {
		t.Errorf("host memory is compared with a GPU: %d pairs", len(pairs))
	}
	for _, test := range []struct {
		in        []answer.Input
		condition string
		holds     bool
	}{
		{[]answer.Input{before}, "peak>50", false}, // of the GPU it is 10, of host memory 100
		{[]answer.Input{before}, "peak>5", true},
		{[]answer.Input{before}, "peak<50", true},
		{[]answer.Input{before, after}, "peak>20", true},
		{[]answer.Input{host}, "peak>50MiB", true},
		{[]answer.Input{host, before}, "peak>50MiB", false},
		{[]answer.Input{host, before}, "events>10", true}, // not bytes
	} {
		c, err := answer.ParseCondition("stats", test.condition)
		if err != nil {
			t.Fatal(err)
		}
		if line, holds, err := c.Holds(stats.Answer(test.in, stats.Options{})); err != nil || holds != test.holds {
			t.Errorf("%s of %s holds: %t, want %t: %s (%v)", test.condition, test.in[0].Name, holds, test.holds, line,
				err)
		}
	}
}

// TestClockOfTheHost: times of host memory come from another conversion than those of GPUs. However
// far apart the two are, each device keeps its numbers, and no clock is said to run backwards.
func TestClockOfTheHost(t *testing.T) {
	want := string(answertest.Written(t, stats.Answer([]answer.Input{answer.NewInput("a", testsnap.Annotated())},
		stats.Options{}), sheet.JSON))
	for _, shift := range []int64{-1_790_000_000_000_000, -3_600_000_000, -7, 7, 1_000_000, 1 << 50} {
		s := testsnap.Annotated()
		times := s.Events(snapshot.Pinned).TimeMicros
		for i := range times {
			times[i] += shift
		}
		in := []answer.Input{answer.NewInput("a", s)}
		if got := string(answertest.Written(t, stats.Answer(in, stats.Options{}), sheet.JSON)); got != want {
			t.Errorf("shifted by %d µs: stats\n%s\nwant\n%s", shift, got, want)
		}
		for _, d := range in[0].Devices {
			if w, is := trust.Clock(d); is {
				t.Errorf("shifted by %d µs: %s %s", shift, w.Fact, w.Consequence)
			}
		}
	}
}
