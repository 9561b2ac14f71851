package leaks

import (
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/units"
)

// stepsSentence says how many steps end in the recording and how they were found.
func stepsSentence(list *steps.List) string {
	if list.Method == steps.None {
		return "No steps were recognised: the file holds one at most, or the code does not look like a training loop."
	}
	cut := ""
	if !list.Steps[0].Complete {
		cut = "; the first may be cut"
	}
	skipped := ""
	if list.Skipped > 0 {
		skipped = ", " + units.Count(list.Skipped) + " of them skipped by the gradient scaler"
	}
	n := len(list.Boundaries)
	return units.Count(n) + " " + list.Method.Word(n) + ", " + list.Method.Found() + skipped + cut + "."
}

// write says what survives the steps of a device.
func write(s *sheet.Sheet, in *answer.Input, r *analysis.Recording, l *leaks.Findings, o Options) {
	headline := headline(r, l)
	if n := len(r.Cycles().Cycles); n > 0 {
		headline += "; reference cycles at " + units.Plural(n, "place", "places")
	}
	answer.Section(s, in, r.Device, headline)
	if l.Limit != leaks.NoEvents {
		s.Say("%s", strings.TrimSpace(stepsSentence(r.Steps())+" "+growthSentence(l, r.Steps().Method.Word)))
	}
	switch l.Limit {
	case leaks.NoEvents:
		s.Say("%s, so nothing can be said about growth.", trust.HoldsNoHistory(r))
	case leaks.NoRepetition:
		advice := "Record several steps" + trust.PrintsHow(r, "leak") + "."
		if r.Snapshot.Cut(r.Device.ID) {
			advice = trust.More(r, 0)
		}
		s.Say("Leaks cannot be judged from this file. %s", advice)
	case leaks.TooFewSteps:
		writeSuspects(s, r, l, o)
		advice := "Record " + units.Count(trust.RecordMore) + " steps or more" + trust.PrintsHow(r, "leak") + "."
		if r.Snapshot.Cut(r.Device.ID) {
			advice = trust.More(r, 0)
		}
		s.Say("Growth over so few steps could be the rest of getting ready. %s", advice)
	case leaks.KeepsForwards:
		s.Say("Memory grows within one forward pass, which keeps its activations for backward: that is no sign of a " +
			"leak.")
	case leaks.NoLimit:
		writeSuspects(s, r, l, o)
		writeUnexplained(s, r, l, o.Capacity)
	}
}

// writeUnexplained says how memory grows beside the suspects, how long it will do, and
// what the rules could not have seen.
func writeUnexplained(s *sheet.Sheet, r *analysis.Recording, l *leaks.Findings, capacity int64) {
	word, n := r.Steps().Method.Word, len(r.Steps().Boundaries)
	if u := newUnexplained(r, l); u != nil && u.GoesOn {
		beside := ""
		if len(l.Leaks)+len(l.Caches) > 0 {
			beside = ", beside that"
		}
		s.Say("The least memory of each %s grows by %s ± %s%s, and no call site explains it: a queue that is trimmed "+
			"more slowly than it fills looks like this, and a leak at other call sites each time.", word(1),
			phrase.Amount(u.Bytes), phrase.Amount(u.Spread), beside)
		if u.Site != "" {
			s.Say("What grows most was allocated at %s.", sheet.Name(u.Site))
		}
	} else if u != nil && u.Resized {
		s.Say("The least memory of each %s rises by %s ± %s, but only in tensors that are replaced by others of "+
			"another size: a buffer that is made anew for longer inputs looks like this, and sizes that vary.", word(1),
			phrase.Amount(u.Bytes), phrase.Amount(u.Spread))
		if u.Site != "" {
			s.Say("Most of them were allocated at %s.", sheet.Name(u.Site))
		}
	}
	switch {
	case l.FedMore:
		s.Note("Each %s works on more data than the one before, so growth beside the call sites cannot be judged.",
			word(1))
	case len(l.Leaks) > 0:
	case l.Trend == nil && n < trust.RecordMore:
		s.Note("Growth that begins later, or in every third %s only, takes more of them to be seen. %s", word(1),
			trust.More(r, 12))
	case l.Trend != nil && !l.Trend.GoesOn && !l.Trend.Resized:
		s.Note("A leak at other call sites each time would not be seen under %s each %s.", phrase.Amount(l.Trend.Least),
			word(1))
	}
	s.SayIf(StepsLeftSentence(r, l, capacity))
}

