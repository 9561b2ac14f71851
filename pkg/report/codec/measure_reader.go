package codec

import (
	"fmt"
	"slices"
)

// The columns of the edits of a measure, behind those of the space.
const (
	editAlloc = spaceColumns + iota
	editLater
	editStates
	editBytes
	measureColumns
)

// readMeasure takes apart where the tensors of a device would have lain with a measure, and
// checks all of it.
func (d *savedDevice) readMeasure(raw []byte, unit int64) (*savedSpace, error) {
	columns, err := splitColumns(raw, measureColumns, false)
	if err != nil {
		return nil, err
	}
	for _, column := range []int{editLater, editStates, editBytes} {
		if err := columns.have(column, "the edits", columns.n[editAlloc]); err != nil {
			return nil, err
		}
	}
	tensors, err := d.editedTensors(columns)
	if err != nil {
		return nil, err
	}
	return d.decodePredicted(columns, unit, tensorsOf(tensors, d.tensors()))
}

// editedTensors are the tensors after some edits.
func (d *savedDevice) editedTensors(c *savedColumns) ([]editedTensor, error) {
	list := make([]editedTensor, 0, d.n[columnSize]+c.n[editAlloc])
	recorded := d.tensors()
	tensor := func(i int) editedTensor {
		x := editedTensor{of: int32(i), last: recorded.End(i), bytes: recorded.Size(i)}
		if i >= recorded.PreExisting {
			x.first = recorded.Start(i) + 1
		}
		return x
	}
	later, states, sizes := c.cursor(editLater), c.cursor(editStates), c.cursor(editBytes)
	known := editedSizes{}
	next := 0 // recorded allocation
	for _, of := range c.sums(editAlloc) {
		if of >= uint64(recorded.Count) {
			return nil, fmt.Errorf("edit of allocation %d of %d", of, recorded.Count)
		}
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

func (d *savedDevice) packMeasures() (list []element) {
	if d.view.Measures == nil {
		return nil
	}
	for _, line := range d.view.Measures.Lines {
		if s := line.Space; s != nil && !slices.ContainsFunc(list, func(e element) bool { return e.id == s.Payload }) {
			columns := d.measured[s.Payload].columns
			list = append(list, packed(s.Payload, func(c *columnWriter) { columns.write(c, 0, measureColumns) }))
		}
	}
	return list
}
