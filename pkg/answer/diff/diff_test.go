package diff

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestDiffOf compares recordings of two functions, of which the first never changes.
func TestDiffOf(t *testing.T) {
	of := func(sizes ...int64) *answer.Input {
		c := snapshot.NewComposer(snapshot.Format{})
		c.Trace(0)
		for i, size := range sizes {
			c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(1+i) << 20, Size: size,
				Stack: c.Stack(snapshot.FrameText{File: "x.py", Name: string(rune(0x61 + i))})})
		}
		in := answer.NewInput("", c.Snapshot())
		return &in
	}
	for _, test := range []struct {
		before, after *answer.Input
		share         float64
		unchanged     string
	}{
		{of(512), of(1024), 1, ""}, {of(512, 1), of(512, 9), 1, "1 site more, with 512 B, did not change."},
	} {
		s := answertest.Asked(Answer(test.before, test.after, Options{Rows: 3}))
		text := strings.Join(strings.Fields(answertest.WithSpaces(string(answertest.Written(t, s, sheet.Text)))), " ")
		share := s.Value.(*answer.Devices[Device]).Devices[0].MatchedShare
		if share != test.share || !strings.Contains(text, test.unchanged) ||
			strings.Contains(text, "did not change") != (test.unchanged != "") {
			t.Errorf("share %v, %s; want %+v", share, text, test)
		}
	}
}

