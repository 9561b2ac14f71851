package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memviz-go/memviz/pkg/internal/space"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// editedTensor is a tensor of a training that was never run.
type editedTensor struct {
	of          int32 // the position in the pile of the recorded allocation that it is, or comes from
	request     int32 // in the layout
	first, last int   // states
	later       int   // how many states first comes after that of the allocation
	recorded    int64 // bytes of the allocation
	bytes       int64
}

// editedSizes are the bytes that the last tensor had by those of its allocation.
type editedSizes map[int64]int64

// code is what stands for the bytes of a tensor: 0 if they are those of the last one of an
// allocation as large, at first those of the allocation.
func (known editedSizes) code(x *editedTensor) uint64 {
	if x.last < x.first || x.bytes == known.of(x.recorded) {
		return 0
	}
	known[x.recorded] = x.bytes
	return uint64(x.bytes) + 1
}

// bytes are what a code stands for.
func (known editedSizes) bytes(code uint64, recorded int64) int64 {
	if code > 0 {
		known[recorded] = int64(min(code-1, maxExact))
	}
	return known.of(recorded)
}

func (known editedSizes) of(recorded int64) int64 {
	if bytes, is := known[recorded]; is {
		return bytes
	}
	return recorded
}

// editedTensors are the tensors of a layout with Lifetimes, as [inOrder] has them; and of those
// whose allocation has another life or size in the recording, the positions, each as often as
// it has tensors, or once with none.
func editedTensors(p *pile, l *whatif.Layout) (all, edits []editedTensor) {
	events := p.device.Events.Len()
	position := make([]int32, p.len())
	for i := range position {
		position[p.index(i)] = int32(i)
	}
	of := make([][]editedTensor, p.len()) // by position
	for request, life := range l.Lifetimes {
		x := editedTensor{of: position[life.Of], request: int32(request), last: events, bytes: life.Bytes}
		if life.Start != replay.None {
			x.first = int(life.Start) + 1
		}
		if life.End != replay.None {
			x.last = int(life.End)
		}
		if l.Addr[request] != 0 && x.first <= x.last { // it was served, and not only within one event
			of[x.of] = append(of[x.of], x)
		}
	}
	for i, list := range of {
		all = append(all, list...)
		a := p.at(i)
		recorded := editedTensor{of: int32(i), last: events, bytes: a.Size}
		if !a.PreExisting() {
			recorded.first = int(a.Start) + 1
		}
		if !a.LiveAtEnd() {
			recorded.last = int(a.End)
		}
		switch {
		case len(list) == 0:
			edits = append(edits, editedTensor{of: int32(i), last: -1, recorded: a.Size})
		case len(list) > 1 || list[0].first != recorded.first || list[0].last != recorded.last ||
			list[0].bytes != recorded.bytes:
			for _, x := range list {
				x.later, x.recorded = x.first-recorded.first, a.Size
				edits = append(edits, x)
			}
		}
	}
	inOrder(all)
	return all, edits
}

// inOrder sorts tensors by their first state, those of one by what they come from.
func inOrder(list []editedTensor) {
	slices.SortStableFunc(list, func(a, b editedTensor) int { return cmp.Compare(a.first, b.first) })
}

// tensorsOf are edited tensors as the model of the allocator wants them; like is what the
// recorded ones are.
func tensorsOf(list []editedTensor, like *space.Tensors) *space.Tensors {
	preExisting, _ := slices.BinarySearchFunc(list, 1, func(t editedTensor, first int) int { return t.first - first })
	return &space.Tensors{
		Events: like.Events, Count: len(list), PreExisting: preExisting, Edited: true,
		Start:  func(i int) int { return list[i].first - 1 },
		End:    func(i int) int { return list[i].last },
		Size:   func(i int) int64 { return list[i].bytes },
		Pool:   func(i int) uint32 { return like.Pool(int(list[i].of)) },
		Stream: func(i int) uint32 { return like.Stream(int(list[i].of)) },
	}
}

// measuredSpace is where the tensors would have lain with a measure, and which ones.
type measuredSpace struct {
	*deviceSpace
	edits  []editedTensor
	events int
}

// newMeasuredSpace is nil where what is predicted cannot be written.
func newMeasuredSpace(p *pile, prediction *whatif.Prediction, pool func(i int) uint32) *measuredSpace {
	l := prediction.Layout
	all, edits := editedTensors(p, l)
	x := &placement{
		tensors: tensorsOf(all, p.tensors(pool)), rounded: prediction.Settings.RoundSize, reservations: l.Reservations,
		addr:  func(i int) uint64 { return l.Addr[all[i].request] },
		block: func(i int, _ int64, _ *space.Kind) int64 { return l.Block[all[i].request] },
	}
	if d := x.encode(); d != nil {
		return &measuredSpace{d, edits, p.device.Events.Len()}
	}
	return nil
}

// pack packs the columns of a space, and those of the edits.
func (m *measuredSpace) pack() chunk {
	return pack(packOthers, nil, func(c *columnWriter) {
		m.write(c, m.number)
		n := len(m.edits)
		c.ascending(n, func(i int) uint64 { return uint64(m.edits[i].of) })
		c.signed(n, func(i int) int64 { return int64(m.edits[i].later) })
		c.column(n, func(i int) uint64 { return uint64(m.edits[i].last + 1 - m.edits[i].first) })
		known := editedSizes{}
		c.column(n, func(i int) uint64 { return known.code(&m.edits[i]) })
	})
}

// number is what stands for an event.
func (m *measuredSpace) number(event int32) uint64 {
	if int(event) >= m.events {
		return 0
	}
	return uint64(event + 1)
}

func (p *devicePayload) packMeasures() []element { return p.measured }

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
