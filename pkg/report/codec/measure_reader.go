package codec

import (
	"fmt"
	"slices"
)

// readMeasure takes apart where the tensors of a device would have lain with a measure, and
// checks all of it.
func (d *deviceReader) readMeasure(raw []byte, unit int64) (*spaceReader, error) {
	columns, err := splitColumns(raw, measureColumns)
	if err != nil {
		return nil, err
	}
	if err := (&spaceReader{columns: columns}).check(d); err != nil {
		return nil, err
	}
	tensors, err := d.editedTensors(columns)
	if err != nil {
		return nil, err
	}
	return d.decodePredicted(columns, unit, tensorsOf(tensors, d.tensors()))
}

// editedTensors are the tensors after some edits.
func (d *deviceReader) editedTensors(c *columnSet) ([]editedTensor, error) {
	list := make([]editedTensor, 0, d.count("size")+c.count("edit.alloc"))
	recorded := d.tensors()
	tensor := func(i int) editedTensor {
		x := editedTensor{of: int32(i), last: recorded.End(i), bytes: recorded.Size(i)}
		if i >= recorded.PreExisting {
			x.first = recorded.Start(i) + 1
		}
		return x
	}
	later, states, sizes := c.cursor("edit.later"), c.cursor("edit.states"), c.cursor("edit.bytes")
	known := editedSizes{}
	next := 0 // recorded allocation
	for _, of := range c.sums("edit.alloc") {
		for ; next < int(of); next++ {
			list = append(list, tensor(next))
		}
		next = int(of) + 1
		x := tensor(int(of))
		shift, life := unzigzag(later.next()), states.next()
		x.bytes = known.bytes(sizes.next(), x.bytes)
		if life == 0 {
			continue
		}
		first := int64(x.first) + shift
		if first < 0 || first > int64(d.view.Events) || life > uint64(int64(d.view.Events)-first+1) {
			return nil, fmt.Errorf("a tensor lives from state %d for %d states", first, life)
		}
		x.first, x.last = int(first), int(first)+int(life)-1
		list = append(list, x)
	}
	for ; next < recorded.Count; next++ {
		list = append(list, tensor(next))
	}
	inOrder(list)
	return list, nil
}

func (d *deviceReader) packMeasures() (list []element) {
	if d.view.Measures == nil {
		return nil
	}
	for _, line := range d.view.Measures.Lines {
		if s := line.Space; s != nil && !slices.ContainsFunc(list, func(e element) bool { return e.id == s.Payload }) {
			columns := d.measured[s.Payload].columns
			list = append(list, packed(s.Payload, func(c *columnWriter) { columns.writeAll(c) }))
		}
	}
	return list
}
