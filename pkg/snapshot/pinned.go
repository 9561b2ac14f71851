package snapshot

import (
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
