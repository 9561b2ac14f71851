// Package leaks finds memory that repeatedly survives the steps of a program, and memory
// that Python's cycle collector freed.
//
// It is based on when allocations were born and freed, counted in steps: [Find] looks at
// what one call site holds across the ends of steps and distinguishes three kinds of
// growth. Growth in only a few steps is set-up (weights, optimizer state, caches) and is
// counted separately. Call sites that grow in the same steps are one [Leak]. [FindCycles]
// uses the C++ frames in the stacks of frees.
//
// Where no call site is suspect, the least memory of each step may still rise, as
// with a queue that is trimmed more slowly than it fills, or a leak at another call
// site each time: that is unexplained growth, a [Trend].
//
// What it cannot see: which object keeps a tensor alive, because snapshots do not record
// references; leaks in recordings with fewer than 4 ends of steps; and whether growth is
// a leak or a filling cache, unless the recording is long.
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

// Kind is how the memory of a call site grows over the steps.
type Kind uint8

const (
	Accumulates Kind = iota // repeatedly, what it allocates in one step is still there at the end
	Grows                   // its memory is replaced by something larger each step
	Sawtooth                // it accumulates over several steps and is freed at once
)

// Key names the kind in files: "accumulates".
func (k Kind) Key() string { return [...]string{"accumulates", "grows", "sawtooth"}[k] }

// Limit is why a recording cannot show leaks.
type Limit uint8

const (
	NoLimit       Limit = iota // it can show them
	NoEvents                   // it has no history, only a state
	NoRepetition               // no steps were found
	TooFewSteps                // fewer than minJudgedBoundaries
	KeepsForwards              // only forward passes, which keep their activations for a backward that never comes
)

// Key names the limit in files: "no_repetition"; "" for [NoLimit].
func (l Limit) Key() string {
	return [...]string{"", "no_events", "no_repetition", "too_few_steps", "keeps_forwards"}[l]
}

// How many ends of steps must be recorded to see growth in each of them, and to rule it
// out: the first step may be cut, and growth in it and the next may be the rest of a
// program's set-up.
const (
	minLeakBoundaries   = 3
	minJudgedBoundaries = 4
)

// Doubt is why a finding is weak.
type Doubt uint8

const (
	NoDoubt         Doubt = iota // it is strong
	FewSteps                     // fewer than 8 steps were recorded
	GuessedSteps                 // the steps may be the layers of one forward pass
	FewGrowingSteps              // fewer than 5 steps add to it after the first two
	SlowingDown                  // the second half of the steps adds less than half as much as the first
	Tiny                         // it adds at most 4 KiB a step
	Delayed                      // for a sawtooth: it is freed in the end
)

// Key names the doubt in files: "few_steps"; "" for [NoDoubt].
func (d Doubt) Key() string {
	return [...]string{"", "few_steps", "guessed_steps", "few_growing_steps", "slowing_down", "tiny", "delayed"}[d]
}

// maxTinyBytes is the growth per step up to which a leak is a weak finding: no program
// runs out of memory because of it.
const maxTinyBytes = 4 << 10

// Retained is memory that call sites hold on to.
type Retained struct {
	Bytes       int64 // held at the end of the recording
	PerStep     int64 // bytes that a step adds, on average from the first that adds any to the last complete one
	Allocations int   // with these bytes over time; for a sawtooth, those freed in bursts
	Held        int   // allocations with these bytes at the end
	First, Last int   // index in Device.Allocations of the first and the last of them
}

// Site is one call site of a leak.
type Site struct {
	Stack snapshot.StackID // 0 for the site without frames
	Retained
}

