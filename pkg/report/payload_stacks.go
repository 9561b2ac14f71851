package report

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// writeStacks writes the columns of a file's stacks, in the order that the
// package comment gives. It comes last in a file, because it also holds the
// texts that the devices refer to.
func writeStacks(c *columnWriter, s *snapshot.Snapshot, facts *analysis.StackFacts, texts *stringTable) {
	names := make([]uint64, len(s.Frames))
	files := make([]uint64, len(s.Frames))
	for i, frame := range s.Frames {
		names[i], files[i] = texts.add(s.String(frame.Name)), texts.add(s.String(frame.File))
	}
	operators := make([]uint64, len(facts.Operator))
	for i, operator := range facts.Operator {
		operators[i] = texts.add(operator)
	}
	c.strings(texts.texts)
	c.column(len(names), func(i int) uint64 { return names[i] })
	c.column(len(files), func(i int) uint64 { return files[i] })
	c.column(len(s.Frames), func(i int) uint64 { return uint64(max(0, s.Frames[i].Line)) })
	c.column(len(s.Frames), func(i int) uint64 { return uint64(facts.FrameClass[i]) })

	trie := newStackTrie(&s.Stacks)
	c.column(len(trie.parent), func(i int) uint64 { return uint64(i) + 1 - uint64(trie.parent[i]) })
	c.column(len(trie.frame), func(i int) uint64 { return uint64(trie.frame[i]) })
	c.column(len(trie.leaf), func(i int) uint64 { return uint64(trie.leaf[i]) })
	c.column(len(trie.leaf), func(i int) uint64 { return uint64(facts.SiteFrame[i] + 1) })
	c.column(len(trie.leaf), func(i int) uint64 { return operators[i] })
	c.column(len(trie.leaf), func(i int) uint64 { return uint64(facts.Shade[i]) })
	c.column(len(trie.leaf), func(i int) uint64 { return oneIf(facts.Backward[i]) })
}

func oneIf(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}
