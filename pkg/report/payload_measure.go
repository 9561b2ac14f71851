package report

import (
	"cmp"
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
		Events: like.Events, Count: len(list), PreExisting: preExisting,
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
func newMeasuredSpace(p *pile, prediction *whatif.Served, pool func(i int) uint32) *measuredSpace {
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
