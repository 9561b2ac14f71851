package report

import (
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
	c.strings(texts.texts)
	c.column(len(names), func(i int) uint64 { return names[i] })
	c.column(len(files), func(i int) uint64 { return files[i] })
	c.column(len(t.frames), func(i int) uint64 { return uint64(max(0, s.Frames[t.frames[i]].Line)) })
	c.column(len(t.frames), func(i int) uint64 { return uint64(facts.FrameClass[t.frames[i]]) })

	trie := newStackTrie(t.stacks)
	c.column(len(trie.parent), func(i int) uint64 { return uint64(i) + 1 - uint64(trie.parent[i]) })
	c.column(len(trie.frame), func(i int) uint64 { return t.at[trie.frame[i]] })
	c.column(len(trie.leaf), func(i int) uint64 { return uint64(trie.leaf[i]) })

	stack := func(i int) snapshot.StackID { return t.stacks[i].id }
	c.column(len(t.stacks), func(i int) uint64 { return t.site(facts.SiteFrame[stack(i)]) })
	c.column(len(t.stacks), func(i int) uint64 { return operators[i] })
	c.column(len(t.stacks), func(i int) uint64 { return uint64(facts.Shade[stack(i)]) })
	c.column(len(t.stacks), func(i int) uint64 { return oneIf(facts.Backward[stack(i)]) })
	c.column(len(t.stacks), func(i int) uint64 { return t.named(i, facts) })
}

func oneIf(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}
