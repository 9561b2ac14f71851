package snapshot

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// hostTrace adds the trace of host memory: one list of events, where GPUs have a list each. A
// list around that list, as device_traces has one, does no harm.
func (b *builder) hostTrace(h *pickle.Heap, v pickle.Value) error {
	rows, ok := b.rows(h, v, kindEvent)
	if items := h.Items(v); !ok && len(items) == 1 {
		v = items[0]
		rows, ok = b.rows(h, v, kindEvent)
	}
	c, _ := b.list(h, v)
	if !ok || rows != nil && b.traced[c.Ref] {
		b.wrongType(fieldHostTraces)
		rows = nil
	}
	if rows == nil {
		return nil
	}
	return b.trace(Pinned, rows)
}

// orderHostTrace sorts the events of host memory into an order that is possible at each
// address. Segments must have been read; hasSegments: the file lists the segments of host
// memory.
func (b *builder) orderHostTrace(hasSegments bool) error {
	n := len(b.s.Traces)
	if n == 0 || b.s.Traces[n-1].Device != Pinned {
		return nil
	}
	trace := &b.s.Traces[n-1]
	late := lateEvents(&trace.Events, b.s, hasSegments && !b.partial)
	if len(late) == 0 {
		return nil
	}
	if err := b.room(trace.Events.rowBytes() * int64(trace.Events.Len())); err != nil {
		return err
	}
	trace.Events = moveUp(&trace.Events, late)
	trace.LateEvents = len(late)
	return nil
}

// Threads record events of host memory without one lock, so an event may come in the file
// after later ones, as far as its thread had to wait. The history of one address can be
// recovered nevertheless: a segment is one block there, and events take it from state to
// state. No other thread knows the address before its alloc is recorded, so only frees are
// late. Each alloc shows which frees must have happened since the previous alloc.

// useState is how the memory at an address is used between two events.
type useState uint8

const (
	unmapped useState = iota // in no segment
	cached                   // free, in its segment
	inUse
	freeing // its free was requested, and is not completed
)

// steps has the states before and after each action of host memory.
var steps = [...]struct{ before, after useState }{
	SegmentAlloc:  {unmapped, cached},
	Alloc:         {cached, inUse},
	FreeRequested: {inUse, freeing},
	FreeCompleted: {freeing, cached},
	Free:          {}, // not of host memory
	SegmentFree:   {cached, unmapped},
}

// hasStep reports whether an action changes the state of host memory.
func hasStep(action Action) bool { return int(action) < len(steps) && action != Free }

// begins reports whether an action is never recorded late.
func begins(action Action) bool { return action == Alloc || action == SegmentAlloc }

// between returns the actions that lead from one state to another without a new alloc.
func between(from, to useState) (list []Action, ok bool) {
	for from != to {
		action := SegmentFree
		switch from {
		case inUse:
			action = FreeRequested
		case freeing:
			action = FreeCompleted
		case unmapped:
			return nil, false
		}
		list, from = append(list, action), steps[action].after
	}
	return list, true
}

// lateEvent is a row of events and the earlier row that it belongs in front of.
type lateEvent struct{ row, before uint32 }

// lateEvents finds the late events of host memory, sorted by the rows that they belong in
// front of. endKnown: the snapshot has the final segments.
func lateEvents(e *Events, s *Snapshot, endKnown bool) []lateEvent {
	disordered := disordered(e)
	if len(disordered) == 0 {
		return nil
	}
	final := map[uint64]useState{}
	for i, segments := 0, s.SegmentsOf(Pinned); i < len(segments); i++ {
		for _, block := range s.BlocksOf(&segments[i]) {
			final[block.Address] = map[BlockState]useState{
				Inactive: cached, ActiveAllocated: inUse, ActivePendingFree: freeing}[block.State]
		}
	}
	var late []lateEvent
	for addr, rows := range disordered {
		states := []useState{final[addr]}
		if !endKnown {
			states = []useState{steps[e.Action[rows[len(rows)-1]]].after, unmapped, cached, inUse, freeing}
		}
		late = append(late, lateAtAddress(e, rows, states)...)
	}
	// Those that belong in front of the same row are of one address, and in their order.
	slices.SortStableFunc(late, func(x, y lateEvent) int { return cmp.Compare(x.before, y.before) })
	return late
}

