package snapshot

import (
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
	if err := b.trace(Pinned, rows); err != nil {
		return err
	}
	e := &b.s.Traces[len(b.s.Traces)-1].Events
	if order := orderByAddress(e); order != nil {
		if err := b.room(e.rowBytes() * int64(e.Len())); err != nil {
			return err
		}
		times := e.TimeMicros // stay where they are, so that they do not run backwards
		*e = e.gather(order)
		e.TimeMicros = times
	}
	return nil
}

// mayFollow has, for the actions of host memory, what may come next at the same address. A
// segment is one block there, so an address goes through these in turn.
var mayFollow = map[Action][]Action{
	SegmentAlloc:  {Alloc, SegmentFree},
	Alloc:         {FreeRequested},
	FreeRequested: {FreeCompleted},
	FreeCompleted: {Alloc, SegmentFree},
	SegmentFree:   {SegmentAlloc},
}

// maxSwap is how many events apart those may be that were swapped. A thread records an event
// soon after what it did, but it may be interrupted, and others record theirs in between.
const maxSwap = 1000

// orderByAddress undoes swaps of events of host memory. Threads record them without one lock, so
// an event may stand before one that must have happened first at the same address. It returns
// the rows in an order that is possible at each address, or nil if they are in one.
func orderByAddress(e *Events) []uint32 {
	at := map[uint64][]int32{} // rows of each address
	for i, addr := range e.Addr {
		if _, known := mayFollow[e.Action[i]]; known {
			at[addr] = append(at[addr], int32(i))
		}
	}
	var order []uint32
	for _, rows := range at {
		actions := make([]Action, len(rows))
		for i, row := range rows {
			actions[i] = e.Action[row]
		}
		for i := 0; i+1 < len(rows); i++ {
			for {
				swap := bestSwap(actions, rows, i)
				if swap < 0 {
					break
				}
				if order == nil {
					order = make([]uint32, e.Len())
					for row := range order {
						order[row] = uint32(row)
					}
				}
				actions[swap], actions[swap+1] = actions[swap+1], actions[swap]
				x, y := rows[swap], rows[swap+1]
				order[x], order[y] = order[y], order[x]
			}
		}
	}
	return order
}

// bestSwap is the first of two neighbours at or beside i that fit in the other order; -1 if there
// are none. Of several, it is that which leaves the fewest impossible pairs around it, then that
// of the nearest rows, and then the last.
func bestSwap(actions []Action, rows []int32, i int) int {
	if possible(actions, i) {
		return -1
	}
	best, least, distance := -1, impossible(actions, i-2, i+2), int32(maxSwap)
	for swap := max(i-1, 0); swap <= min(i+1, len(actions)-2); swap++ {
		apart := rows[swap+1] - rows[swap]
		actions[swap], actions[swap+1] = actions[swap+1], actions[swap]
		n, fits := impossible(actions, i-2, i+2), impossible(actions, swap-1, swap+1) == 0
		actions[swap], actions[swap+1] = actions[swap+1], actions[swap]
		if !fits || apart > maxSwap {
			continue
		}
		if n < least || n == least && best >= 0 && apart <= distance {
			best, least, distance = swap, n, apart
		}
	}
	return best
}

// impossible counts the pairs from one to another of which the second may not follow the first.
func impossible(actions []Action, from, to int) (n int) {
	for pair := max(from, 0); pair <= min(to, len(actions)-2); pair++ {
		if !possible(actions, pair) {
			n++
		}
	}
	return n
}

func possible(actions []Action, i int) bool {
	return slices.Contains(mayFollow[actions[i]], actions[i+1])
}
