// Package families determines what each tensor was for: a parameter, a gradient, an
// activation, optimizer state and so on.
//
// It is based on three things: the names on the stack that allocated a tensor and on the
// one that freed it; the phase of training in which each happened; and, for blocks from
// before the recording, how many have the size of a gradient. The built-in rules are
// tried in their order in rules.go; the first that applies decides, and
// [Assignment.Reason] explains how and how surely. [Overrides] are rules of the user's
// own, which come before all of them.
//
// What it cannot see: what a tensor was used for between its allocation and its free, and
// anything about tensors whose stack names only user code and that are never freed.
package families

import (
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Family is what a tensor was for.
type Family uint8

const (
	Unknown Family = iota
	Parameter
	Optimizer
	Gradient
	Activation
	Temporary
	Input
	Output
	Communication
	Workspace
	Cache
	Resident // from before the recording and not freed in it; nothing more is known
	ParameterOrOptimizer
	ParameterOrGradient
	Count int = iota
)

// familyNames are the key in files, the label in a legend and the word for one
// tensor.
var familyNames = [Count]struct{ key, label, one string }{
	Unknown:              {"unknown", "Unknown", "unknown"},
	Parameter:            {"parameter", "Parameters", "parameter"},
	Optimizer:            {"optimizer", "Optimizer state", "optimizer state"},
	Gradient:             {"gradient", "Gradients", "gradient"},
	Activation:           {"activation", "Activations", "activation"},
	Temporary:            {"temporary", "Temporaries", "temporary"},
	Input:                {"input", "Inputs", "input"},
	Output:               {"output", "Outputs", "output"},
	Communication:        {"communication", "Communication", "communication buffer"},
	Workspace:            {"workspace", "Workspaces", "workspace"},
	Cache:                {"cache", "KV cache", "KV cache"},
	Resident:             {"resident", "Resident", "resident"},
	ParameterOrOptimizer: {"parameter_or_optimizer", "Parameters or optimizer state", "parameter or optimizer state"},
	ParameterOrGradient:  {"parameter_or_gradient", "Parameters or gradients", "parameter or gradient"},
}

func (f Family) names() (n struct{ key, label, one string }) {
	if int(f) < Count {
		return familyNames[f]
	}
	return familyNames[Unknown]
}

// Key names the family in files and URLs: "optimizer".
func (f Family) Key() string { return f.names().key }

// Label heads the family in a legend: "Optimizer state".
func (f Family) Label() string { return f.names().label }

// One is the word for a single tensor of the family: "optimizer state".
func (f Family) One() string { return f.names().one }

// Confidence is how sure a family is.
type Confidence uint8

const (
	High   Confidence = iota // names prove it, or nothing else fits
	Medium                   // the lifetime shows it
	Low
)

// Qualifier returns the words to add to a family: nothing, "by its lifetime" or
// "probably".
func (c Confidence) Qualifier() string {
	switch c {
	case High:
		return ""
	case Medium:
		return "by its lifetime"
	}
	return "probably"
}

// Assignment has the family of each allocation of a device.
type Assignment struct {
	Rules []Rule // by allocation, in the order of replay.Device.Allocations: the rule that decided

	// LastOutputs are the outputs of an iteration that live into the next one.
	LastOutputs []LastOutput

	overrides *Overrides
}

// LastOutput is an output of an iteration that lives into the next one.
type LastOutput struct {
	Allocation int               // index into Device.Allocations
	Next       replay.EventIndex // the first event of the next forward pass
}

// Family returns the family of allocation i.
func (f *Assignment) Family(i int) Family {
	r := f.Rules[i]
	if int(r) < ruleCount {
		return rules[r].family
	}
	return f.overrides.list[int(r)-ruleCount].family
}

// MadeOnce reports whether allocation i, live at the end of a training's first step,
// persists in each later step without being made again.
func (f *Assignment) MadeOnce(i int) bool {
	switch f.Family(i) {
	case Parameter, Optimizer, Workspace, Communication, Cache:
		return true
	}
	return f.Rules[i].BuildsOptimizer()
}

// Reason is a family with the rule's reason for it.
type Reason struct {
	Family     Family
	Confidence Confidence
	Because    string // a clause without a full stop
	Retained   bool   // an activation that outlived the backward pass it was saved for
}

// Reason explains a rule of f.Rules.
func (f *Assignment) Reason(r Rule) Reason {
	if int(r) < ruleCount {
		row := &rules[r]
		return Reason{row.family, row.confidence, row.because, r == activationRetained}
	}
	return f.overrides.reason(int(r) - ruleCount)
}

// BytesIn sums the requested bytes that are live in a state, by family.
func (f *Assignment) BytesIn(d *replay.Device, state int) [Count]int64 {
	var bytes [Count]int64
	for i := range d.Allocations {
		if a := &d.Allocations[i]; a.LiveIn(state) {
			bytes[f.Family(i)] += a.Size
		}
	}
	return bytes
}

// Find decides the family of every allocation of a device. o may be nil. The cost
// is linear in the events, and n log n in the allocations from before the
// recording.
func Find(st *stacks.Table, d *replay.Device, activities *stacks.Activities, phases timeline.Phases,
	o *Overridden) *Assignment {
	if d.ID == snapshot.Pinned {
		f := &Assignment{Rules: make([]Rule, len(d.Allocations))}
		f.override(o, d)
		return f
	}
	ev := gatherEvidence(st, d, activities, phases)
	f := &Assignment{Rules: make([]Rule, len(d.Allocations))}
	born := f.Rules[d.PreExisting:]
	ev.eachBirth(func(i int, b *birth) {
		born[i] = ev.decideBirth(b)
		if born[i].family() == Input {
			b.site.input = true
		}
		if born[i] == outputOfLastIteration {
			f.LastOutputs = append(f.LastOutputs, LastOutput{d.PreExisting + i, ev.nextIteration(b.Start)})
		}
	})
	ev.eachBirth(func(i int, b *birth) {
		if b.site.input && b.freed() && mayBeInput(born[i]) {
			born[i] = inputLikeItsSite
		}
	})
	ev.alignOutputs(born)
	if d.Events.Category != nil {
		decideAsRecorded(born, d)
	}
	ev.decidePreExisting(f.Rules)
	f.override(o, d)
	return f
}

// mayBeInput reports whether the rule for a tensor that was freed would also apply
// to an input that was dropped early.
func mayBeInput(r Rule) bool {
	family := r.family()
	return family == Temporary || family == Output
}
