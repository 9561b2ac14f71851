package ranks

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/units"
)

func (w *jobWords) need() JobAnswer {
	a := JobAnswer{Brief: answer.Brief{Question: "How much does a rank need?", Mood: answer.Known}, Order: "peak"}
	var peaks []int64
	most := -1
	for i := range w.Ranks {
		if d := &w.Ranks[i]; job.Comparable(d) {
			if most < 0 || d.PeakBytes > w.Ranks[most].PeakBytes {
				most = i
			}
			peaks = append(peaks, d.PeakBytes)
		}
	}
	if most < 0 {
		a.Value, a.Line, a.Mood = "Not recorded", "needs a history of events of some rank", answer.Unknown
		return a
	}
	a.Rank = &most
	a.Small = "median peak of " + units.Plural(len(peaks), "rank", "ranks")
	spread := job.SpreadOf(peaks, 0)
	a.Value = units.Bytes(spread.Median)
	a.Line = units.Bytes(spread.Low) + " to " + units.Bytes(spread.High)
	if g := len(w.Groups); g > 0 {
		a.Line += " in " + units.Plural(g, "group", "groups")
	}
	a.Line += "; most on rank " + w.name(most)
	return a
}

func (w *jobWords) differing() JobAnswer {
	a := JobAnswer{Brief: answer.Brief{Question: "Which ranks differ?", Mood: answer.Known}, Order: "differs"}
	list := w.of(job.Differs)
	switch {
	case w.Unlike:
		a.Value, a.Line, a.Mood = "Not compared", "these are different programs", answer.Unknown
	case len(w.Groups) == 0:
		a.Value, a.Line, a.Mood = units.Plural(len(w.Ranks), "rank", "ranks"),
			"with so few there is no telling which is the odd one", answer.Unknown
		if len(w.Ranks) == 2 {
			a.Value, a.Line = "Two ranks", "with two there is no telling which is the odd one"
		}
	case len(list) == 0:
		a.Value, a.Line, a.Mood = "None", "each holds about what its group holds", answer.Unknown
		if len(w.of(job.Leaks)) > 0 {
			a.Line = "but for what keeps growing, " + a.Line
		}
	default:
		i := slices.IndexFunc(w.Findings, func(f job.Finding) bool { return f.Kind == job.Differs })
		f := &w.Findings[i]
		a.Rank = &f.Rank
		a.Line = units.Change(f.Difference())
		if f.Site == nil {
			a.Line += " as a whole, in each step"
			if f.When == job.AfterSteps {
				a.Line = units.Change(f.Difference()) + " as a whole, after a step"
			}
		} else {
			a.Line += " at " + siteCaption(f.Site.Site.Site)
			if f.When == job.AfterSteps {
				a.Line += " after a step"
			}
		}
		if len(list) == 1 {
			a.Value, a.Small = "rank "+w.name(f.Rank), "alone"
		} else {
			a.Value, a.Small = units.Plural(len(list), "rank", "ranks"), "of "+units.Count(len(w.Ranks))
			a.Line = "rank " + w.name(f.Rank) + ": " + a.Line
		}
	}
	return a
}

func (w *jobWords) growing() JobAnswer {
	a := JobAnswer{Brief: answer.Brief{Question: "What keeps growing?", Mood: answer.Known}, Order: "growth"}
	i := slices.IndexFunc(w.Findings, func(f job.Finding) bool { return f.Kind == job.Leaks })
	switch {
	case i < 0 && w.CommonSteps < 2:
		a.Value, a.Line, a.Mood = "Not known", "growth needs two steps or more", answer.Unknown
	case i < 0:
		a.Value, a.Line, a.Mood = "Nothing", "on no rank, over "+units.Plural(w.CommonSteps, "step",
			"steps"), answer.Unknown
	default:
		f := &w.Findings[i]
		a.Rank = &f.Rank
		a.Value = units.Change(f.Leak.PerStep)
		a.Small = "a step on rank " + w.name(f.Rank) + " alone"
		if n := len(f.Also); n > 0 {
			a.Small = "a step on " + units.Plural(n+1, "rank", "ranks")
		}
		a.Line = siteCaption(f.Leak.Site)
		if doubt := leakDoubt(f.Leak); doubt != "" {
			a.Line += ": " + doubt
		}
	}
	return a
}

func (w *jobWords) firstOOM() JobAnswer {
	a := JobAnswer{Brief: answer.Brief{Question: "Which rank ran out of memory first?", Mood: answer.Known}}
	list := w.of(job.OutOfMemory)
	if w.Job.Pinned {
		a.Value, a.Line, a.Mood = "Not recorded", phrase.NoHostFailures, answer.Unknown
		return a
	}
	if len(list) == 0 {
		a.Value, a.Line, a.Mood = "None", "no recording has an out-of-memory event", answer.Unknown
		return a
	}
	f := &w.Findings[0]
	a.Mood, a.Rank = answer.Alarm, &f.Rank
	asked := "asked for " + units.Bytes(f.OOM.RequestedBytes)
	if w.FirstOOMs > 1 {
		a.Value = w.names(list[:min(w.FirstOOMs, len(list))])
		a.Small = "at about the same time"
		a.Line = "the clocks of their hosts do not tell; " + asked
		if f.OOM.Micros == nil {
			a.Small, a.Line = "", "without times there is no telling; "+asked
		}
		return a
	}
	a.Value = "rank " + w.name(f.Rank)
	if f.OOM.Step > 0 {
		a.Small = "in step " + units.Count(f.OOM.Step)
	}
	if len(list) == 1 {
		a.Line = "the only one; " + asked
		return a
	}
	next := slices.IndexFunc(w.Findings,
		func(g job.Finding) bool { return g.Kind == job.OutOfMemory && g.Rank != f.Rank })
	second := &w.Findings[next]
	if len(list) == len(w.Ranks) {
		a.Line = "the first of " + units.Count(len(list)) + "; " + asked
	} else {
		a.Line = "before rank " + w.name(second.Rank) + "; " + asked
	}
	if t, u := f.OOM.Micros, second.OOM.Micros; t != nil && u != nil && *u >= *t {
		a.Line = units.Duration(*u-*t) + " before rank " + w.name(second.Rank)
		if w.Ranks[f.Rank].File.Host != w.Ranks[second.Rank].File.Host {
			a.Line += " by their own clocks"
		}
		a.Line += "; " + asked
	}
	return a
}
