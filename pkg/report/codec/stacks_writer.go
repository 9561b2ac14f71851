package codec

import (
	"encoding/binary"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// writeStacks writes the columns of a file's stacks, in the order that the
// package comment gives. It comes last in a file, because it also holds the
// texts that the devices refer to.
func writeStacks(c *columnWriter, in *answer.Input, t *stackTable, texts *stringTable) {
	s, facts := in.Snapshot, in.Stacks
	names := make([]uint64, len(t.frames))
	files := make([]uint64, len(t.frames))
	for i, f := range t.frames {
		names[i], files[i] = texts.add(s.String(s.Frames[f].Name)), texts.add(s.String(s.Frames[f].File))
	}
	operators := make([]uint64, len(t.stacks))
	for i := range t.stacks {
		operators[i] = texts.add(facts.Operator[t.stacks[i].id])
	}
	w := stackColumns.from(c, "strings")
	w.texts(texts.texts)
	w.put("frame.name", len(names), func(i int) int64 { return int64(names[i]) })
	w.put("frame.file", len(files), func(i int) int64 { return int64(files[i]) })
	w.put("frame.line", len(t.frames), func(i int) int64 { return int64(max(0, s.Frames[t.frames[i]].Line)) })
	w.put("frame.class", len(t.frames), func(i int) int64 { return int64(facts.FrameClass[t.frames[i]]) })

	trie := newStackTrie(t.stacks)
	w.put("node.parent", len(trie.parent), func(i int) int64 { return int64(i) + 1 - int64(trie.parent[i]) })
	w.put("node.frame", len(trie.frame), func(i int) int64 { return int64(t.at[trie.frame[i]]) })
	w.put("stack.node", len(trie.leaf), func(i int) int64 { return int64(trie.leaf[i]) })

	n := len(t.stacks)
	stack := func(i int) snapshot.StackID { return t.stacks[i].id }
	w.put("stack.site", n, func(i int) int64 { return int64(t.site(facts.SiteFrame[stack(i)])) })
	w.put("stack.operator", n, func(i int) int64 { return int64(operators[i]) })
	w.put("stack.shade", n, func(i int) int64 { return int64(facts.Shade[stack(i)]) })
	w.put("stack.backward", n, func(i int) int64 { return int64(oneIf(facts.Backward[stack(i)])) })
	w.put("stack.named", n, func(i int) int64 { return int64(t.named(i, facts)) })
}

func oneIf(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}

// stackTable says which stacks of a snapshot stand in a report, with which of
// their frames.
type stackTable struct {
	stacks []keptStack        // [0] is the empty one
	index  []uint64           // in stacks, of each stack of the snapshot that an allocation has
	frames []snapshot.FrameID // in the order of the payload
	at     []uint64           // index in frames of each frame of the snapshot that is kept
}

type keptStack struct {
	id     snapshot.StackID   // whose facts it has
	frames []snapshot.FrameID // innermost first
}

// allStacks holds every stack and frame, each where the snapshot has it.
func allStacks(s *snapshot.Snapshot) *stackTable {
	n := max(s.Stacks.Len(), 1)
	t := &stackTable{stacks: make([]keptStack, n), index: make([]uint64, n)}
	for i := range n {
		t.stacks[i] = keptStack{snapshot.StackID(i), s.Stacks.Frames(snapshot.StackID(i))}
		t.index[i] = uint64(i)
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
	t := &stackTable{index: make([]uint64, len(used))}
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
		index, ok := known[string(key)]
		if !ok {
			index = uint64(len(t.stacks))
			known[string(key)] = index
			t.stacks = append(t.stacks, keptStack{id, frames})
		}
		t.index[i] = index
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

// appendFacts appends what the payload holds about a stack beside its frames.
func appendFacts(key []byte, facts *stacks.Table, id snapshot.StackID) []byte {
	key = append(key, facts.Shade[id], byte(oneIf(facts.Backward[id])))
	key = binary.AppendUvarint(key, uint64(facts.SiteFrame[id]+1))
	key = binary.AppendUvarint(key, uint64(len(facts.Operator[id])))
	return append(key, facts.Operator[id]...)
}

// numberFrames numbers the kept ones of n frames in the order of the snapshot.
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

// stackTrie holds the stacks of a file with their common callers stored once.
// Node 0 is the root; node i+1 has parent[i] and frame[i]. A walk from a
// stack's node to the root meets its frames innermost first.
type stackTrie struct {
	parent []int32
	frame  []snapshot.FrameID
	leaf   []int32 // node of each stack

	child map[trieEdge]int32
}

type trieEdge struct {
	parent int32
	frame  snapshot.FrameID
}

func newStackTrie(stacks []keptStack) *stackTrie {
	t := &stackTrie{child: map[trieEdge]int32{}, leaf: make([]int32, len(stacks))}
	var last []snapshot.FrameID // the stack before, innermost first
	var path []int32            // its nodes, outermost first
	for i := range t.leaf {
		frames := stacks[i].frames
		// Stacks arrive in the order of the recording, so that most share their
		// callers with the one before; those need no look-up.
		shared := commonSuffix(last, frames)
		path = path[:shared]
		node := int32(0)
		if shared > 0 {
			node = path[shared-1]
		}
		for j := len(frames) - shared - 1; j >= 0; j-- {
			node = t.step(node, frames[j])
			path = append(path, node)
		}
		t.leaf[i], last = node, frames
	}
	return t
}

// step is the child of a node at a frame, made when it is new.
func (t *stackTrie) step(parent int32, frame snapshot.FrameID) int32 {
	edge := trieEdge{parent, frame}
	node, ok := t.child[edge]
	if !ok {
		t.parent = append(t.parent, parent)
		t.frame = append(t.frame, frame)
		node = int32(len(t.parent))
		t.child[edge] = node
	}
	return node
}

// commonSuffix counts the equal frames at the outer end of two stacks.
func commonSuffix(a, b []snapshot.FrameID) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
