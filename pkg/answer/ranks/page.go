package ranks

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/units"
)

// JobWords is what the page of a job says. Ranks are indices in job.Job.Ranks.
type JobWords struct {
	Label     string          `json:"label"`
	Facts     []JobFact       `json:"facts"`
	Verdict   trust.Verdict   `json:"verdict"`
	Warnings  []trust.Warning `json:"warnings"`
	Answers   [4]JobAnswer    `json:"answers"`
	Notes     []string        `json:"notes"`
	Findings  []*JobFinding   `json:"findings"`
	Alignment string          `json:"alignment"` // how ranks are aligned, as a sentence
}

type JobFact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// JobAnswer is one of the four answers in the strip.
type JobAnswer struct {
	answer.Brief
	Rank  *int   `json:"rank,omitempty"`  // that a click leads to
	Order string `json:"order,omitempty"` // that a click sets
}

// JobFinding is a job.Finding in words.
type JobFinding struct {
	Rank   int    `json:"rank"`
	Kind   string `json:"kind"`
	What   string `json:"what"`
	Detail string `json:"detail"`
	Change int64  `json:"change,omitempty"` // against the group, or of each step
	First  bool   `json:"first,omitempty"`  // of the OOMs
	Also   []int  `json:"also,omitempty"`
}

// jobWords writes a JobWords.
type jobWords struct {
	*job.Job
	said  *JobWords
	named []string // the ranks
}

// NewJobWords says what is known of a job, whose ranks have names. Of several jobs on one
// page, all, each has a label.
func NewJobWords(j *job.Job, named []string, all []*job.Job) JobWords {
	said := JobWords{Label: jobLabel(j, all), Warnings: []trust.Warning{}, Notes: []string{},
		Findings: []*JobFinding{}}
	w := &jobWords{j, &said, named}
	w.write()
	return said
}

func (w *jobWords) write() {
	v := w.said
	w.addFacts()
	w.addWarnings()
	for i := range w.Findings {
		v.Findings = append(v.Findings, w.finding(i))
	}
	v.Answers = [4]JobAnswer{w.need(), w.differing(), w.growing(), w.firstOOM()}
	v.Alignment = "each recording as a whole, by events"
	if w.CommonSteps > 0 {
		v.Alignment = fmt.Sprintf("ranks are aligned by their last %s; inside a step, by events",
			units.Plural(min(w.CommonSteps, 32), "finished step", "finished steps"))
	}
}

// jobLabel names a job: by its run, iteration and occasion.
func jobLabel(j *job.Job, all []*job.Job) string {
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
	if j.Pinned {
		parts = append(parts, "pinned host memory")
	}
	if len(parts) == 0 && len(all) > 1 {
		isOther := func(other *job.Job) bool { return other != j && !other.Pinned }
		if !slices.ContainsFunc(all, isOther) {
			return "GPU memory"
		}
		return "other files"
	}
	return strings.Join(parts, " · ")
}

func (w *jobWords) addFacts() {
	v, hosts, unread := w.said, map[string]bool{}, 0
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
	v.Facts = append(v.Facts, JobFact{"ranks", units.Count(len(w.Ranks))})
	if len(hosts) > 0 {
		v.Facts = append(v.Facts, JobFact{"hosts", units.Count(len(hosts))})
	}
	v.Facts = append(v.Facts, JobFact{"steps", units.Count(w.CommonSteps)})
	if len(w.Groups) > 0 {
		v.Facts = append(v.Facts, JobFact{"groups", units.Count(len(w.Groups))})
	}
	switch {
	case addUp == len(w.Ranks):
		v.Verdict = trust.Verdict{OK: true, Text: "all read, all add up"}
	case unread > 0:
		v.Verdict.Text = fmt.Sprintf("%s of %s not read", units.Count(unread), units.Plural(len(w.Ranks), "rank",
			"ranks"))
	default:
		v.Verdict.Text = fmt.Sprintf("%s of %s add up", units.Count(addUp), units.Plural(len(w.Ranks), "rank", "ranks"))
	}
}

