package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// seeds is how many runs of a scenario the tests look at.
var seeds = flag.Uint64("seeds", 2, "how many runs of each scenario to look at; make nightly takes 20")

// scenarioRun is one file of a scenario, replayed.
type scenarioRun struct {
	*snapshot.Snapshot
	device *replay.Device // the one its truth is about
	ledger *ledger
}

func replayScenario(t *testing.T, s *scenario, seed uint64, rank int) scenarioRun {
	t.Helper()
	made, ledger, err := s.recordAll(seed, rank)
	if err != nil {
		t.Fatalf("%s, seed %d: %v", s.name, seed, err)
	}
	return scenarioRun{made, replay.Replay(made, s.device), ledger}
}

// TestScenariosAreTrue compares the truth of each scenario with what its run did, by
// sums that are independent of the rules of pkg/analysis.
func TestScenariosAreTrue(t *testing.T) {
	for i := range scenarios {
		s := &scenarios[i]
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for seed := range *seeds {
				run := replayScenario(t, s, seed, (badRankOf(seed)+1)%jobSize)
				if !run.device.AddsUp() {
					t.Errorf("seed %d: %+v %+v", seed, run.device.Anomalies, run.device.Reconciliation)
				}
				if why := run.mismatch(s, seed, t); why != "" {
					t.Errorf("seed %d: %s", seed, why)
				}
			}
		})
	}
}

// mismatch describes how a run differs from the truth of its scenario.
func (run scenarioRun) mismatch(s *scenario, seed uint64, t *testing.T) string {
	d := run.device
	if ooms := d.Totals.OOMEvents; ooms > 0 != (s.truth.problem == outOfCapacity) {
		return fmt.Sprintf("%d requests failed", ooms)
	}
	n := d.States()
	switch s.truth.problem {
	case noProblem:
		active := d.ActiveBytes()
		middle, end := slices.Min(active[n*6/10:n*8/10]), slices.Min(active[n*8/10:])
		grows := end > middle+middle/20 && run.kept(n*55/100, n*7/10) > end/100
		if grows && !run.ledger.more && len(run.ledger.held) > 3 {
			return fmt.Sprintf("memory grows from %d to %d bytes", middle, end)
		}
	case leak:
		held := run.heldBy(s.truth)
		a, b, c := slices.Min(held[:n/3]), slices.Min(held[n/3:n*2/3]), slices.Min(held[n*2/3:])
		if a > b || b > c || a == held[n-1] {
			return fmt.Sprintf("the site does not grow: %d, %d, %d, %d bytes", a, b, c, held[n-1])
		}
	case cycle:
		if run.collected() < 2 {
			return "the collector frees nothing"
		}
	case fragmentation:
		if active := d.ActiveBytes()[d.States()-1]; d.Totals.ReservedFinalBytes-active < d.Totals.ReservedFinalBytes/5 {
			return fmt.Sprintf("%d of %d reserved bytes are active", active, d.Totals.ReservedFinalBytes)
		}
	case outOfCapacity:
		if run.ledger.perStep() > 0 != (len(s.also) > 0) {
			return "what it keeps is not what may be found"
		}
		return run.mismatchOfOOM(s)
	case badRank:
		bad := replayScenario(t, s, seed, badRankOf(seed))
		good := replayScenario(t, s, seed, (badRankOf(seed)+1)%jobSize)
		x, m := bad.heldBy(s.truth)[bad.device.Totals.PeakState], good.heldBy(s.truth)[good.device.Totals.PeakState]
		if x <= m {
			return fmt.Sprintf("the bad rank holds %d bytes, another one %d", x, m)
		}
	}
	return ""
}

