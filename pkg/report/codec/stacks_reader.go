package codec

import "fmt"

// The columns of a payload of stacks, in the order of the package comment.
const (
	stackStrings = iota
	stackFrameName
	stackFrameFile
	stackFrameLine
	stackFrameClass
	stackNodeParent
	stackNodeFrame
	stackNode
	stackSite
	stackOperator
	stackShade
	stackBackward
	stackNamed
	stackColumns
)

// savedStacks are the stacks of a file of a report.
type savedStacks struct {
	*savedColumns
	texts []string
}

func readStacks(raw []byte) (*savedStacks, error) {
	columns, err := splitColumns(raw, stackColumns, true)
	if err != nil {
		return nil, err
	}
	s := &savedStacks{savedColumns: columns}
	if s.texts, err = columns.texts(); err != nil {
		return nil, err
	}
	return s, s.check()
}

// check holds every index against what it points at.
func (s *savedStacks) check() error {
	frames, nodes, stacks := s.n[stackFrameName], s.n[stackNodeParent], s.n[stackNode]
	if len(s.texts) == 0 || s.texts[0] != "" || stacks == 0 {
		return fmt.Errorf("%d texts and %d stacks; the first text and the first stack are always there, and empty",
			len(s.texts), stacks)
	}
	for _, c := range []struct {
		column int
		name   string
		rows   int
		limit  int
	}{
		{stackFrameName, "frame.name", frames, len(s.texts)},
		{stackFrameFile, "frame.file", frames, len(s.texts)},
		{stackFrameLine, "frame.line", frames, 1 << 31},
		{stackFrameClass, "frame.class", frames, 3},
		{stackNodeFrame, "node.frame", nodes, frames},
		{stackNode, "stack.node", stacks, nodes + 1},
		{stackSite, "stack.site", stacks, frames + 1},
		{stackOperator, "stack.operator", stacks, len(s.texts)},
		{stackShade, "stack.shade", stacks, 5},
		{stackBackward, "stack.backward", stacks, 2},
		{stackNamed, "stack.named", stacks, frames + 1},
	} {
		if err := s.have(c.column, c.name, c.rows); err != nil {
			return err
		}
		if err := s.below(c.column, c.name, c.limit); err != nil {
			return err
		}
	}
	for i, v := range s.all(stackNodeParent) {
		if v < 1 || v > uint64(i)+1 {
			return fmt.Errorf("node %d is said to be %d after its parent", i+1, v)
		}
	}
	return nil
}
