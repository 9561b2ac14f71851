package ranks

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/units"
)

// rankDigests are digests of files of these names, with one call site that has all of
// the peak, and steps.
func rankDigests(peak int64, steps int, files ...string) []job.Digest {
	var list []job.Digest
	for _, file := range files {
		d := job.Digest{Operators: true, Events: 100, AddsUp: true, PeakBytes: peak, StepsSeen: steps}
		d.File.Name, d.File.Path = file[strings.LastIndex(file, "/")+1:], file
		site := job.Site{Path: "a", Key: "a", Site: "a.py:1:f", Peak: job.Tensors{Bytes: peak, Count: 1},
			StepPeak: peak,
			Alive:    1}
		for range steps {
			d.Steps = append(d.Steps, job.Step{Complete: true, PeakBytes: peak, EndBytes: peak})
		}
		if steps > 0 {
			d.StepEnd, d.StepEndBytes, site.StepEnd = new(90), peak, site.Peak
		}
		d.Sites = []job.Site{site}
		list = append(list, d)
	}
	return list
}

// ranksText is the answer in one line.
func ranksText(t *testing.T, list []job.Digest) (string, *Comparison) {
	t.Helper()
	said := Answer(job.Jobs(list), 5)
	answertest.Fits(t, "ranks", said)
	return strings.Join(strings.Fields(strings.ReplaceAll(string(answertest.Written(t, said, sheet.Text)), "\u00a0",
			" ")), " "),
		said.Value.(*Comparison)
}

