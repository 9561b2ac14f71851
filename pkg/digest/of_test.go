package digest_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer"
	. "github.com/memviz-go/memviz/pkg/digest"
	"github.com/memviz-go/memviz/pkg/replay"
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

func sum(numbers []int64) (total int64) {
	for _, n := range numbers {
		total += n
	}
	return total
}

// TestCurves holds each state against its column, and each column against the states
// that its share of the stretch touches.
func TestCurves(t *testing.T) {
	eachRecording(t, func(t *testing.T, in *answer.Input, r *analysis.Recording) {
		d := Of(r)
		active, reserved := r.Device.ActiveBytes(), r.Device.ReservedBytes()
		most, least, high := d.MaxBytes(), d.MinBytes(), d.ReservedBytes()
		n := d.Curves.PerStep
		if len(most) != n*d.Stretches() || len(least) != len(most) || len(high) != len(most) || len(most) > Columns {
			t.Fatalf("%d columns of %d in %d stretches", len(most), n, d.Stretches())
		}
		unit, unitReserved := d.PeakBytes/UnitsOfPeak+1, d.ReservedPeakBytes/UnitsOfPeak+1
		last := len(active) - 1
		for stretch := range d.Stretches() {
			from, to := 0, last
			if stretch < len(d.Steps) {
				from, to = d.Steps[stretch].Start, d.Steps[stretch].End
			} else if stretch > 0 {
				from = d.Steps[stretch-1].End
			}
			for k := range n {
				at := stretch*n + k
				var highest, lowest, highestReserved int64
				lowest = d.PeakBytes
				for state := from; state <= to; state++ {
					part := (state - from) * n // in units of a state's share
					states := to - from + 1
					inside := part < (k+1)*states && part+n > k*states // their shares overlap
					if inside {
						highest, lowest = max(highest, active[state]), min(lowest, active[state])
						highestReserved = max(highestReserved, reserved[state])
					}
				}
				if most[at] > highest+unit || least[at] < lowest-unit || high[at] > highestReserved+unitReserved {
					t.Fatalf("column %d: %d to %d, reserved %d; its states have %d to %d, reserved %d", at, least[at], most[at],
						high[at], lowest, highest, highestReserved)
				}
			}
			for state, k := from, 0; state <= to; state++ {
				for k+1 < n && (k+1)*(to-from+1)/n <= state-from { // the last column that begins there or before
					k++
				}
				if at := stretch*n + k; active[state] > most[at] || active[state] < least[at] || reserved[state] > high[at] {
					t.Fatalf("column %d: state %d has %d, reserved %d, outside of %d to %d, reserved %d", at, state,
						active[state], reserved[state], least[at], most[at], high[at])
				}
			}
		}
		few := d.Curves.FewPerStep
		for at := range few * d.Stretches() {
			total := slices.Max(most[at*n/few:][:n/few])
			var of int64
			for family := range families.Count {
				if curve := d.FamilyBytes(family); curve != nil {
					of += curve[at]
				}
			}
			if difference := of - total; difference > 14*unit || difference < -14*unit {
				t.Errorf("column %d of families: %d, in all %d", at, of, total)
			}
		}
	})
}

// TestSites counts what each call site holds in every state.
func TestSites(t *testing.T) {
	compared := 0
	eachRecording(t, func(t *testing.T, in *answer.Input, r *analysis.Recording) {
		if r.Device.States() > 20_000 {
			return
		}
		d := Of(r)
		live := map[string][]Tensors{} // by path and state
		pathOf := PathsOf(r)
		for i := range r.Device.Allocations {
			a := &r.Device.Allocations[i]
			path := pathOf(a.Stack)
			if live[path] == nil {
				live[path] = make([]Tensors, r.Device.States())
			}
			end := r.Device.States() - 1
			if a.End != replay.None {
				end = int(a.End)
			}
			for state := int(a.Start) + 1; state <= end; state++ {
				live[path][state].Bytes += a.Size
				live[path][state].Count++
			}
		}
		var complete []Step
		for _, s := range d.Steps {
			if s.Complete {
				complete = append(complete, s)
			}
		}
		complete = complete[max(0, len(complete)-SiteSteps):]
		if d.Rest.Sites+len(d.Sites) != len(live) {
			t.Errorf("%d sites and %d, want %d", len(d.Sites), d.Rest.Sites, len(live))
		}
		for _, s := range d.Sites {
			at := live[s.Path]
			want := Site{Peak: at[d.PeakState]}
			if d.StepEnd != nil {
				want.StepEnd = at[*d.StepEnd]
			}
			alive := at
			if len(complete) > 0 {
				alive = at[complete[0].Start : complete[len(complete)-1].End+1]
			}
			for _, held := range alive {
				want.Alive = max(want.Alive, held.Count)
			}
			var peaks []int64
			for _, step := range complete {
				most := int64(0)
				for _, held := range at[step.Start : step.End+1] {
					most = max(most, held.Bytes)
				}
				peaks = append(peaks, most)
			}
			if slices.Sort(peaks); len(peaks) > 0 {
				want.StepPeak = (peaks[(len(peaks)-1)/2] + peaks[len(peaks)/2]) / 2
				compared++
			}
			if got := (Site{Peak: s.Peak, StepEnd: s.StepEnd, StepPeak: s.StepPeak, Alive: s.Alive}); got != want {
				t.Errorf("%s: %+v, want %+v", s.Site, got, want)
			}
		}
	})
	if compared == 0 {
		t.Error("no site was compared in any step")
	}
}
