package compare_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

// everyStateOnce checks that each state of both recordings lies in exactly one run, in
// order, and that the widths sum up to 1.
func everyStateOnce(t *testing.T, runs []compare.Run, states [2]int) {
	t.Helper()
	var next [2]int
	width := 0.0
	for i := range runs {
		r := &runs[i]
		width += r.Width
		for side := range r.Has {
			if !r.Has[side] {
				continue
			}
			if s, highest := r.States[side], r.Highest[side]; s.From != next[side] || s.To < s.From ||
				highest < s.From || highest > s.To {
				t.Fatalf("run %d of %d, side %d: states %d to %d, the highest is %d; the next was %d", i, len(runs),
					side, s.From, s.To, highest, next[side])
			}
			next[side] = r.States[side].To + 1
		}
	}
	if next != states || math.Abs(width-1) > 1e-9 {
		t.Fatalf("runs hold %d states of %d, width %g", next, states, width)
	}
}

// runText is an alignment as "LFB FBO -F": a word a stretch of pairs, + in front of what
// only after has, - in front of what only before has.
func runText(runs []compare.Run) string {
	var words []string
	kind := ""
	for i := range runs {
		r := &runs[i]
		k := "="
		if !r.Has[compare.After] {
			k = "-"
		} else if !r.Has[compare.Before] {
			k = "+"
		}
		if k != kind {
			words = append(words, strings.Trim(k, "="))
			kind = k
		}
		letter := "."
		if r.Phase != 0 {
			letter = string(rune(r.Phase))
		}
		words[len(words)-1] += letter
	}
	return strings.Join(words, " ")
}

// TestRunsCoverEveryState: in any two recordings, both by phase and by event.
func TestRunsCoverEveryState(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 5))
		a, b := recorded.Random(random), recorded.Random(random)
		c := analysis.Compare(a, b)
		states := [2]int{a.Device.States(), b.Device.States()}
		everyStateOnce(t, c.RunsByEvent(), states)
		if c.Runs != nil {
			everyStateOnce(t, c.Runs, states)
		}
	}
}

// training records steps, each a letter a phase, after some events without a phase.
func training(steps string) *analysis.Recording {
	tape := testsnap.NewTape()
	for _, letter := range steps {
		stack := map[rune]string{'.': testsnap.Loop, 'L': testsnap.Loading, 'F': testsnap.Module, 'B': testsnap.Engine,
			'O': testsnap.Step}[letter]
		tape.Free(tape.Alloc(stack, 1024), stack)
	}
	return recorded.Tape(tape)
}

// TestAlignRuns aligns phases without steps.
func TestAlignRuns(t *testing.T) {
	for _, test := range []struct{ before, after, want string }{
		{"FBO", "FBO", "FBO"},
		{".FBO", "FBO", "-. FBO"},
		{"FB", "FBO", "FB +O"},
		{"LFB", "FB", "-L FB"},
		{"F", "FBOFBO", "F +BOFBO"},
	} {
		a, b := training(test.before), training(test.after)
		c := analysis.Compare(a, b)
		if got := runText(c.Runs); got != test.want {
			t.Errorf("%s and %s: %s, want %s", test.before, test.after, got, test.want)
		}
	}
}

// TestAlignFiles: a recording of few steps against one of many.
func TestAlignFiles(t *testing.T) {
	few, many := training("L"+strings.Repeat("FBO", 2)), training("L"+strings.Repeat("FBO", 12))
	c := analysis.Compare(few, many)
	pairs, alone := 0, 0
	for i := range c.Runs {
		if r := &c.Runs[i]; r.Has == [2]bool{true, true} {
			pairs++
		} else {
			alone++
		}
	}
	if pairs != 7 || alone != 30 {
		t.Errorf("%d runs are paired and %d stand alone: %s", pairs, alone, runText(c.Runs))
	}
	everyStateOnce(t, c.Runs, [2]int{few.Device.States(), many.Device.States()})
	var keys []string
	for _, m := range c.Moments {
		keys = append(keys, m.Key)
	}
	want := []string{"peak", "load", "forward", "backward", "optimizer", "step:1", "step:2", "end"}
	if !slices.Equal(keys, want) {
		t.Errorf("moments %q", keys)
	}
	ended := 0
	for _, p := range c.Steps {
		if !p.Both() && p.Ended {
			ended++
		}
	}
	if ended != 10 {
		t.Errorf("%d steps stand alone: %+v", ended, c.Steps)
	}
}
