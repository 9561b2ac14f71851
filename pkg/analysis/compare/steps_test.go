package compare_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

// profiled records steps that the profiler numbered.
func profiled(first, last int) *analysis.Recording {
	tape := testsnap.TimedTape()
	for n := first; n <= last; n++ {
		tape.Annotated(fmt.Sprintf("ProfilerStep#%d", n), func() {
			for _, stack := range []string{testsnap.Module, testsnap.Engine, testsnap.Step} {
				tape.Free(tape.Alloc(stack, 1024), stack)
			}
		})
	}
	return recorded.Tape(tape)
}

// stepText is the pairing of steps as "=4 =5 +6", with + in front of what only after has
// and - in front of what only before has; the stretch after the last step is in brackets.
func stepText(list []compare.StepPair) string {
	var words []string
	for i := range list {
		p := &list[i]
		word := "=" + p.Label()
		if p.Index[compare.Before] < 0 {
			word = "+" + p.Label()
		} else if p.Index[compare.After] < 0 {
			word = "-" + p.Label()
		}
		if !p.Ended {
			word = "(" + word + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// TestPairSteps pairs steps by their numbers, and where those have nothing in common or
// are missing, in order.
func TestPairSteps(t *testing.T) {
	for _, test := range []struct {
		before, after *analysis.Recording
		want          string
	}{
		{profiled(3, 5), profiled(4, 8), "-3 =4 =5 +6 +7 +8"},
		{profiled(4, 8), profiled(3, 5), "+3 =4 =5 -6 -7 -8"},
		{profiled(1, 3), profiled(7, 8), "=1 =2 -3"},
		{training("FBOFBO"), training("FBOFBOFBO"), "=1 =2 +3"},
		{training("FBOFBOFBO"), training("FBOFBOF"), "=1 =2 -3 (+3)"},
		{training("FBOFBOF"), training("FBOFBOFBO"), "=1 =2 +3 (-3)"},
		{training("FBO"), training("FB"), ""},
		{training("...."), profiled(1, 2), ""},
	} {
		c := analysis.Compare(test.before, test.after)
		if got := stepText(c.Steps); got != test.want {
			t.Errorf("steps %s, want %s", got, test.want)
		}
		for i := range c.Runs {
			if r := &c.Runs[i]; (r.Step >= 0) != (c.Steps != nil) ||
				r.Step >= 0 && r.Has == [2]bool{true, true} && !c.Steps[r.Step].Both() {
				t.Errorf("run %+v of %s", r, test.want)
			}
		}
	}
}

// TestCutHistory: where a beginning is missing, the last steps and phases are the same.
func TestCutHistory(t *testing.T) {
	for _, text := range [][3]string{
		{"FBOFBO", "FBOFBOFBO", "+FBO FBOFBO"}, {"BO", "FBO", "+F BO"}, {"O", "FBO", "+FB O"},
	} {
		for side := range 2 {
			a, b := training(text[0]), training(text[1])
			[]*analysis.Recording{a, b}[side].Device.Reconciliation.HistoryCut = true
			c := analysis.Compare(a, b)
			if got := runText(c.Runs); got != text[2] {
				t.Errorf("%s and %s: %s, want %s", text[0], text[1], got, text[2])
			}
			everyStateOnce(t, c.Runs, [2]int{a.Device.States(), b.Device.States()})
		}
	}
}

// side is a recording of nothing but phases.
func side(phases ...stacks.Activity) compare.Side {
	list := make(timeline.Phases, len(phases))
	for i, phase := range phases {
		at := replay.EventIndex(i)
		list[i] = timeline.PhaseRun{Phase: phase, Start: at, Last: at, End: at, Events: 1}
	}
	s := snapshot.NewComposer(snapshot.Format{})
	for range phases {
		s.Event(0, snapshot.EventText{Action: snapshot.SnapshotTaken})
	}
	r := recorded.Snapshot(s.Snapshot())
	return compare.Side{Stacks: r.Stacks, Device: r.Device, Families: r.Families(), Phases: list, Steps: &steps.List{}}
}

// longestCommon is the length of the longest common subsequence, from all of them.
func longestCommon(a, b []stacks.Activity) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	longest := longestCommon(a[1:], b)
	for i := range b {
		if b[i] == a[0] {
			longest = max(longest, 1+longestCommon(a[1:], b[i+1:]))
		}
	}
	return longest
}

// TestAlignmentIsLongest aligns short sequences of phases: as many pairs as there can be,
// all of the same phase, in order.
func TestAlignmentIsLongest(t *testing.T) {
	phases := []stacks.Activity{stacks.InLoading, stacks.InForward, stacks.InBackward, stacks.InOptimizer}
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 3))
		var list [2][]stacks.Activity
		for i := range list {
			for range 1 + random.IntN(9) {
				list[i] = append(list[i], phases[random.IntN(len(phases))])
			}
		}
		before, after := side(list[0]...), side(list[1]...)
		before.Device.Reconciliation.HistoryCut = seed%2 == 1
		c := compare.New(before, after)
		pairs := 0
		for i := range c.Runs {
			if r := &c.Runs[i]; r.Has == [2]bool{true, true} {
				pairs++
			}
		}
		if want := longestCommon(list[0], list[1]); pairs != want {
			t.Errorf("seed %d: %s has %d pairs, want %d", seed, runText(c.Runs), pairs, want)
		}
		everyStateOnce(t, c.Runs, [2]int{before.Device.States(), after.Device.States()})
		mirrored(t, c, compare.New(after, before))
	}
}

