package job_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	. "github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
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
func asked[T any](t *testing.T, said *sheet.Sheet, device int) T {
	t.Helper()
	var text bytes.Buffer
	if err := said.Write(&text, sheet.JSON, sheet.Look{}); err != nil {
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
	steps, leaked, ooms, retained := 0, 0, 0, 0
	eachRecording(t, func(t *testing.T, in *answer.Input, r *analysis.Recording) {
		d, device := DigestOf(r), int(r.Device.ID)
		equal := func(what string, got, want any) {
			t.Helper()
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			if !bytes.Equal(a, b) {
				t.Errorf("device %d: %s: %s, want %s", device, what, a, b)
			}
		}
		totals := asked[stats.Device](t, stats.Answer([]answer.Input{*in}, stats.Options{}), device)
		equal("totals", []any{d.Torch, d.Events, d.Allocations, d.PeakBytes, d.PeakState, d.ReservedPeakBytes,
			d.BaselineBytes, d.FinalBytes, d.AddsUp, d.Partial, d.StepMethod},
			[]any{totals.Torch, totals.Events, totals.Allocations, totals.PeakBytes, totals.PeakState,
				totals.ReservedPeakBytes, totals.BaselineBytes, totals.FinalBytes, totals.AddsUp, totals.Cut,
				totals.StepMethod})
		anomalies := 0
		for key, n := range d.Anomalies {
			anomalies += n
			equal(key, n, totals.Anomalies[key])
		}
		equal("anomalies", anomalies, totals.Anomalies["total"])
		if d.Cached != nil {
			unused := totals.AtReservedPeak
			equal("cached", d.Cached, Cache{unused.CachedBytes, unused.FragmentationBytes, unused.LargestFreeBytes})
		} else if totals.Segments > 0 {
			t.Error("what is cached is missing")
		}

		windows := slices.DeleteFunc(totals.Windows, func(w stats.Window) bool { return w.Rest })
		equal("steps", d.StepsSeen, len(windows))
		windows = windows[len(windows)-len(d.Steps):]
		for i, w := range windows {
			s := &d.Steps[i]
			equal("step", []any{s.Name, s.Start, s.End, s.PeakBytes, s.EndBytes},
				[]any{w.Name, w.From, w.To, w.PeakBytes, r.Device.ActiveBytes()[w.To]})
			steps++
		}

		said, err := leaks.Answer([]answer.Input{*in}, leaks.Options{})
		if err != nil {
			t.Fatal(err)
		}
		suspects := asked[leaks.Device](t, said, device).Suspects
		equal("leaks", len(d.Leaks), min(len(suspects), MaxLeaks))
		for i, l := range d.Leaks {
			s := &suspects[i]
			equal("leak", []any{l.Kind, l.Strong, l.Site, l.PerStep, l.Bytes, l.Steps},
				[]any{s.Kind, s.Verdict == "strong", s.Site, s.BytesPerStep, s.BytesLive, s.GrowingSteps})
			leaked++
		}

		said, err = oom.Answer([]answer.Input{*in}, oom.Options{})
		if err != nil {
			t.Fatal(err)
		}
		failed := asked[oom.Device](t, said, device).OOMs
		equal("ooms", len(d.OOMs), min(len(failed), MaxOOMs))
		failed = failed[len(failed)-len(d.OOMs):]
		for i, o := range d.OOMs {
			f := &failed[i]
			step := 0
			for i, w := range totals.Windows {
				if w.From <= f.State {
					step = i + 1
				}
			}
			equal("oom", []any{o.State, o.RequestedBytes, o.DeviceFreeBytes, o.Verdict, o.Site, o.Step},
				[]any{f.State, f.RequestedBytes, f.DeviceFreeBytes, f.Verdict, f.Site, step})
			ooms++
		}
		if d.StepEnd != nil {
			equal("after the last step", d.StepEndBytes, sum(d.StepEndFamilies))
			retained++
		}
		equal("families at the peak", d.PeakBytes, sum(d.PeakFamilies))
	})
	if steps == 0 || leaked == 0 || ooms == 0 || retained == 0 {
		t.Errorf("%d steps, %d leaks, %d failed requests, %d ends of steps", steps, leaked, ooms, retained)
	}
}

// TestReports: the digest of a report equals the digest of its snapshots.
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
			if got, want := DigestOf(again.Recordings[i]), DigestOf(r); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v\nwant %+v", path, got, want)
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
