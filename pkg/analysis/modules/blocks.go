package modules

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Block is a part of a model that a forward pass calls again and again, in a loop of
// one line. Activation checkpointing is applied to it.
type Block struct {
	Caller snapshot.FrameID // the line of the loop, or else the code around the calls
	Passes []Pass           // in order
	prefix []snapshot.FrameID
}

// Pass has the calls of a block in one forward pass, in order.
type Pass struct {
	Calls    []Call
	Backward timeline.PhaseRun // that follows the pass; without events if none does
}

// Call is one call of a block.
type Call struct {
	// Requests are the allocations that were born in it, in order: indices into
	// replay.Device.Allocations.
	Requests []int32
	// End is the event at which the call is over: the request that follows its last
	// one, or the first event of the backward pass, or the number of events.
	End replay.EventIndex
	// Output is the last request that outlives the call, or -1: the next call reads it.
	Output int32
	// Kept are the others that live into the next backward pass, which frees them, in
	// order. If the recording ends before that, they are the ones with the stacks of such
	// requests.
	Kept []int32
	// KeptBytes are requested bytes of Kept: what checkpointing does not keep.
	KeptBytes int64
}

// Largest returns the pass whose calls keep most, the first of equals.
func (b *Block) Largest() *Pass {
	most := &b.Passes[0]
	for i := range b.Passes {
		if b.Passes[i].Kept() > most.Kept() {
			most = &b.Passes[i]
		}
	}
	return most
}

// Kept returns the requested bytes that all calls of the pass keep.
func (p *Pass) Kept() (bytes int64) {
	for i := range p.Calls {
		bytes += p.Calls[i].KeptBytes
	}
	return bytes
}

const (
	maxBlocks   = 8    // that are looked for
	maxPasses   = 4    // in which they are looked for
	minLeft     = 33   // a block keeps at least 1/minLeft of what the pass keeps
	withinMost  = 1000 // prefixes count as equal if one keeps up to 1/withinMost less
	minCalls    = 2
	minRequests = 3 // of a call

	maxListed = 1 << 24 // requests times the prefixes that they are listed under; stacks may have any depth
)

// pass is a forward pass with its requests.
type pass struct {
	requests []int32 // allocations born in it by a stack with a forward, in order
	backward timeline.PhaseRun
}

// finder finds the blocks of a device.
type finder struct {
	Input
	chains map[snapshot.StackID][]snapshot.FrameID // Python frames of stacks, outermost first
}

func findBlocks(in Input) (best []Block) {
	f := &finder{in, map[snapshot.StackID][]snapshot.FrameID{}}
	passes := f.passes()
	for _, p := range f.likely(passes) {
		if blocks := f.blocks(&p, passes); len(blocks) > 0 &&
			(len(best) == 0 || blocks[0].Largest().Kept() > best[0].Largest().Kept()) {
			best = blocks
		}
	}
	return best
}

// blocks finds the blocks of a pass, in all passes; the one that keeps most first.
func (f *finder) blocks(p *pass, passes []pass) (blocks []Block) {
	requests := slices.Clone(p.requests)
	for len(blocks) < maxBlocks {
		prefix, pattern := f.find(p, requests)
		if prefix == nil {
			break
		}
		b := f.block(prefix, pattern, passes)
		blocks = append(blocks, b)
		taken := map[int32]bool{}
		for _, pass := range b.Passes {
			for _, call := range pass.Calls {
				for _, id := range call.Requests {
					taken[id] = true
				}
			}
		}
		requests = slices.DeleteFunc(requests, func(id int32) bool { return taken[id] })
	}
	slices.SortStableFunc(blocks, func(a, b Block) int { return cmp.Compare(b.Largest().Kept(), a.Largest().Kept()) })
	return blocks
}