func ranksSay(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, want := range want {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
}

func TestRanksAllClear(t *testing.T) {
	for _, test := range []struct {
		steps []int
		want  string
	}{
		{[]int{3, 3, 3}, "No rank stands out: after its last step each holds about what the others hold, at every site."},
		{[]int{3, 0, 3}, "No peak is far above the others; what ranks without steps keep after a step is not known."},
		{[]int{0, 0, 0}, "3 ranks show no steps, so only their peaks can be compared, and no peak is far above the others. " +
			"What they keep after a step is not known."},
	} {
		var list []job.Digest
		for i, steps := range test.steps {
			list = append(list, rankDigests(units.GiB, steps, fmt.Sprintf("rank%d", i))...)
		}
		text, _ := ranksText(t, list)
		ranksSay(t, text, test.want)
	}
}

func TestRanksPair(t *testing.T) {
	for peak, want := range map[int64]string{
		units.GiB:     "The two ranks hold the same at their peaks.",
		9 * units.GiB: "Of two ranks neither can be called the outlier. Where they differ at their peaks: rank 0 rank 1",
	} {
		text, value := ranksText(t, append(rankDigests(units.GiB, 2, "rank0"), rankDigests(peak, 2, "rank1")...))
		ranksSay(t, text, want)
		if len(value.Outliers)+len(value.Groups) > 0 {
			t.Errorf("%+v", value)
		}
	}
}

func TestRankShown(t *testing.T) {
	for label, want := range map[string]any{"": "3", "3": "3", "tp1 pp0": sheet.Name("tp1 pp0")} {
		if got := (&Rank{Rank: 3, Label: label}).shown(); got != want {
			t.Errorf("label %q: %v", label, got)
		}
	}
}

// TestRanksOutlier: a rank that holds more is said first, in words and in numbers, and a
// condition counts it.
func TestRanksOutlier(t *testing.T) {
	list := append(rankDigests(units.GiB, 2, "rank0", "rank1", "rank3"), rankDigests(9*units.GiB, 2, "rank2")...)
	text, value := ranksText(t, list)
	ranksSay(t, text, "4 ranks: median peak 1.00 GiB, median reserved 0 Rank 2 still holds 9.00 GiB after its last step from "+
		"a.py:1:f; the median of the 4 ranks is 1.00 GiB. rank peak", "2 9.00 GiB +8.00 GiB 0 2 outlier rank2")
	want := []Outlier{{Rank: 2, File: "rank2", Site: "a.py:1:f", When: "step_end", Bytes: 9 * units.GiB,
		MedianBytes: units.GiB, LimitBytes: value.Outliers[0].LimitBytes}}
	if fmt.Sprint(value.Outliers) != fmt.Sprint(want) || !value.Ranks[2].Outlier || value.Ranks[1].Outlier ||
		value.Findings[0].Kind != "differs" || value.Findings[0].Rank != 2 {
		t.Errorf("%+v", value)
	}
	said := Answer(job.Jobs(list), 5)
	if _, holds, err := answertest.Condition(t, "ranks", "outliers>0").Holds(said); !holds || err != nil {
		t.Error(holds, err)
	}
}

// TestRanksGroups: what differs is compared with the ranks of its group, which are
// listed.
func TestRanksGroups(t *testing.T) {
	var list []job.Digest
	for rank := range 8 {
		peak := int64(rank/4+1) * 10 * units.GiB
		if rank == 6 {
			peak += units.GiB
		}
		d := rankDigests(peak, 2, fmt.Sprintf("rank%d", rank))
		d[0].Sites[0].Alive = 8 + rank/4
		list = append(list, d...)
	}
	text, value := ranksText(t, list)
	ranksSay(t, text, "Rank 6 still holds 21.0 GiB after its last step from a.py:1:f; the median of the 4 ranks of its group is "+
		"20.0 GiB.", "group ranks median peak lowest highest 0–3 4 10.0 GiB 10.0 GiB 10.0 GiB 4–7 4 20.0 GiB 20.0 GiB 21.0 GiB")
	if g := value.Groups; len(g) != 2 || fmt.Sprint(g[1].Ranks) != "[4 5 6 7]" || *value.Ranks[5].Group != 1 {
		t.Errorf("%+v", g)
	}
}

// TestRanksOutOfMemory: the first one is named where one clock tells.
func TestRanksOutOfMemory(t *testing.T) {
	oom := func(d *job.Digest, host string, micros *int64) {
		d.File.Host = host
		d.OOMs = []job.OOM{{Step: 8, Micros: micros, RequestedBytes: 217 * units.MiB, DeviceFreeBytes: units.MiB}}
	}
	const at = 1_700_000_000_000_000
	for _, test := range []struct {
		name  string
		hosts [2]string
		times [2]*int64
		want  []string
	}{
		{"one host", [2]string{"a", "a"}, [2]*int64{new(int64(at + 35_000)), new(int64(at))}, []string{
			"Rank 1 was the first of 2 to run out of memory in step 8, 35.0 ms before rank 0: 217 MiB was requested, 1.00 MiB " +
				"was free on the device.", "Rank 0 ran out of memory in step 8, 35.0 ms later: 217 MiB was"}},
		{"two hosts", [2]string{"a", "b"}, [2]*int64{new(int64(at + 35_000)), new(int64(at))}, []string{
			"Rank 1 ran out of memory in step 8: 217 MiB was requested, 1.00 MiB was free on the device. Which of 2 was the first " +
				"is not known: 35.0 ms lies between them, by their own clocks."}},
		{"two hosts, a minute apart", [2]string{"a", "b"}, [2]*int64{new(int64(at)), new(int64(at + 60_000_000))},
			[]string{
				"Rank 0 was the first of 2 to run out of memory in step 8, 60.0 s before rank 1"}},
		{"without times", [2]string{"a", "a"}, [2]*int64{}, []string{
			"Rank 0 ran out of memory", "Which of 2 was the first is not known, because their files have no times."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := rankDigests(units.GiB, 7, "rank0", "rank1", "rank2", "rank3")
			for i := range 2 {
				oom(&list[i], test.hosts[i], test.times[i])
			}
			text, value := ranksText(t, list)
			ranksSay(t, text, test.want...)
			if len(value.Findings) != 2 || value.Findings[0].Kind != "out_of_memory" {
				t.Errorf("%+v", value.Findings)
			}
		})
	}
}

// TestRanksLeaks: what grows is said once, with the ranks where it does.
func TestRanksLeaks(t *testing.T) {
	for _, test := range []struct {
		ranks  []int
		strong bool
		want   string
	}{
		{[]int{2}, true, "Memory from hooks.py:27:keep grows by 96.0 MiB a step on rank 2 alone, in 7 steps."},
		{[]int{2}, false, "on rank 2 alone, in 7 steps; a cache that is still filling would look the same."},
		{[]int{0, 2}, true, "grows by 96.0 MiB a step on 2 ranks, most on rank 2, in 7 steps."},
		{[]int{0, 1, 2, 3}, true, "grows by 96.0 MiB a step on all 4 ranks, most on rank 2, in 7 steps."},
	} {
		list := rankDigests(units.GiB, 7, "rank0", "rank1", "rank2", "rank3")
		for _, rank := range test.ranks {
			l := job.Leak{Strong: test.strong, Site: "hooks.py:27:keep", Key: "k", Path: "p", PerStep: 90 * units.MiB,
				Steps: 7}
			if rank == 2 {
				l.PerStep = 96 * units.MiB
			}
			list[rank].Leaks = []job.Leak{l}
		}
		text, value := ranksText(t, list)
		ranksSay(t, text, test.want)
		if len(value.Findings) != 1 || fmt.Sprint(value.Findings[0].Ranks) != fmt.Sprint(test.ranks) {
			t.Errorf("%+v", value.Findings)
		}
	}
}

// TestRanksSteps: the commonest number of steps is the norm.
func TestRanksSteps(t *testing.T) {
	list := append(rankDigests(units.GiB, 7, "rank0", "rank1", "rank2"), rankDigests(units.GiB, 3, "rank3")...)
	list = append(list, rankDigests(units.GiB, 9, "rank4")...)
	text, value := ranksText(t, list)
	ranksSay(t, text, "Rank 3 recorded 3 steps; most ranks recorded 7.",
		"Ranks recorded 3 to 9 steps: their last ones are")
	if len(value.Findings) != 1 || value.Dumps[0].CommonSteps != 7 {
		t.Errorf("%+v", value)
	}
	text, _ = ranksText(t, append(rankDigests(units.GiB, 3, "rank0"), rankDigests(units.GiB, 0, "rank1")...))
	ranksSay(t, text, "Some ranks show no steps, others up to 3: those without are compared at their peaks only.")
}

// TestRanksApart: a rank that was read in part is never an outlier, does not move the
// median, and says that its numbers are lower bounds; nor is one without history
// compared.
func TestRanksApart(t *testing.T) {
	list := rankDigests(8*units.GiB, 0, "rank0", "rank1", "rank2", "rank3", "rank4", "rank5")
	list[2].PeakBytes, list[2].Partial = units.GiB, true
	list[4].PeakBytes, list[4].Events = units.MiB, 1
	list[5] = job.Digest{File: list[5].File, Error: "the file is empty"}
	text, value := ranksText(t, list)
	if d := value.Dumps[0]; d.MedianPeakBytes != 8*units.GiB || d.ComparedRanks != 3 || len(value.Unreadable) != 1 {
		t.Errorf("%+v", d)
	}
	for i, r := range value.Ranks {
		if r.Rank != i || r.Outlier || r.Compared == (i == 2 || i == 4) || r.Cut != (i == 2) {
			t.Errorf("%+v", r)
		}
	}
	ranksSay(t, text, "5 ranks: median peak 8.00 GiB", "2 1.00 GiB 0 0 at least rank2",
		"4 1.00 MiB 0 0 no history rank4", "Not read: rank5: the file is empty",
		"Rank 2 was read in part (rank2): it holds at least what is shown, and is compared with none.",
		"Rank 4 has no history (rank4), so its peak is not known, and it is compared with none.")
	text, _ = ranksText(t, list[2:3])
	ranksSay(t, text, "1 rank, none of which can be compared")
	text, _ = ranksText(t, list[1:3])
	ranksSay(t, text, "Only one rank can be")
}

// TestRanksOfJobs: steps and runs are compared by themselves, and files without a rank
// in their names say so.
func TestRanksOfJobs(t *testing.T) {
	list := append(rankDigests(units.GiB, 0, "step_1/rank0.pickle", "step_1/rank1.pickle", "step_1/rank2.pickle",
		"notes.pickle", "more.pickle"), rankDigests(9*units.GiB, 0, "step_2/rank0.pickle", "step_2/rank1.pickle",
		"step_2_exit/rank1.pickle")...)
	text, value := ranksText(t, list)
	ranksSay(t, text, "step 1: 3 ranks: median peak 1.00 GiB", "step 2: 2 ranks: median peak 9.00 GiB",
		"step 2, out of memory: 1 rank: median", "no rank in the name: 2 ranks: median", "these 2 files hold no rank")
	if strings.Contains(text, " outlier ") || len(value.Dumps) != 4 || len(value.Ranks) != 8 {
		t.Errorf("%s %+v", text, value)
	}
	if _, holds, err := answertest.Condition(t, "ranks", "median_peak>8GiB").Holds(Answer(job.Jobs(list),
		5)); !holds || err != nil {
		t.Error(holds, err)
	}
	twice := rankDigests(units.GiB, 0, "a/rank0_x.pickle", "a/rank0_y.pickle", "a/rank1.pickle")
	text, _ = ranksText(t, twice)
	ranksSay(t, text, "Rank 0 is named by two files, rank0_x.pickle and rank0_y.pickle: are they of one job?")
	devices := append(rankDigests(units.GiB, 0, "rank0.pickle"), rankDigests(units.GiB, 0, "rank0.pickle")...)
	devices[1].Device = 1
	if text, _ = ranksText(t, devices); strings.Contains(text, "two files") || !strings.Contains(text,
		"0 device 1 1.00 GiB") {
		t.Error(text)
	}
}

// TestRanksOfFewRows: the text is bounded whatever is found.
func TestRanksOfFewRows(t *testing.T) {
	var list []job.Digest
	for rank := range 300 {
		d := rankDigests(units.GiB, 2, fmt.Sprintf("rank%d", rank))
		if rank%3 == 0 {
			d[0].OOMs = []job.OOM{{Micros: new(int64(rank))}}
			d[0].Anomalies = map[string]int{"unequal_end": 1}
		}
		list = append(list, d...)
	}
	said := Answer(job.Jobs(list), 5)
	if lines := strings.Count(string(answertest.Written(t, said, sheet.Text)), "\n"); lines > 80 {
		t.Errorf("%d lines", lines)
	}
	text, _ := ranksText(t, list)
	ranksSay(t, text, "After them, 95 more ranks ran out of memory.", "So it is with 95 more ranks.",
		"and 295 more ranks, nearer to the median; --rows shows more")
	if _, err := json.Marshal(said.Value); err != nil {
		t.Error(err)
	}
}
