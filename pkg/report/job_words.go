package report

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/ranks"
	"github.com/memviz-go/memviz/pkg/units"
)

// jobWords writes what a job page says.
type jobWords struct {
	*ranks.Job
	view *jobView
}

func (w *jobWords) write() {
	v := w.view
	w.addFacts()
	w.addWarnings()
	for i := range w.Findings {
		v.Findings = append(v.Findings, w.finding(i))
	}
	v.Answers = [4]jobAnswer{w.need(), w.differing(), w.growing(), w.firstOOM()}
	v.Alignment = "each recording as a whole, by events"
	if w.CommonSteps > 0 {
		v.Alignment = fmt.Sprintf("ranks are aligned by their last %s; inside a step, by events",
			units.Plural(min(w.CommonSteps, 32), "finished step", "finished steps"))
	}
}

// jobLabel names a job: by its run, iteration and occasion.
func jobLabel(j *ranks.Job, isOneOfSeveral bool) string {
	var parts []string
	if j.Run != "" {
		parts = append(parts, units.Printable(j.Run))
	}
	if j.Step != nil {
		parts = append(parts, "iteration "+strconv.Itoa(*j.Step))
	}
	if j.OOM {
		parts = append(parts, "out of memory")
	}
	if len(parts) == 0 && isOneOfSeveral {
		return "other files"
	}
	return strings.Join(parts, " · ")
}

func (w *jobWords) addFacts() {
	v, hosts, unread := w.view, map[string]bool{}, 0
	addUp := 0
	for i := range w.Ranks {
		d := &w.Ranks[i]
		if d.File.Host != "" {
			hosts[d.File.Host] = true
		}
		if d.Error != "" {
			unread++
		} else if d.AddsUp {
			addUp++
		}
	}
	v.Facts = append(v.Facts, jobFact{"ranks", units.Count(len(w.Ranks))})
	if len(hosts) > 0 {
		v.Facts = append(v.Facts, jobFact{"hosts", units.Count(len(hosts))})
	}
	v.Facts = append(v.Facts, jobFact{"steps", units.Count(w.CommonSteps)})
	if len(w.Groups) > 0 {
		v.Facts = append(v.Facts, jobFact{"groups", units.Count(len(w.Groups))})
	}
	switch {
	case addUp == len(w.Ranks):
		v.Verdict = jobVerdict{true, "all read, all add up"}
	case unread > 0:
		v.Verdict.Text = fmt.Sprintf("%s of %s not read", units.Count(unread), units.Plural(len(w.Ranks), "rank",
			"ranks"))
	default:
		v.Verdict.Text = fmt.Sprintf("%s of %s add up", units.Count(addUp), units.Plural(len(w.Ranks), "rank", "ranks"))
	}
}

func (w *jobWords) addWarnings() {
	warn := func(fact, consequence string) {
		w.view.Warnings = append(w.view.Warnings, jobWarning{fact, consequence})
	}
	if !w.InNames {
		warn("No file name holds a rank.", "Ranks are positions in the order of the names.")
	}
	if w.Unlike {
		warn("These are recordings of different programs.",
			"Less than half of their bytes lie at call sites that all of them have, so they are not compared.")
	}
	if n := len(w.Ranks); n == 2 {
		warn("Two ranks.", "With two there is no telling which is the odd one; memviz diff compares them line by line.")
	}
	if short := w.of(ranks.Short); len(short) == 1 {
		warn(fmt.Sprintf("Rank %s recorded %d of %s.", w.name(short[0]), w.Ranks[short[0]].StepsSeen,
			units.Plural(w.CommonSteps, "step", "steps")),
			"Its last steps stand under the last steps of the others; what it held before is not known.")
	} else if len(short) > 1 {
		warn(fmt.Sprintf("%s recorded fewer than %s.", capital(w.names(short)), units.Plural(w.CommonSteps, "step",
			"steps")),
			"Their last steps stand under the last steps of the others; what they held before is not known.")
	}
	if bad := w.of(ranks.Unreadable); len(bad) > 0 {
		warn(fmt.Sprintf("%s could not be read.", capital(w.names(bad))), units.Printable(w.Ranks[bad[0]].Error))
	}
	if len(w.Renamed) > 0 {
		warn(fmt.Sprintf("Call sites of %s have other names.", units.Plural(len(w.Renamed), "rank", "ranks")),
			"They were redacted in another way, or with another salt, and are compared with each other only.")
	}
	if w.WithoutOperators {
		w.view.Notes = append(w.view.Notes,
			"Some rank recorded no C++ frames, so call sites are matched without their operators.")
	}
}