// growthSentence says how active memory changed over the steps; "" when that is
// not known.
func growthSentence(l *leaks.Findings, word func(int) string) string {
	g := l.Growth
	if g == nil {
		return ""
	}
	where := "Where each " + word(1) + " holds least"
	if grows := func(leak leaks.Leak) bool { return leak.Kind != leaks.Sawtooth }; slices.ContainsFunc(l.Leaks,
		grows) ||
		slices.ContainsFunc(l.Caches, grows) {
		where += " beside what grows"
	}
	if g.Bytes == 0 {
		return where + ", active memory does not change " + GrownSince(word) + "."
	}
	return where + ", active memory changes by " + phrase.Changed(g.Bytes) + " " + GrownSince(word) + ", " +
		phrase.Changed(g.PerStep) +
		" each " + word(1) + "."
}

// GrownSince says from where growth is measured, for a change of bytes before it: the
// first step is not judged.
func GrownSince(word func(int) string) string { return "since " + word(1) + " 2" }

// NoGrowthSeen is said of steps that are too few to rule growth out.
func NoGrowthSeen(list *steps.List) string {
	n := len(list.Boundaries)
	return "no growth of a call site seen in " + units.Plural(n, list.Method.Word(1), list.Method.Word(2))
}

func headline(r *analysis.Recording, l *leaks.Findings) string {
	n, method := len(l.Leaks), r.Steps().Method
	switch {
	case l.Limit == leaks.TooFewSteps:
		return "cannot be judged from " + units.Plural(len(r.Steps().Boundaries), method.Word(1), method.Word(2))
	case l.Limit == leaks.NoRepetition:
		return "cannot be judged without steps"
	case l.Limit != leaks.NoLimit:
		return "cannot be judged"
	case n == 0 && l.Trend != nil && l.Trend.GoesOn:
		return "keeps growing, and no call site explains it"
	case n == 0 && l.Trend != nil && l.Trend.Resized:
		return "no call site keeps more tensors, but some are replaced by larger ones"
	case n == 0 && l.FedMore:
		return "no call site keeps growing, but each " + method.Word(1) + " works on more data"
	case n == 0 && (l.Trend == nil || len(r.Steps().Boundaries) < trust.RecordMore):
		return NoGrowthSeen(r.Steps())
	case n == 0:
		return "nothing keeps growing"
	}
	strong := 0
	for i := range l.Leaks {
		if l.Leaks[i].Strong {
			strong++
		}
	}
	if strong == 0 {
		return "may keep growing, at " + units.Plural(n, "place", "places")
	}
	return "keeps growing, at " + units.Plural(strong, "place", "places")
}

func writeSuspects(s *sheet.Sheet, r *analysis.Recording, l *leaks.Findings, o Options) {
	filling := false // a strong finding that a cache would look like
	for i := range l.Leaks {
		if i == o.Rows {
			s.Note("And %s; --rows shows more.", units.Plural(len(l.Leaks)-o.Rows, "more", "more"))
			break
		}
		leak := &l.Leaks[i]
		s.Add(Sentence(r, leak))
		s.Put(leakTable(r, leak))
		filling = filling || leak.Strong && leak.Kind == leaks.Accumulates && !leak.Graph
	}
	if filling {
		s.Note("A cache that holds more than %s of entries, and is still filling, would look the same.",
			units.Plural(len(r.Steps().Boundaries), r.Steps().Method.Word(1), r.Steps().Method.Word(2)))
	}
	if len(l.Leaks) > 0 {
		s.Note("What keeps it is not recorded: look for a list, dict, attribute, closure or hook that still holds " +
			"the tensor, or something computed from it.")
	}
	for i := range l.Caches {
		c := &l.Caches[i]
		s.Say("A key-value cache grows at %s by %s, as it is meant to.", sheet.Name(c.Site(r.Stacks).String()),
			Grown(c, r.Steps().Method, ""))
	}
	if l.Once.Bytes > 0 {
		s.Note("Not counted: %s allocated in one %s only and kept, at %s: what weights, optimizer state and "+
			"caches look like.", phrase.Amount(l.Once.Bytes), r.Steps().Method.Word(1),
			units.Plural(l.Once.Sites, "site", "sites"))
	}
	if f := &l.Filled; f.Bytes > 0 {
		s.Note("Not counted: %s allocated in several %s and kept, but no more since %s %d, at %s: what a cache that "+
			"has filled looks like.", phrase.Amount(f.Bytes), r.Steps().Method.Word(2), r.Steps().Method.Word(1),
			f.LastStep+1,
			units.Plural(f.Sites, "site", "sites"))
	}
	if l.Before > 0 {
		s.Note("Not counted: %s from before the recording.", phrase.Amount(l.Before))
	}
}

