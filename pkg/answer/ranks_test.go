package answer

import (
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/units"
)

// rankFiles are ranks by the names of their files; those with a + have steps.
func rankFiles(files ...string) *dumpRanks {
	a := &dumpRanks{RankDump: RankDump{RankInNames: true}}
	for i, file := range files {
		r := Rank{Rank: i, Subject: Subject{File: strings.TrimSuffix(file, "+")}}
		if state := 9; r.File != file {
			r.StepEndState = &state
		}
		a.ranks = append(a.ranks, r)
	}
	return a
}

func TestRanksAllClear(t *testing.T) {
	for _, test := range []struct {
		files []string
		want  string
	}{
		{[]string{"a+", "b+", "c+"},
			"No rank stands out: after its last step each holds about what the others hold, at every site."},
		{[]string{"a+", "b", "c+"},
			"No peak is far above the others; what ranks without steps keep after a step is not known."},
		{[]string{"a", "b", "c"}, "3 ranks show no steps, so only their peaks can be compared, and no peak is far " +
			"above the others. What they keep after a step is not known."},
	} {
		s := &Sheet{}
		s.allClear(rankFiles(test.files...))
		if got := s.elements[0].(sentence).with(asText); len(s.elements) != 1 || got != test.want {
			t.Errorf("%v: %s", test.files, got)
		}
	}
}

func TestRanksPair(t *testing.T) {
	for _, test := range []struct {
		bytes []int64
		rows  int
		want  string
		table int // its rows
	}{
		{[]int64{5, 5}, 3, "The two ranks hold the same at their peaks.", 0},
		{[]int64{5, 7}, 3, "Of two ranks neither can be called the outlier. Where they differ at their peaks:", 1},
		{[]int64{5, 7}, 0, "Of two ranks neither can be called the outlier. Where they differ at their peaks:", 0},
	} {
		s, a := &Sheet{}, rankFiles("a", "b")
		a.rows = []RankRow{{Bytes: test.bytes}}
		s.pair(a, test.rows)
		if got := s.elements[0].(sentence).with(asText); got != test.want || len(s.elements) != 1+test.table {
			t.Errorf("%v in %d rows: %d elements, %s", test.bytes, test.rows, len(s.elements), got)
		}
	}
}

func TestRankShown(t *testing.T) {
	for label, want := range map[string]any{"": "3", "3": "3", "tp1 pp0": name("tp1 pp0")} {
		if got := (&Rank{Rank: 3, Label: label}).shown(); got != want {
			t.Errorf("label %q: %v", label, got)
		}
	}
}

// TestSameRank: three files of rank 0 are one pair, two devices of one file none.
func TestSameRank(t *testing.T) {
	a := rankFiles("a", "a", "b", "c")
	for i := range a.ranks {
		a.ranks[i].Rank = 0
	}
	if pairs := a.sameRank(); len(pairs) != 1 || pairs[0][0].File != "a" || pairs[0][1].File != "b" {
		t.Errorf("%+v", pairs)
	}
	a.ranks[2].Label, a.ranks[3].Device = "tp1", 1
	if pairs := a.sameRank(); pairs != nil {
		t.Errorf("of another label, or device: %+v", pairs)
	}
}

func TestRankHolds(t *testing.T) {
	peak, end := compare.AtRankPeak.Key(), compare.AtStepEnd.Key()
	a := rankFiles("a+", "b", "c+")
	for _, test := range []struct {
		RankOutlier
		want, of string
	}{
		{RankOutlier{When: peak, Bytes: 512, MedianBytes: 2}, "holds 512 B at its peak", "3 ranks"},
		{RankOutlier{When: end, Bytes: 512, MedianBytes: 511}, "still holds 512 B after its last step", "2 ranks with steps"},
		{RankOutlier{When: end, Bytes: 512, MedianBytes: 512}, "holds 512 B after its last step", "2 ranks with steps"},
	} {
		if got, of := withSpaces(test.holds()), a.comparedWith(&test.RankOutlier); got != test.want || of != test.of {
			t.Errorf("got %q of %s, want %q of %s", got, of, test.want, test.of)
		}
	}
	if of := rankFiles("a+", "b+").comparedWith(&RankOutlier{When: end}); of != "2 ranks" {
		t.Errorf("all have steps: of %s", of)
	}
}