func (w *jobWords) addWarnings() {
	warn := func(fact, consequence string) {
		w.said.Warnings = append(w.said.Warnings, trust.Warning{Fact: fact, Consequence: consequence})
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
	if short := w.of(job.Short); len(short) == 1 {
		warn(fmt.Sprintf("Rank %s recorded %d of %s.", w.name(short[0]), w.Ranks[short[0]].StepsSeen,
			units.Plural(w.CommonSteps, "step", "steps")),
			"Its last steps stand under the last steps of the others; what it held before is not known.")
	} else if len(short) > 1 {
		warn(fmt.Sprintf("%s recorded fewer than %s.", capital(w.names(short)), units.Plural(w.CommonSteps, "step",
			"steps")),
			"Their last steps stand under the last steps of the others; what they held before is not known.")
	}
	if bad := w.of(job.Unreadable); len(bad) > 0 {
		warn(fmt.Sprintf("%s could not be read.", capital(w.names(bad))), units.Printable(w.Ranks[bad[0]].Error))
	}
	if len(w.Renamed) > 0 {
		warn(fmt.Sprintf("Call sites of %s have other names.", units.Plural(len(w.Renamed), "rank", "ranks")),
			"They were redacted in another way, or with another salt, and are compared with each other only.")
	}
	if w.WithoutOperators {
		w.said.Notes = append(w.said.Notes,
			"Some rank recorded no C++ frames, so call sites are matched without their operators.")
	}
}

// of are the ranks with a finding of a kind, once each.
func (w *jobWords) of(kind job.Kind) (list []int) {
	for i := range w.Findings {
		if f := &w.Findings[i]; f.Kind == kind && !slices.Contains(list, f.Rank) {
			list = append(list, f.Rank)
		}
	}
	return list
}

func (w *jobWords) name(rank int) string { return w.named[rank] }

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

// SiteWords are the function of a call site, and its file with the line.
func SiteWords(site string) (function, where string) {
	parts := strings.Split(units.Printable(site), ":")
	if site == "" {
		return "(no stack recorded)", ""
	}
	if n := len(parts); n >= 3 {
		return parts[n-1], path.Base(strings.Join(parts[:n-2], ":")) + ":" + parts[n-2]
	}
	return strings.Join(parts, ":"), ""
}

// siteCaption is a call site in one piece.
func siteCaption(site string) string {
	function, where := SiteWords(site)
	return strings.TrimSpace(function + " " + where)
}

// oomCauses are the verdicts of digests in a few words, without the numbers that only the
// recording has.
var oomCauses = map[string]string{
	oom.Pressure.Key():   "the rest was in use",
	oom.Fragmented.Key(): "enough was free, in pieces too small",
	oom.Other.Key():      "what was free belonged to another stream or pool",
	oom.Outside.Key():    "memory was used outside of PyTorch",
	oom.Limit.Key():      "a limit refused it",
}

// leakDoubt says why a leak is not sure; "" if it is.
func leakDoubt(l *job.Leak) string {
	switch {
	case l.Strong:
		return ""
	case l.Steps < 8:
		return units.Plural(l.Steps, "step is", "steps are") + " few to be sure"
	}
	return "a cache that is still filling would look the same"
}

func (w *jobWords) finding(i int) *JobFinding {
	f := &w.Findings[i]
	d := &w.Ranks[f.Rank]
	v := &JobFinding{Rank: f.Rank, Kind: f.Kind.Key()}
	switch f.Kind {
	case job.OutOfMemory:
		v.What, v.First = "out of memory", i < w.FirstOOMs
		if w.FirstOOMs == 1 && i == 0 && len(w.of(job.OutOfMemory)) > 1 {
			v.What += ", the first"
		}
		v.Detail = "asked for " + units.Bytes(f.OOM.RequestedBytes)
		if f.OOM.Site != "" {
			v.Detail += " at " + siteCaption(f.OOM.Site)
		}
		v.Detail += "; " + units.Bytes(f.OOM.DeviceFreeBytes) + " free on the device"
		if cause := oomCauses[f.OOM.Verdict]; cause != "" {
			v.Detail += ": " + cause
		}
	case job.Differs:
		v.Change = f.Difference()
		moment := [...]string{"the highest of a step", "after a step", "at the peak"}[f.When]
		if f.Site == nil {
			v.What = "as a whole"
		} else {
			v.What = siteCaption(f.Site.Site.Site)
		}
		v.Detail = fmt.Sprintf("%s: %s, median of its group %s", moment, units.Bytes(f.Bytes), units.Bytes(f.Median))
		if f.OnlyHere {
			v.Detail += "; not every rank of the group runs this"
		}
	case job.Short:
		v.What = fmt.Sprintf("recorded %d of %s", d.StepsSeen, units.Plural(w.CommonSteps, "step", "steps"))
		v.Detail = "compared after its own last step"
	case job.Leaks:
		v.What, v.Change = siteCaption(f.Leak.Site), f.Leak.PerStep
		v.Detail = fmt.Sprintf("grows %s a step", units.Bytes(f.Leak.PerStep))
		if f.Leak.Strong {
			v.Detail += " in " + units.Plural(f.Leak.Steps, "step", "steps")
		}
		if doubt := leakDoubt(f.Leak); doubt != "" {
			v.Detail += "; " + doubt
		}
		if n := len(f.Also); n > 0 {
			v.Also = f.Also
			v.Detail += fmt.Sprintf("; on %s more", units.Plural(n, "rank", "ranks"))
		}
	case job.Unreadable:
		v.What, v.Detail = "could not be read", units.Printable(d.Error)
	case job.DoesNotAddUp:
		v.What, v.Detail = "does not add up",
			"its events contradict each other, or its final state; its numbers may be wrong"
	}
	return v
}
