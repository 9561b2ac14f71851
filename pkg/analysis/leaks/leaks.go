package leaks

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// LeakKind is the way in which the memory of a call site grows over the steps.
type Kind uint8

const (
	Accumulates Kind = iota // what it allocates in one step is still there at the end, again and again
	Grows                   // what it allocates is replaced by something larger each step
	Sawtooth                // it piles up over several steps and is freed at once
)

// Key names the kind in files: "accumulates".
func (k Kind) Key() string { return [...]string{"accumulates", "grows", "sawtooth"}[k] }

// LeakLimit is why leaks cannot be judged from a recording.
type Limit uint8

const (
	NoLimit       Limit = iota
	NoEvents            // it holds a state only
	NoRepetition        // no steps were found
	TooFewSteps         // fewer than minLeakBoundaries
	KeepsForwards       // only forward passes, which keep their activations for a backward that never comes
)

// Key names the limit in files: "no_repetition"; "" when leaks were judged.
func (l Limit) Key() string {
	return [...]string{"", "no_events", "no_repetition", "too_few_steps", "keeps_forwards"}[l]
}

// minLeakBoundaries is how many times the end of a step must be seen: growth
// between two could be the rest of getting ready.
const minLeakBoundaries = 3

// Growth is memory that call sites hold on to.
type Growth struct {
	Bytes       int64 // held at the end of the recording
	PerStep     int64 // bytes that a step adds, on average from the first that adds any to the last whole one
	Allocations int   // that the bytes are in; for a sawtooth, those freed in bursts
	First, Last int   // of them, as indices into Device.Allocations
}

// LeakSite is one call site of a leak.
type Site struct {
	Stack snapshot.StackID // 0 for the site without frames
	Growth
}

// Leak is memory that grows with the steps in one rhythm, and so probably for
// one reason. The stack of an allocation says where it was asked for; what
// keeps it is not recorded.
type Leak struct {
	Kind   Kind
	Strong bool // over enough steps to outlast warm-up and small caches
	Growth      // of all its sites

	Sites []Site // most bytes first
	// Frame is the innermost user frame that the sites have in common; its line
	// is that of the largest site. NoFrame when no site has a user frame.
	Frame snapshot.FrameID
	// Graph says that most of the bytes are activations of several call sites,
	// as when each step's autograd graph is kept.
	Graph    bool
	Families [families.Count]int64 // its bytes, for a sawtooth those freed in bursts

	FirstStep, LastStep int // that added to it, as indices into Steps.Steps
	GrowingSteps        int // steps that added to it
	FreedAcross         int // allocations of the sites that outlived their step and were freed later

	Bursts     int   // of a sawtooth: steps that free the work of several steps
	BurstSteps int   // the most steps that one of them cleared
	BurstBytes int64 // the most bytes that one of them freed
}

// Leaks is what can be said about memory that survives steps.
type Findings struct {
	Limit  Limit  // why the rest is empty
	Leaks  []Leak // strong ones first, then by bytes
	Caches []Leak // key-value caches that grow: they are meant to
	Once   Kept
	Before int64 // bytes from before the recording that are held at its end; never suspect

	device *replay.Device
	steps  *steps.List
}

// LeakInput is what leaks are found by, all of one device.
type Input struct {
	Stacks     *stacks.Table
	Device     *replay.Device
	Activities *stacks.Activities
	Phases     *timeline.Phases
	Families   *families.Assignment
	Steps      *steps.List
}

// maxKeptPercent is the share of allocations alive at the end from which on
// forward passes keep activations, and their growth says nothing.
const maxKeptPercent = 15

