package job_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/job"
)

// clean is the digests of a job of a model without noise.
func clean(n, stages int) []job.Digest {
	m := model{ranks: n, stages: stages, steps: 7, noise: noises[0], seed: 1}
	return m.digests()
}

// one is the only job of some digests.
func one(t *testing.T, list []job.Digest) *job.Job {
	t.Helper()
	jobs := job.Jobs(list)
	if len(jobs) != 1 {
		t.Fatalf("%d jobs, want 1", len(jobs))
	}
	return jobs[0]
}

// findings returns a job's findings as text: kind, rank, and for differences the site and
// when.
func findings(j *job.Job) []string {
	list := []string{}
	for _, f := range j.Findings {
		text := fmt.Sprintf("%s %d", f.Kind.Key(), j.Ranks[f.Rank].Name.Rank)
		if f.Kind == job.Differs {
			site := "as a whole"
			if f.Site != nil {
				site = f.Site.Site.Site
			}
			text += fmt.Sprintf(" %s %s %+d MiB", site, f.When.Key(), f.Difference()/mib)
		}
		list = append(list, text)
	}
	return list
}

func groupNames(j *job.Job) []string {
	names := []string{}
	for _, g := range j.Groups {
		names = append(names, g.Name)
	}
	return names
}

func expect(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// TestLargeJob: of 1,024 ranks in four stages, two of which run out of memory, one
// holds more, one leaks and one recorded few steps, just these are found.
func TestLargeJob(t *testing.T) {
	for _, noise := range noises {
		m := model{ranks: 1024, stages: 4, steps: 7, noise: noise, seed: 3,
			extra: map[int]int64{37: 1188 * mib, 900: 672 * mib}}
		list := m.digests()
		const at = 1_700_000_000_000_000
		for rank, micros := range map[int]int64{867: at, 611: at + 35_000} {
			list[rank].File.Host = "n1"
			list[rank].OOMs = []job.OOM{{Micros: &micros, RequestedBytes: 217 * mib}}
		}
		last := &list[900].Sites[len(list[900].Sites)-1]
		list[900].Leaks = []job.Leak{{Strong: true, Site: last.Site, Path: last.Path, Key: last.Key,
			PerStep: 96 * mib,
			Steps:   7}}
		list[200].Steps, list[200].StepsSeen = list[200].Steps[4:], 3
		rand.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
		j := one(t, list)
		expect(t, noise.name, findings(j), []string{"out_of_memory 867", "out_of_memory 611",
			"differs 37 hooks.py:27:keep step_end +1188 MiB", "short 200", "leaks 900"})
		expect(t, noise.name, groupNames(j), []string{"0–255", "256–511", "512–767", "768–1023"})
		if j.FirstOOMs != 1 || j.CommonSteps != 7 {
			t.Errorf("%s: %d may be the first, %d steps", noise.name, j.FirstOOMs, j.CommonSteps)
		}
	}
}

// TestOrder: digests in any order make the same jobs.
func TestOrder(t *testing.T) {
	m := model{ranks: 24, stages: 2, steps: 7, noise: noises[2], extra: map[int]int64{7: gib}}
	list := m.digests()
	want := job.Jobs(list)
	for range 10 {
		rand.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
		if got := job.Jobs(list); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v\nwant %+v", got, want)
		}
	}
}