// passes returns the forward passes of the device, in order.
func (f *finder) passes() []pass {
	var list []pass
	d := f.Device
	next := d.PreExisting
	for i, run := range f.Phases {
		if run.Phase != stacks.InForward {
			continue
		}
		p := pass{}
		if i+1 < len(f.Phases) && f.Phases[i+1].Phase == stacks.InBackward {
			p.backward = f.Phases[i+1]
		}
		for ; next < len(d.Allocations) && d.Allocations[next].Start <= run.Last; next++ {
			a := &d.Allocations[next]
			if a.Start >= run.Start && f.Stacks.Facts[a.Stack].Has(stacks.FactForward) &&
				f.Activities.Alloc(a.Stack) == stacks.InForward {
				p.requests = append(p.requests, int32(next))
			}
		}
		list = append(list, p)
	}
	return list
}

// likely returns the passes in which to look for blocks: the last one that begins before
// the peak, then those with the most requests. One is not enough: the first pass of a
// program also makes workspaces, so that of two calls the first differs from the second.
func (f *finder) likely(passes []pass) []pass {
	list := slices.Clone(passes)
	slices.SortStableFunc(list, func(a, b pass) int { return cmp.Compare(len(b.requests), len(a.requests)) })
	for _, p := range slices.Backward(passes) {
		if len(p.requests) > 0 && int(f.Device.Allocations[p.requests[0]].Start) < f.Device.Totals.PeakState {
			list = slices.Insert(list, 0, p)
			break
		}
	}
	return list[:min(len(list), maxPasses)]
}

// chain returns the Python frames of a stack, outermost first.
func (f *finder) chain(id snapshot.StackID) []snapshot.FrameID {
	chain, known := f.chains[id]
	if !known {
		for _, frame := range slices.Backward(f.Stacks.Snapshot.Stacks.Frames(id)) {
			if f.Stacks.FrameFacts[frame].Has(stacks.FactPython) {
				chain = append(chain, frame)
			}
		}
		f.chains[id] = chain
	}
	return chain
}

// prefix is the outer frames that some requests share.
type prefix struct {
	parent   int32
	frame    snapshot.FrameID
	depth    int
	forward  bool // it has a forward
	requests []int32
}

// find returns the outermost prefix of stacks whose requests repeat and keep most, and
// the stacks of a call; nil if none keeps enough.
func (f *finder) find(p *pass, requests []int32) (frames []snapshot.FrameID, pattern []snapshot.StackID) {
	var all int64
	for _, id := range p.requests {
		if f.savedFor(p, id) {
			all += f.Device.Allocations[id].Size
		}
	}
	prefixes := f.prefixes(requests)
	best, most := int32(None), int64(0)
	kept := make([]int64, len(prefixes))
	for i := range prefixes {
		x := &prefixes[i]
		if !x.forward || x.parent != None && prefixes[x.parent].forward &&
			len(prefixes[x.parent].requests) == len(x.requests) {
			continue
		}
		starts, _ := repeats(f.sequence(x.requests))
		for _, call := range f.calls(p, x.requests, starts) {
			kept[i] += call.KeptBytes
		}
		most = max(most, kept[i])
	}
	if most == 0 || most < all/minLeft {
		return nil, nil
	}
	for i := range prefixes {
		if kept[i] >= most-most/withinMost && (best == None || prefixes[i].depth < prefixes[best].depth) {
			best = int32(i)
		}
	}
	_, pattern = repeats(f.sequence(prefixes[best].requests))
	for i := best; i != None; i = prefixes[i].parent {
		frames = append(frames, prefixes[i].frame)
	}
	slices.Reverse(frames)
	return frames, pattern
}

// prefixes returns all prefixes of the stacks of requests, outer ones first.
func (f *finder) prefixes(requests []int32) []prefix {
	type step struct {
		parent int32
		frame  snapshot.FrameID
	}
	var list []prefix
	known := map[step]int32{}
	paths := map[snapshot.StackID][]int32{}
	listed := 0
	for _, id := range requests {
		stack := f.Device.Allocations[id].Stack
		path, seen := paths[stack]
		if !seen {
			at := None
			for depth, frame := range f.chain(stack) {
				i, is := known[step{at, frame}]
				if !is {
					i = int32(len(list))
					known[step{at, frame}] = i
					forward := f.Stacks.FrameFacts[frame].Has(stacks.FactForward) || at != None && list[at].forward
					list = append(list, prefix{parent: at, frame: frame, depth: depth, forward: forward})
				}
				at = i
				path = append(path, i)
			}
			paths[stack] = path
		}
		for _, i := range path {
			if list[i].forward && listed < maxListed {
				list[i].requests = append(list[i].requests, id)
				listed++
			}
		}
	}
	return list
}

