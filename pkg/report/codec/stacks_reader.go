package codec

import "fmt"

// stackReader are the stacks of a file of a report.
type stackReader struct {
	*columnSet
	texts []string
}

func readStacks(raw []byte) (*stackReader, error) {
	columns, err := splitColumns(raw, stackColumns)
	if err != nil {
		return nil, err
	}
	s := &stackReader{columnSet: columns}
	if s.texts, err = columns.texts(); err != nil {
		return nil, err
	}
	return s, s.check()
}

// check holds every index against what it points at.
func (s *stackReader) check() error {
	stacks := s.count("stack.node")
	if len(s.texts) == 0 || s.texts[0] != "" || stacks == 0 {
		return fmt.Errorf("%d texts and %d stacks; the first text and the first stack are always there, and empty",
			len(s.texts), stacks)
	}
	if err := s.columnSet.check(nil); err != nil {
		return err
	}
	for i, v := range s.all("node.parent") {
		if v < 1 || v > uint64(i)+1 {
			return fmt.Errorf("node %d is said to be %d after its parent", i+1, v)
		}
	}
	return nil
}