// TestGroups: ranks are grouped by how many tensors they hold where, and a few that are
// alone with it join those that are nearest.
func TestGroups(t *testing.T) {
	for _, test := range []struct {
		name   string
		list   []job.Digest
		change func(list []job.Digest)
		want   []string
		mixed  bool
	}{
		{"one stage", clean(8, 1), nil, []string{"0–7"}, false},
		{"two stages", clean(8, 2), nil, []string{"0–3", "4–7"}, false},
		{"every second", clean(8, 2), func(list []job.Digest) {
			for i := range list {
				k := i%4*2 + i/4
				list[i].Name.Rank, list[i].File.Path = k, fmt.Sprintf("rank%d.pickle", k)
			}
		}, []string{"every 2nd from 0", "every 2nd from 1"}, false},
		{"a gap", clean(12, 2), func(list []job.Digest) {
			for i := range list {
				list[i].File.Path = fmt.Sprintf("rank%d.pickle", i*3)
			}
		}, []string{"0–15", "18–33"}, false},
		{"axes", clean(8, 2), func(list []job.Digest) {
			for i := range list {
				list[i].File.Path = fmt.Sprintf("pp%d_tp%d.pickle", i/4, i%4)
			}
		}, []string{"pp0", "pp1"}, false},
		{"one holds another number", clean(16, 2), func(list []job.Digest) { list[3].Sites[10].Alive++ },
			[]string{"0–7", "8–15"}, false},
		{"next to nothing does not count", clean(16, 2), func(list []job.Digest) {
			for i := range list {
				list[i].Sites = append(list[i].Sites, job.Site{Path: "log", Key: "log", Site: "log.py:1:f",
					StepPeak: 4 * mib, Alive: i})
			}
		}, []string{"0–7", "8–15"}, false},
		{"numbers tell nothing, sites do", clean(16, 2), func(list []job.Digest) {
			for i := range list {
				list[i].Sites[12].Alive += i
			}
		}, []string{"0–7", "8–15"}, false},
		{"nothing tells", clean(16, 2), func(list []job.Digest) {
			for i := range list {
				list[i].Sites[12].Path, list[i].Sites[12].Key = fmt.Sprint("path of ", i), fmt.Sprint("key of ", i)
			}
		}, []string{"0–15"}, true},
		{"two ranks", clean(2, 1), nil, []string{}, false},
	} {
		if test.change != nil {
			test.change(test.list)
		}
		j := one(t, test.list)
		expect(t, test.name, groupNames(j), test.want)
		if len(j.Groups) > 0 && j.Groups[0].Mixed != test.mixed {
			t.Errorf("%s: mixed %t", test.name, j.Groups[0].Mixed)
		}
	}
}

// TestDifferences changes a clean job of two groups.
func TestDifferences(t *testing.T) {
	grow := func(d *job.Digest, site int, when job.When, bytes int64) {
		s := &d.Sites[site]
		s.StepPeak += bytes
		for i := range d.Steps {
			d.Steps[i].PeakBytes += bytes
		}
		d.PeakBytes += bytes
		if when == job.AfterSteps {
			s.StepEnd.Bytes += bytes
			d.StepEndBytes += bytes
		}
	}
	for _, test := range []struct {
		name   string
		change func(list []job.Digest)
		want   []string
	}{
		{"nothing", func([]job.Digest) {}, []string{}},
		{"more after a step", func(list []job.Digest) { grow(&list[3], 2, job.AfterSteps, 2*gib) },
			[]string{"differs 3 model.py:3:layer step_end +2048 MiB"}},
		{"less after a step", func(list []job.Digest) { grow(&list[3], 2, job.AfterSteps, -2*gib) },
			[]string{"differs 3 model.py:3:layer step_end -2048 MiB"}},
		{"more in a step", func(list []job.Digest) { grow(&list[3], 12, job.InSteps, 2*gib) },
			[]string{"differs 3 model.py:13:layer steps +2048 MiB"}},
		{"less in a step", func(list []job.Digest) { grow(&list[3], 12, job.InSteps, -2*gib) },
			[]string{"differs 3 as a whole steps -2048 MiB"}},
		{"here more, there less", func(list []job.Digest) {
			grow(&list[3], 12, job.InSteps, 2*gib)
			grow(&list[3], 13, job.InSteps, -2*gib)
		}, []string{}},
		{"without a stack", func(list []job.Digest) {
			grow(&list[3], 2, job.AfterSteps, 2*gib)
			for i := range list {
				list[i].Sites[2].Site = ""
			}
		}, []string{"differs 3 as a whole step_end +2048 MiB"}},
		{"less than a hundredth of the peak", func(list []job.Digest) { grow(&list[3], 2, job.AfterSteps, gib/2) },
			[]string{}},
		{"two of a group, the larger first", func(list []job.Digest) {
			grow(&list[3], 2, job.AfterSteps, 2*gib)
			grow(&list[5], 2, job.AfterSteps, 4*gib)
		}, []string{"differs 5 model.py:3:layer step_end +4096 MiB", "differs 3 model.py:3:layer step_end +2048 MiB"}},
		{"one of each group", func(list []job.Digest) {
			grow(&list[3], 2, job.AfterSteps, 2*gib)
			grow(&list[12], 2, job.AfterSteps, 4*gib)
		}, []string{"differs 12 model.py:3:layer step_end +4096 MiB", "differs 3 model.py:3:layer step_end +2048 MiB"}},
		{"read in part", func(list []job.Digest) {
			grow(&list[3], 2, job.AfterSteps, 2*gib)
			list[3].Partial = true
		}, []string{}},
		{"without a history", func(list []job.Digest) {
			grow(&list[3], 2, job.AfterSteps, 2*gib)
			list[3].Events = 1
		}, []string{}},
		{"a leak explains it", func(list []job.Digest) {
			grow(&list[3], 2, job.AfterSteps, 2*gib)
			list[3].Leaks = []job.Leak{{Path: list[3].Sites[2].Path, Key: list[3].Sites[2].Key}}
		}, []string{"leaks 3"}},
		{"no steps", func(list []job.Digest) {
			for i := range list {
				d := &list[i]
				d.Steps, d.StepsSeen, d.StepEnd, d.StepEndBytes = nil, 0, nil, 0
			}
			list[3].Sites[2].Peak.Bytes += 2 * gib
			list[3].PeakBytes += 2 * gib
		}, []string{"differs 3 model.py:3:layer peak +2048 MiB"}},
		{"no steps on one rank", func(list []job.Digest) {
			d := &list[3]
			d.Steps, d.StepsSeen, d.StepEnd, d.StepEndBytes = nil, 0, nil, 0
			d.Sites[2].Peak.Bytes += 2 * gib
			d.PeakBytes += 2 * gib
		}, []string{"differs 3 model.py:3:layer peak +2048 MiB"}},
		{"no C++ frames on one rank", func(list []job.Digest) {
			for i := range list {
				for k := range list[i].Sites {
					s := &list[i].Sites[k]
					s.PythonPath = "python " + s.Path
					if i == 4 {
						s.Path, s.Key, s.PythonPath = s.PythonPath, "python "+s.Key, ""
					}
				}
			}
			list[4].Operators = false
			grow(&list[3], 2, job.AfterSteps, 2*gib)
		}, []string{"differs 3 model.py:3:layer step_end +2048 MiB"}},
		{"another way to the same line on one rank", func(list []job.Digest) {
			list[4].Sites[2].Path = "by another launcher"
			grow(&list[3], 2, job.AfterSteps, 2*gib)
		}, []string{"differs 3 model.py:3:layer step_end +2048 MiB"}},
		{"contradictions and unread files", func(list []job.Digest) {
			list[3].Anomalies = map[string]int{"unequal_end": 1}
			list[4].Anomalies = map[string]int{"unknown_actions": 1}
			list[5] = job.Digest{File: list[5].File, Error: "the file is empty"}
		}, []string{"unreadable 5", "does_not_add_up 3"}},
	} {
		list := clean(16, 2)
		test.change(list)
		expect(t, test.name, findings(one(t, list)), test.want)
	}
}

