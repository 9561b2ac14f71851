package compare_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
	"github.com/memviz-go/memviz/pkg/units"
)

const (
	mib = units.MiB
)

// diffText is a row as "change site operator before after lines lines".
func diffText(r *compare.DiffRow) string {
	side := func(s compare.DiffSide) string {
		text := fmt.Sprint(s.Bytes)
		if s.Line > 0 && s.Allocations > 0 {
			text += fmt.Sprintf(" at %d", s.Line)
		}
		return text
	}
	site := r.Site.Function
	for _, o := range r.Operators {
		site += " " + o.Operator
		if len(r.Operators) > 1 {
			site += fmt.Sprintf(" %+d", o.Delta())
		}
	}
	return fmt.Sprintf("%s %s (%s) (%s)", r.Change, site, side(r.Before), side(r.After))
}

// TestDiffSaysWhoHasOperators: with C++ frames on neither side nothing was left out.
func TestDiffSaysWhoHasOperators(t *testing.T) {
	of := func(stack string) *analysis.Recording {
		tape := testsnap.NewTape()
		tape.Alloc(stack, 8)
		return recorded.Tape(tape)
	}
	const cpp = "at::_ops::mm::call(x)\n" + testsnap.Loop
	for _, tt := range []struct {
		before, after string
		without, one  bool
	}{{cpp, cpp, false, false}, {cpp, testsnap.Loop, true, true}, {testsnap.Loop, cpp, true, true},
		{testsnap.Loop, testsnap.Loop, true, false}} {
		if c := analysis.Compare(of(tt.before), of(tt.after)); c.Lines.Operators == tt.without ||
			c.Lines.OneHasOperators != tt.one {
			t.Errorf("%q and %q: operators %t, one has %t", tt.before, tt.after, c.Lines.Operators,
				c.Lines.OneHasOperators)
		}
	}
}

func TestDiff(t *testing.T) {
	const mm = "at::_ops::mm::call(x)\n"
	at := func(file, function string) string { return mm + file + "|" + function + "\n" }
	tests := []struct {
		name          string
		before, after []string // stacks, each with a size in front
		rows          []string
		matched, all  int64
	}{
		{"nothing", nil, nil, nil, 0, 0},
		{"the same", []string{"5 " + mm + testsnap.Loop}, []string{"5 " + mm + testsnap.Loop}, nil, 10, 10},
		{"grown and shrunk", []string{"5 " + at("m.py", "f") + testsnap.Loop, "5 " + at("m.py", "g") + testsnap.Loop},
			[]string{"9 " + at("m.py", "f") + testsnap.Loop, "4 " + at("m.py", "g") + testsnap.Loop},
			[]string{"grown f aten::mm (5 at 2) (9 at 2)", "shrunk g aten::mm (5 at 2) (4 at 2)"}, 23, 23},
		{
			"added and removed",
			[]string{"5 " + at("m.py", "f") + testsnap.Loop},
			[]string{"7 " + at("m.py", "g") + testsnap.Loop},
			[]string{"added g aten::mm (0) (7 at 2)", "removed f aten::mm (5 at 2) (0)"},
			0,
			12,
		},
		{
			"moved lines",
			[]string{"5 " + at("m.py", "f") + testsnap.Loop},
			[]string{"6 " + mm + "malloc\n" + "m.py|f\n" + testsnap.Loop},
			[]string{"grown f aten::mm (5 at 2) (6 at 3)"},
			11,
			11,
		},
		{"two lines of a function",
			[]string{"5 " + at("m.py", "f") + testsnap.Loop, "3 " + mm + "malloc\nm.py|f\n" + testsnap.Loop},
			[]string{"9 " + at("m.py", "f") + testsnap.Loop},
			[]string{"grown f aten::mm (5 at 2) (9 at 2)", "removed f aten::mm (3 at 3) (0)"}, 14, 17},
		{"a line with other callers", []string{"5 " + at("m.py", "f") + testsnap.Loop, "3 " + at("m.py", "f") + "a.py|a"},
			[]string{"9 " + at("m.py", "f") + "b.py|b"},
			[]string{"grown f aten::mm (8 at 2) (9 at 2)"}, 17, 17},
		{"a line with two callers",
			[]string{"5 " + at("m.py", "f") + testsnap.Loop, "3 " + at("m.py", "f") + "a.py|a"},
			[]string{"6 " + at("m.py", "f") + testsnap.Loop},
			[]string{"shrunk f aten::mm (8 at 2) (6 at 2)"}, 14, 14},
		{"operators under a line", []string{"5 " + at("m.py", "f") + testsnap.Loop},
			[]string{"5 " + at("m.py", "f") + testsnap.Loop, "2 at::_ops::_to_copy::call(x)\nm.py|f\n" + testsnap.Loop},
			[]string{"grown f aten::_to_copy +2 aten::mm +0 (5 at 2) (7 at 2)"}, 12, 12},
		{"another operator at a line", []string{"5 " + at("m.py", "f") + testsnap.Loop},
			[]string{"2 at::_ops::_to_copy::call(x)\nm.py|f\n" + testsnap.Loop},
			[]string{"shrunk f aten::mm -5 aten::_to_copy +2 (5 at 2) (2 at 2)"}, 7, 7},
		{"no stacks", []string{"5 "}, []string{"9 "}, []string{"grown  (5) (9)"}, 0, 0},
		{"C++ frames on one side only", []string{"5 " + at("m.py", "f") + testsnap.Loop, "2 " + mm + testsnap.Engine},
			[]string{"9 m.py|f\n" + testsnap.Loop, "3 "},
			[]string{"grown f (5 at 2) (9 at 1)", "grown  (2) (3)"}, 14, 14},
		{"autograd", []string{"5 " + mm + testsnap.Engine}, []string{"9 " + mm + testsnap.Engine},
			[]string{"grown autograd aten::mm aten::mm (5) (9)"}, 14, 14},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, b := recordAll(test.before), recordAll(test.after)
			d := analysis.Compare(a, b).Diff(len(test.before), len(test.after))
			var rows []string
			for i := range d.Rows {
				rows = append(rows, diffText(&d.Rows[i]))
			}
			if !slices.Equal(rows, test.rows) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(test.rows, "\n"))
			}
			if d.MatchedBytes != test.matched || d.StackBytes != test.all {
				t.Errorf("%d of %d bytes match, want %d of %d", d.MatchedBytes, d.StackBytes, test.matched, test.all)
			}
		})
	}
}

