package answer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/units"
)

// LeaksSchema names the meaning of the keys of LeaksDevice.
const LeaksSchema = "memviz.leaks/1"

// LeaksDevice is what survives the steps of a device. Bytes are requested bytes.
type LeaksDevice struct {
	Subject
	Steps            int         `json:"steps"`                        // that end in the recording
	Method           string      `json:"method"`                       // how steps were found: annotation, optimizer, backward, backward_runs, user_sites, forward or none
	Limit            string      `json:"limit"`                        // why nothing can be said: no_events, no_repetition, too_few_steps, keeps_forwards; or empty
	Growth           *Growth     `json:"growth" jsonschema:"nullable"` // of all active memory; null when fewer than two steps end in the recording
	Suspects         []Suspect   `json:"suspects"`
	Caches           []Suspect   `json:"caches"` // key-value caches that grow, as they are meant to
	KeptOnce         KeptOnce    `json:"kept_once"`
	PreExistingBytes int64       `json:"preexisting_bytes"` // from before the recording and live at its end; never suspect
	Cycles           CyclesFound `json:"cycles"`
}

// Growth is how active bytes changed from the end of the first step to the end
// of the last one.
type Growth struct {
	From         int   `json:"from"` // states
	To           int   `json:"to"`
	Steps        int   `json:"steps"` // between them
	Bytes        int64 `json:"bytes"`
	BytesPerStep int64 `json:"bytes_per_step"`
}

func newGrowth(r *analysis.Recording) *Growth {
	g, known := r.Steps().Growth(r.Device.ActiveBytes())
	if !known {
		return nil
	}
	return &Growth{g.From, g.To, g.Steps, g.Bytes, g.PerStep}
}

// Suspect is memory that grows with the steps in one rhythm, the likeliest first.
type Suspect struct {
	Site         string        `json:"site"`    // file:line:function where it was allocated; what keeps it is not recorded
	Kind         string        `json:"kind"`    // accumulates, grows or sawtooth
	Verdict      string        `json:"verdict"` // strong, or weak when too few steps were recorded to tell it from a cache that fills
	Family       string        `json:"family"`  // of most of its bytes
	BytesLive    int64         `json:"bytes_live"`
	BytesPerStep int64         `json:"bytes_per_step"`
	Allocations  int           `json:"allocations"`
	FirstState   int           `json:"first_state"` // in which its first survivor is live
	LastState    int           `json:"last_state"`  // in which its last survivor is first live
	FirstStep    int           `json:"first_step"`  // that added to it, from 0
	LastStep     int           `json:"last_step"`
	GrowingSteps int           `json:"growing_steps"`
	Bursts       int           `json:"bursts"`      // of a sawtooth: steps that freed the work of several
	BurstBytes   int64         `json:"burst_bytes"` // the most that one of them freed
	HeldBytes    []int64       `json:"held_bytes"`  // at the end of each step
	Stack        []string      `json:"stack"`       // of its largest site: file:line:function, innermost first
	Sites        []SuspectSite `json:"sites"`       // that grow together, the most bytes first
}

// SuspectSite is one call site of a suspect.
type SuspectSite struct {
	Site         string `json:"site"`
	BytesLive    int64  `json:"bytes_live"`
	BytesPerStep int64  `json:"bytes_per_step"`
	Allocations  int    `json:"allocations"`
}

// KeptOnce is what was allocated in one step only and kept: what weights,
// optimizer state and caches look like.
type KeptOnce struct {
	Sites       int   `json:"sites"`
	Allocations int   `json:"allocations"`
	Bytes       int64 `json:"bytes"`
}

// Leaks are the bytes that survive steps.
func Leaks(in []Input, rows int) (*Sheet, error) {
	value := newDevices[LeaksDevice](LeaksSchema)
	s := &Sheet{value: value}
	err := s.eachRecording(in, func(in *Input, r *analysis.Recording) error {
		found := leaksOf(r)
		value.Devices = append(value.Devices, newLeaksDevice(in, r, found))
		s.leaks(in, r, found, rows)
		s.cycles(r, r.Cycles())
		return nil
	})
	return s, err
}

// leaksOf are the findings on a recording without what reference cycles explain.
func leaksOf(r *analysis.Recording) *leaks.Findings {
	found := *r.Leaks()
	found.Leaks = slices.DeleteFunc(slices.Clone(found.Leaks),
		func(l leaks.Leak) bool { return provedCycle(&l, r.Cycles()) })
	return &found
}

// provedCycle reports whether memory that piles up was freed by the cycle
// collector, which says more of it than that it was freed late.
func provedCycle(l *leaks.Leak, cycles *leaks.Cycles) bool {
	return l.Kind == leaks.Sawtooth && slices.ContainsFunc(l.Sites, func(site leaks.Site) bool {
		return slices.ContainsFunc(cycles.Cycles, func(c leaks.Cycle) bool { return c.Stack == site.Stack })
	})
}

