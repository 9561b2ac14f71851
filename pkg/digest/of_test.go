package digest

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testkit"
)

// eachRecording runs a test for each device of the examples and of real snapshots.
func eachRecording(t *testing.T, test func(t *testing.T, in *answer.Input, r *analysis.Recording)) {
	for _, path := range testkit.Snapshots(t) {
		t.Run(filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path), func(t *testing.T) {
			in := open(t, path)
			for _, r := range in.Recordings {
				test(t, &in, r)
			}
		})
	}
}

func open(t *testing.T, path string) answer.Input {
	t.Helper()
	s, err := snapshot.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return answer.NewInput("snapshot", s)
}

// asked is the answer of a command on one device, as anyone gets it.
func asked[T any](t *testing.T, sheet *answer.Sheet, device int) T {
	t.Helper()
	var text bytes.Buffer
	if err := sheet.Write(&text, answer.JSON, answer.Look{}); err != nil {
		t.Fatal(err)
	}
	var all struct{ Devices []json.RawMessage }
	if err := json.Unmarshal(text.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	for _, one := range all.Devices {
		var subject struct{ Device int }
		var value T
		if err := json.Unmarshal(one, &subject); err != nil {
			t.Fatal(err)
		}
		if subject.Device == device {
			if err := json.Unmarshal(one, &value); err != nil {
				t.Fatal(err)
			}
			return value
		}
	}
	t.Fatalf("no answer on device %d", device)
	panic("unreachable")
}

// TestNumbersOfAnswers holds digests against what the commands say of the same files.
func TestNumbersOfAnswers(t *testing.T) {
	steps, leaks, ooms, retained := 0, 0, 0, 0
	eachRecording(t, func(t *testing.T, in *answer.Input, r *analysis.Recording) {
		d, device := Of(r), int(r.Device.ID)
		equal := func(what string, got, want any) {
			t.Helper()
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			if !bytes.Equal(a, b) {
				t.Errorf("device %d: %s: %s, want %s", device, what, a, b)
			}
		}
		stats := asked[answer.DeviceStats](t, answer.Stats([]answer.Input{*in}, answer.StatsOptions{}), device)
		equal("totals", []any{d.Torch, d.Events, d.Allocations, d.PeakBytes, d.PeakState, d.ReservedPeakBytes,
			d.BaselineBytes, d.FinalBytes, d.AddsUp, d.Partial, d.StepMethod},
			[]any{stats.Torch, stats.Events, stats.Allocations, stats.PeakBytes, stats.PeakState,
				stats.ReservedPeakBytes, stats.BaselineBytes, stats.FinalBytes, stats.AddsUp, stats.Cut, stats.StepMethod})
		anomalies := 0
		for key, n := range d.Anomalies {
			anomalies += n
			equal(key, n, stats.Anomalies[key])
		}
		equal("anomalies", anomalies, stats.Anomalies["total"])
		if d.Cached != nil {
			unused := stats.AtReservedPeak
			equal("cached", d.Cached, Cache{unused.CachedBytes, unused.FragmentationBytes, unused.LargestFreeBytes})
		} else if stats.Segments > 0 {
			t.Error("what is cached is missing")
		}

		windows := slices.DeleteFunc(stats.Windows, func(w answer.Window) bool { return w.Rest })
		equal("steps", d.StepsSeen, len(windows))
		windows = windows[len(windows)-len(d.Steps):]
		for i, w := range windows {
			s := &d.Steps[i]
			equal("step", []any{s.Name, s.Start, s.End, s.PeakBytes, s.EndBytes},
				[]any{w.Name, w.From, w.To, w.PeakBytes, r.Device.ActiveBytes()[w.To]})
			steps++
		}

		sheet, err := answer.Leaks([]answer.Input{*in}, answer.LeaksOptions{})
		if err != nil {
			t.Fatal(err)
		}
		suspects := asked[answer.LeaksDevice](t, sheet, device).Suspects
		equal("leaks", len(d.Leaks), min(len(suspects), MaxLeaks))
		for i, l := range d.Leaks {
			s := &suspects[i]
			equal("leak", []any{l.Kind, l.Strong, l.Site, l.PerStep, l.Bytes, l.Steps},
				[]any{s.Kind, s.Verdict == "strong", s.Site, s.BytesPerStep, s.BytesLive, s.GrowingSteps})
			leaks++
		}

		sheet, err = answer.OOM([]answer.Input{*in}, answer.OOMOptions{})
		if err != nil {
			t.Fatal(err)
		}
		failed := asked[answer.OOMDevice](t, sheet, device).OOMs
		equal("ooms", len(d.OOMs), min(len(failed), MaxOOMs))
		failed = failed[len(failed)-len(d.OOMs):]
		for i, o := range d.OOMs {
			f := &failed[i]
			equal("oom", []any{o.State, o.RequestedBytes, o.DeviceFreeBytes, o.Verdict, o.Site},
				[]any{f.State, f.RequestedBytes, f.DeviceFreeBytes, f.Verdict, f.Site})
			ooms++
		}
		if d.StepEnd != nil {
			equal("after the last step", d.StepEndBytes, sum(d.StepEndFamilies))
			retained++
		}
		equal("families at the peak", d.PeakBytes, sum(d.PeakFamilies))
	})
	if steps == 0 || leaks == 0 || ooms == 0 || retained == 0 {
		t.Errorf("%d steps, %d leaks, %d failed requests, %d ends of steps", steps, leaks, ooms, retained)
	}
}

// TestReports: the digest of a report is that of the snapshots in it.
func TestReports(t *testing.T) {
	for _, path := range testkit.Examples(t) {
		in := open(t, path)
		var page bytes.Buffer
		if err := report.WriteHTML(&page, "memviz test", []answer.Input{in}); err != nil {
			t.Fatal(err)
		}
		document, err := report.Read(&page)
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := document.Snapshot(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		again := answer.NewInput("snapshot", s)
		for i, r := range in.Recordings {
			if got, want := Of(again.Recordings[i]), Of(r); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v\nwant %+v", path, got, want)
			}
		}
	}
}

// TestTimes: times may run backwards, and lie far apart.
func TestTimes(t *testing.T) {
	times := eventTimes{100, 350, 90, math.MinInt64, math.MaxInt64}
	for _, test := range []struct {
		from, to int
		want     int64
	}{{0, 1, 250}, {0, 2, 0}, {3, 4, math.MaxInt64}, {3, 9, math.MaxInt64}, {0, 0, 0}} {
		if got := times.between(test.from, test.to); got == nil || *got != test.want {
			t.Errorf("from %d to %d: %v, want %d", test.from, test.to, got, test.want)
		}
	}
	if times.at(5) != nil || times.between(5, 6) != nil || eventTimes(nil).at(0) != nil || *times.at(1) != 350 {
		t.Error("times that are not there, or others")
	}
}

func TestClip(t *testing.T) {
	long := strings.Repeat("ä", maxText) + "/model.py:3:forward"
	got := clip(long)
	if len(got) > maxText || !strings.HasPrefix(got, "…ä") || !strings.HasSuffix(got, "/model.py:3:forward") ||
		!utf8.ValidString(got) {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if exact := strings.Repeat("x", maxText); clip(exact) != exact {
		t.Error("a text that fits was cut")
	}
}

func TestUnits(t *testing.T) {
	const large = 1 << 61
	for _, test := range []struct {
		bytes, peak       int64
		down, nearest, up int16
	}{
		{0, 100, 0, 0, 0}, {100, 100, 4096, 4096, 4096}, {1, 4096, 1, 1, 1}, {1, 8192, 0, 1, 1}, {1, 8193, 0, 0, 1},
		{3, 8192, 1, 2, 2}, {-5, 100, 0, 0, 0}, {5, 0, 0, 0, 0}, {large, large, 4096, 4096, 4096},
		{large - 1, large, 4095, 4096, 4096}, {7, 5, 4096, 4096, 4096},
	} {
		for round, want := range []int16{test.down, test.nearest, test.up} {
			if got := inUnits(test.bytes, test.peak, rounding(round)); got != want {
				t.Errorf("%d of %d, rounded in way %d: %d, want %d", test.bytes, test.peak, round, got, want)
			}
		}
	}
}

func sum(numbers []int64) (total int64) {
	for _, n := range numbers {
		total += n
	}
	return total
}
