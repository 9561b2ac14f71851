// Package leaks answers which memory survives the steps of a program.
package leaks

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
)

// Device is what survives the steps of a device. Bytes are requested bytes.
type Device struct {
	answer.Subject
	Steps int `json:"steps"` // that end in the recording
	// of those, in which mixed precision left the optimizer out
	SkippedSteps int `json:"skipped_steps"`
	// how steps were found: annotation, optimizer, backward, backward_runs, user_sites, forward or
	// none
	Method string `json:"method"`
	// why nothing can be said: no_events, no_repetition, too_few_steps, keeps_forwards; or empty
	Limit string `json:"limit"`
	// of all active memory; null when fewer than three steps end in the recording
	Growth   *Growth   `json:"growth" jsonschema:"nullable"`
	Suspects []Suspect `json:"suspects"` // the likeliest first
	Caches   []Suspect `json:"caches"`   // key-value caches that grow, as they are meant to
	KeptOnce KeptOnce  `json:"kept_once"`
	Filled   Filled    `json:"filled"`

	// null where growth beside the suspects cannot be judged
	Unexplained *Unexplained `json:"unexplained" jsonschema:"nullable"`
	// bytes; 0 if it does not go on; null where it cannot be judged
	UnexplainedPerStep *int64 `json:"unexplained_per_step" jsonschema:"oneof_type=integer;null"`
	// as given; 0: not given
	CapacityBytes int64 `json:"capacity_bytes"`
	// until the capacity is full, at most, or what a failed request shows that there was; null
	// without either, or growth
	StepsLeft *int `json:"steps_left" jsonschema:"oneof_type=integer;null"`

	// from before the recording and live at its end; never suspect
	PreExistingBytes int64       `json:"preexisting_bytes"`
	Cycles           CyclesFound `json:"cycles"`
	// requests that were served only after the cache was given back, in order
	Retries []oom.Retry `json:"retries"`
}

// Growth is how active bytes changed from the second step to the last one, each taken
// in its state of least active bytes without those of suspects and caches that grow.
type Growth struct {
	From         int   `json:"from"` // states
	To           int   `json:"to"`
	Steps        int   `json:"steps"` // that end between them
	Bytes        int64 `json:"bytes"`
	BytesPerStep int64 `json:"bytes_per_step"`
}

func newGrowth(l *leaks.Findings) *Growth {
	g := l.Growth
	if g == nil {
		return nil
	}
	return &Growth{g.From, g.To, g.Steps, g.Bytes, g.PerStep}
}

