package answer

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/units"
)

// CyclesFound is memory that Python's cycle collector freed, which proves that
// it was part of a reference cycle.
type CyclesFound struct {
	Provable    bool        `json:"provable"` // the stacks of frees have C++ frames; without them finding none proves nothing
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
	LongestSteps int      `json:"longest_steps"` // the longest life, in ends of steps that it outlived
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
			Allocations: cycle.Allocations,
			Automatic:   cycle.Automatic, Explicit: cycle.Explicit, LongestSteps: cycle.LongestSteps,
			Stack: stackLines(r.Snapshot, cycle.Stack),
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

// maxCycleSites bounds how many sites of cycles are listed.
const maxCycleSites = 5

// cycles puts what the cycle collector freed into words.
func (s *Sheet) cycles(r *analysis.Recording, c *leaks.Cycles) {
	for i := range c.Cycles {
		if i == maxCycleSites {
			s.note("And %s of memory in reference cycles.", units.Plural(len(c.Cycles)-i, "more site", "more sites"))
			break
		}
		cycle := &c.Cycles[i]
		s.say("%s in %s from %s were freed by Python's cyclic collector (%s in the free's stack), so they were part "+
			"of a reference cycle.",
			units.NoBreak(units.Bytes(cycle.Bytes)), units.Plural(cycle.Allocations, "tensor", "tensors"),
			siteName(r.Stacks.Site(cycle.Stack).String()), name(cycleProof(r, cycle)))
	}
	if c.Unwound.Allocations > 0 {
		s.note("%s in %s were released while an exception unwound.",
			units.NoBreak(units.Bytes(c.Unwound.Bytes)), units.Plural(c.Unwound.Allocations, "tensor", "tensors"))
	}
}