func newLeaksDevice(in *Input, r *analysis.Recording, l *leaks.Findings) LeaksDevice {
	return LeaksDevice{
		Subject: newSubject(in, r.Device), Steps: len(r.Steps().Boundaries), Method: r.Steps().Method.Key(),
		Limit: l.Limit.Key(), Growth: newGrowth(r),
		Suspects: newSuspects(r, l, l.Leaks), Caches: newSuspects(r, l, l.Caches),
		KeptOnce:         KeptOnce{Sites: l.Once.Sites, Allocations: l.Once.Allocations, Bytes: l.Once.Bytes},
		PreExistingBytes: l.Before, Cycles: newCyclesFound(r, r.Cycles()),
	}
}

func newSuspects(r *analysis.Recording, l *leaks.Findings, growing []leaks.Leak) []Suspect {
	list := make([]Suspect, len(growing))
	for i := range growing {
		leak := &growing[i]
		verdict := "weak"
		if leak.Strong {
			verdict = "strong"
		}
		list[i] = Suspect{
			Site: leakSite(r, leak).String(), Kind: leak.Kind.Key(), Verdict: verdict,
			Family:    mostOf(leak.Families).Key(),
			BytesLive: leak.Bytes, BytesPerStep: leak.PerStep, Allocations: leak.Allocations,
			FirstState: l.State(leak.First), LastState: l.State(leak.Last),
			FirstStep: leak.FirstStep, LastStep: leak.LastStep, GrowingSteps: leak.GrowingSteps,
			Bursts: leak.Bursts, BurstBytes: leak.BurstBytes, HeldBytes: l.BytesAtBoundaries(leak),
			Stack: stackLines(r.Snapshot, leak.Sites[0].Stack), Sites: suspectSites(r, leak),
		}
	}
	return list
}

// suspectSites are the call sites of a leak, the most bytes first. Stacks that
// reach a site on different ways count as one.
func suspectSites(r *analysis.Recording, leak *leaks.Leak) []SuspectSite {
	var sites []SuspectSite
	for _, of := range leak.Sites {
		site := r.Stacks.Site(of.Stack).String()
		i := slices.IndexFunc(sites, func(s SuspectSite) bool { return s.Site == site })
		if i < 0 {
			i, sites = len(sites), append(sites, SuspectSite{Site: site})
		}
		sites[i].BytesLive += of.Bytes
		sites[i].BytesPerStep += of.PerStep
		sites[i].Allocations += of.Allocations
	}
	slices.SortStableFunc(sites, func(a, b SuspectSite) int { return cmp.Compare(b.BytesLive, a.BytesLive) })
	return sites
}

// leakSite is where a leak is said to be allocated: the innermost user frame
// that its sites have in common, else its largest site.
func leakSite(r *analysis.Recording, leak *leaks.Leak) stacks.Site {
	if leak.Frame == stacks.NoFrame {
		return r.Stacks.Site(leak.Sites[0].Stack)
	}
	f := r.Snapshot.Frames[leak.Frame]
	return stacks.Site{Function: r.Snapshot.String(f.Name), File: r.Snapshot.String(f.File), Line: int(f.Line)}
}

// mostOf is the family with the most bytes.
func mostOf(bytes [families.Count]int64) families.Family {
	return families.Family(slices.Index(bytes[:], slices.Max(bytes[:])))
}

// leaks puts what survives the steps of a device into words.
func (s *Sheet) leaks(in *Input, r *analysis.Recording, l *leaks.Findings, rows int) {
	headline := leaksHeadline(r, l)
	if n := len(r.Cycles().Cycles); n > 0 {
		headline += "; reference cycles at " + units.Plural(n, "place", "places")
	}
	s.device(in, r.Device, headline)
	if l.Limit != leaks.NoEvents {
		s.say("%s", strings.TrimSpace(stepsSentence(r.Steps())+" "+growthSentence(newGrowth(r))))
	}
	switch l.Limit {
	case leaks.NoEvents:
		s.say("The file holds no history of events, so nothing can be said about growth.")
	case leaks.NoRepetition:
		s.say("Leaks cannot be judged from this file. Record several steps: memviz snippet leak prints how.")
	case leaks.TooFewSteps:
		s.say("Growth between two ends of steps could be the rest of getting ready. Record 8 steps or more.")
	case leaks.KeepsForwards:
		s.say("A forward pass keeps its activations for backward; nothing can be said about leaks.")
	case leaks.NoLimit:
		s.suspects(r, l, rows)
	}
}

// growthSentence says how active memory changed over the steps; "" when that is
// not known.
func growthSentence(g *Growth) string {
	const between = "Between the end of the first and that of the last, active memory "
	switch {
	case g == nil:
		return ""
	case g.Bytes == 0:
		return between + "does not change."
	}
	return between + "changes by " + changed(g.Bytes) + ", " + changed(g.BytesPerStep) + " each."
}

