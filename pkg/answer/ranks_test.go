package answer

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/units"
)

// rankFiles are ranks by the names of their files; those with a + have steps.
func rankFiles(files ...string) *RanksAnswer {
	a := &RanksAnswer{}
	for i, file := range files {
		r := Rank{Rank: i, Subject: Subject{File: strings.TrimSuffix(file, "+")}}
		if state := 9; r.File != file {
			r.StepEndState = &state
		}
		a.Ranks = append(a.Ranks, r)
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
		a.Rows = []RankRow{{Bytes: test.bytes}}
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
	for i := range a.Ranks {
		a.Ranks[i].Rank = 0
	}
	if pairs := a.sameRank(); len(pairs) != 1 || pairs[0][0].File != "a" || pairs[0][1].File != "b" {
		t.Errorf("%+v", pairs)
	}
	a.Ranks[2].Label, a.Ranks[3].Device = "tp1", 1
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
