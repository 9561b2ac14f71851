package steps

import (
	"cmp"
	"math"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// rhythm records when one call site allocates.
type rhythm struct {
	site        snapshot.StackID
	count       int32
	first, last replay.EventIndex
	squares     float64 // sum of the squared distances between neighbours, in events
}

func (r *rhythm) beat(i replay.EventIndex) {
	if r.count == 0 {
		r.first = i
	} else {
		gap := float64(i - r.last)
		r.squares += gap * gap
	}
	r.count++
	r.last = i
}

// maxGapDeviation bounds how far the gaps of a regular site spread around their mean, as
// a share of it.
const maxGapDeviation = 0.35

// regular reports whether the site allocates at nearly equal distances, over at least
// half of a trace of n events.
func (r *rhythm) regular(n int) bool {
	if r.count < 2 || 2*int(r.last-r.first) < n {
		return false
	}
	gaps := float64(r.count - 1)
	mean := float64(r.last-r.first) / gaps
	return math.Sqrt(max(0, r.squares/gaps-mean*mean)) <= maxGapDeviation*mean
}

// rhythms finds the rhythm of each site that allocates, by stack. A file may have a thousand
// devices and a million stacks, so a device with few events has no table of them all.
func (f *finder) rhythms() []rhythm {
	e := f.Device.Events
	if len(f.Stacks.Facts) > 4*e.Len() {
		return sparseRhythms(e)
	}
	all := make([]rhythm, len(f.Stacks.Facts))
	for i, action := range e.Action {
		if action == snapshot.Alloc {
			all[e.Stack[i]].beat(replay.EventIndex(i))
		}
	}
	for id := range all {
		all[id].site = snapshot.StackID(id)
	}
	return slices.DeleteFunc(all, func(r rhythm) bool { return r.count == 0 })
}

func sparseRhythms(e *snapshot.Events) []rhythm {
	var all []rhythm
	places := map[snapshot.StackID]int{}
	for i, action := range e.Action {
		if action != snapshot.Alloc {
			continue
		}
		place, known := places[e.Stack[i]]
		if !known {
			place = len(all)
			places[e.Stack[i]] = place
			all = append(all, rhythm{site: e.Stack[i]})
		}
		all[place].beat(replay.EventIndex(i))
	}
	slices.SortFunc(all, func(a, b rhythm) int { return cmp.Compare(a.site, b.site) })
	return all
}

// anchor returns a site that allocates once an iteration: of the regular sites among
// those asked for, the earliest that allocates as often as most of them do; 0 if there is
// none.
func (f *finder) anchor(all []rhythm, asked func(snapshot.StackID) bool) snapshot.StackID {
	n := f.Device.Events.Len()
	var regular []*rhythm
	votes := map[int32]int{}
	for i := range all {
		if site := &all[i]; site.regular(n) && asked(site.site) {
			regular = append(regular, site)
			votes[site.count]++
		}
	}
	var anchor rhythm
	for _, site := range regular {
		ahead := votes[site.count] - votes[anchor.count]
		if anchor.site == 0 || ahead > 0 || ahead == 0 && site.first < anchor.first {
			anchor = *site
		}
	}
	return anchor.site
}

// allocsOf returns the events in which a site allocates.
func (f *finder) allocsOf(site snapshot.StackID) []replay.EventIndex {
	if site == 0 {
		return nil
	}
	e := f.Device.Events
	var at []replay.EventIndex
	for i, action := range e.Action {
		if action == snapshot.Alloc && e.Stack[i] == site {
			at = append(at, replay.EventIndex(i))
		}
	}
	return at
}

// byUserSites finds a loop by what its own code, outside of modules, allocates.
func (f *finder) byUserSites() []replay.EventIndex {
	return f.iterations(f.allocsOf(f.anchor(f.rhythms(), func(id snapshot.StackID) bool {
		switch f.Activities.Alloc(id) {
		case stacks.InUserCode, stacks.InDataLoader, stacks.InZeroGrad, stacks.InClipping:
			return true
		}
		return false
	})))
}

// iterations cuts where each iteration but the first starts and where the last one ends,
// so that there are as many steps as iterations. Events before the first one belong to
// it, unless they are the rest of an iteration that the beginning of the recording cuts;
// then the first starts a step of its own. The last one has an end if nearly all code of
// the one before has run again: after the last event of code seen in earlier iterations.
func (f *finder) iterations(starts []replay.EventIndex) []replay.EventIndex {
	n := len(starts)
	if n == 0 {
		return nil
	}
	f.last = starts[n-1]
	if n == 1 {
		return starts
	}
	e := f.Device.Events
	allocates := func(from, to replay.EventIndex) map[snapshot.StackID]bool {
		sites := map[snapshot.StackID]bool{}
		for i := from; i < to; i++ {
			if e.Action[i] == snapshot.Alloc {
				sites[e.Stack[i]] = true
			}
		}
		return sites
	}
	end := replay.EventIndex(e.Len())
	before, last := allocates(starts[n-2], f.last), allocates(f.last, end)
	cuts := slices.Clone(starts)
	cut := false // the beginning of the recording cuts an iteration
	loop := allocates(starts[0], starts[1])
	for id := range allocates(0, starts[0]) {
		cut = cut || loop[id] && id != 0
	}
	if !cut {
		cuts[0] = 0
	}
	again := 0
	for id := range before {
		if last[id] {
			again++
		}
	}
	if 100*again < minRecurringPercent*len(before) {
		return cuts
	}
	known := map[snapshot.StackID]bool{}
	for i := starts[0]; i < f.last; i++ {
		known[e.Stack[i]] = true
	}
	for end > f.last && !known[e.Stack[end-1]] {
		end--
	}
	return append(cuts, end)
}

// goesOn reports whether the start of the last iteration is followed by code that no
// earlier iteration ran. Then the loop had ended, or its iterations are the layers of a
// model that is not a torch.nn.Module.
func (f *finder) goesOn(last replay.EventIndex) bool {
	e := f.Device.Events
	seen := make([]bool, len(f.Stacks.Facts))
	for i, action := range e.Action {
		if id := e.Stack[i]; action == snapshot.Alloc && !seen[id] {
			if replay.EventIndex(i) > last {
				return true
			}
			seen[id] = true
		}
	}
	return false
}

// minRecurringPercent is the share of outer call sites that come back when a
// model is called again. The layers of one call do not.
const minRecurringPercent = 85

// byForward finds calls of a whole model. The layers of a single call repeat as
// well, so no outer module may allocate for the first time after the last call
// began.
func (f *finder) byForward() []replay.EventIndex {
	all := f.rhythms()
	depth := f.shallowDepth(all)
	shallow := func(id snapshot.StackID) bool {
		return f.Activities.Alloc(id) == stacks.InForward && f.Stacks.Depth[id] <= depth
	}
	calls := f.allocsOf(f.anchor(all, shallow))
	if len(calls) == 0 {
		return nil
	}
	second, last := calls[1], calls[len(calls)-1]
	seen, recurring := 0, 0
	for i := range all {
		site := &all[i]
		if !shallow(site.site) || site.last < second {
			continue
		}
		if site.first > last {
			return nil
		}
		seen++
		if int(site.count) >= len(calls)-1 {
			recurring++
		}
	}
	if 100*recurring < minRecurringPercent*seen {
		return nil
	}
	return f.iterations(calls)
}

// shallowDepth returns the second smallest number of module calls on the stacks that
// allocate in forward.
func (f *finder) shallowDepth(all []rhythm) uint8 {
	const none = math.MaxUint8
	first, second := uint8(none), uint8(none)
	for i := range all {
		if f.Activities.Alloc(all[i].site) != stacks.InForward {
			continue
		}
		switch d := f.Stacks.Depth[all[i].site]; {
		case d < first:
			first, second = d, first
		case d > first && d < second:
			second = d
		}
	}
	return second
}