// TestFallback: where no groups can be distinguished, sites of few ranks are no finding
// unless the rank is high as a whole.
func TestFallback(t *testing.T) {
	stages := func() []job.Digest {
		list := clean(8, 1)
		for i := range list {
			s := &list[i].Sites[2]
			s.Path, s.Key = fmt.Sprint("path of ", i), fmt.Sprint("key of ", i)
		}
		return list
	}
	list := stages()
	j := one(t, list)
	expect(t, "each has code of its own", findings(j), []string{})
	if !j.Groups[0].Mixed {
		t.Error("groups were found")
	}
	list = stages()
	d := &list[3]
	d.Sites[2].StepEnd.Bytes += 4 * gib
	d.StepEndBytes += 4 * gib
	expect(t, "one is high", findings(one(t, list)), []string{"differs 3 model.py:2:layer step_end +7168 MiB"})
}

// TestShort: fewer steps than most, which a ring buffer may explain.
func TestShort(t *testing.T) {
	for _, test := range []struct {
		steps []int
		cut   bool
		want  []string
	}{
		{[]int{7, 7, 7, 3}, false, []string{"short 3"}},
		{[]int{7, 7, 7, 6}, true, []string{}},
		{[]int{7, 7, 7, 3}, true, []string{"short 3"}},
		{[]int{7, 7, 7, 9}, false, []string{}},
		{[]int{7, 7, 7, 0}, false, []string{}},
		{[]int{7, 6, 5, 4}, false, []string{}},
		{[]int{7, 7, 5, 4}, false, []string{"short 2", "short 3"}},
	} {
		list := clean(4, 1)
		for i, n := range test.steps {
			list[i].StepsSeen, list[i].HistoryCut = n, test.cut
		}
		expect(t, fmt.Sprint(test.steps, test.cut), findings(one(t, list)), test.want)
	}
	list := clean(4, 1)
	list[3].StepsSeen, list[3].OOMs = 3, []job.OOM{{}}
	expect(t, "out of memory", findings(one(t, list)), []string{"out_of_memory 3"})
}