func leaksHeadline(r *analysis.Recording, l *leaks.Findings) string {
	n, method := len(l.Leaks), r.Steps().Method
	switch {
	case l.Limit == leaks.TooFewSteps:
		return "cannot be judged from " + units.Plural(len(r.Steps().Boundaries), method.Word(1), method.Word(2))
	case l.Limit == leaks.NoRepetition:
		return "cannot be judged without steps"
	case l.Limit != leaks.NoLimit:
		return "cannot be judged"
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

func (s *Sheet) suspects(r *analysis.Recording, l *leaks.Findings, rows int) {
	for i := range l.Leaks {
		if i == rows {
			s.note("And %s; --rows shows more.", units.Plural(len(l.Leaks)-rows, "more", "more"))
			break
		}
		leak := &l.Leaks[i]
		s.add(leakSentence(r, leak))
		s.put(leakTable(r, leak))
	}
	if len(l.Leaks) > 0 {
		s.note("What keeps it is not recorded: look for a list, dict, attribute, closure or hook that still holds " +
			"the tensor, or something computed from it.")
	}
	for i := range l.Caches {
		c := &l.Caches[i]
		s.say("A key-value cache grows at %s by %s each %s, as it is meant to.", name(leakSite(r, c).String()),
			units.NoBreak(units.Bytes(c.PerStep)), r.Steps().Method.Word(1))
	}
	if l.Once.Bytes > 0 {
		s.note("Not counted: %s allocated in one %s only and kept, at %s: what weights, optimizer state and "+
			"caches look like.",
			units.NoBreak(units.Bytes(l.Once.Bytes)), r.Steps().Method.Word(1),
			units.Plural(l.Once.Sites, "site", "sites"))
	}
	if l.Before > 0 {
		s.note("Not counted: %s from before the recording.", units.NoBreak(units.Bytes(l.Before)))
	}
}

// leakSentence says what grows, where it was allocated, and how sure that is.
func leakSentence(r *analysis.Recording, leak *leaks.Leak) sentence {
	site, n := name(leakSite(r, leak).String()), len(suspectSites(r, leak))
	each, many := r.Steps().Method.Word(1), r.Steps().Method.Word(2)
	perStep, held := units.NoBreak(units.Bytes(leak.PerStep)), units.NoBreak(units.Bytes(leak.Bytes))
	switch {
	case leak.Kind == leaks.Sawtooth:
		return sentence{"Memory from %s piles up over %s and is then freed at once (%s, %s): release is delayed, for " +
			"example by a reference cycle or an explicit cleanup.",
			[]any{site, units.Plural(leak.BurstSteps, each, many), units.NoBreak(units.Bytes(leak.BurstBytes)),
				units.Plural(leak.Bursts, "time", "times")}}
	case leak.Kind == leaks.Grows:
		return sentence{"The tensor allocated at %s is replaced by a larger one each %s: by %s, to %s now.",
			[]any{site, each, perStep, held}}
	case !leak.Strong:
		return sentence{"Memory allocated at %s grows by %s each %s, but only %s recorded: a cache that is still " +
			"filling would look the same. Record 8 or more.",
			[]any{site, perStep, each, units.Plural(len(r.Steps().Boundaries), each+" was", many+" were")}}
	case leak.Graph:
		return sentence{"The autograd graph of each %s is kept: %s hold %s more after each, %s now, and nothing of " +
			"it is freed. Allocated at %s.",
			[]any{each, units.Plural(n, "site", "sites"), perStep, held, site}}
	case n > 1:
		return sentence{"%s hold %s more after each %s, %s now, and nothing of it is freed. Allocated at %s.",
			[]any{units.Plural(n, "site", "sites"), perStep, each, held, site}}
	}
	return sentence{"Memory allocated at %s grows by %s each %s, to %s now, and nothing of it is freed.",
		[]any{site, perStep, each, held}}
}

// maxLeakSites bounds how many of a leak's sites are listed.
const maxLeakSites = 5

// leakTable lists the sites of a leak, if there are several.
func leakTable(r *analysis.Recording, leak *leaks.Leak) *sheetTable {
	t := newTable(column{"live", figures}, column{"a step", figures}, column{"tensors", figures}, column{"site", paths})
	sites := suspectSites(r, leak)
	if len(sites) == 1 {
		return t
	}
	for i, site := range sites {
		if i == maxLeakSites {
			t.more = "and " + units.Plural(len(sites)-i, "more site", "more sites")
			break
		}
		t.row(units.Bytes(site.BytesLive), units.Bytes(site.BytesPerStep), units.Count(site.Allocations),
			siteName(site.Site))
	}
	return t
}
