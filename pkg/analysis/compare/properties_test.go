package compare_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// examples are the recordings of the stories, by path, and those of the corpus if there
// is one.
func examples(t *testing.T) (names []string, list []*analysis.Recording) {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join(testkit.Root(t), "examples", "*", "*.pickle.gz"))
	if len(paths) < 20 {
		t.Fatalf("%d recordings in examples", len(paths))
	}
	if os.Getenv("MEMVIZ_CORPUS") != "" {
		paths = append(paths, testkit.Corpus(t)...)
	}
	for _, path := range paths {
		s, err := snapshot.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		names, list = append(names, path), append(list, recorded.Snapshot(s))
	}
	return names, list
}

// TestAnyTwoRecordings compares each recording with the next one and with itself, in
// states of any kind: what is added up, swapped and aligned.
func TestAnyTwoRecordings(t *testing.T) {
	names, list := examples(t)
	random := rand.New(rand.NewPCG(1, 15))
	for i, a := range list {
		for _, b := range []*analysis.Recording{a, list[(i+1)%len(list)]} {
			c, swapped := analysis.Compare(a, b), analysis.Compare(b, a)
			states := [2]int{a.Device.States(), b.Device.States()}
			everyStateOnce(t, c.RunsByEvent(), states)
			if c.Runs != nil {
				everyStateOnce(t, c.Runs, states)
			}
			mirrored(t, c, swapped)
			pairs := [][2]int{{0, 0}, {states[0] - 1, states[1] - 1}}
			for _, m := range c.Moments {
				pairs = append(pairs, m.States)
			}
			for range 20 {
				pairs = append(pairs, [2]int{random.IntN(states[0]), random.IntN(states[1])})
			}
			for _, at := range pairs {
				addsUp(t, c, at)
				if turned := swapped.Diff(at[1], at[0]); !sameButSigns(c.Diff(at[0], at[1]), turned) {
					t.Errorf("%s, states %v: swapped, more than signs differ", names[i], at)
				}
			}
			if t.Failed() {
				t.Fatalf("%s and %s", names[i], names[(i+1)%len(list)])
			}
		}
		if c := analysis.Compare(a, a); c.MatchedBytes != c.StackBytes {
			t.Errorf("%s and itself: %d of %d bytes match", names[i], c.MatchedBytes, c.StackBytes)
		} else {
			for _, m := range c.Moments {
				if d := c.Diff(m.States[0], m.States[1]); m.States[0] != m.States[1] || len(d.Rows) > 0 {
					t.Errorf("%s and itself at %s %v: %d rows", names[i], m.Key, m.States, len(d.Rows))
				}
			}
			for _, r := range c.Runs {
				if r.States[0] != r.States[1] || r.Has != [2]bool{true, true} {
					t.Errorf("%s and itself: run %+v", names[i], r)
				}
			}
			for _, g := range c.Lines.Groups {
				if !g.Both() || g.Moved() {
					t.Errorf("%s and itself: group %+v", names[i], g)
				}
			}
		}
	}
}

// addsUp checks that rows and families sum up to the change of active memory, and that
// rows of files and functions do.
func addsUp(t *testing.T, c *compare.Comparison, at [2]int) {
	t.Helper()
	want := c.Sides[1].Device.ActiveBytes()[at[1]] - c.Sides[0].Device.ActiveBytes()[at[0]]
	d := c.Diff(at[0], at[1])
	rows := map[string]*compare.Difference{"site": d, "file": d.ByFile(c.Lines), "function": d.ByFunction()}
	for kind, d := range rows {
		before, after := d.UnchangedBytes, d.UnchangedBytes
		tensors := 0
		for i := range d.Rows {
			row := &d.Rows[i]
			before, after = before+row.Before.Bytes, after+row.After.Bytes
			tensors += row.Before.Allocations + row.After.Allocations
			operators := int64(0)
			for k := range row.Operators {
				operators += row.Operators[k].Delta()
			}
			if kind == "site" && c.Lines.Operators && operators != row.Delta() {
				t.Errorf("states %v: operators of a row sum up to %d of %d", at, operators, row.Delta())
			}
		}
		if before != d.Before.Bytes || after != d.After.Bytes || after-before != want ||
			tensors > d.Before.LiveAllocations+d.After.LiveAllocations {
			t.Errorf("states %v: rows by %s hold %d and %d, active are %d and %d", at, kind, before, after,
				d.Before.Bytes, d.After.Bytes)
		}
	}
	families := int64(0)
	for i := range d.Families {
		families += d.Families[i].Delta()
	}
	if families != want {
		t.Errorf("states %v: families change by %d, active memory by %d", at, families, want)
	}
}