// TestFirstOOM: the order of errors is certain on one host, and over a second.
func TestFirstOOM(t *testing.T) {
	const at = 1_700_000_000_000_000
	for _, test := range []struct {
		name  string
		hosts string // a letter a rank; - for unknown
		after []int64
		order []string
		first int
	}{
		{"one host", "aa", []int64{1, 0}, []string{"out_of_memory 1", "out_of_memory 0"}, 1},
		{"one host, one time", "aa", []int64{0, 0}, []string{"out_of_memory 0", "out_of_memory 1"}, 2},
		{"two hosts", "ab", []int64{35_000, 0}, []string{"out_of_memory 1", "out_of_memory 0"}, 2},
		{"unknown hosts", "--", []int64{35_000, 0}, []string{"out_of_memory 1", "out_of_memory 0"}, 2},
		{"two hosts, a second", "ab", []int64{0, 1_000_000}, []string{"out_of_memory 0", "out_of_memory 1"}, 1},
		{"two hosts, nearly", "ab", []int64{0, 999_999}, []string{"out_of_memory 0", "out_of_memory 1"}, 2},
		{"no times", "aa", []int64{-1, -1}, []string{"out_of_memory 0", "out_of_memory 1"}, 2},
		{"one time", "aa", []int64{-1, 5}, []string{"out_of_memory 1", "out_of_memory 0"}, 1},
		{"none", "", nil, []string{}, 0},
	} {
		list := clean(4, 1)
		for i, after := range test.after {
			if list[i].File.Host = test.hosts[i : i+1]; list[i].File.Host == "-" {
				list[i].File.Host = ""
			}
			list[i].OOMs = []job.OOM{{}, {}} // only the first of a rank counts
			if after >= 0 {
				list[i].OOMs[0].Micros = new(at + after)
			}
		}
		j := one(t, list)
		expect(t, test.name, findings(j), test.order)
		if j.FirstOOMs != test.first {
			t.Errorf("%s: %d may be the first, want %d", test.name, j.FirstOOMs, test.first)
		}
	}
}

// TestLeaks: a site that grows on several ranks is one finding, of the rank with the
// strongest evidence and the most bytes.
func TestLeaks(t *testing.T) {
	list := clean(5, 1)
	for i, leak := range []job.Leak{{Key: "a", PerStep: 9}, {Key: "a", PerStep: 1, Strong: true},
		{Key: "a", PerStep: 2, Strong: true}, {Key: "b", PerStep: 50}} {
		list[i].Leaks = []job.Leak{leak, leak}
	}
	j := one(t, list)
	expect(t, "leaks", findings(j), []string{"leaks 2", "leaks 3"})
	first := &j.Findings[0]
	if !slices.Equal(first.Also, []int{0, 1}) || first.Leak.PerStep != 2 || j.Findings[1].Also != nil {
		t.Errorf("%+v", j.Findings)
	}
}

// TestRenamed: ranks of another salt are compared with each other only.
func TestRenamed(t *testing.T) {
	list := clean(12, 1)
	for i := range list {
		d := &list[i]
		d.Redacted = "all"
		salt := map[bool]string{false: "aaaaaaaa", true: "bbbbbbbb"}[i >= 8]
		for k := range d.Sites {
			s := &d.Sites[k]
			s.Path, s.Key = salt+s.Path, salt+s.Key
			s.Site = fmt.Sprintf("file_%s.py:%d:fn_%s", salt, k, salt)
		}
	}
	list[3].Sites[2].StepEnd.Bytes += 3 * gib
	j := one(t, list)
	if !slices.Equal(j.Renamed, []int{8, 9, 10, 11}) {
		t.Errorf("%v", j.Renamed)
	}
	expect(t, "two salts", groupNames(j), []string{"0–7", "8–11"})
	expect(t, "two salts", findings(j), []string{"differs 3 file_aaaaaaaa.py:2:fn_aaaaaaaa step_end +3072 MiB"})
	list[8].Redacted = "" // no salt at all
	if j := one(t, list); !slices.Equal(j.Renamed, []int{8, 9, 10, 11}) || j.GroupOf[8] != job.NoGroup {
		t.Errorf("%v, rank 8 in %d", j.Renamed, j.GroupOf[8])
	}
}

