// Package analysis answers questions about a replayed snapshot, one question a
// file: where a tensor was asked for, what it was for, which phase of training
// it was born in, where one step ends and the next begins, and what survives
// steps.
//
// Answers rest on the names in recorded stacks and on lifetimes. [Stacks] reads
// the names once per file; [Classify] and [FindPhases] combine them with the
// allocations of one device. [FindSteps], [FindLeaks] and [FindCycles] read what
// happens again and again. A conclusion always carries its [Rule], which says
// how it was reached and how far it can be trusted.
package analysis

import (
	"sync"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Source is a snapshot with what all its devices share.
type Source struct {
	Snapshot *snapshot.Snapshot
	Stacks   *stacks.Table

	settings   func() *layout.Settings
	overridden *families.Overridden
}

// NewSource reads the stacks of a snapshot.
func NewSource(s *snapshot.Snapshot) *Source {
	return &Source{
		Snapshot: s, Stacks: stacks.Read(s),
		settings: sync.OnceValue(func() *layout.Settings { return layout.SettingsOf(s) }),
	}
}

// Override has a person's own rules decide families before the built-in ones. It
// must be called before any recording of the source is asked for its families.
func (s *Source) Override(rules *families.Overrides) { s.overridden = rules.Apply(s.Stacks) }

// Recording is one device of a snapshot, and owns everything that is derived of
// it: each is found out when it is first asked for, and once. It may be asked
// from several goroutines.
type Recording struct {
	*Source
	Device *replay.Device

	activities    func() *stacks.Activities
	annotations   func() []timeline.Annotation
	phases        func() timeline.Phases
	families      func() *families.Assignment
	steps         func() *steps.List
	leaks         func() *leaks.Findings
	cycles        func() *leaks.Cycles
	pools         func() *layout.Pools
	layouts       func() *layout.History
	fragmentation func() *layout.Fragmentations
}

// NewRecording prepares one device for questions.
func NewRecording(s *Source, d *replay.Device) *Recording {
	st := s.Stacks
	r := &Recording{Source: s, Device: d}
	r.activities = sync.OnceValue(func() *stacks.Activities { return stacks.ActivitiesOf(st, d.Events) })
	r.annotations = sync.OnceValue(func() []timeline.Annotation { return timeline.FindAnnotations(s.Snapshot, d) })
	r.phases = sync.OnceValue(func() timeline.Phases { return timeline.FindPhases(r.activities(), d.Events) })
	r.families = sync.OnceValue(func() *families.Assignment {
		return families.Find(st, d, r.activities(), r.phases(), s.overridden)
	})
	r.steps = sync.OnceValue(func() *steps.List {
		return steps.Find(steps.Input{Stacks: st, Device: d, Activities: r.activities(), Phases: r.phases(),
			Annotations: r.annotations()})
	})
	r.leaks = sync.OnceValue(func() *leaks.Findings {
		return leaks.Find(leaks.Input{Stacks: st, Device: d, Activities: r.activities(), Phases: r.phases(),
			Families: r.families(), Steps: r.steps()})
	})
	r.cycles = sync.OnceValue(func() *leaks.Cycles { return leaks.FindCycles(st, d, r.steps()) })
	r.pools = sync.OnceValue(func() *layout.Pools { return layout.FindPools(s.Snapshot, d) })
	r.layouts = sync.OnceValue(func() *layout.History { return layout.New(s.Snapshot, d, s.settings()) })
	r.fragmentation = sync.OnceValue(func() *layout.Fragmentations { return r.layouts().Fragmentations() })
	return r
}

// Settings are the allocator's settings as the file gives them.
func (s *Source) Settings() *layout.Settings { return s.settings() }

// Annotations are the ranges that record_function and the profiler named, on the
// time axis of this device.
func (r *Recording) Annotations() []timeline.Annotation { return r.annotations() }

// Phases is the history as a sequence of phases.
func (r *Recording) Phases() timeline.Phases { return r.phases() }

// Families says what each allocation was for.
func (r *Recording) Families() *families.Assignment { return r.families() }

// Steps is the history cut into steps.
func (r *Recording) Steps() *steps.List { return r.steps() }

// Leaks is what survives steps again and again.
func (r *Recording) Leaks() *leaks.Findings { return r.leaks() }

// Cycles is memory that Python's cycle collector freed.
func (r *Recording) Cycles() *leaks.Cycles { return r.cycles() }

// Pools says in which memory pool each allocation lies.
func (r *Recording) Pools() *layout.Pools { return r.pools() }

// Layouts tells the memory map in any state.
func (r *Recording) Layouts() *layout.History { return r.layouts() }

// Fragmentation is that of the peak of reserved memory and of the end.
func (r *Recording) Fragmentation() *layout.Fragmentations { return r.fragmentation() }

// OOMs are the requests that failed. Capacity is that of the device in bytes; 0
// if it is not known.
func (r *Recording) OOMs(capacity int64) []oom.Failure {
	return oom.Find(r.Device, r.layouts(), capacity)
}

// Holders says what holds memory in a state.
func (r *Recording) Holders(state int, g holders.Grouping) *holders.Holding {
	return r.HoldersSince(state, timeline.NoState, g)
}

// HoldersSince also says what every row held in a state before.
func (r *Recording) HoldersSince(state, before int, g holders.Grouping) *holders.Holding {
	return holders.Since(
		holders.Input{Stacks: r.Stacks, Device: r.Device, Families: r.families, Pools: r.pools},
		state,
		before,
		g,
	)
}

// Diff compares what two recordings hold, each in a state of its own.
func Diff(a *Recording, stateA int, b *Recording, stateB int) *compare.Difference {
	return compare.Diff(a.in(stateA), b.in(stateB))
}

func (r *Recording) in(state int) compare.Input {
	return compare.Input{Stacks: r.Stacks, Device: r.Device, Families: r.Families(), State: state}
}

// Rank is what a comparison of ranks needs to know of this one.
func (r *Recording) Rank(name compare.RankName, file string) compare.RankSummary {
	return compare.Summarise(r.Stacks, r.Device, r.Steps(), name, file)
}