// Leak is memory that grows in the same steps, and so probably for one reason. The stack
// of an allocation shows where it was requested; what keeps it is not recorded.
type Leak struct {
	Kind     Kind
	Strong   bool  // over enough steps to outlast warm-up and small caches
	Doubt    Doubt // why it is not strong
	Retained       // of all its sites

	Sites []Site // most bytes first
	// Frame is the innermost user frame that the sites have in common; its line is the
	// largest site's. NoFrame if no site has a user frame.
	Frame snapshot.FrameID
	// Graph means that most of the bytes are activations of several call sites,
	// as when each step's autograd graph is kept.
	Graph    bool
	Families [families.Count]int64 // its bytes, for a sawtooth those freed in bursts

	FirstStep, LastStep int   // that added to it, as indices into Steps.Steps
	GrowingSteps        int   // steps that added to it
	Every               int   // distance of growing steps; 0: it varies
	PerGrowth           int64 // bytes that one of these steps adds, on average

	Bursts     int   // for a sawtooth: steps that free the memory of several steps
	BurstSteps int   // the most steps that one of them cleared
	BurstBytes int64 // the most bytes that one of them freed
}

// Findings are what memory that survives steps shows.
type Findings struct {
	Limit  Limit         // why what follows Growth is empty
	Growth *steps.Growth // of all active memory; nil where too few steps end in the recording
	Leaks  []Leak        // strong ones first, then by bytes
	Caches []Leak        // key-value caches, which are meant to grow
	Once   Kept
	Filled Filled
	// Trend is how the least active bytes of steps change apart from Leaks and Caches;
	// nil if that cannot be judged.
	Trend   *Trend
	FedMore bool  // each step works on more data than the one before, so that growth proves nothing
	Before  int64 // bytes from before the recording that are live at its end; never reported as a leak

	device *replay.Device
	steps  *steps.List
}

// Input is the data that leaks are found in, all of the same device.
type Input struct {
	Stacks     *stacks.Table
	Device     *replay.Device
	Activities *stacks.Activities
	Phases     timeline.Phases
	Families   *families.Assignment
	Steps      *steps.List
}

// maxKeptPercent is the share of allocations alive at the end above which forward passes
// are assumed to keep their activations, so that growth proves nothing.
const maxKeptPercent = 15

// Find looks for memory that repeatedly survives steps. The cost is
// linear in the events, and n log n in the allocations that outlive their step.
func Find(in Input) *Findings {
	l := &Findings{device: in.Device, steps: in.Steps}
	for i := range in.Device.PreExisting {
		if a := &in.Device.Allocations[i]; timeline.FreedAt(a) == timeline.Never {
			l.Before += a.Size
		}
	}
	var all *survivorsBySite
	l.Limit = in.limit()
	if l.Limit == NoLimit || l.Limit == TooFewSteps && len(in.Steps.Boundaries) >= minLeakBoundaries {
		all = survivorsOf(in.Device, in.Steps)
		in.find(l, all)
	}
	if l.Limit == NoLimit && !in.Steps.Guess && !l.FedMore {
		l.Trend = in.trend(l, all)
	}
	if g, known := in.Steps.Growth(in.Device.ActiveBytes(), in.activeWithout(l.sites(Accumulates, Grows))); known {
		l.Growth = &g
	}
	return l
}

