package snapshot

import (
	"math"
	"strings"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// reserve allocates room for n events. Pages that are never written cost no memory.
func (e *Events) reserve(n int) {
	e.Action = make([]Action, 0, n)
	e.Addr = make([]uint64, 0, n)
	e.Size = make([]int64, 0, n)
	e.Stream = make([]StreamID, 0, n)
	e.Stack = make([]StackID, 0, n)
}

// add appends an empty event and returns its row.
func (e *Events) add() uint32 {
	row := uint32(len(e.Action))
	e.Action = append(e.Action, NoAction)
	e.Addr = append(e.Addr, noAddr)
	e.Size = append(e.Size, noSize)
	e.Stream = append(e.Stream, 0)
	e.Stack = append(e.Stack, 0)
	if e.TimeMicros != nil {
		e.TimeMicros = append(e.TimeMicros, 0)
	}
	if e.CompileContext != nil {
		e.CompileContext = append(e.CompileContext, 0)
	}
	if e.Metadata != nil {
		e.Metadata = append(e.Metadata, 0)
	}
	if e.Pool != nil {
		e.Pool = append(e.Pool, 0)
	}
	if e.Category != nil {
		e.Category = append(e.Category, NoCategory)
	}
	return row
}

// held is the memory that the rows take, in bytes.
func (e *Events) held() int64 { return e.rowBytes() * int64(e.Len()) }

func (e *Events) rowBytes() int64 {
	row := int64(25)
	if e.TimeMicros != nil {
		row += 8
	}
	for _, there := range []bool{e.CompileContext != nil, e.Metadata != nil, e.Pool != nil} {
		if there {
			row += 4
		}
	}
	if e.Category != nil {
		row++
	}
	return row
}

// column is an optional column, made with as many rows as the table if it is nil.
func column[T any](col *[]T, like []Action) []T {
	if *col == nil {
		*col = make([]T, len(like), cap(like))
	}
	return *col
}

// slice is the view of rows [from, to).
func (e *Events) slice(from, to uint32) Events {
	return Events{
		Action: cut(e.Action, from, to), Addr: cut(e.Addr, from, to), Size: cut(e.Size, from, to),
		Stream: cut(e.Stream, from, to), Stack: cut(e.Stack, from, to), TimeMicros: cut(e.TimeMicros, from, to),
		CompileContext: cut(e.CompileContext, from, to), Metadata: cut(e.Metadata, from, to),
		Pool: cut(e.Pool, from, to), Category: cut(e.Category, from, to),
	}
}

func cut[T any](col []T, from, to uint32) []T {
	if col == nil {
		return nil
	}
	return col[from:to:to]
}

// gather copies rows that are not adjacent.
func (e *Events) gather(rows []uint32) Events {
	return Events{
		Action: take(e.Action, rows), Addr: take(e.Addr, rows), Size: take(e.Size, rows),
		Stream: take(e.Stream, rows), Stack: take(e.Stack, rows), TimeMicros: take(e.TimeMicros, rows),
		CompileContext: take(e.CompileContext, rows), Metadata: take(e.Metadata, rows), Pool: take(e.Pool, rows),
		Category: take(e.Category, rows),
	}
}

func take[T any](col []T, rows []uint32) []T {
	if col == nil {
		return nil
	}
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = col[row]
	}
	return out
}

// noAddr marks an event without an address, see also noSize.
const noAddr = math.MaxUint64

// checkEvents counts the events that lack a field that their action needs, and sets the
// field to zero.
func (b *builder) checkEvents(e *Events) {
	for i, action := range e.Action {
		movesMemory := action <= SegmentUnmap
		if e.Size[i] == noSize {
			e.Size[i] = 0
			if movesMemory {
				b.wrongType("event.size")
			}
		}
		if e.Addr[i] == noAddr {
			e.Addr[i] = 0
			if movesMemory {
				b.wrongType("event.addr")
			}
		}
	}
}