// disordered returns the rows of each address at which the order of events is impossible.
func disordered(e *Events) map[uint64][]uint32 {
	states, rows := map[uint64]useState{}, map[uint64][]uint32{}
	for i, action := range e.Action {
		if hasStep(action) {
			if state, seen := states[e.Addr[i]]; seen && state != steps[action].before {
				rows[e.Addr[i]] = nil
			}
			states[e.Addr[i]] = steps[action].after
		}
	}
	if len(rows) == 0 {
		return nil
	}
	for i, addr := range e.Addr {
		if list, is := rows[addr]; is && hasStep(e.Action[i]) {
			rows[addr] = append(list, uint32(i))
		}
	}
	return rows
}

// lateAtAddress finds the late events among the rows of one address. Of the possible final
// states it picks the one that explains most rows.
func lateAtAddress(e *Events, rows []uint32, states []useState) (late []lateEvent) {
	order, unexplained := rows, len(rows)
	for _, rows := range [][]uint32{rows, swapped(e, rows)} {
		for _, state := range states {
			if possible, n := traceBack(e, rows, state); n < unexplained {
				order, unexplained = possible, n
			}
		}
	}
	before := uint32(1<<32 - 1)
	for _, row := range slices.Backward(order) {
		if row > before {
			late = append(late, lateEvent{row, before})
		} else {
			before = row
		}
	}
	slices.Reverse(late)
	return late
}

// swapped returns the rows of an address with neighbours swapped where an alloc follows
// its free, or precedes its segment.
func swapped(e *Events, rows []uint32) []uint32 {
	rows = slices.Clone(rows)
	for i := 0; i+1 < len(rows); i++ {
		state := unmapped
		if i > 0 {
			state = steps[e.Action[rows[i-1]]].after
		}
		first, second := e.Action[rows[i]], e.Action[rows[i+1]]
		if first == FreeRequested && second == Alloc && state == cached ||
			first == Alloc && second == SegmentAlloc && state == unmapped {
			rows[i], rows[i+1] = rows[i+1], rows[i]
		}
	}
	return rows
}

// traceBack goes from the last alloc to the first and assigns to each the frees that must have
// followed it, latest first. The result is all rows in a possible order, except the first
// ones, unexplained in number: they stay as they are, because a free is missing or belongs to
// no alloc.
func traceBack(e *Events, rows []uint32, state useState) (order []uint32, unexplained int) {
	var frees [len(steps)][]int // positions of the frees not yet assigned
	for i, row := range rows {
		if action := e.Action[row]; !begins(action) {
			frees[action] = append(frees[action], i)
		}
	}
	last := func(action Action) int {
		if list := frees[action]; len(list) > 0 {
			return list[len(list)-1]
		}
		return -1
	}
	var back []uint32 // rows, the last first
	take := func(list []Action, after int) bool {
		for _, action := range slices.Backward(list) {
			i := last(action)
			if i < after {
				return false
			}
			frees[action] = frees[action][:len(frees[action])-1]
			back = append(back, rows[i])
		}
		return true
	}
	explained := 0
	unexplained = len(rows)
	possible := true
	for i, row := range slices.Backward(rows) {
		action := e.Action[row]
		if !begins(action) {
			continue
		}
		list, ok := between(steps[action].after, state)
		if possible = ok && take(list, i); !possible {
			break
		}
		back, state = append(back, row), steps[action].before
		if len(back) == len(rows)-i { // all later rows are placed
			explained, unexplained = len(back), i
		}
	}
	// What is left belongs to memory from before the recording.
	list, _ := between(inUse, state)
	if left := len(rows) - len(back); possible && left <= len(list) && take(list[len(list)-left:], 0) {
		explained, unexplained = len(back), 0
	}
	back = back[:explained]
	slices.Reverse(back)
	return slices.Concat(rows[:unexplained], back), unexplained
}

// moveUp returns the events with each late one moved in front of the row it precedes,
// whose time it takes.
func moveUp(e *Events, late []lateEvent) Events {
	isLate := map[uint32]bool{}
	for _, l := range late {
		isLate[l.row] = true
	}
	rows, times := make([]uint32, 0, e.Len()), make([]uint32, 0, e.Len())
	for row := range uint32(e.Len()) {
		for ; len(late) > 0 && late[0].before == row; late = late[1:] {
			rows, times = append(rows, late[0].row), append(times, row)
		}
		if !isLate[row] {
			rows, times = append(rows, row), append(times, row)
		}
	}
	moved := e.gather(rows)
	moved.TimeMicros = take(e.TimeMicros, times)
	return moved
}