// Suspect is memory of call sites that grow in the same steps.
type Suspect struct {
	// file:line:function where it was allocated; what keeps it is not recorded
	Site    string `json:"site"`
	Kind    string `json:"kind"`    // accumulates, grows or sawtooth
	Verdict string `json:"verdict"` // strong or weak
	// why it is weak: few_steps, guessed_steps, few_growing_steps, slowing_down, tiny, delayed; or
	// empty
	Doubt        string        `json:"doubt"`
	Family       string        `json:"family"` // of most of its bytes
	BytesLive    int64         `json:"bytes_live"`
	BytesPerStep int64         `json:"bytes_per_step"`
	Allocations  int           `json:"allocations"`
	FirstState   int           `json:"first_state"` // in which its first survivor is live
	LastState    int           `json:"last_state"`  // in which its last survivor is first live
	FirstStep    int           `json:"first_step"`  // that added to it, from 0
	LastStep     int           `json:"last_step"`
	GrowingSteps int           `json:"growing_steps"`
	EverySteps   int           `json:"every_steps"` // from one that adds to it to the next; 0: not always as many
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

// Filled is what was allocated in several steps and kept, by call sites that add no
// more: what a cache that has filled looks like.
type Filled struct {
	KeptOnce
	FirstStep int `json:"first_step"` // that added to it, from 0
	LastStep  int `json:"last_step"`
}

// Options are the options of Leaks.
type Options struct {
	Capacity int64 // of the device in bytes; 0: not known
	Rows     int   // suspects in text
}

// Answer answers which memory survives steps.
func Answer(in []answer.Input, o Options) (*sheet.Sheet, error) {
	return answer.PerDevice("leaks", in, func(s *sheet.Sheet, in *answer.Input, r *analysis.Recording) (Device, error) {
		found := r.LeaksWithoutCycles()
		write(s, in, r, found, o)
		writeCycles(s, r, r.Cycles())
		s.SayIf(oom.RetriesSentence(r))
		return NewDevice(in, r, found, o.Capacity), nil
	})
}

func NewDevice(in *answer.Input, r *analysis.Recording, l *leaks.Findings, given int64) Device {
	f := &l.Filled
	room, _ := CapacityOf(r, given)
	return Device{
		Subject: answer.NewSubject(in, r.Device), Steps: len(r.Steps().Boundaries), Method: r.Steps().Method.Key(),
		SkippedSteps: r.Steps().Skipped, Limit: l.Limit.Key(), Growth: newGrowth(l),
		Suspects: newSuspects(r, l, l.Leaks), Caches: newSuspects(r, l, l.Caches),
		KeptOnce: KeptOnce{Sites: l.Once.Sites, Allocations: l.Once.Allocations, Bytes: l.Once.Bytes},
		Filled: Filled{KeptOnce{Sites: f.Sites, Allocations: f.Allocations, Bytes: f.Bytes}, f.FirstStep,
			f.LastStep},
		Unexplained: newUnexplained(r, l), UnexplainedPerStep: unexplainedPerStep(l), CapacityBytes: given,
		StepsLeft:        StepsLeft(r, l, room),
		PreExistingBytes: l.Before, Cycles: newCyclesFound(r, r.Cycles()), Retries: oom.Retries(r),
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
			Site: leak.Site(r.Stacks).String(), Kind: leak.Kind.Key(), Verdict: verdict, Doubt: leak.Doubt.Key(),
			Family:    mostOf(leak.Families).Key(),
			BytesLive: leak.Bytes, BytesPerStep: leak.PerStep, Allocations: leak.Allocations,
			FirstState: l.State(leak.First), LastState: l.State(leak.Last),
			FirstStep: leak.FirstStep, LastStep: leak.LastStep, GrowingSteps: leak.GrowingSteps,
			EverySteps: leak.Every,
			Bursts:     leak.Bursts, BurstBytes: leak.BurstBytes, HeldBytes: l.BytesAtBoundaries(leak),
			Stack: phrase.StackLines(r.Snapshot, leak.Sites[0].Stack), Sites: suspectSites(r, leak),
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

// mostOf is the family with the most bytes.
func mostOf(bytes [families.Count]int64) families.Family {
	return families.Family(slices.Index(bytes[:], slices.Max(bytes[:])))
}

// CyclesFound is memory that Python's cycle collector freed, which proves that
// it was part of a reference cycle.
type CyclesFound struct {
	// the stacks of frees have C++ frames; without them finding none proves nothing
	Provable    bool        `json:"provable"`
	Bytes       int64       `json:"bytes"`
	Allocations int         `json:"allocations"`
	Collections int         `json:"collections"` // runs of the collector that freed memory, at least
	Sites       []CycleSite `json:"sites"`       // the most bytes first
}

// CycleSite is where memory was allocated that the cycle collector freed.
type CycleSite struct {
	Site         string   `json:"site"`  // file:line:function
	Proof        string   `json:"proof"` // the frame of the free that shows the collector
	Bytes        int64    `json:"bytes"`
	Allocations  int      `json:"allocations"`
	Automatic    int      `json:"automatic"`     // allocations freed when the collector ran by itself
	Explicit     int      `json:"explicit"`      // allocations freed by gc.collect()
	LongestSteps int      `json:"longest_steps"` // the longest lifetime, in ends of steps that it outlived
	Stack        []string `json:"stack"`
}

func newCyclesFound(r *analysis.Recording, c *leaks.Cycles) CyclesFound {
	found := CyclesFound{
		Provable: c.FreeStacks, Bytes: c.Bytes, Allocations: c.Allocations, Collections: c.Collections,
		Sites: make([]CycleSite, len(c.Cycles)),
	}
	for i := range c.Cycles {
		cycle := &c.Cycles[i]
		found.Sites[i] = CycleSite{
			Site: r.Stacks.Site(cycle.Stack).String(), Proof: cycleProof(r, cycle), Bytes: cycle.Bytes,
			Allocations: cycle.Allocations, Automatic: cycle.Automatic, Explicit: cycle.Explicit,
			LongestSteps: cycle.LongestSteps, Stack: phrase.StackLines(r.Snapshot, cycle.Stack),
		}
	}
	return found
}

func cycleProof(r *analysis.Recording, cycle *leaks.Cycle) string {
	if cycle.Proof == stacks.NoFrame {
		return ""
	}
	return r.Snapshot.String(r.Snapshot.Frames[cycle.Proof].Name)
}
