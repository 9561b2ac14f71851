package leaks

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// groupSuspects makes one leak of sites that grow in the same way and in the same steps:
// a kept autograd graph has a site for each of its operators.
func (in *Input) groupSuspects(suspects []suspect) []Leak {
	type key struct {
		kind   Kind
		rhythm string
	}
	groups := map[key][]*suspect{}
	var order []key
	for i := range suspects {
		k := key{suspects[i].kind, suspects[i].rhythm}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], &suspects[i])
	}
	leaks := make([]Leak, 0, len(order))
	for _, k := range order {
		leaks = append(leaks, in.leakOf(groups[k]))
	}
	return leaks
}

func (in *Input) leakOf(sites []*suspect) Leak {
	one := sites[0]
	l := Leak{
		Kind: one.kind, Retained: retainedBy(one), Frame: stacks.NoFrame,
		FirstStep: one.firstStep, LastStep: one.lastStep, GrowingSteps: one.growingSteps,
		Every: one.every, Bursts: one.bursts,
	}
	l.Retained = Retained{First: l.First, Last: l.Last}
	forward := 0
	for _, s := range sites {
		g := retainedBy(s)
		l.Sites = append(l.Sites, Site{s.stack, g})
		l.Bytes += g.Bytes
		l.PerStep += g.PerStep
		l.Allocations += g.Allocations
		l.Held += g.Held
		l.First, l.Last = min(l.First, g.First), max(l.Last, g.Last)
		l.PerGrowth += s.perGrowth
		l.FirstStep, l.LastStep = min(l.FirstStep, s.firstStep), max(l.LastStep, s.lastStep)
		l.GrowingSteps = max(l.GrowingSteps, s.growingSteps)
		l.BurstSteps = max(l.BurstSteps, s.burstSteps)
		l.BurstBytes += s.burstBytes
		for _, x := range s.members {
			if x.live() || s.kind == Sawtooth {
				l.Families[in.Families.Family(int(x.allocation))] += x.size
			}
		}
		if in.Stacks.Activity[s.stack] == stacks.InForward {
			forward++
		}
	}
	slices.SortStableFunc(l.Sites, func(a, b Site) int { return cmp.Compare(b.Bytes, a.Bytes) })
	l.Doubt = doubtOf(sites, l.PerStep)
	l.Strong = l.Doubt == NoDoubt
	l.Graph = forward > 1 && 2*l.Families[families.Activation] > l.size()
	l.Frame = commonFrame(in.Stacks, l.Sites)
	return l
}

// doubtOf returns why sites that grow together are not a strong finding: a single strong
// one is enough, as long as all together are more than tiny.
func doubtOf(sites []*suspect, perStep int64) Doubt {
	one := sites[0]
	for _, s := range sites {
		if s.doubt == NoDoubt {
			one = s
		}
	}
	if one.doubt == NoDoubt && perStep <= maxTinyBytes {
		return Tiny
	}
	return one.doubt
}

func retainedBy(s *suspect) Retained {
	return Retained{
		Bytes: s.liveBytes, PerStep: s.perStep, Allocations: len(s.members), Held: s.held,
		First: int(s.members[0].allocation), Last: int(s.members[len(s.members)-1].allocation),
	}
}

// commonFrame returns the innermost user frame of the first site whose callers and
// function are on the stacks of all sites that have user frames.
func commonFrame(st *stacks.Table, sites []Site) snapshot.FrameID {
	var common []snapshot.FrameID // outermost first
	for _, site := range sites {
		calls := userFrames(st, site.Stack)
		switch {
		case len(calls) == 0:
		case common == nil:
			common = calls
		default:
			n := 0
			for n < len(common) && n < len(calls) && sameFunction(st, common[n], calls[n]) {
				n++
				if common[n-1] != calls[n-1] {
					break // two lines of one function make two different calls
				}
			}
			common = common[:n]
		}
	}
	if len(common) == 0 {
		return stacks.NoFrame
	}
	return common[len(common)-1]
}

// userFrames returns the user frames of a stack, outermost first.
func userFrames(st *stacks.Table, id snapshot.StackID) []snapshot.FrameID {
	var calls []snapshot.FrameID
	for _, frame := range slices.Backward(st.Snapshot.Stacks.Frames(id)) {
		if st.FrameClass[frame] == stacks.UserCode {
			calls = append(calls, frame)
		}
	}
	return calls
}

func sameFunction(st *stacks.Table, a, b snapshot.FrameID) bool {
	x, y := st.Snapshot.Frames[a], st.Snapshot.Frames[b]
	return x.File == y.File && x.Name == y.Name
}
