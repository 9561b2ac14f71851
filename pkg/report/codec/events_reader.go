package codec

import (
	"maps"
	"math"
	"slices"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// readDevice makes the events of a device again.
func (r *snapshotReader) readDevice(d *deviceReader) {
	n, allocations := d.view.Events, d.count("size")
	loose, looseCount := r.table("event", 6, 0)
	// Each event is of an allocation, which has at most three, or is a loose one.
	if int64(n) > 3*int64(allocations)+int64(looseCount) {
		r.fail("%d events, of which %d allocations have theirs and %d are given", n, allocations, looseCount)
	}
	trace := r.traceOf(d.view)
	if trace == nil || !r.take(n, 25) {
		return
	}
	e := &trace.Events
	e.Action, e.Addr, e.Size = make([]snapshot.Action, n), make([]uint64, n), make([]int64, n)
	e.Stream, e.Stack = make([]snapshot.StreamID, n), make([]snapshot.StackID, n)
	w := &eventWriter{snapshotReader: r, d: d, e: e, n: n, seen: make([]uint64, (n+63)/64)}
	for range looseCount {
		w.set(loose[0].ascending(n), snapshot.Action(loose[1].index(256)), uint64(loose[2].signedSum()),
			loose[3].signed(), r.stream(&loose[4]), r.stack(&loose[5]))
	}
	w.allocations()
	if w.covered != n {
		r.fail("%d of %d events are given", w.covered, n)
	}
	r.differences(n, 256, func(i int, v int64) { e.Action[i] = snapshot.Action(v) })
	r.differences(n, math.MaxInt64, func(i int, v int64) { e.Size[i] = v })
	r.differences(n, int64(len(r.s.Streams)), func(i int, v int64) { e.Stream[i] = snapshot.StreamID(v) })
	r.differences(n, int64(r.s.Stacks.Len()), func(i int, v int64) { e.Stack[i] = snapshot.StackID(v) })
	e.CompileContext = readChanges(r, n, r.stringID)
	e.Metadata = readChanges(r, n, r.stringID)
	e.Pool = readChanges(r, n, r.pool)
	if r.categories {
		e.Category = readChanges(r, n, func(c *tapeColumn) snapshot.Category {
			return snapshot.Category(c.index(snapshot.Categories))
		})
	}
	e.TimeMicros = r.readTimes(d, n)
}

// differences reads what differs from what follows from the allocations. Values
// below a limit are indices; the largest limit is none.
func (r *snapshotReader) differences(events int, limit int64, set func(i int, v int64)) {
	columns, n := r.table("event", 2, 0)
	for range n {
		i, v := columns[0].ascending(events), columns[1].signed()
		if limit < math.MaxInt64 && (v < 0 || v >= limit) {
			r.fail("%d of %d in event %d", v, limit, i)
		}
		if r.err != nil {
			return
		}
		set(i, v)
	}
}

// readTimes gives the times of n events: those of the device's own payload, or
// ranks.
func (r *snapshotReader) readTimes(d *deviceReader, n int) []int64 {
	first, recorded := r.table("first time", 1, 0)
	far, farCount := r.table("time", 2, 0)
	ranks, ranked := r.table("rank", 1, 8)
	switch {
	case recorded+ranked == 0 || r.err != nil || n == 0:
		return nil
	case ranked > 0 && ranked != n, ranked == 0 && d.count("time") != n:
		r.fail("%d ranks and %d times for %d events", ranked, d.count("time"), n)
		return nil
	case ranked == 0 && !r.take(n, 8):
		return nil
	}
	times := make([]int64, n)
	if ranked > 0 {
		for i := range times {
			times[i] = ranks[0].signedSum()
		}
		return times
	}
	start := first[0].signed()
	for i, since := range d.signedSums("time") {
		times[i] = start + since
	}
	for range farCount {
		times[far[0].ascending(n)] = far[1].signed()
	}
	return times
}

// traceOf is the trace that a device fills, which has no events yet; of a
// device without events it need not be there.
func (r *snapshotReader) traceOf(view *recording.Device) *snapshot.Trace {
	if r.err != nil {
		return nil
	}
	at := view.Device
	if at == int(snapshot.Pinned) {
		at = len(r.s.Traces) - 1
	}
	if at >= 0 && at < len(r.s.Traces) && r.s.Traces[at].Device == snapshot.DeviceID(view.Device) &&
		r.s.Traces[at].Events.Action == nil {
		return &r.s.Traces[at]
	} else if view.Events > 0 {
		r.fail("no trace for device %d", view.Device)
		return nil
	}
	return &snapshot.Trace{}
}

// readChanges reads a column of events that writeChanges wrote.
func readChanges[T snapshot.StringID | snapshot.PoolID | snapshot.Category](r *snapshotReader, events int,
	value func(*tapeColumn) T) []T {
	columns, n := r.table("event", 2, 0)
	if n == 0 || !r.take(events, 4) {
		return nil
	}
	column := make([]T, events)
	var v T
	last := 0
	for range n {
		at := columns[0].ascending(events)
		for ; last < at; last++ {
			column[last] = v
		}
		v = value(&columns[1])
	}
	for ; last < events; last++ {
		column[last] = v
	}
	return column
}

// eventWriter makes events from the allocations of a device.
type eventWriter struct {
	*snapshotReader
	d       *deviceReader
	e       *snapshot.Events
	n       int
	seen    []uint64 // a bit an event
	covered int      // events
}

// set writes an event, which must be the only one of its number.
func (w *eventWriter) set(event int, action snapshot.Action, addr uint64, size int64, stream snapshot.StreamID,
	stack snapshot.StackID) {
	if event < 0 || event >= w.n || w.seen[event/64]&(1<<(event%64)) != 0 {
		w.fail("event %d is given twice, or is none of %d", event, w.n)
		return
	}
	w.seen[event/64] |= 1 << (event % 64)
	w.covered++
	w.e.Action[event], w.e.Addr[event], w.e.Size[event] = action, addr, size
	w.e.Stream[event], w.e.Stack[event] = stream, stack
}

// allocations writes the events that follow from each allocation.
func (w *eventWriter) allocations() {
	d := w.d
	address := w.addresses()
	freeColumns, freeCount := w.table("free", 2, 0)
	frees := sparse{left: freeCount, index: &freeColumns[0].cursor, value: &freeColumns[1].cursor}
	pending := sparse{left: d.count("pending.alloc"), index: d.cursor("pending.alloc"),
		value: d.cursor("pending.wait")}
	stacks, freeStacks, streams := d.cursor("stack"), d.cursor("stack.free"), d.cursor("stream")
	for i, l := range d.intervals() {
		if w.err != nil {
			return
		}
		a := replay.Allocation{Addr: address(i, l.bytes), Size: l.bytes, Start: replay.None, End: replay.None,
			FreeRequested: replay.None, Stream: snapshot.StreamID(streams.next()),
			Stack: snapshot.StackID(stacks.next()), FreeStack: snapshot.StackID(freeStacks.next())}
		switch a.FreeStack {
		case 0:
		case 1:
			a.FreeStack = a.Stack
		default:
			a.FreeStack -= 2
		}
		if i >= d.view.PreExisting {
			a.Start = replay.EventIndex(l.start - 1)
		}
		if l.end <= w.n {
			a.End = replay.EventIndex(l.end - 1)
		}
		wait, waits := pending.at(i)
		code, _ := frees.at(i)
		kind := freeKind(min(unzigzag(code), int64(freeKinds)))
		if kind >= freeKinds || a.LiveAtEnd() && kind != usualFree || wait > uint64(w.n) {
			w.fail("allocation %d has a free of kind %d after %d events", i, kind, wait)
			return
		}
		switch {
		case a.LiveAtEnd() && waits:
			a.FreeRequested = replay.EventIndex(w.n - int(wait))
		case a.LiveAtEnd():
		case kind == usualFree && waits:
			a.FreeRequested = max(a.End-replay.EventIndex(wait), 0)
		case kind == usualFree:
			a.FreeRequested = max(a.End-1, 0)
		case kind == requestedOnly:
			a.FreeRequested = a.End
		}
		followingEvents(&a, kind, func(event replay.EventIndex, action snapshot.Action, stack snapshot.StackID) {
			w.set(int(event), action, a.Addr, a.Size, a.Stream, stack)
		})
	}
}

// sparse reads a pair of columns that says something of some allocations.
type sparse struct {
	left         int
	index, value *cursor
	next         int // allocation
	started      bool
}

// at is the value for allocation i, if there is one. It must be called for each
// allocation in turn.
func (s *sparse) at(i int) (value uint64, is bool) {
	for {
		if !s.started && s.left > 0 {
			s.started, s.left = true, s.left-1
			s.next += int(s.index.next())
		}
		if !s.started || s.next != i {
			return value, is
		}
		value, is, s.started = s.value.next(), true, false
	}
}

// addresses is a function that gives the address of each allocation in turn.
func (w *eventWriter) addresses() func(i int, size int64) uint64 {
	d, m := w.d, w.d.count("size")
	moved, movedCount := w.table("address", 1, 0)
	kept, keptCount := w.table("address", 2, 16)
	switch {
	case d.view.HasAddr && d.space != nil:
		return d.spaceAddresses()
	case d.space != nil && movedCount == len(d.space.lanes)+d.space.outside && movedCount > 0:
		lanes, outside := moved[0], moved[0]
		for range d.space.lanes {
			outside.signedSum()
		}
		next := func(c *tapeColumn) func() uint64 { return func() uint64 { return uint64(c.signedSum()) } }
		return d.space.addressesOf(d.view.Space.Unit, next(&lanes), next(&outside))
	case d.view.HasAddr && d.view.WideAddr:
		high, low := d.cursor("addr.high"), d.cursor("addr.low")
		return func(int, int64) uint64 { return high.next()<<32 | low.next() }
	case d.view.HasAddr:
		return addressesBySize(d.cursor("addr"), d.view.LowestAddr())
	case movedCount == m:
		return addressesBySize(&moved[0].cursor, 0)
	case w.origin.AddressesLost:
		at := map[int]uint64{}
		for range keptCount {
			at[kept[0].ascending(m)] = uint64(kept[1].signedSum())
		}
		return madeUpAddresses(at, uint64(m))
	}
	w.fail("%d addresses of %d allocations", movedCount, m)
	return func(int, int64) uint64 { return 0 }
}

// addressesBySize reads addresses that are given by the difference to the last
// one of the same size.
func addressesBySize(c *cursor, base uint64) func(i int, size int64) uint64 {
	last := map[int64]uint64{}
	return func(_ int, size int64) uint64 {
		offset := last[size] + uint64(unzigzag(c.next()))
		last[size] = offset
		return base + offset
	}
}

// madeUpAddresses gives each of m allocations the address that it kept, or else
// one of its own.
func madeUpAddresses(kept map[int]uint64, m uint64) func(i int, size int64) uint64 {
	base := uint64(1) << 62
	for _, addr := range slices.Sorted(maps.Values(kept)) {
		if addr >= base && addr-base < m {
			base = addr + 1
		}
	}
	return func(i int, _ int64) uint64 {
		if addr, is := kept[i]; is {
			return addr
		}
		return base + uint64(i)
	}
}