// TestJobs: runs, iterations and occasions are jobs of their own, and ranks are read
// from all names together.
func TestJobs(t *testing.T) {
	var list []job.Digest
	for _, path := range []string{"iteration_10/rank0.pickle", "iteration_10/rank1.pickle", "iteration_20/rank0.pickle",
		"iteration_20_exit/rank0.pickle", "a.pickle", "b/snapshot_7.pickle", "c/snapshot_9.pickle"} {
		d := clean(1, 1)[0]
		d.Name, d.File.Path = job.Name{Rank: 5, From: job.FromNumber}, path // as if it had been the only one
		list = append(list, d)
	}
	list[0].Name.From, list[0].Name.Step = job.FromEnvironment, new(10)
	var got []string
	for _, j := range job.Jobs(list) {
		text := fmt.Sprint(j.Run, " oom ", j.OOM, " named ", j.InNames, ":")
		if j.Step != nil {
			text = fmt.Sprint("step ", *j.Step, text)
		}
		for i := range j.Ranks {
			text += fmt.Sprint(" ", j.Ranks[i].Name.Rank)
		}
		got = append(got, text)
	}
	expect(t, "jobs", got, []string{" oom false named false: 0 1 2", "step 10 oom false named true: 1 5",
		"step 20 oom false named true: 0", "step 20 oom true named true: 0"})
}

// TestUnlike: files of different programs are not compared.
func TestUnlike(t *testing.T) {
	list := clean(3, 1)
	for i := range list {
		list[i].File.Path = string(rune('a'+i)) + ".pickle"
		for k := range 11 {
			list[i].Sites[k].Path, list[i].Sites[k].Key = fmt.Sprint(i, k), fmt.Sprint(i, k)
		}
	}
	if j := one(t, list); !j.Unlike || len(j.Groups) > 0 {
		t.Errorf("%+v", j.Groups)
	}
	for i := range list {
		copy(list[i].Sites[8:11], clean(1, 1)[0].Sites[8:11])
	}
	if j := one(t, list); j.Unlike || len(j.Groups) != 1 {
		t.Errorf("%+v", j.Groups)
	}
}

// TestHostileNumbers: no number of a digest overflows a limit.
func TestHostileNumbers(t *testing.T) {
	list := clean(8, 1)
	const most = 1<<63 - 1
	for i := range list {
		d := &list[i]
		d.PeakBytes, d.StepEndBytes = most-int64(i), -most+int64(i)
		for k := range d.Steps {
			d.Steps[k].PeakBytes = most - int64(i*k)
		}
		for k := range d.Sites {
			d.Sites[k].StepPeak, d.Sites[k].StepEnd.Bytes, d.Sites[k].Alive = most, -most, 1<<62
		}
	}
	for _, g := range one(t, list).Groups {
		for _, s := range g.Totals {
			if s.Limit < mib || s.Median < 0 || s.Low > s.High {
				t.Errorf("%+v", s)
			}
		}
	}
}

func BenchmarkJobs(b *testing.B) {
	for _, n := range []int{1024, 4096} {
		m := model{ranks: n, stages: 4, steps: 7, noise: noises[2], extra: map[int]int64{37: gib}}
		list := m.digests()
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				job.Jobs(list)
			}
		})
	}
}

// TestHostMemoryIsApart: what ranks hold on GPUs is compared with each other only, and so is
// their pinned host memory.
func TestHostMemoryIsApart(t *testing.T) {
	gpus := clean(8, 1)
	list := slices.Clone(gpus)
	for _, d := range clean(8, 1) {
		d.Device = -1
		d.PeakBytes *= 3
		list = append(list, d)
	}
	jobs := job.Jobs(list)
	if len(jobs) != 2 || jobs[0].Pinned || !jobs[1].Pinned || len(jobs[1].Ranks) != 8 {
		t.Fatalf("%d jobs, want GPUs and then host memory", len(jobs))
	}
	alone := one(t, gpus)
	if len(jobs[0].Ranks) != 8 || !reflect.DeepEqual(jobs[0].Groups, alone.Groups) ||
		!reflect.DeepEqual(findings(jobs[0]), findings(alone)) {
		t.Errorf("GPUs have groups %+v, want %+v", jobs[0].Groups, alone.Groups)
	}
}