// mismatchOfOOM compares sums: free memory, and the site's share of the rest.
func (run scenarioRun) mismatchOfOOM(s *scenario) string {
	d := run.device
	state := slices.Index(d.Events.Action, snapshot.OOM)
	request, deviceFree := d.Events.Size[state], int64(d.Events.Addr[state])
	active := d.ActiveBytes()[state]
	reserved := d.Totals.ReservedBaselineBytes
	for _, change := range d.Reserved {
		if int(change.Event) < state {
			reserved += change.Delta
		}
	}
	if at := run.heldBy(s.truth)[state]; at <= active/2 {
		return fmt.Sprintf("the site holds %d of %d bytes", at, active)
	}
	free := reserved - active
	is := map[string]bool{
		"pressure":   true,
		"fragmented": deviceFree+free >= request && free >= reserved/4,
		"other":      deviceFree+free >= request && free >= reserved/4 && run.streams() > 1,
		"outside":    reserved+deviceFree < s.card*9/10,
		"limit":      deviceFree >= request,
	}
	if !is[s.truth.verdict] {
		return fmt.Sprintf("%d of %d reserved bytes are active, the device has %d, and %d are asked for", active,
			reserved, deviceFree, request)
	}
	return ""
}

// kept returns how many bytes allocated in a range of events are live at the end.
func (run scenarioRun) kept(from, to int) (bytes int64) {
	for _, a := range run.device.Allocations {
		if int(a.Start) >= from && int(a.Start) < to && a.End == replay.None {
			bytes += a.Size
		}
	}
	return bytes
}

// heldBy sums, for each state, the live bytes that were allocated below the site of a
// truth.
func (run scenarioRun) heldBy(what truth) []int64 {
	below := make([]bool, max(1, run.Stacks.Len()))
	for id := range below {
		below[id] = slices.ContainsFunc(run.Stacks.Frames(snapshot.StackID(id)), func(f snapshot.FrameID) bool {
			frame := run.Frames[f]
			return truth{site: what.site}.says(truth{site: fmt.Sprintf("%s:%d:%s", run.String(frame.File), frame.Line,
				run.String(frame.Name))})
		})
	}
	bytes := make([]int64, run.device.States())
	for _, a := range run.device.Allocations {
		if !below[a.Stack] {
			continue
		}
		bytes[a.Start+1] += a.Size
		if a.End != replay.None {
			bytes[a.End+1] -= a.Size
		}
	}
	for state := 1; state < len(bytes); state++ {
		bytes[state] += bytes[state-1]
	}
	return bytes
}

// collected counts the allocations that the cycle collector freed.
func (run scenarioRun) collected() (n int) {
	for _, a := range run.device.Allocations {
		if slices.ContainsFunc(run.Stacks.Frames(a.FreeStack), func(f snapshot.FrameID) bool {
			return run.String(run.Frames[f].Name) == "gc_collect_main"
		}) {
			n++
		}
	}
	return n
}

func (run scenarioRun) streams() int {
	streams := slices.Clone(run.device.Events.Stream)
	slices.Sort(streams)
	return len(slices.Compact(streams))
}

// TestSeedsDiffer: a seed gives the same file each time, and no two seeds the
// same sizes.
func TestSeedsDiffer(t *testing.T) {
	for i := range scenarios {
		s := &scenarios[i]
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			runs := []scenarioRun{replayScenario(t, s, 0, 1), replayScenario(t, s, 1, 1), replayScenario(t, s, 1, 1)}
			if runs[0].device.Totals.PeakBytes == runs[1].device.Totals.PeakBytes {
				t.Error("two seeds have the same peak")
			}
			var pickles [3]bytes.Buffer
			for i := range pickles {
				if err := snapshot.Write(&pickles[i], runs[i].Snapshot, 4); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(pickles[1].Bytes(), pickles[2].Bytes()) {
				t.Error("it differs from one time to the next")
			}
		})
	}
}

func TestScenarioOfRank(t *testing.T) {
	var files [2]bytes.Buffer
	for rank := range files {
		s := generated(t, "--seed", "3", "--rank", fmt.Sprint(rank), "ranks")
		if err := snapshot.Write(&files[rank], s, 4); err != nil {
			t.Fatal(err)
		}
	}
	if bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("two ranks have the same file")
	}
	err := run([]string{"memviz-gen", "-o", filepath.Join(t.TempDir(), "x.pickle"), "--rank", "8", "ranks"}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "0 to 7") {
		t.Errorf("got %v, want an error that names the ranks", err)
	}
}
