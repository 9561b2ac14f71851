package analysis

import (
	"sync"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Source is a snapshot with what all its devices share.
type Source struct {
	Snapshot *snapshot.Snapshot
	Stacks   *StackFacts

	settings   func() *Settings
	overridden *Overridden
}

// NewSource reads the stacks of a snapshot.
func NewSource(s *snapshot.Snapshot) *Source {
	return &Source{
		Snapshot: s, Stacks: Stacks(s),
		settings: sync.OnceValue(func() *Settings { return SettingsOf(s) }),
	}
}

// Override has a person's own rules decide families before the built-in ones. It
// must be called before any recording of the source is asked for its families.
func (s *Source) Override(rules *Overrides) { s.overridden = rules.Apply(s.Stacks) }

// Recording is one device of a snapshot, and owns everything that is derived of
// it: each is found out when it is first asked for, and once. It may be asked
// from several goroutines.
type Recording struct {
	*Source
	Device *replay.Device

	activities    func() *markers
	annotations   func() []AnnotationRange
	phases        func() *Phases
	families      func() *Families
	steps         func() *Steps
	leaks         func() *Leaks
	cycles        func() *Cycles
	pools         func() *Pools
	layouts       func() *LayoutHistory
	fragmentation func() *Fragmentations
}

// NewRecording prepares one device for questions.
func NewRecording(s *Source, d *replay.Device) *Recording {
	st := s.Stacks
	r := &Recording{Source: s, Device: d}
	r.activities = sync.OnceValue(func() *markers { return newMarkers(st, d.Events) })
	r.annotations = sync.OnceValue(func() []AnnotationRange { return FindAnnotations(s.Snapshot, d) })
	r.phases = sync.OnceValue(func() *Phases { return FindPhases(r.activities(), d.Events) })
	r.families = sync.OnceValue(func() *Families {
		return Classify(st, r.activities(), r.phases(), s.overridden, d)
	})
	r.steps = sync.OnceValue(func() *Steps {
		return FindSteps(StepInput{Stacks: st, Device: d, Activities: r.activities(), Phases: r.phases(),
			Annotations: r.annotations()})
	})
	r.leaks = sync.OnceValue(func() *Leaks {
		return FindLeaks(LeakInput{Stacks: st, Device: d, Activities: r.activities(), Phases: r.phases(),
			Families: r.families(), Steps: r.steps()})
	})
	r.cycles = sync.OnceValue(func() *Cycles { return FindCycles(st, d, r.steps()) })
	r.pools = sync.OnceValue(func() *Pools { return FindPools(s.Snapshot, d) })
	r.layouts = sync.OnceValue(func() *LayoutHistory { return NewLayoutHistory(s.Snapshot, d, s.settings()) })
	r.fragmentation = sync.OnceValue(func() *Fragmentations { return r.layouts().Fragmentations() })
	return r
}

// Settings are the allocator's settings as the file gives them.
func (s *Source) Settings() *Settings { return s.settings() }

// Annotations are the ranges that record_function and the profiler named, on the
// time axis of this device.
func (r *Recording) Annotations() []AnnotationRange { return r.annotations() }

// Phases is the history as a sequence of phases.
func (r *Recording) Phases() *Phases { return r.phases() }

// Families says what each allocation was for.
func (r *Recording) Families() *Families { return r.families() }

// Steps is the history cut into steps.
func (r *Recording) Steps() *Steps { return r.steps() }

// Leaks is what survives steps again and again.
func (r *Recording) Leaks() *Leaks { return r.leaks() }

// Cycles is memory that Python's cycle collector freed.
func (r *Recording) Cycles() *Cycles { return r.cycles() }

// Pools says in which memory pool each allocation lies.
func (r *Recording) Pools() *Pools { return r.pools() }

// Layouts tells the memory map in any state.
func (r *Recording) Layouts() *LayoutHistory { return r.layouts() }

// Fragmentation is that of the peak of reserved memory and of the end.
func (r *Recording) Fragmentation() *Fragmentations { return r.fragmentation() }

// OOMs are the requests that failed. Capacity is that of the device in bytes; 0
// if it is not known.
func (r *Recording) OOMs(capacity int64) []OOM { return FindOOMs(r.Device, r.layouts(), capacity) }

// Holders says what holds memory in a state.
func (r *Recording) Holders(state int, g Grouping) *Holding {
	return r.HoldersSince(state, NoState, g)
}

// HoldersSince also says what every row held in a state before.
func (r *Recording) HoldersSince(state, before int, g Grouping) *Holding {
	return HoldersSince(HolderInput{r.Stacks, r.Device, r.families, r.pools}, state, before, g)
}

// Diff compares what two recordings hold, each in a state of its own.
func Diff(a *Recording, stateA int, b *Recording, stateB int) *Difference {
	return DiffStates(DiffInput{a.Stacks, a.Device, a.Families(), stateA},
		DiffInput{b.Stacks, b.Device, b.Families(), stateB})
}

// Rank is what a comparison of ranks needs to know of this one.
func (r *Recording) Rank(name RankName, file string) RankSummary {
	return SummariseRank(r.Stacks, r.Device, r.Steps(), name, file)
}