// TestRanksOfSummaries: a peak far from the median is an outlier among three ranks, not
// among two, and steps are spoken of where their numbers differ.
func TestRanksOfSummaries(t *testing.T) {
	for _, test := range []struct {
		peaks    []int64
		steps    []int
		outliers int
		says     string // of steps
	}{
		{[]int64{units.GiB, units.GiB, 9 * units.GiB}, []int{2, 2, 2}, 1, ""},
		{[]int64{units.GiB, 9 * units.GiB}, []int{2, 2}, 0, ""},
		{[]int64{units.GiB, units.GiB}, []int{2, 3}, 0, "Ranks recorded 2 to 3 steps: only the last 2 can be compared."},
		{[]int64{units.GiB, units.GiB}, []int{0, 3}, 0,
			"Some ranks show no steps, others up to 3: those without are compared at their peaks only."},
	} {
		var list []compare.RankSummary
		for i, peak := range test.peaks {
			s := compare.RankSummary{File: string(rune('a' + i)), StepEndState: timeline.NoState,
				StepPeaks: make([]int64, test.steps[i])}
			s.Name.Rank, s.PeakBytes = i, peak
			list = append(list, s)
		}
		sheet := Ranks(list, nil, 5)
		outliers := 0
		for _, r := range sheet.value.(*RanksAnswer).Ranks {
			if r.Outlier {
				outliers++
			}
		}
		text := strings.Join(strings.Fields(string(written(t, sheet, Text))), " ")
		if outliers != test.outliers {
			t.Errorf("%v: %d outliers, want %d", test.peaks, outliers, test.outliers)
		}
		said := strings.Contains(text, "Ranks recorded") || strings.Contains(text, "Some ranks")
		if said != (test.says != "") || !strings.Contains(text, test.says) {
			t.Errorf("%v steps: %s", test.steps, text)
		}
	}
}

// TestRanksApart: a rank that was read in part is never an outlier, does not move the
// median, and says that its numbers are lower bounds; nor is one without history
// compared with others that have one.
func TestRanksApart(t *testing.T) {
	var list []compare.RankSummary
	for i, peak := range []int64{8 * units.GiB, 8 * units.GiB, units.GiB, 8 * units.GiB, units.MiB} {
		s := compare.RankSummary{File: string(rune('a' + i)), StepEndState: timeline.NoState, Events: 100, Cut: i == 2}
		s.Name.Rank, s.Name.Label, s.PeakBytes = i, strconv.Itoa(i), peak
		if i == 4 {
			s.Events = 1
		}
		list = append(list, s)
	}
	sheet := Ranks(list, nil, 5)
	value := sheet.value.(*RanksAnswer)
	if d := value.Dumps[0]; d.MedianPeakBytes != 8*units.GiB || d.ComparedRanks != 3 {
		t.Errorf("%+v", d)
	}
	for i, r := range value.Ranks {
		if r.Rank != i || r.Outlier || r.Compared == (i == 2 || i == 4) || r.Cut != (i == 2) {
			t.Errorf("%+v", r)
		}
	}
	text := strings.Join(strings.Fields(string(written(t, sheet, Text))), " ")
	for _, want := range []string{
		"5 ranks: median peak 8.00 GiB", "2 1.00 GiB 0 0 at least c", "4 1.00 MiB 0 0 no history e",
		"Rank 2 was read in part (c): it holds at least what is shown, and is compared with none.",
		"Rank 4 has no history (e), so its peak is not known, and it is compared with none.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	if text := string(written(t, Ranks(list[2:3], nil, 5), Text)); !strings.Contains(text, "1 rank, read in part") ||
		strings.Contains(text, "median peak") {
		t.Error(text)
	}
	if text := string(written(t, Ranks(list[1:3], nil, 5), Text)); !strings.Contains(text, "Only one rank can be") {
		t.Error(text)
	}
}

// TestRanksOfDumps: steps and runs are compared by themselves, and files without a
// rank in their names say so.
func TestRanksOfDumps(t *testing.T) {
	files := []string{"step_1/rank0.pickle", "step_1/rank1.pickle", "step_1/rank2.pickle", "step_2/rank0.pickle",
		"step_2/rank1.pickle", "step_2_exit/rank1.pickle", "notes.pickle", "more.pickle"}
	var list []compare.RankSummary
	for i, rank := range compare.NameRanks(files) {
		s := compare.RankSummary{Name: rank, File: files[i], StepEndState: timeline.NoState}
		s.PeakBytes = units.GiB
		if rank.Step == 2 {
			s.PeakBytes = 9 * units.GiB
		}
		list = append(list, s)
	}
	sheet := Ranks(list, nil, 5)
	text := string(written(t, sheet, Text))
	for _, want := range []string{"\nstep 1: 3 ranks: median peak 1.00 GiB", "\nstep 2: 2 ranks: median peak 9.00 GiB",
		"\nstep 2, out of memory: 1 rank: median", "no rank in the name: 2 ranks: median", "these 2 files hold no rank"} {
		if !strings.Contains("\n"+text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	if strings.Contains(text, "outlier  ") {
		t.Error(text)
	}
	value := sheet.value.(*RanksAnswer)
	if len(value.Dumps) != 4 || len(value.Ranks) != 8 || value.Ranks[7].Dump != 0 && value.Ranks[7].Dump != 3 {
		t.Errorf("%+v", value)
	}
	if _, holds, err := condition(t, "ranks", "median_peak>8GiB").Holds(sheet); !holds || err != nil {
		t.Error(holds, err)
	}
}

func condition(t *testing.T, command, text string) Condition {
	t.Helper()
	c, err := ParseCondition(command, text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
