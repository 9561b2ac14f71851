package codec

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/internal/space"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/whatif"
	"github.com/memviz-go/memviz/pkg/whatif/measures"
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

// editedSizes are the bytes of the last tensor, by the bytes of its allocation.
type editedSizes map[int64]int64

// code encodes the bytes of a tensor: 0 if it is as large as the last tensor of an allocation
// of the same size, or as the allocation itself at first.
func (known editedSizes) code(x *editedTensor) uint64 {
	if x.last < x.first || x.bytes == known.of(x.recorded) {
		return 0
	}
	known[x.recorded] = x.bytes
	return uint64(x.bytes) + 1
}

// bytes decodes a code.
func (known editedSizes) bytes(code uint64, recorded int64) int64 {
	if code > 0 {
		known[recorded] = int64(min(code-1, recording.MaxExact))
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
func editedTensors(p *recording.Pile, l *whatif.Layout) (all, edits []editedTensor) {
	events := p.Device.Events.Len()
	position := make([]int32, p.Len())
	for i := range position {
		position[p.Index(i)] = int32(i)
	}
	of := make([][]editedTensor, p.Len()) // by position
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
		a := p.At(i)
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

// inOrder sorts tensors by their first state, stably, so that ties stay in the order of their allocations.
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
func newMeasuredSpace(p *recording.Pile, prediction *whatif.Served, pool func(i int) uint32) *measuredSpace {
	l := prediction.Layout
	all, edits := editedTensors(p, l)
	x := &placement{
		tensors: tensorsOf(all, tensorsOfPile(p, pool)), rounded: prediction.Settings.RoundSize, reservations: l.Reservations,
		addr:  func(i int) uint64 { return l.Addr[all[i].request] },
		block: func(i int, _ int64, _ *space.Kind) int64 { return l.Block[all[i].request] },
	}
	if d := x.encode(); d != nil {
		return &measuredSpace{d, edits, p.Device.Events.Len()}
	}
	return nil
}

// pack packs the columns of a space and of the edits.
func (m *measuredSpace) pack() chunk {
	return pack(packOthers, nil, func(c *columnWriter) {
		m.write(c, m.number)
		w, n := measureColumns.from(c, "edit.alloc"), len(m.edits)
		w.put("edit.alloc", n, func(i int) int64 { return int64(m.edits[i].of) })
		w.put("edit.later", n, func(i int) int64 { return int64(m.edits[i].later) })
		w.put("edit.states", n, func(i int) int64 { return int64(m.edits[i].last + 1 - m.edits[i].first) })
		known := editedSizes{}
		w.put("edit.bytes", n, func(i int) int64 { return int64(known.code(&m.edits[i])) })
	})
}

// number encodes an event.
func (m *measuredSpace) number(event int32) uint64 {
	if int(event) >= m.events {
		return 0
	}
	return uint64(event + 1)
}

func (p *deviceWriter) packMeasures() []element { return p.measured }

// ShowMeasures takes other measures of a device into account.
func (f *File) ShowMeasures(device int) {
	f.devices[device].(*deviceWriter).setMeasuredSpaces()
	f.encodeMeasures()
}

// setMeasuredSpaces says in the view where the tensors would have lain with each measure.
func (p *deviceWriter) setMeasuredSpaces() {
	view := p.view.Measures
	view.DropSpaces()
	p.measured = nil
	if view == nil || view.Best == nil || p.space == nil {
		return
	}
	byKey := map[string]*recording.PredictedSpace{}
	left := recording.MaxPredictedSpace
	for i := range view.Lines {
		line := &view.Lines[i]
		if known, is := byKey[line.Key]; is { // the combination that is enough is one of the others
			line.Space = known
			continue
		}
		prediction := measures.Trace(view.Best.Run, view.Best.Limit, view.Best.Lines[i].Outcome)
		m := newMeasuredSpace(p.Pile, prediction, poolColumn(p.Pile, p.pools))
		if m == nil {
			continue
		}
		packed := m.pack()
		if left -= len(packed.packed); left < 0 {
			return
		}
		line.Space = &recording.PredictedSpace{Payload: "measure-" + p.number + "-" + strconv.Itoa(i), Unit: m.frame.Unit}
		byKey[line.Key] = line.Space
		p.measured = append(p.measured, element{line.Space.Payload, []chunk{packed}})
	}
}