// recordAll allocates what a list says: bytes, a space and a stack.
func recordAll(list []string) *analysis.Recording {
	tape := testsnap.NewTape()
	for _, text := range list {
		size, stack, _ := strings.Cut(text, " ")
		var bytes int64
		fmt.Sscan(size, &bytes)
		tape.Alloc(stack, bytes)
	}
	return recorded.Tape(tape)
}

// TestRandomRecordings compares random states of random recordings: what rows and families
// hold is all that is active, and the other way round every change has the opposite sign.
func TestRandomRecordings(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 4))
		a, b := recorded.Random(random), recorded.Random(random)
		at := [2]int{random.IntN(a.Device.States()), random.IntN(b.Device.States())}
		c, swapped := analysis.Compare(a, b), analysis.Compare(b, a)
		mirrored(t, c, swapped)
		addsUp(t, c, at)
		if !sameButSigns(c.Diff(at[0], at[1]), swapped.Diff(at[1], at[0])) {
			t.Errorf("swapped, more than signs differ")
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestByFile: a file of both recordings is one row wherever it lies, also for lines that
// only one side has; rows of functions have no file.
func TestByFile(t *testing.T) {
	a := recordAll([]string{"5 /home/ada/one/model.py|f\n" + testsnap.Loop, "3 /home/ada/one/model.py|gone\n" + testsnap.Loop,
		"2 /home/ada/one/other.py|f\n" + testsnap.Loop, "7 "})
	b := recordAll([]string{"9 /srv/two/model.py|f\n" + testsnap.Loop, "2 /home/ada/one/other.py|f\n" + testsnap.Loop, "8 "})
	c := analysis.Compare(a, b)
	d := c.Diff(4, 3)
	var files, functions []string
	for _, row := range d.ByFile(c.Lines).Rows {
		files = append(files, fmt.Sprintf("%s %d %d", row.Site.File, row.Before.Bytes, row.After.Bytes))
	}
	for _, row := range d.ByFunction().Rows {
		functions = append(functions, fmt.Sprintf("%s %d %d", row.Site, row.Before.Bytes, row.After.Bytes))
	}
	if got := fmt.Sprintf("%q %q", files, functions); got !=
		`[" 7 8" "two/model.py 8 9"] ["f 7 11" "gone 3 0" " 7 8"]` {
		t.Error(got)
	}
}

func comparePeaks(a, b *analysis.Recording) (*compare.Comparison, *compare.Difference) {
	c := analysis.Compare(a, b)
	return c, c.Diff(a.Device.Totals.PeakState, b.Device.Totals.PeakState)
}

// TestDiffEdited compares recorded files with what they would be after an edit
// that moves every line, in another folder, and without C++ frames.
func TestDiffEdited(t *testing.T) {
	for _, file := range []string{"train_annotated_torch210.pickle", "train_medium_annotated_torch210.pickle",
		"forward_growing_torch25.pickle"} {
		t.Run(file, func(t *testing.T) {
			r := recorded.File(t, file)
			for name, edited := range map[string]*analysis.Recording{"itself": r, "edited": edit(r),
				"Python alone": recorded.PythonOnly(r)} {
				_, d := comparePeaks(r, edited)
				if len(d.Rows) > 0 || d.UnchangedRows < 4 {
					t.Errorf("%s: %d rows differ and %d do not", name, len(d.Rows), d.UnchangedRows)
				}
				if d.MatchedBytes != d.StackBytes || d.StackBytes == 0 {
					t.Errorf("%s: %d of %d bytes match", name, d.MatchedBytes, d.StackBytes)
				}
			}
		})
	}
}

// edit moves a recording's lines by three and its files into another folder.
func edit(r *analysis.Recording) *analysis.Recording {
	s := *r.Snapshot
	s.Frames, s.Strings = slices.Clone(s.Frames), slices.Clone(s.Strings)
	for i := range s.Frames {
		s.Frames[i].Line += 3
	}
	for i, text := range s.Strings {
		if strings.HasPrefix(text, "/") {
			s.Strings[i] = "/moved" + text
		}
	}
	return analysis.NewRecording(analysis.NewSource(&s), r.Device)
}

// TestDiffRecordings compares different programs, of which two share an optimizer.
func TestDiffRecordings(t *testing.T) {
	c, d := comparePeaks(recorded.File(t, "forward_fp32_torch25.pickle"),
		recorded.File(t, "forward_growing_torch25.pickle"))
	if !c.DifferentPrograms() || d.MatchedBytes != 0 {
		t.Errorf("%d of %d bytes match", d.MatchedBytes, d.StackBytes)
	}
	if d.Families[0].Family != families.Optimizer || d.Families[0].Before != 0 ||
		d.Families[0].Delta()/mib != 15245 {
		t.Errorf("the family that changed most is %+v", d.Families[0])
	}
	c, d = comparePeaks(recorded.File(t, "train_annotated_torch210.pickle"),
		recorded.File(t, "train_medium_annotated_torch210.pickle"))
	for _, line := range [][2]int{{74, 76}, {75, 77}, {78, 80}} { // of the optimizer's step
		add := func(o compare.OperatorDiff) bool { // one of its operators makes the same at each
			return o.Operator == "aten::add_Tensor" && o.Before.Bytes == 154389504 && o.After.Bytes == 40960000
		}
		if !slices.ContainsFunc(d.Rows, func(r compare.DiffRow) bool {
			return r.Before.Line == line[0] && r.After.Line == line[1] && slices.ContainsFunc(r.Operators, add)
		}) {
			t.Errorf("line %d is not among %d rows", line[0], len(d.Rows))
		}
	}
	if !c.DifferentPrograms() {
		t.Errorf("%d of %d bytes match", d.MatchedBytes, d.StackBytes)
	}
}

// TestDiffEarlier: weights that one recording has from before it began, and the other
// as parameters, are no change, neither of the family nor of the line; others are.
func TestDiffEarlier(t *testing.T) {
	program := func(late bool) *analysis.Recording {
		tape := testsnap.TimedTape()
		load := func(size int64) {
			if late {
				tape.Block(size, "")
				return
			}
			tape.Alloc("model.py|build\n"+testsnap.Loading, size)
		}
		load(64 * mib)
		load(64 * mib)
		load(32 * mib)
		if late {
			tape.Block(7*mib, "")
		}
		for range 3 {
			x := tape.Alloc("at::_ops::mm::call(x)\nmodel.py|forward\n"+testsnap.Module, 4*mib)
			tape.Free(x, testsnap.Release+testsnap.Engine)
			tape.Annotated("Optimizer.step#SGD.step", func() { tape.Free(tape.Alloc(testsnap.Step, mib), testsnap.Step) })
		}
		return recorded.Tape(tape)
	}
	for _, late := range []bool{false, true} {
		c, d := comparePeaks(program(!late), program(late))
		want := [2]int64{compare.Before: 160 * mib}
		if late {
			want = [2]int64{compare.After: 160 * mib}
		}
		if got := [2]int64{c.EarlierBytes(compare.Before), c.EarlierBytes(compare.After)}; got != want {
			t.Errorf("late %t: %d", late, got)
		}
		if len(d.Rows) != 1 || magnitude(d.Rows[0].Delta()) != 7*mib {
			t.Errorf("late %t: %+v", late, d.Rows)
		}
		for _, f := range d.Families {
			if f.Delta() != 0 && f.Family != families.Resident {
				t.Errorf("late %t: %+v", late, f)
			}
		}
	}
}

func magnitude(x int64) int64 { return max(x, -x) }