// FindLeaks looks for memory that survives steps, again and again. The cost is
// linear in the events, and n log n in the allocations that outlive their step.
func Find(in Input) *Findings {
	l := &Findings{device: in.Device, steps: in.Steps}
	for i := range in.Device.PreExisting {
		if a := &in.Device.Allocations[i]; timeline.FreedAt(a) == timeline.Never {
			l.Before += a.Size
		}
	}
	if l.Limit = in.limit(); l.Limit != NoLimit {
		return l
	}
	judge := newDetector(&in)
	var suspects []suspect
	for stack, lives := range survivorsOf(in.Device, in.Steps).all() {
		l.Once.add(in.Families, lives)
		if s, is := judge.site(stack, lives); is {
			suspects = append(suspects, s)
		}
	}
	for _, leak := range in.groupSuspects(suspects) {
		if leak.Families[families.Cache] > leak.size()/2 {
			l.Caches = append(l.Caches, leak)
		} else {
			l.Leaks = append(l.Leaks, leak)
		}
	}
	rankLeaks(l.Leaks)
	rankLeaks(l.Caches)
	return l
}

func (in *Input) limit() Limit {
	found := in.Steps
	switch {
	case in.Device.Events.Len() == 0:
		return NoEvents
	case (found.Method == steps.None || found.Method == steps.ByForward) && in.keeps(stacks.InForward),
		found.Method == steps.ByUserSites && found.Guess && in.keeps(stacks.InUserCode):
		return KeepsForwards
	case found.Method == steps.None:
		return NoRepetition
	case len(found.Boundaries) < minLeakBoundaries:
		return TooFewSteps
	}
	return NoLimit
}

// keeps reports whether code of a kind leaves more behind than a model that is
// only used would, with nothing of a backward pass recorded.
func (in *Input) keeps(code stacks.Activity) bool {
	for _, run := range in.Phases.Runs {
		if run.Phase == timeline.PhaseBackward || run.Phase == timeline.PhaseOptimizer {
			return false
		}
	}
	all, kept := 0, 0
	born := in.Device.Allocations[in.Device.PreExisting:]
	for i := range born {
		if in.Activities.Alloc(born[i].Stack) == code {
			all++
			if timeline.FreedAt(&born[i]) == timeline.Never {
				kept++
			}
		}
	}
	return all > 0 && 100*kept >= maxKeptPercent*all
}

// size is what a leak is ranked by.
func (l *Leak) size() int64 { return max(l.Bytes, l.BurstBytes) }

func rankLeaks(leaks []Leak) {
	slices.SortStableFunc(leaks, func(a, b Leak) int {
		if a.Strong != b.Strong {
			if a.Strong {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.size(), a.size()), cmp.Compare(a.First, b.First))
	})
}

// BytesAtBoundaries is what the sites of a leak hold at each boundary of the steps, in
// bytes: allocations born in the recording and not yet given up.
func (l *Findings) BytesAtBoundaries(leak *Leak) []int64 {
	sites := make(map[snapshot.StackID]bool, len(leak.Sites))
	for _, s := range leak.Sites {
		sites[s.Stack] = true
	}
	held := make([]int64, len(l.steps.Boundaries)+1)
	born := l.device.Allocations[l.device.PreExisting:]
	for i := range born {
		if a := &born[i]; sites[a.Stack] {
			held[l.steps.Of(a.Start)] += a.Size
			if end := timeline.FreedAt(a); end != timeline.Never {
				held[l.steps.Of(end)] -= a.Size
			}
		}
	}
	for j := 1; j < len(held); j++ {
		held[j] += held[j-1]
	}
	return held[:len(l.steps.Boundaries)]
}

// State is the first state in which an allocation of the recording is live.
func (l *Findings) State(allocation int) int {
	return int(l.device.Allocations[allocation].Start) + 1
}

// Kept is memory that was asked for in the recording and is held at its end,
// by call sites that did so in one step only: what weights, optimizer state
// and caches look like.
type Kept struct {
	Sites, Allocations int
	Bytes              int64
	Families           [families.Count]int64
}

// add counts a site, if what it holds at the end was all born in one step.
func (k *Kept) add(f *families.Assignment, lives []survivor) {
	n, bytes, step := 0, int64(0), int32(-1)
	for _, x := range lives {
		if !x.live() {
			continue
		}
		if step >= 0 && x.born != step {
			return
		}
		step = x.born
		n++
		bytes += x.size
	}
	if n == 0 {
		return
	}
	k.Sites++
	k.Allocations += n
	k.Bytes += bytes
	for _, x := range lives {
		if x.live() {
			k.Families[f.Family(int(x.allocation))] += x.size
		}
	}
}