// find looks for call sites that grow.
func (in *Input) find(l *Findings, all *survivorsBySite) {
	detector := newDetector(in)
	var suspects []suspect
	for stack, survivors := range all.all() {
		l.Once.add(survivors)
		if s, is := detector.site(stack, survivors); is {
			suspects = append(suspects, s)
		} else if f, is := detector.filled(survivors); is {
			l.Filled.add(f)
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
	l.FedMore = detector.feeding
}

// sites returns the call sites of Leaks and Caches of some kinds.
func (l *Findings) sites(kinds ...Kind) map[snapshot.StackID]bool {
	sites := map[snapshot.StackID]bool{}
	for _, list := range [][]Leak{l.Leaks, l.Caches} {
		for i := range list {
			if !slices.Contains(kinds, list[i].Kind) {
				continue
			}
			for _, site := range list[i].Sites {
				sites[site.Stack] = true
			}
		}
	}
	return sites
}

func (in *Input) limit() Limit {
	found := in.Steps
	switch {
	case in.Device.Events.Len() <= 1: // a final state may come with one
		return NoEvents
	case (found.Method == steps.None || found.Method == steps.ByForward) && in.keeps(stacks.InForward),
		found.Method == steps.ByUserSites && found.Guess && in.keeps(stacks.InUserCode):
		return KeepsForwards
	case found.Method == steps.None:
		return NoRepetition
	case len(found.Boundaries) < minJudgedBoundaries:
		return TooFewSteps
	}
	return NoLimit
}

// keeps reports whether code of one activity leaves more memory behind than
// inference does, in a recording without backward passes or optimizer steps.
func (in *Input) keeps(activity stacks.Activity) bool {
	for _, run := range in.Phases {
		if run.Phase == stacks.InBackward || run.Phase == stacks.InOptimizer {
			return false
		}
	}
	all, kept := 0, 0
	born := in.Device.Allocations[in.Device.PreExisting:]
	for i := range born {
		if in.Activities.Alloc(born[i].Stack) == activity {
			all++
			if timeline.FreedAt(&born[i]) == timeline.Never {
				kept++
			}
		}
	}
	return all > 0 && 100*kept >= maxKeptPercent*all
}

// size is the rank of a leak.
func (l *Leak) size() int64 { return max(l.Bytes, l.BurstBytes) }

// Site returns the innermost user frame that the call sites of a leak have in common, or
// the largest of them.
func (l *Leak) Site(st *stacks.Table) stacks.Site {
	if l.Frame == stacks.NoFrame {
		return st.Site(l.Sites[0].Stack)
	}
	return st.Frame(l.Frame)
}

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

// BytesAtBoundaries returns what the sites of a leak hold at each boundary of the steps,
// in bytes: allocations born in the recording and not yet freed.
func (l *Findings) BytesAtBoundaries(leak *Leak) []int64 {
	sites := make(map[snapshot.StackID]bool, len(leak.Sites))
	for _, s := range leak.Sites {
		sites[s.Stack] = true
	}
	bytes := make([]int64, len(l.steps.Boundaries)+1)
	born := l.device.Allocations[l.device.PreExisting:]
	for i := range born {
		if a := &born[i]; sites[a.Stack] {
			bytes[l.steps.Of(a.Start)] += a.Size
			if end := timeline.FreedAt(a); end != timeline.Never {
				bytes[l.steps.Of(end)] -= a.Size
			}
		}
	}
	for j := 1; j < len(bytes); j++ {
		bytes[j] += bytes[j-1]
	}
	return bytes[:len(l.steps.Boundaries)]
}

// State returns the first state in which an allocation of the recording is live.
func (l *Findings) State(allocation int) int {
	return int(l.device.Allocations[allocation].Start) + 1
}

// Kept is memory that is live at the end and was allocated by call sites that keep memory
// of only one step, as weights, optimizer state and caches do.
type Kept struct {
	Sites, Allocations int
	Bytes              int64
}

// add counts a site if everything of it that outlived its step was born in one step. A
// site that makes more in other steps replaces its memory, as with gradients.
func (k *Kept) add(survivors []survivor) {
	n, bytes := 0, int64(0)
	for _, x := range survivors {
		if x.born != survivors[0].born {
			return
		}
		if x.live() {
			n++
			bytes += x.size
		}
	}
	if n == 0 {
		return
	}
	k.Sites++
	k.Allocations += n
	k.Bytes += bytes
}

// Filled is memory that is live at the end and was allocated in several steps by call
// sites that have stopped adding: what a filled cache looks like.
type Filled struct {
	Kept
	FirstStep, LastStep int // that added to it, as indices into Steps.Steps
}

func (f *Filled) add(g Filled) {
	if f.Sites == 0 {
		f.FirstStep = g.FirstStep
	}
	f.Sites += g.Sites
	f.Allocations += g.Allocations
	f.Bytes += g.Bytes
	f.FirstStep, f.LastStep = min(f.FirstStep, g.FirstStep), max(f.LastStep, g.LastStep)
}