// of are the ranks with a finding of a kind, once each.
func (w *jobWords) of(kind ranks.Kind) (list []int) {
	for i := range w.Findings {
		if f := &w.Findings[i]; f.Kind == kind && !slices.Contains(list, f.Rank) {
			list = append(list, f.Rank)
		}
	}
	return list
}

func (w *jobWords) name(rank int) string { return w.view.data.Ranks[rank].Name }

// names are ranks by name: "rank 3", "ranks 3, 5 and 7", "ranks 3, 5 and 12 more".
func (w *jobWords) names(list []int) string {
	const most = 4
	if len(list) == 1 {
		return "rank " + w.name(list[0])
	}
	var shown []string
	for _, rank := range list[:min(len(list), most)] {
		shown = append(shown, w.name(rank))
	}
	if len(list) > most {
		return fmt.Sprintf("ranks %s and %s more", strings.Join(shown, ", "), units.Count(len(list)-most))
	}
	return fmt.Sprintf("ranks %s and %s", strings.Join(shown[:len(shown)-1], ", "), shown[len(shown)-1])
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// siteWords are the function of a call site, and its file with the line.
func siteWords(site string) (function, where string) {
	parts := strings.Split(units.Printable(site), ":")
	if site == "" {
		return "(no stack recorded)", ""
	}
	if n := len(parts); n >= 3 {
		return parts[n-1], path.Base(strings.Join(parts[:n-2], ":")) + ":" + parts[n-2]
	}
	return strings.Join(parts, ":"), ""
}

// siteName is a call site in one piece.
func siteName(site string) string {
	function, where := siteWords(site)
	return strings.TrimSpace(function + " " + where)
}

func (w *jobWords) finding(i int) *jobFinding {
	f := &w.Findings[i]
	d := &w.Ranks[f.Rank]
	v := &jobFinding{Rank: f.Rank, Kind: f.Kind.Key()}
	switch f.Kind {
	case ranks.OutOfMemory:
		v.What, v.First = "out of memory", i < w.FirstOOMs
		if w.FirstOOMs == 1 && i == 0 && len(w.of(ranks.OutOfMemory)) > 1 {
			v.What += ", the first"
		}
		v.Detail = "asked for " + units.Bytes(f.OOM.RequestedBytes)
		if f.OOM.Site != "" {
			v.Detail += " at " + siteName(f.OOM.Site)
		}
		v.Detail += "; " + units.Bytes(f.OOM.DeviceFreeBytes) + " free on the device"
		if f.OOM.Verdict != "" {
			v.Detail += ": " + strings.ReplaceAll(units.Printable(f.OOM.Verdict), "_", " ")
		}
	case ranks.Differs:
		v.Change = f.Difference()
		moment := [...]string{"the highest of a step", "after a step", "at the peak"}[f.When]
		if f.Site == nil {
			v.What = "as a whole"
		} else {
			v.What = siteName(f.Site.Site.Site)
		}
		v.Detail = fmt.Sprintf("%s: %s, median of its group %s", moment, units.Bytes(f.Bytes), units.Bytes(f.Median))
		if f.OnlyHere {
			v.Detail += "; not every rank of the group runs this"
		}
	case ranks.Short:
		v.What = fmt.Sprintf("recorded %d of %s", d.StepsSeen, units.Plural(w.CommonSteps, "step", "steps"))
		v.Detail = "compared after its own last step"
	case ranks.Leaks:
		v.What, v.Change = siteName(f.Leak.Site), f.Leak.PerStep
		v.Detail = fmt.Sprintf("grows %s a step in %s", units.Bytes(f.Leak.PerStep), units.Plural(f.Leak.Steps,
			"step", "steps"))
		if !f.Leak.Strong {
			v.Detail += ", too few to be sure"
		}
		if n := len(f.Also); n > 0 {
			v.Also = f.Also
			v.Detail += fmt.Sprintf("; on %s more", units.Plural(n, "rank", "ranks"))
		}
	case ranks.Unreadable:
		v.What, v.Detail = "could not be read", units.Printable(d.Error)
	case ranks.DoesNotAddUp:
		v.What, v.Detail = "does not add up",
			"its events contradict each other, or its final state; its numbers may be wrong"
	}
	return v
}

func (w *jobWords) need() jobAnswer {
	a := jobAnswer{Question: "How much does a rank need?", Order: "peak"}
	var low, high int64
	most, n := -1, 0
	for i := range w.Ranks {
		if d := &w.Ranks[i]; isCompared(d) {
			if most < 0 || d.PeakBytes > high {
				high, most = d.PeakBytes, i
			}
			if n == 0 || d.PeakBytes < low {
				low = d.PeakBytes
			}
			n++
		}
	}
	if n == 0 {
		a.Value, a.Line, a.Tone = "Not recorded", "needs a history of events of some rank", "unknown"
		return a
	}
	a.Rank = &most
	a.Value = units.Bytes(w.view.MedianPeak)
	a.Small = "median peak of " + units.Plural(n, "rank", "ranks")
	a.Line = units.Bytes(low) + " to " + units.Bytes(high)
	if g := len(w.Groups); g > 0 {
		a.Line += " in " + units.Plural(g, "group", "groups")
	}
	a.Line += "; most on rank " + w.name(most)
	return a
}

func (w *jobWords) differing() jobAnswer {
	a := jobAnswer{Question: "Which ranks differ?", Order: "differs"}
	list := w.of(ranks.Differs)
	switch {
	case w.Unlike:
		a.Value, a.Line, a.Tone = "Not compared", "these are different programs", "unknown"
	case len(w.Groups) == 0:
		a.Value, a.Line, a.Tone = units.Plural(len(w.Ranks), "rank", "ranks"),
			"with so few there is no telling which is the odd one", "unknown"
		if len(w.Ranks) == 2 {
			a.Value, a.Line = "Two ranks", "with two there is no telling which is the odd one"
		}
	case len(list) == 0:
		a.Value, a.Line, a.Tone = "None", "each holds about what its group holds", "unknown"
		if len(w.of(ranks.Leaks)) > 0 {
			a.Line = "but for what grows, " + a.Line
		}
		if len(w.of(ranks.Leaks)) > 0 {
			a.Line = "but for what keeps growing, " + a.Line
		}
	default:
		i := slices.IndexFunc(w.Findings, func(f ranks.Finding) bool { return f.Kind == ranks.Differs })
		f := &w.Findings[i]
		a.Rank = &f.Rank
		a.Line = units.Change(f.Difference())
		if f.Site == nil {
			a.Line += " as a whole, in each step"
			if f.When == ranks.AfterSteps {
				a.Line = units.Change(f.Difference()) + " as a whole, after a step"
			}
		} else {
			a.Line += " at " + siteName(f.Site.Site.Site)
			if f.When == ranks.AfterSteps {
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

func (w *jobWords) growing() jobAnswer {
	a := jobAnswer{Question: "What keeps growing?", Order: "growth"}
	i := slices.IndexFunc(w.Findings, func(f ranks.Finding) bool { return f.Kind == ranks.Leaks })
	switch {
	case i < 0 && w.CommonSteps < 2:
		a.Value, a.Line, a.Tone = "Not known", "growth needs two steps or more", "unknown"
	case i < 0:
		a.Value, a.Line, a.Tone = "Nothing", "on no rank, over "+units.Plural(w.CommonSteps, "step", "steps"), "unknown"
	default:
		f := &w.Findings[i]
		a.Rank = &f.Rank
		a.Value = units.Change(f.Leak.PerStep)
		a.Small = "a step on rank " + w.name(f.Rank) + " alone"
		if n := len(f.Also); n > 0 {
			a.Small = "a step on " + units.Plural(n+1, "rank", "ranks")
		}
		a.Line = siteName(f.Leak.Site)
		if !f.Leak.Strong {
			a.Line += fmt.Sprintf(": %s are few to be sure", units.Plural(w.Ranks[f.Rank].StepsSeen, "step", "steps"))
		}
	}
	return a
}

func (w *jobWords) firstOOM() jobAnswer {
	a := jobAnswer{Question: "Which rank ran out of memory first?"}
	list := w.of(ranks.OutOfMemory)
	if len(list) == 0 {
		a.Value, a.Line, a.Tone = "None", "no recording has an out-of-memory event", "unknown"
		return a
	}
	f := &w.Findings[0]
	a.Tone, a.Rank = "alarm", &f.Rank
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
		func(g ranks.Finding) bool { return g.Kind == ranks.OutOfMemory && g.Rank != f.Rank })
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