// setEvent fills row i from a trace entry. fields are the meanings of its keys.
func (b *builder) setEvent(h *pickle.Heap, i int, fields []key, pairs []pickle.Value) {
	e, f := &b.events, &b.s.Format
	for p, field := range fields {
		v := pairs[2*p+1]
		switch field {
		case keyAction:
			e.Action[i] = b.action(h, v)
		case keyAddr, keyDeviceFree:
			e.Addr[i] = b.address(h, v, "event.addr")
		case keySize:
			e.Size[i] = b.integer(h, v, "event.size")
		case keyStream:
			e.Stream[i] = b.streams.id(b.address(h, v, "event.stream"))
		case keyTimeMicros:
			f.HasTime = true
			column(&e.TimeMicros, e.Action)[i] = b.integer(h, v, "event.time_us")
		case keyFrames:
			e.Stack[i] = b.stack(h, v, "event.frames")
		case keyCompileContext:
			f.HasCompileContext = true
			if text := b.text(v, "event.compile_context"); text != 0 && h.Strings[text] != "N/A" {
				column(&e.CompileContext, e.Action)[i] = text
			}
		case keyUserMetadata:
			f.HasUserMetadata = true
			if text := b.metadata(h, v); text != 0 {
				column(&e.Metadata, e.Action)[i] = text
			}
		case keyInternalMetadata:
			f.HasInternalMetadata = true // text written by the user comes first
			if text := b.text(v, "event.internal_metadata"); text != 0 && column(&e.Metadata, e.Action)[i] == 0 {
				e.Metadata[i] = text
			}
		case keyPoolID:
			f.HasEventPool = true
			if pool := b.pool(h, v, "event.pool_id"); pool != 0 {
				column(&e.Pool, e.Action)[i] = pool
			}
		case keyCategory:
			f.HasCategory = true
			if category := b.category(h, v); category != NoCategory {
				column(&e.Category, e.Action)[i] = category
			}
		case keyForwardFrames:
			f.HasForwardFrames = true
		case keyUnknown:
			b.unknownKey(h, pairs[2*p])
		}
	}
}

// category reads the name of a category, in lower or upper case. An unknown name is
// counted and means no category.
func (b *builder) category(h *pickle.Heap, v pickle.Value) Category {
	if v.Type() != pickle.String {
		return NoCategory
	}
	name := h.Strings[v.Index()]
	for category := NoCategory + 1; int(category) < Categories; category++ {
		if strings.EqualFold(name, categoryNames[category]) {
			return category
		}
	}
	if name != "" {
		b.unknownValue("category", name)
	}
	return NoCategory
}

// action returns the code of an action's name.
func (b *builder) action(h *pickle.Heap, v pickle.Value) Action {
	if v.Type() != pickle.String {
		b.wrongType("event.action")
		return NoAction
	}
	i := v.Index()
	for len(b.actions) <= i {
		b.actions = append(b.actions, NoAction) // not looked up yet
	}
	if b.actions[i] == NoAction {
		b.actions[i] = b.newAction(h.Strings[i])
	}
	if b.actions[i] >= FirstUnknownAction {
		count(&b.s.Oddity.UnknownActions, b.s.ActionName(b.actions[i]))
	}
	return b.actions[i]
}

func (b *builder) newAction(name string) Action {
	name, _ = CutText(name)
	for a, known := range actionNames {
		if name == known && Action(a) != NoAction {
			return Action(a)
		}
	}
	if len(b.s.ActionNames) < maxUnknownActions-1 {
		b.s.ActionNames = append(b.s.ActionNames, name)
	} else if len(b.s.ActionNames) < maxUnknownActions {
		b.s.ActionNames = append(b.s.ActionNames, "(others)")
	}
	return FirstUnknownAction + Action(len(b.s.ActionNames)-1)
}

// MaxSpanMicros bounds the span between two times, in microseconds: 71 years, which a
// JavaScript number still represents exactly.
const MaxSpanMicros = 1<<51 - 1

// SinceFirst is the time from the first event to event i in microseconds, limited to
// MaxSpanMicros in either direction. TimeMicros must not be nil.
func (e *Events) SinceFirst(i int) int64 {
	first, t := e.TimeMicros[0], e.TimeMicros[i]
	span := t - first
	if overflow := (t >= first) != (span >= 0); overflow || span > MaxSpanMicros || span < -MaxSpanMicros {
		if t >= first {
			return MaxSpanMicros
		}
		return -MaxSpanMicros
	}
	return span
}

// SpanMicros is the time from the first event to the latest one in microseconds, 0 if
// TimeMicros is nil.
func (e *Events) SpanMicros() int64 {
	var span int64
	for i := range e.TimeMicros {
		span = max(span, e.SinceFirst(i))
	}
	return span
}

// CompletedAtOnce reports whether a free_completed event is the second half of the free
// before it. If the block waited for other streams, a later request completed the free,
// and the event has that request's stack.
func (e *Events) CompletedAtOnce(completed int) bool {
	i := completed - 1
	return i >= 0 && e.Action[i] == FreeRequested && e.Addr[i] == e.Addr[completed] && e.Stack[i] == e.Stack[completed]
}