// Sentence says what grows, where it was allocated, and how sure that is.
func Sentence(r *analysis.Recording, leak *leaks.Leak) sheet.Sentence {
	site, n := sheet.Name(leak.Site(r.Stacks).String()), len(suspectSites(r, leak))
	each, many := r.Steps().Method.Word(1), r.Steps().Method.Word(2)
	perStep, held := Grown(leak, r.Steps().Method, ""), phrase.Amount(leak.Bytes)
	more := Grown(leak, r.Steps().Method, " more")
	switch {
	case leak.Kind == leaks.Sawtooth:
		return sheet.Sentencef("Memory from %s piles up over %s and is then freed at once (%s, %s): release is "+
			"delayed, for example by a reference cycle or an explicit cleanup.", site, units.Plural(leak.BurstSteps,
			each,
			many), phrase.Amount(leak.BurstBytes),
			units.Plural(leak.Bursts, "time", "times"))
	case leak.Kind == leaks.Grows && leak.Held > 2*n:
		return sheet.Sentencef(
			"Memory allocated at %s is freed more slowly than it is made: it grows by %s, to %s in %s now.", site, perStep, held, units.Plural(leak.Held, "tensor", "tensors"))
	case leak.Kind == leaks.Grows:
		return sheet.Sentencef("The tensor allocated at %s is replaced by a larger one: by %s, to %s now.", site,
			perStep, held)
	case !leak.Strong:
		return sheet.Sentencef("Memory allocated at %s grows by %s, to %s now%s", site, perStep, held, doubtful(r,
			leak))
	case leak.Graph:
		return sheet.Sentencef("The autograd graph of each %s is kept: %s hold %s, %s now, and nothing of it is freed. "+
			"Allocated at %s.", each, units.Plural(n, "site", "sites"), more, held, site)
	case n > 1:
		return sheet.Sentencef("%s hold %s, %s now, and nothing of it is freed. Allocated at %s.", units.Plural(n,
			"site", "sites"), more, held, site)
	}
	return sheet.Sentencef("Memory allocated at %s grows by %s, to %s now, and nothing of it is freed.", site,
		perStep, held)
}

// maxLeakSites bounds how many of a leak's sites are listed.
const maxLeakSites = 5

// leakTable lists the sites of a leak, if there are several.
func leakTable(r *analysis.Recording, leak *leaks.Leak) *sheet.Table {
	t := sheet.NewTable(sheet.Figures("live"), sheet.Figures("a step"), sheet.Figures("tensors"), sheet.Paths("site"))
	sites := suspectSites(r, leak)
	if len(sites) == 1 {
		return t
	}
	for i, site := range sites {
		if i == maxLeakSites {
			t.More = "and " + units.Plural(len(sites)-i, "more site", "more sites")
			break
		}
		t.Row(units.Bytes(site.BytesLive), units.Bytes(site.BytesPerStep), units.Count(site.Allocations),
			phrase.SiteName(site.Site))
	}
	return t
}

// maxCycleSites bounds how many sites of cycles are listed.
const maxCycleSites = 5

// writeCycles says what the cycle collector freed.
func writeCycles(s *sheet.Sheet, r *analysis.Recording, c *leaks.Cycles) {
	for i := range c.Cycles {
		if i == maxCycleSites {
			s.Note("And %s of memory in reference cycles.", units.Plural(len(c.Cycles)-i, "more site", "more sites"))
			break
		}
		cycle := &c.Cycles[i]
		s.Say("%s in %s from %s were freed by Python's cyclic collector (%s in the free's stack), so they were part "+
			"of a reference cycle.",
			phrase.Amount(cycle.Bytes), units.Plural(cycle.Allocations, "tensor", "tensors"),
			phrase.SiteName(r.Stacks.Site(cycle.Stack).String()), sheet.Name(cycleProof(r, cycle)))
	}
	if c.Unwound.Allocations > 0 {
		s.Note("%s in %s were released while an exception unwound.",
			phrase.Amount(c.Unwound.Bytes), units.Plural(c.Unwound.Allocations, "tensor", "tensors"))
	}
}