// mirrored checks that a comparison and the one with swapped arguments have the same
// runs, moments and matched bytes.
func mirrored(t *testing.T, c, swapped *compare.Comparison) {
	t.Helper()
	if len(c.Runs) != len(swapped.Runs) || len(c.Moments) != len(swapped.Moments) ||
		len(c.Lines.Groups) != len(swapped.Lines.Groups) || c.MatchedBytes != swapped.MatchedBytes {
		t.Fatalf("%d runs, %d moments, %d groups, %d bytes match; swapped: %d, %d, %d, %d", len(c.Runs), len(c.Moments),
			len(c.Lines.Groups), c.MatchedBytes, len(swapped.Runs), len(swapped.Moments), len(swapped.Lines.Groups),
			swapped.MatchedBytes)
	}
	for i := range c.Runs {
		r, s := c.Runs[i], swapped.Runs[i]
		slices.Reverse(s.Has[:])
		slices.Reverse(s.States[:])
		slices.Reverse(s.Highest[:])
		if r != s {
			t.Fatalf("run %d is %+v, swapped %+v", i, r, s)
		}
	}
	for i := range c.Moments {
		m, s := c.Moments[i], swapped.Moments[i]
		if s.States[0], s.States[1] = s.States[1], s.States[0]; m != s {
			t.Fatalf("moment %+v, swapped %+v", m, s)
		}
	}
}

// sameButSigns reports whether b is a with its sides swapped.
func sameButSigns(a, b *compare.Difference) bool {
	if len(a.Rows) != len(b.Rows) || a.UnchangedRows != b.UnchangedRows || a.UnchangedBytes != b.UnchangedBytes ||
		len(a.Families) != len(b.Families) {
		return false
	}
	turned := map[compare.Change]compare.Change{compare.Added: compare.Removed, compare.Removed: compare.Added,
		compare.Grown: compare.Shrunk, compare.Shrunk: compare.Grown}
	for i := range a.Rows {
		x, y := &a.Rows[i], &b.Rows[i]
		if x.Before != y.After || x.After != y.Before || x.Delta() != -y.Delta() || x.Change != turned[y.Change] ||
			len(x.Operators) != len(y.Operators) {
			return false
		}
		for k := range x.Operators {
			o, p := x.Operators[k], y.Operators[k]
			if o.Operator != p.Operator || o.Before != p.After || o.After != p.Before {
				return false
			}
		}
	}
	sums := func(d *compare.Difference, turn bool) map[families.Family][2]int64 {
		m := map[families.Family][2]int64{}
		for _, f := range d.Families {
			if m[f.Family] = [2]int64{f.Before, f.After}; turn {
				m[f.Family] = [2]int64{f.After, f.Before}
			}
		}
		return m
	}
	return reflect.DeepEqual(sums(a, false), sums(b, true))
}

// TestNoPhaseIsInvented: where one recording shows no phase, there are the peaks and the
// end to compare, and nothing is aligned.
func TestNoPhaseIsInvented(t *testing.T) {
	for _, other := range []*analysis.Recording{training("FBO"), training("....")} {
		c := analysis.Compare(training("...."), other)
		if len(c.Moments) != 2 || c.Moments[0].Key != "peak" || c.Moments[1].Key != "end" || c.Runs != nil {
			t.Errorf("moments %+v, %d runs", c.Moments, len(c.Runs))
		}
		if r := c.RunsByEvent(); len(r) != 1 || r[0].Highest[0] == timeline.NoState || r[0].Width != 1 {
			t.Errorf("by event: %+v", r)
		}
	}
}
