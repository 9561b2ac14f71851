// Package analysis answers questions about one device of a replayed snapshot: a
// [Recording] owns everything derived from the device.
//
// Each question has a package below this one, which documents what its answer is based on
// and what it cannot see:
//
//	stacks    whose code a stack is, which line asked for memory, what was going on
//	timeline  annotated ranges, phases of training, windows, peaks
//	families  what each tensor was for
//	modules   which module asked for it, and which block of the model repeats
//	steps     where one step ends and the next begins
//	peaks     what the peak holds and need not, and whether it is a first step's
//	leaks     what survives steps again and again; what the cycle collector freed
//	layout    the allocator's memory map in any state; fragmentation; its settings
//	oom       why a request failed
//	holders   what holds memory in a state
//	compare   two recordings
//
// They take the facts that they need, never a Recording, and import each other in
// this order only. Programs get their results from a Recording, which derives each
// of them once.
package analysis

import (
	"sync"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/modules"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/analysis/peaks"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// once is a value that is derived on first use.
type once[T any] struct {
	do    sync.Once
	value T
}

func (o *once[T]) get(what string, derive func() T) T {
	o.do.Do(func() {
		derived(what)
		o.value = derive()
	})
	return o.value
}

// derived is called for every derived value. Tests count the calls.
var derived = func(what string) {}

// Source is a snapshot with the data that its devices share.
type Source struct {
	Snapshot *snapshot.Snapshot
	Stacks   *stacks.Table
	Origin   Origin

	settings   once[*layout.Settings]
	torch      once[string]
	writer     once[string]
	overridden *families.Overridden
}

// NewSource reads the stacks of a snapshot.
func NewSource(s *snapshot.Snapshot) *Source {
	derived("stacks")
	return &Source{Snapshot: s, Stacks: stacks.Read(s)}
}

// Override applies a user's own rules before the built-in ones. It
// must be called before any recording of the source is asked for its families.
func (s *Source) Override(rules *families.Overrides) { s.overridden = rules.Apply(s.Stacks) }

// OverrideAgain is Override with earlier decisions, as stored in a report.
func (s *Source) OverrideAgain(d *families.Decisions) (err error) {
	s.overridden, err = d.Apply(s.Stacks)
	return err
}

// Decisions returns what a user's own rules decided; nil without any.
func (s *Source) Decisions() *families.Decisions { return s.overridden.Decisions(s.Stacks) }

// TorchVersion returns the version of torch that wrote the snapshot. It is found once for all
// devices, because that reads every frame.
func (s *Source) TorchVersion() string { return s.torch.get("torch version", s.Snapshot.TorchVersion) }

// Writer names what wrote the snapshot: "torch 2.5 or later", "MLX".
func (s *Source) Writer() string { return s.writer.get("writer", s.Snapshot.Writer) }

// Settings returns the allocator's settings as recorded in the file.
func (s *Source) Settings() *layout.Settings {
	return s.settings.get("settings", func() *layout.Settings { return layout.SettingsOf(s.Snapshot) })
}

// Recording is one device of a snapshot. Everything about it is derived once, on first
// use. It may be used by several goroutines.
type Recording struct {
	*Source
	Device *replay.Device

	ownSettings   once[*layout.Settings]
	activities    once[*stacks.Activities]
	annotations   once[[]timeline.Annotation]
	notes         once[*replay.Notes]
	phases        once[timeline.Phases]
	families      once[*families.Assignment]
	modules       once[*modules.Findings]
	steps         once[*steps.List]
	peaks         once[*peaks.Findings]
	leaks         once[*leaks.Findings]
	cycles        once[*leaks.Cycles]
	pools         once[*layout.Pools]
	layouts       once[*layout.History]
	fragmentation once[*layout.Fragmentations]
	retries       once[*oom.Retries]
}

// NewRecording returns one device of a source.
func NewRecording(s *Source, d *replay.Device) *Recording { return &Recording{Source: s, Device: d} }

// Settings returns the allocator's settings in effect on this device.
func (r *Recording) Settings() *layout.Settings {
	return r.ownSettings.get("own settings", func() *layout.Settings {
		return r.Source.Settings().Of(r.Snapshot, r.Device)
	})
}

// Activities returns the activity of each stack of the device's events.
func (r *Recording) Activities() *stacks.Activities {
	return r.activities.get("activities", func() *stacks.Activities {
		return stacks.ActivitiesOf(r.Stacks, r.Device.Events)
	})
}

// Annotations returns the ranges that record_function and the profiler named, on the time
// axis of this device.
func (r *Recording) Annotations() []timeline.Annotation {
	return r.annotations.get("annotations", func() []timeline.Annotation {
		return timeline.FindAnnotations(r.Snapshot, r.Device)
	})
}

// Notes returns the texts that the program attached to allocations.
func (r *Recording) Notes() *replay.Notes {
	return r.notes.get("notes", func() *replay.Notes { return r.Device.Notes(r.Snapshot) })
}

// Phases returns the history as a sequence of phases of training.
func (r *Recording) Phases() timeline.Phases {
	return r.phases.get("phases", func() timeline.Phases {
		return timeline.FindPhases(r.Activities(), r.Device.Events)
	})
}

// Families returns what each allocation was for.
func (r *Recording) Families() *families.Assignment {
	return r.families.get("families", func() *families.Assignment {
		return families.Find(r.Stacks, r.Device, r.Activities(), r.Phases(), r.overridden)
	})
}

// Modules returns which module asked for memory, and which blocks of the model repeat.
func (r *Recording) Modules() *modules.Findings {
	return r.modules.get("modules", func() *modules.Findings {
		return modules.Find(modules.Input{Stacks: r.Stacks, Device: r.Device, Activities: r.Activities(),
			Phases: r.Phases()})
	})
}

// Steps returns the history cut into steps.
func (r *Recording) Steps() *steps.List {
	return r.steps.get("steps", func() *steps.List {
		return steps.Find(steps.Input{Stacks: r.Stacks, Device: r.Device, Activities: r.Activities(),
			Phases: r.Phases(), Annotations: r.Annotations()})
	})
}

// Peaks returns what the peak holds unnecessarily, and whether it is a first step's.
func (r *Recording) Peaks() *peaks.Findings {
	return r.peaks.get("peaks", func() *peaks.Findings {
		return peaks.Find(peaks.Input{Stacks: r.Stacks, Device: r.Device, Phases: r.Phases(), Families: r.Families(),
			Steps: r.Steps()})
	})
}

// Leaks returns memory that repeatedly survives steps.
func (r *Recording) Leaks() *leaks.Findings {
	return r.leaks.get("leaks", func() *leaks.Findings {
		return leaks.Find(leaks.Input{Stacks: r.Stacks, Device: r.Device, Activities: r.Activities(),
			Phases: r.Phases(), Families: r.Families(), Steps: r.Steps()})
	})
}

// LeaksWithoutCycles is Leaks without those that reference cycles explain.
func (r *Recording) LeaksWithoutCycles() *leaks.Findings { return r.Leaks().Without(r.Cycles()) }

// Cycles returns memory that Python's cycle collector freed.
func (r *Recording) Cycles() *leaks.Cycles {
	return r.cycles.get("cycles", func() *leaks.Cycles { return leaks.FindCycles(r.Stacks, r.Device, r.Steps()) })
}

// Pools returns the memory pool of each allocation.
func (r *Recording) Pools() *layout.Pools {
	return r.pools.get("pools", func() *layout.Pools { return layout.FindPools(r.Snapshot, r.Device) })
}

// Layouts can reconstruct the memory map in any state.
func (r *Recording) Layouts() *layout.History {
	return r.layouts.get("layouts", func() *layout.History {
		return layout.New(r.Snapshot, r.Device, r.Settings())
	})
}

// Fragmentation returns the fragmentation at the peak of reserved memory and at the end.
func (r *Recording) Fragmentation() *layout.Fragmentations {
	return r.fragmentation.get("fragmentation", r.Layouts().Fragmentations)
}

// Summary returns torch's own statistics, as far as they were recorded.
func (r *Recording) Summary() *layout.Summary { return r.Layouts().Summary() }

// OOMs returns the requests that failed. capacity is the device's, in bytes, or 0 if
// unknown.
func (r *Recording) OOMs(capacity int64) []oom.Failure {
	return oom.Find(r.Device, r.Layouts(), capacity)
}

// Retries returns the requests that the driver refused.
func (r *Recording) Retries() *oom.Retries {
	return r.retries.get("retries", func() *oom.Retries { return oom.FindRetries(r.Snapshot, r.Device, r.Settings()) })
}

// Holders returns what holds memory in a state, 0 to the number of events.
func (r *Recording) Holders(state int, g holders.Grouping) *holders.Holding {
	return r.HoldersSince(state, timeline.NoState, g)
}

// HoldersSince returns what holds memory in a state, and what the same rows held in an
// earlier state.
func (r *Recording) HoldersSince(state, before int, g holders.Grouping) *holders.Holding {
	return holders.Since(r.held(), state, before, g)
}

// Churn returns what was allocated over the whole recording.
func (r *Recording) Churn(g holders.Grouping) *holders.Churned { return holders.Churn(r.held(), g) }

func (r *Recording) held() holders.Input {
	return holders.Input{Stacks: r.Stacks, Device: r.Device, Families: r.Families, Pools: r.Pools, Modules: r.Modules,
		Annotations: r.Annotations, Notes: r.Notes}
}

// Compare matches the lines, phases and steps of two recordings.
func Compare(before, after *Recording) *compare.Comparison {
	return compare.New(before.side(), after.side())
}

func (r *Recording) side() compare.Side {
	return compare.Side{Stacks: r.Stacks, Device: r.Device, Families: r.Families(), Phases: r.Phases(),
		Steps: r.Steps()}
}
