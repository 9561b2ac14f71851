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

// orderHostTrace puts the events of host memory in an order that is possible at each address.
// Segments must have been read; hasSegments: the file has a list of those of host memory.
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

// Threads record events of host memory without one lock, so an event may be in the file behind
// later ones, as far behind as its thread had to wait. What happened at one address
// can be told nevertheless: a segment is one block there, and events take it from state to state.
// No other thread knows the address before its alloc is recorded, so it is frees that are
// late. Each alloc tells which of them must have happened since the one before it.

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

// hasStep reports whether an action takes host memory from a state to another one.
func hasStep(action Action) bool { return int(action) < len(steps) && action != Free }

// begins reports whether an action is one that is not recorded late.
func begins(action Action) bool { return action == Alloc || action == SegmentAlloc }

// between has the actions that lead from one state to another without a new alloc.
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

// lateEvent is a row of events and the row that it belongs in front of, which is an earlier one.
type lateEvent struct{ row, before uint32 }

// lateEvents finds the late events of host memory, by the rows that they belong in front of.
// endKnown: the snapshot has the segments that these events lead to.
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

// disordered has the rows of each address at which the order of events is impossible.
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

// lateAtAddress finds the late events of an address, whose rows these are. Of the states that
// they may lead to, that counts which explains most of them.
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

// swapped is the rows of an address with neighbours swapped where an alloc follows its
// free, or in front of its segment.
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

// traceBack goes from the last alloc to the first, and gives each the frees that must have
// followed it, the last to the last. The result is all rows in an order that is possible, but for
// the first: those stay as they are, because a free is missing, or is not of any alloc. There
// are as many of them as are unexplained.
func traceBack(e *Events, rows []uint32, state useState) (order []uint32, unexplained int) {
	var frees [len(steps)][]int // positions of those that are left
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
		if len(back) == len(rows)-i { // none is left behind it
			explained, unexplained = len(back), i
		}
	}
	// What is left is of what was there before the recording.
	list, _ := between(inUse, state)
	if left := len(rows) - len(back); possible && left <= len(list) && take(list[len(list)-left:], 0) {
		explained, unexplained = len(back), 0
	}
	back = back[:explained]
	slices.Reverse(back)
	return slices.Concat(rows[:unexplained], back), unexplained
}

// moveUp is the events with those that are late in front of those that follow them, where
// they get their times.
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