// TestEarlierPair: of as many pairs, those that come first are taken.
func TestEarlierPair(t *testing.T) {
	c := compare.New(side(stacks.InForward, stacks.InBackward),
		side(stacks.InBackward, stacks.InOptimizer, stacks.InForward))
	if got := runText(c.Runs); got != "-F B +OF" {
		t.Error(got)
	}
}

// TestManyRuns: a hostile recording of hundreds of thousands of phases is aligned without
// weighing all pairs of them, which would take terabytes.
func TestManyRuns(t *testing.T) {
	const n = 300_000
	var a, b []stacks.Activity
	for i := range n {
		a = append(a, []stacks.Activity{stacks.InForward, stacks.InBackward}[i%2])
		b = append(b, []stacks.Activity{stacks.InForward, stacks.InBackward, stacks.InOptimizer}[i%3])
	}
	before, after := side(a...), side(b...)
	c := compare.New(before, after)
	everyStateOnce(t, c.Runs, [2]int{before.Device.States(), after.Device.States()})
	pairs := 0
	for i := range c.Runs {
		if c.Runs[i].Has == [2]bool{true, true} {
			pairs++
		}
	}
	if pairs < n/2 {
		t.Errorf("%d of %d runs are paired", pairs, n)
	}
}

// TestManyLines: files of thousands of lines pair by function and number, the others as
// ever.
func TestManyLines(t *testing.T) {
	record := func(by int32) *analysis.Recording {
		c := snapshot.NewComposer(snapshot.Format{})
		alloc := func(i int, file string, line int32, function string) {
			c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(i+1) << 12, Size: 512,
				Stack: c.Stack(snapshot.FrameText{File: file, Line: line, Name: function})})
		}
		for i := range 5000 {
			alloc(i, "/home/a/generated.py", int32(i+1), "f")
		}
		alloc(6000, "/home/a/model.py", 10+by, "g")
		alloc(6001, "/home/a/model.py", 12+by, "g")
		return recorded.Snapshot(c.Snapshot())
	}
	c := analysis.Compare(record(0), record(3))
	moved := 0
	for i := range c.Lines.Groups {
		g := &c.Lines.Groups[i]
		if !g.Both() {
			t.Fatalf("%+v is alone", g)
		}
		if g.Moved() {
			moved++
		}
	}
	if len(c.Lines.Groups) != 5002 || moved != 2 {
		t.Errorf("%d groups, %d moved", len(c.Lines.Groups), moved)
	}
}
