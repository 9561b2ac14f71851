package ranks

import (
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/units"
)

// sentence says one finding.
func (v *jobView) sentence(f *job.Finding) sheet.Sentence {
	d, who := &v.Job.Ranks[f.Rank], v.who(f.Rank)
	switch f.Kind {
	case job.OutOfMemory:
		return v.oomSentence(f)
	case job.Short:
		return sheet.Sentencef("%s recorded %s; most ranks recorded %s.", who,
			units.Plural(d.StepsSeen, "step", "steps"), units.Count(v.Job.CommonSteps))
	case job.Leaks:
		return v.leakSentence(f)
	case job.Unreadable:
		return sheet.Sentencef("Not read: %s", sheet.Name(v.file(f.Rank)+": "+units.Printable(d.Error)))
	case job.DoesNotAddUp:
		return sheet.Sentencef(
			"%s does not add up (%s): its numbers cannot be trusted, and \"memviz stats\" says why.", who, sheet.Name(v.file(f.Rank)))
	}
	holds, when := "holds", map[job.When]string{job.InSteps: "at the peaks of its steps",
		job.AfterSteps: "after its last step", job.AtPeak: "at its peak"}[f.When]
	if f.When == job.AfterSteps && f.Difference() > 0 {
		holds = "still holds"
	}
	with := v.comparedWith(f)
	if f.Site == nil {
		return sheet.Sentencef("%s %s %s %s in all; the median of %s is %s.", who, holds, phrase.Amount(f.Bytes),
			when, with,
			phrase.Amount(f.Median))
	}
	return sheet.Sentencef("%s %s %s %s from %s; the median of %s is %s.", who, holds, phrase.Amount(f.Bytes), when,
		phrase.SiteName(f.Site.Site.Site), with, phrase.Amount(f.Median))
}

// who names a rank at the beginning of a sentence: by its file where no name has a rank.
func (v *jobView) who(rank int) any {
	if !v.InNames {
		return sheet.Name(v.file(rank))
	}
	text := "Rank " + strconv.Itoa(v.Job.Ranks[rank].Name.Rank)
	if v.hasSeveralDevices() {
		text += " " + v.Job.Ranks[rank].DeviceLabel()
	}
	return text
}

// comparedWith says of which ranks the median of a difference is.
func (v *jobView) comparedWith(f *job.Finding) string {
	g := &v.Job.Groups[v.GroupOf[f.Rank]]
	n := g.Totals[f.When].Ranks
	text := "the " + units.Plural(n, "rank", "ranks")
	if len(v.Job.Groups) > 1 {
		text += " of its group"
	}
	if n < len(g.Ranks) {
		text += " with steps"
	}
	return text
}

// oomSentence says when a rank ran out of memory, of the first one also how far ahead of
// the others.
func (v *jobView) oomSentence(f *job.Finding) sheet.Sentence {
	step := ""
	if f.OOM.Step > 0 {
		step = " in step " + units.Count(f.OOM.Step)
	}
	asked := []any{phrase.Amount(f.OOM.RequestedBytes), phrase.Amount(f.OOM.DeviceFreeBytes)}
	first, others := &v.Job.Findings[0], 0
	for others < len(v.Job.Findings) && v.Job.Findings[others].Kind == job.OutOfMemory {
		others++
	}
	who := v.who(f.Rank)
	const requested = ": %s was requested, %s was free on the device."
	switch {
	case others == 1:
		return sheet.Sentencef("%s ran out of memory%s"+requested, append([]any{who, step}, asked...)...)
	case f == first && v.FirstOOMs == 1:
		of := units.Count(others)
		if next := &v.Job.Findings[1]; next.OOM.Micros != nil {
			ahead := units.Duration(*next.OOM.Micros - *first.OOM.Micros)
			return sheet.Sentencef("%s was the first of %s to run out of memory%s, %s before %s"+requested,
				append([]any{who, of, step, ahead, v.whoElse(next.Rank)}, asked...)...)
		}
		return sheet.Sentencef("%s was the first of %s to run out of memory%s"+requested, append([]any{who, of, step},
			asked...)...)
	case f == first:
		last := &v.Job.Findings[v.FirstOOMs-1]
		if first.OOM.Micros == nil {
			return sheet.Sentencef("%s ran out of memory%s"+requested+" Which of %s was the first is not known, because "+
				"their files have no times.", append(append([]any{who, step}, asked...), units.Count(v.FirstOOMs))...)
		}
		return sheet.Sentencef("%s ran out of memory%s"+requested+" Which of %s was the first is not known: %s lies "+
			"between them, by their own clocks.", append(append([]any{who, step}, asked...),
			units.Count(v.FirstOOMs), units.Duration(*last.OOM.Micros-*first.OOM.Micros))...)
	case first.OOM.Micros != nil && f.OOM.Micros != nil:
		return sheet.Sentencef("%s ran out of memory%s, %s later"+requested,
			append([]any{who, step, units.Duration(*f.OOM.Micros - *first.OOM.Micros)}, asked...)...)
	}
	return sheet.Sentencef("%s ran out of memory%s"+requested, append([]any{who, step}, asked...)...)
}

// whoElse names a rank inside a sentence.
func (v *jobView) whoElse(rank int) any {
	if text, ok := v.who(rank).(string); ok {
		return "r" + strings.TrimPrefix(text, "R")
	}
	return v.who(rank)
}

// Sentence says where memory grows and on which ranks.
func (v *jobView) leakSentence(f *job.Finding) sheet.Sentence {
	l := f.Leak
	on := []any{v.whoElse(f.Rank)}
	where := "on %s alone"
	if n := len(f.Also) + 1; n == 1 && len(v.compared) == 1 {
		where = "on %s"
	} else if n > 1 {
		where, on = "on %s, most on %s", []any{units.Plural(n, "rank", "ranks"), v.whoElse(f.Rank)}
		if n == len(v.compared) {
			where = "on all %s, most on %s"
		}
	}
	text := "Memory from %s grows by %s a step " + where + ", in %s"
	args := append([]any{phrase.SiteName(l.Site), phrase.Amount(l.PerStep)}, on...)
	args = append(args, units.Plural(l.Steps, "step", "steps"))
	if !l.Strong {
		return sheet.Sentencef(text+"; a cache that is still filling would look the same.", args...)
	}
	return sheet.Sentencef(text+".", args...)
}