// savedFor reports whether the backward pass after a pass frees one of its requests.
func (f *finder) savedFor(p *pass, id int32) bool {
	end := timeline.FreedAt(&f.Device.Allocations[id])
	return p.backward.Events > 0 && end >= p.backward.Start && end <= p.backward.Last
}

// block collects the calls below a prefix, in all passes. In a pass of few calls
// all may differ from the pattern a little.
func (f *finder) block(frames []snapshot.FrameID, pattern []snapshot.StackID, passes []pass) Block {
	b := Block{Caller: frames[len(frames)-1], prefix: frames}
	for _, frame := range slices.Backward(frames) {
		if isCaller(f.Stacks, frame) {
			b.Caller = frame
			break
		}
	}
	for i := range passes {
		p := &passes[i]
		var own []int32
		for _, id := range p.requests {
			if chain := f.chain(f.Device.Allocations[id].Stack); len(chain) >= len(frames) &&
				slices.Equal(chain[:len(frames)], frames) {
				own = append(own, id)
			}
		}
		if starts := cut(f.sequence(own), pattern); len(starts) >= minCalls {
			b.Passes = append(b.Passes, Pass{f.calls(p, own, starts), p.backward})
			if i == len(passes)-1 {
				f.keepAlike(&b, p)
			}
		}
	}
	return b
}

// keepAlike adds what the calls of the last pass kept for a backward pass that the
// recording does not reach or complete: requests with the stack of one that an earlier
// pass kept, which outlive their call.
func (f *finder) keepAlike(b *Block, p *pass) {
	keeps := map[snapshot.StackID]bool{}
	for _, call := range b.Largest().Calls {
		for _, id := range call.Kept {
			keeps[f.Device.Allocations[id].Stack] = true
		}
	}
	calls := b.Passes[len(b.Passes)-1].Calls
	for i := range calls {
		c := &calls[i]
		for _, id := range c.Requests {
			a := &f.Device.Allocations[id]
			if id != c.Output && keeps[a.Stack] && timeline.FreedAt(a) > c.End && !f.savedFor(p, id) {
				c.Kept = append(c.Kept, id)
				c.KeptBytes += a.Size
			}
		}
		slices.Sort(c.Kept)
	}
}

// sequence returns the stacks of requests.
func (f *finder) sequence(requests []int32) []snapshot.StackID {
	sequence := make([]snapshot.StackID, len(requests))
	for i, id := range requests {
		sequence[i] = f.Device.Allocations[id].Stack
	}
	return sequence
}

// calls returns the calls of a pass, which begin at starts.
func (f *finder) calls(p *pass, requests []int32, starts []int) []Call {
	calls := make([]Call, len(starts))
	for i, from := range starts {
		to := len(requests)
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		calls[i] = f.call(p, requests[from:to])
	}
	return calls
}

func (f *finder) call(p *pass, requests []int32) Call {
	d := f.Device
	c := Call{Requests: requests, Output: -1, End: replay.EventIndex(d.Events.Len())}
	if next := int(requests[len(requests)-1]) + 1; next < len(d.Allocations) {
		c.End = d.Allocations[next].Start
	}
	if p.backward.Events > 0 {
		c.End = min(c.End, p.backward.Start)
	}
	for _, id := range requests {
		if timeline.FreedAt(&d.Allocations[id]) > c.End {
			c.Output = id
		}
	}
	for _, id := range requests {
		if id != c.Output && f.savedFor(p, id) {
			c.Kept = append(c.Kept, id)
			c.KeptBytes += d.Allocations[id].Size
		}
	}
	return c
}
