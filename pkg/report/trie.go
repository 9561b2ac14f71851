package report

import "github.com/memviz-go/memviz/pkg/snapshot"

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