// TestChangeOf reads testdata/changes.json, which the page's own words are held against, too.
func TestChangeOf(t *testing.T) {
	text, err := os.ReadFile("testdata/changes.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Before, After compare.Amount
		What          string
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 10 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for _, c := range cases {
		if got := ChangeOf(c.Before, c.After); got != c.What {
			t.Errorf("%+v to %+v: %q, want %q", c.Before, c.After, got, c.What)
		}
	}
}

func TestFromTo(t *testing.T) {
	for _, test := range []struct {
		before, after int64
		want          string
	}{
		{9105322639, 24159191040, "8.48 → 22.5 GiB"}, {145 << 20, 2 << 30, "145 MiB → 2.00 GiB"},
		{0, 1 << 20, "0 → 1.00 MiB"}, {1 << 20, 0, "1.00 MiB → 0"}, {0, 0, "0"}, {1 << 20, 1 << 20, "1.00 MiB"},
		{5, 7, "5 → 7 B"},
	} {
		if got := fromTo(test.before, test.after); got != test.want {
			t.Errorf("%d and %d: %q, want %q", test.before, test.after, got, test.want)
		}
	}
}

// TestStepsAlone says how many steps only one recording has.
func TestStepsAlone(t *testing.T) {
	for want, counts := range map[string]Steps{
		"": {Word: "step", Both: 3}, "10 steps only in after.": {Word: "step", Both: 2, OnlyAfter: 10},
		"1 window only in before, 2 windows only in after.": {Word: "window", OnlyBefore: 1, OnlyAfter: 2},
	} {
		if got := counts.sentence(); got != want {
			t.Errorf("%+v: %q", counts, got)
		}
	}
}

// TestMostChanged: what has no stack comes first only where no named row holds a tenth
// of it.
func TestMostChanged(t *testing.T) {
	row := func(named bool, bytes int64) compare.DiffRow {
		amount := compare.Amount{Bytes: bytes, Allocations: 1}
		return compare.DiffRow{Named: named, After: compare.DiffSide{Amount: amount}}
	}
	for _, test := range []struct {
		rows []compare.DiffRow
		want int64
	}{
		{[]compare.DiffRow{row(true, 7), row(false, 5)}, 7}, {[]compare.DiffRow{row(false, 100), row(true, -10)}, -10},
		{[]compare.DiffRow{row(false, 100), row(true, 9)}, 100}, {[]compare.DiffRow{row(false, 100)}, 100},
	} {
		if got := mostChanged(test.rows); got.Delta() != test.want {
			t.Errorf("%+v: the row of %d, want %d", test.rows, got.Delta(), test.want)
		}
	}
	if mostChanged(nil) != nil {
		t.Error("there is a row among none")
	}
}

// storyInput opens a recording of the examples.
func storyInput(t *testing.T, path string) *answer.Input {
	t.Helper()
	s, err := snapshot.Open(filepath.Join(testkit.Root(t), "examples", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	in := answer.NewInput(filepath.Base(path), s)
	return &in
}

// pairOf compares the only device of two inputs.
func pairOf(t *testing.T, before, after *answer.Input) *Pair {
	t.Helper()
	pairs, err := Pairs(before, after)
	if err != nil || len(pairs) != 1 {
		t.Fatalf("%d pairs: %v", len(pairs), err)
	}
	return pairs[0]
}

// answersOf are the four answers in a line each.
func answersOf(p *Pair) (lines []string) {
	for _, a := range p.Answers() {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s: %s | %s %s", a.Key, a.Value, a.Line, a.Detail)))
	}
	return lines
}

// TestDiffAnswers says the four answers about known pairs, and the same with the sides
// swapped.
func TestDiffAnswers(t *testing.T) {
	before, after := storyInput(t, "checkpointing/before.pickle.gz"), storyInput(t, "checkpointing/after.pickle.gz")
	for _, test := range []struct {
		before, after *answer.Input
		want          []string
	}{
		{before, after, []string{
			"peak: −140 MiB | 408 → 268 MiB; both in backward",
			"row: run −212 MiB | train.py:29→27: 19 → 2 tensors, largest 16.0 → 8.13 MiB",
			"cache: −144 MiB reserved | 434 → 290 MiB; not in use then 25.6 → 21.5 MiB " +
				"Fragmentation at the peaks of reserved memory: 25.6 → 21.5 MiB.",
			"program: Mostly | 93 % of bytes are from lines in both; 7 lines in both, " +
				"1 of them moved; 0 only before, 2 only after",
		}},
		{after, before, []string{
			"peak: +140 MiB | 268 → 408 MiB; both in backward",
			"row: run +212 MiB | train.py:27→29: 2 → 19 tensors, largest 8.13 → 16.0 MiB",
			"cache: +144 MiB reserved | 290 → 434 MiB; not in use then 21.5 → 25.6 MiB " +
				"Fragmentation at the peaks of reserved memory: 21.5 → 25.6 MiB.",
			"program: Mostly | 93 % of bytes are from lines in both; 7 lines in both, " +
				"1 of them moved; 2 only before, 0 only after",
		}},
		{after, after, []string{
			"peak: ±0 | 268 MiB; both in backward",
			"row: Nothing | no call site holds more or less at the peaks",
			"cache: ±0 reserved | 290 MiB; not in use then 21.5 MiB " +
				"Fragmentation at the peaks of reserved memory: 21.5 MiB.",
			"program: Yes | every byte with a stack has its line in both; 9 lines in both; 0 only before, 0 only after",
		}},
	} {
		p := pairOf(t, test.before, test.after)
		if got := answersOf(p); !slices.Equal(got, test.want) {
			t.Errorf("%s to %s:\n%s", test.before.Name, test.after.Name, strings.Join(got, "\n"))
		}
		if p.Answers()[1].Group < 0 && test.before != test.after {
			t.Error("the answer names no row")
		}
	}
}

// TestSameProgramBounds: from 99.5 % it is the same program, from half mostly.
func TestSameProgramBounds(t *testing.T) {
	for matched, want := range map[int64]string{
		1000: "Yes: every byte with a stack has its line in both", 995: "Yes: 99 % of bytes are from lines in both",
		994: "Mostly: 99 % of bytes are from lines in both", 500: "Mostly: 50 % of bytes are from lines in both",
		499: "No: 49 % of bytes are from lines in both", 9: "No: <1 % of bytes are from lines in both",
		0: "No: 0 % of bytes are from lines in both",
	} {
		p := &Pair{Comparison: &compare.Comparison{Lines: &compare.Lines{}, MatchedBytes: matched,
			StackBytes: 1000}}
		if a := p.programAnswer(); a.Value+": "+a.Line != want {
			t.Errorf("%d of 1000: %s: %s, want %s", matched, a.Value, a.Line, want)
		}
	}
	p := &Pair{Comparison: &compare.Comparison{Lines: &compare.Lines{}}}
	if a := p.programAnswer(); a.Value != "Unknown" || a.Line != noStacksThere {
		t.Errorf("without stacks: %+v", a)
	}
}

// TestDiffWithoutAddresses: fragmentation is not made up where a report left addresses out.
func TestDiffWithoutAddresses(t *testing.T) {
	before, after := storyInput(t, "checkpointing/before.pickle.gz"), storyInput(t, "checkpointing/after.pickle.gz")
	after.Origin.AddressesLost = true
	cache := pairOf(t, before, after).Answers()[2]
	if cache.Value != "−144 MiB reserved" && cache.Value != "−144 MiB reserved" || cache.Line != "434 → 290 MiB" ||
		!strings.Contains(cache.Detail, "not known") {
		t.Errorf("%+v", cache)
	}
	s := answertest.Asked(Answer(before, after, Options{Rows: 1}))
	d := s.Value.(*answer.Devices[Device]).Devices[0]
	if d.Before.CachedBytes == nil || d.After.CachedBytes != nil || d.After.FragmentedBytes != nil {
		t.Errorf("cached: %v before, %v after", d.Before.CachedBytes, d.After.CachedBytes)
	}
	answertest.Fits(t, "diff", s)
}

// TestDifferentProgramsAreSaid: of different programs families are compared, no sentence
// names a call site, and the bar is there.
func TestDifferentProgramsAreSaid(t *testing.T) {
	p := pairOf(t, storyInput(t, "training-loop/snapshot.pickle.gz"), storyInput(t, "fragmentation/before.pickle.gz"))
	if !p.DifferentPrograms() {
		t.Fatal("they are taken for the same")
	}
	a := p.Answers()
	if !strings.HasPrefix(a[1].Line, "by family, ") || a[1].Group >= 0 || a[3].Value != "No" {
		t.Errorf("answers %+v", a)
	}
	for _, text := range answersOf(p) {
		if regexp.MustCompile(`\.py|tensors?`).MatchString(text) {
			t.Errorf("a call site is named: %s", text)
		}
	}
	if w := p.Warnings(); len(w) == 0 || w[0].Fact != "These are different programs." {
		t.Errorf("warnings %+v", w)
	}
	if w := pairOf(t, storyInput(t, "checkpointing/before.pickle.gz"),
		storyInput(t, "checkpointing/after.pickle.gz")).Warnings(); len(w) != 0 {
		t.Errorf("warnings on a pair that is whole: %+v", w)
	}
}

// TestDiffWords: what nobody may say of a difference.
func TestDiffWords(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(testkit.Root(t), "examples", "*", "*.pickle.gz"))
	forbidden := regexp.MustCompile(`(?i)\b(saved|wasted?|better|worse|caused?)\b`)
	for i := range paths {
		var in [2]*answer.Input
		for side, path := range []string{paths[i], paths[(i+1)%len(paths)]} {
			rel, _ := filepath.Rel(filepath.Join(testkit.Root(t), "examples"), path)
			in[side] = storyInput(t, filepath.ToSlash(rel))
			in[side].Name = "x"
		}
		s := answertest.Asked(Answer(in[0], in[1], Options{Rows: 20}))
		if found := forbidden.FindString(string(answertest.Written(t, s, sheet.Text))); found != "" {
			t.Errorf("%s and %s: %q", paths[i], paths[(i+1)%len(paths)], found)
		}
		for _, d := range s.Value.(*answer.Devices[Device]).Devices {
			if len(d.Answers) != 4 || slices.ContainsFunc(d.Answers, func(a Headline) bool {
				return a.Question == "" || a.Value == "" || a.Line == ""
			}) {
				t.Errorf("%s: answers %+v", paths[i], d.Answers)
			}
		}
	}
}

// TestDiffMoments reads moments of two recordings.
func TestDiffMoments(t *testing.T) {
	p := pairOf(t, storyInput(t, "checkpointing/before.pickle.gz"), storyInput(t, "checkpointing/after.pickle.gz"))
	for text, want := range map[string]string{
		"peak": "[396 590] At the peaks, in state 396 before and 590 after", "end": "[895 1048] At the end",
		"backward": "[396 590] At the highest of backward, in state 396 before and 590 after",
		"7, 9":     "[7 9] In state 7 before and 9 after", "start,end": "[0 1048] In state 0 before and 1,048 after",
		"step=2":  "[396 590] At the peak of step 2, in state 396 before and 590 after",
		"state=5": "[5 5] In state 5 before and 5 after",
	} {
		m, err := ParseMoment(text)
		if err != nil {
			t.Error(err)
			continue
		}
		states, err := m.states(p)
		if got := fmt.Sprint(states, " ", m.describe(states, p)); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "step:", "step:-1", "forwards", "1,", "peak,never", "1,2,3"} {
		if m, err := ParseMoment(text); err == nil {
			t.Errorf("%q is taken for %+v", text, m)
		}
	}
	for _, text := range []string{"step:77", "900,1", "1,2000"} {
		if m, err := ParseMoment(text); err != nil {
			t.Error(err)
		} else if states, err := m.states(p); err == nil {
			t.Errorf("%s is %v", text, states)
		}
	}
	if m, _ := ParseMoment("step:2"); true {
		states, err := m.states(p)
		i := slices.IndexFunc(p.Moments, func(m compare.Moment) bool { return m.Key == "step:2" })
		if err != nil || i < 0 || p.Moments[i].States != states {
			t.Errorf("step:2 is %v: %v", states, err)
		}
	}
}
