package report

import (
	"encoding/binary"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// stackTable says which stacks of a snapshot stand in a report, with which of
// their frames.
type stackTable struct {
	stacks []keptStack        // [0] is the empty one
	place  []uint64           // in stacks, of each stack of the snapshot that an allocation has
	frames []snapshot.FrameID // in the order of the payload
	at     []uint64           // in frames, of each frame of the snapshot that stands there
}

type keptStack struct {
	id     snapshot.StackID   // whose facts it has
	frames []snapshot.FrameID // innermost first
}

// allStacks holds every stack and frame, each where the snapshot has it.
func allStacks(s *snapshot.Snapshot) *stackTable {
	n := max(s.Stacks.Len(), 1)
	t := &stackTable{stacks: make([]keptStack, n), place: make([]uint64, n)}
	for i := range n {
		t.stacks[i] = keptStack{snapshot.StackID(i), s.Stacks.Frames(snapshot.StackID(i))}
		t.place[i] = uint64(i)
	}
	t.numberFrames(len(s.Frames), func(int) bool { return true })
	return t
}

// userStacks holds the stacks of allocations, and of their frees when those are
// asked for, each from its innermost user frame outwards and without internal
// frames. Stacks that have become equal are one, unless a fact tells them
// apart: no site, operator or shade changes. Where no frame is the user's, the
// whole stack stays.
func userStacks(in *answer.Input, frees bool) *stackTable {
	s, facts := in.Snapshot, in.Stacks
	used := usedStacks(in, frees)
	t := &stackTable{place: make([]uint64, len(used))}
	known := map[string]uint64{}
	frameUsed := make([]bool, len(s.Frames))
	var key []byte
	for i, is := range used {
		if !is {
			continue
		}
		id := snapshot.StackID(i)
		frames := userFrames(facts, id, s.Stacks.Frames(id))
		key = appendFacts(key[:0], facts, id)
		key = binary.AppendUvarint(key, uint64(keptNamed(facts, id, frames)+1))
		for _, f := range frames {
			key = binary.AppendUvarint(key, uint64(f))
			frameUsed[f] = true
		}
		place, ok := known[string(key)]
		if !ok {
			place = uint64(len(t.stacks))
			known[string(key)] = place
			t.stacks = append(t.stacks, keptStack{id, frames})
		}
		t.place[i] = place
	}
	t.numberFrames(len(s.Frames), func(f int) bool { return frameUsed[f] })
	return t
}

// usedStacks are the stacks that allocations have, and the empty one.
func usedStacks(in *answer.Input, frees bool) []bool {
	used := make([]bool, max(in.Snapshot.Stacks.Len(), 1))
	used[0] = true
	for _, d := range in.Devices {
		for i := range d.Allocations {
			used[d.Allocations[i].Stack] = true
			if frees {
				used[d.Allocations[i].FreeStack] = true
			}
		}
	}
	return used
}

func userFrames(facts *stacks.Table, id snapshot.StackID, frames []snapshot.FrameID) []snapshot.FrameID {
	site := facts.SiteFrame[id]
	if site == stacks.NoFrame {
		return frames
	}
	var kept []snapshot.FrameID
	for _, f := range frames {
		if len(kept) == 0 && f != site || facts.FrameClass[f] == stacks.Internal {
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// appendFacts appends what the payload says of a stack beside its frames.
func appendFacts(key []byte, facts *stacks.Table, id snapshot.StackID) []byte {
	key = append(key, facts.Shade[id], byte(oneIf(facts.Backward[id])))
	key = binary.AppendUvarint(key, uint64(facts.SiteFrame[id]+1))
	key = binary.AppendUvarint(key, uint64(len(facts.Operator[id])))
	return append(key, facts.Operator[id]...)
}

// numberFrames puts those of n frames that are kept in the order of the snapshot.
func (t *stackTable) numberFrames(n int, keep func(f int) bool) {
	t.at = make([]uint64, n)
	for f := range n {
		if keep(f) {
			t.at[f] = uint64(len(t.frames))
			t.frames = append(t.frames, snapshot.FrameID(f))
		}
	}
}

// named is a value of the column stack.named.
func (t *stackTable) named(i int, facts *stacks.Table) uint64 {
	return t.site(keptNamed(facts, t.stacks[i].id, t.stacks[i].frames))
}

// keptNamed is the frame that says what was going on, if it is among frames.
func keptNamed(facts *stacks.Table, id snapshot.StackID, frames []snapshot.FrameID) snapshot.FrameID {
	if named := facts.Named[id]; slices.Contains(frames, named) {
		return named
	}
	return stacks.NoFrame
}

// site is a value of the column stack.site.
func (t *stackTable) site(f snapshot.FrameID) uint64 {
	if f == stacks.NoFrame {
		return 0
	}
	return t.at[f] + 1
}
