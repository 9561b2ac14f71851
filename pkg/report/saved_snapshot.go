package report

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// What a snapshot that is made from a report may take, in bytes: a floor, and a
// hundred times the size of the report. Reports of real recordings take 15 times
// their size.
const (
	snapshotFloor   = 64 << 20
	snapshotPerByte = 100
	maxSnapshot     = 1 << 30
)

// ErrMemory: a snapshot in a report takes more memory than it may.
var ErrMemory = errors.New("the snapshot in the report takes more memory than a report of its size should; if you " +
	"trust the report, raise the limit")

// IncompleteError says that a report does not hold its snapshots.
type IncompleteError struct {
	Program string   // that wrote the report
	LeftOut []string // to make it smaller; none: the program kept too little
}

func (e *IncompleteError) Error() string {
	if len(e.LeftOut) > 0 {
		return fmt.Sprintf("this report was made smaller (--max-size) and lacks %s; name the snapshot instead",
			strings.Join(e.LeftOut, ", "))
	}
	return fmt.Sprintf("this report is of an older memviz (%s), which kept too little; name the snapshot instead",
		e.Program)
}

// Incomplete is an [*IncompleteError] unless a report that was read holds its
// snapshots with everything in them.
func (d *Document) Incomplete() error {
	if len(d.report.LeftOut) > 0 || slices.ContainsFunc(d.files, func(f *filePayload) bool { return f.rest == nil }) {
		return &IncompleteError{Program: d.report.Program, LeftOut: d.report.LeftOut}
	}
	return nil
}

// Snapshot makes a snapshot again from file number i of a report that was read.
// All that an answer can depend on is as in the snapshot that the report was
// written from, but for what snapshot.Redaction and AddressesLost say, and for
// devices that the report does not show. Families are decided anew, but for what
// a person's own rules said of them: those decisions, nil without any, are for
// analysis.Source.OverrideAgain. It may take so many bytes of memory; 0 stands for
// a limit by the size of the report. The error is [ErrMemory] beyond that, and an
// [*IncompleteError] if the report does not hold enough.
func (d *Document) Snapshot(i int, memory int64) (*snapshot.Snapshot, *families.Decisions, error) {
	f := d.files[i]
	if f.rest == nil {
		return nil, nil, d.Incomplete()
	}
	if memory == 0 {
		memory = min(maxSnapshot, snapshotFloor+snapshotPerByte*d.bytes)
	}
	r := &snapshotReader{tape: tape{columns: f.rest, room: memory}, s: &snapshot.Snapshot{Strings: f.saved.texts}}
	r.read(f)
	if errors.Is(r.err, ErrMemory) {
		return nil, nil, r.err
	} else if r.err != nil {
		return nil, nil, damaged(d.report.Files[i].Snapshot, r.err)
	}
	return r.s, r.decisions, nil
}

// tape reads columns one after another, until something is wrong.
type tape struct {
	columns *savedColumns
	next    int   // column
	room    int64 // bytes that may still be taken
	err     error
}

func (t *tape) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf(format, args...)
	}
}

// take takes memory for n rows, and reports whether there is any.
func (t *tape) take(n int, bytesPerRow int64) bool {
	if bytesPerRow > 0 && int64(n) > t.room/bytesPerRow {
		t.fail("%w", ErrMemory)
	}
	t.room -= int64(n) * bytesPerRow
	return t.err == nil
}

// table is so many columns, which have a row each for every item of a list. What
// is made of a row may take so many bytes.
func (t *tape) table(name string, columns int, bytesPerRow int64) ([]tapeColumn, int) {
	list := make([]tapeColumn, columns)
	n := t.columns.n[t.next]
	for i := range list {
		if t.columns.n[t.next+i] != n {
			t.fail("%d and %d values for each %s", n, t.columns.n[t.next+i], name)
		}
		list[i] = tapeColumn{cursor: *t.columns.cursor(t.next + i), tape: t, name: name}
	}
	t.next += columns
	if !t.take(n, bytesPerRow) {
		return list, 0
	}
	return list, n
}

// tapeColumn reads a column. Its methods must not be called more often than it
// has rows.
type tapeColumn struct {
	cursor
	tape *tape
	name string
	sum  int64
}

// index reads a value below a limit.
func (c *tapeColumn) index(limit int) int {
	v := c.cursor.next()
	if v >= uint64(limit) {
		c.tape.fail("%d for a %s, and there are %d", v, c.name, limit)
		return 0
	}
	return int(v)
}

func (c *tapeColumn) is() bool { return c.index(2) == 1 }

func (c *tapeColumn) signed() int64 { return unzigzag(c.cursor.next()) }

// signedSum reads a value that is given by its difference to the one before.
func (c *tapeColumn) signedSum() int64 {
	c.sum += c.signed()
	return c.sum
}

// ascending likewise, of an index that never falls.
func (c *tapeColumn) ascending(limit int) int {
	v := c.cursor.next()
	if v >= uint64(limit) || c.sum+int64(v) >= int64(limit) {
		c.tape.fail("%s %d after %d, and there are %d", c.name, v, c.sum, limit)
		return 0
	}
	c.sum += int64(v)
	return int(c.sum)
}

// snapshotReader reads a payload that snapshotPayload wrote.
type snapshotReader struct {
	tape
	s         *snapshot.Snapshot
	decisions *families.Decisions
}

func (r *snapshotReader) read(f *filePayload) {
	r.readFacts()
	r.readStacks(f.saved)
	for _, counts := range []*map[string]int{
		&r.s.Oddity.UnknownKeys, &r.s.Oddity.UnknownActions, &r.s.Oddity.WrongTypes} {
		*counts = r.counts()
	}
	settings, n := r.table("setting", 2, 32)
	for range n {
		r.s.Settings = append(r.s.Settings, snapshot.Setting{Key: r.text(&settings[0]), Value: r.text(&settings[1])})
	}
	names, n := r.table("action", 1, 16)
	for range min(n, 256-int(snapshot.FirstUnknownAction)) {
		r.s.ActionNames = append(r.s.ActionNames, r.text(&names[0]))
	}
	streams, n := r.table("stream", 1, 8)
	for range n {
		r.s.Streams = append(r.s.Streams, streams[0].cursor.next())
	}
	pools, n := r.table("pool", 2, 16)
	for range n {
		r.s.Pools = append(r.s.Pools, snapshot.Pool{A: pools[0].cursor.next(), B: pools[1].cursor.next()})
	}
	if len(r.s.Streams) == 0 || len(r.s.Pools) == 0 {
		r.fail("%d streams and %d pools; the default ones are always there", len(r.s.Streams), len(r.s.Pools))
	}
	r.readDecisions(f.saved)
	r.readTraces()
	annotations, n := r.table("annotation", 4, 24)
	for range n {
		r.s.Annotations = append(r.s.Annotations, snapshot.Annotation{
			Name: r.stringID(&annotations[0]), Device: snapshot.DeviceID(annotations[1].index(maxDevices)),
			TimeMicros: annotations[2].signedSum(), Start: annotations[3].is(),
		})
	}
	r.readSegments()
	for _, d := range f.devices {
		r.readDevice(d.(*savedDevice))
	}
}

// maxDevices is how many ordinals of devices there can be.
const maxDevices = 1024

func (r *snapshotReader) stringID(c *tapeColumn) snapshot.StringID {
	return snapshot.StringID(c.index(len(r.s.Strings)))
}

func (r *snapshotReader) text(c *tapeColumn) string { return r.s.Strings[r.stringID(c)] }

func (r *snapshotReader) counts() map[string]int {
	columns, n := r.table("count", 2, 64)
	if n == 0 {
		return nil
	}
	counts := map[string]int{}
	for range n {
		counts[r.text(&columns[0])] = columns[1].index(maxEvents)
	}
	return counts
}

func (r *snapshotReader) readFacts() {
	s := r.s
	columns, n := r.table("fact", 1, 8)
	if n != factCount {
		r.fail("%d facts, want %d", n, factCount)
		return
	}
	value := columns[0].index
	s.Format = snapshot.Format{Protocol: value(1 << 8), Way: "report"}
	r.flags(formatFlags(&s.Format), value(1<<len(formatFlags(&s.Format))))
	r.flags(redactionFlags(&s.Redaction), value(1<<len(redactionFlags(&s.Redaction))))
	s.AddressesLost = value(2) == 1
	s.Oddity.BadText = value(maxEvents)
	salvaged := value(len(cutShort) + 1)
	part := &snapshot.Salvaged{
		At: int64(value(1 << 62)), Events: value(maxEvents), From: snapshot.DeviceID(value(maxDevices+1)) - 1,
		NoEnd: value(2) == 1,
	}
	if text := s.Strings[value(len(s.Strings))]; salvaged > 0 {
		part.Err = &cutShortError{text, cutShort[salvaged-1]}
		s.Salvaged = part
	}
}

func (r *snapshotReader) flags(flags []*bool, set int) {
	for i, flag := range flags {
		*flag = set&(1<<i) != 0
	}
}

// cutShortError is what ended the reading of a file that a report was written of.
type cutShortError struct {
	text string
	kind error
}

func (e *cutShortError) Error() string { return e.text }
func (e *cutShortError) Unwrap() error { return e.kind }

// readStacks takes over the frames, and puts the stacks together.
func (r *snapshotReader) readStacks(saved *savedStacks) {
	frames, nodes := saved.n[stackFrameName], saved.n[stackNodeParent]
	if !r.take(frames, 12) || !r.take(nodes, 8) {
		return
	}
	names, files, lines := saved.cursor(stackFrameName), saved.cursor(stackFrameFile), saved.cursor(stackFrameLine)
	r.s.Frames = make([]snapshot.Frame, frames)
	for i := range r.s.Frames {
		r.s.Frames[i] = snapshot.Frame{
			Name: snapshot.StringID(names.next()), File: snapshot.StringID(files.next()), Line: int32(lines.next()),
		}
	}
	parent, frame := make([]int32, nodes+1), make([]snapshot.FrameID, nodes+1)
	parents, frameOf := saved.cursor(stackNodeParent), saved.cursor(stackNodeFrame)
	for i := 1; i <= nodes; i++ {
		parent[i], frame[i] = int32(i-int(parents.next())), snapshot.FrameID(frameOf.next())
	}
	var stack []snapshot.FrameID
	for i, node := range saved.all(stackNode) {
		stack = stack[:0]
		for ; node > 0; node = uint64(parent[node]) {
			stack = append(stack, frame[node])
		}
		if i == 0 && len(stack) > 0 {
			r.fail("the first stack is not empty")
		}
		if !r.take(1+len(stack), 4) {
			return
		}
		r.s.Stacks.Add(stack)
	}
}

func (r *snapshotReader) readDecisions(saved *savedStacks) {
	rules, n := r.table("rule", 4, 64)
	of, stacks := r.table("stack", 1, 5)
	if n == 0 || r.err != nil {
		return
	}
	d := &families.Decisions{Of: make([]uint8, stacks), Named: make([]snapshot.FrameID, stacks)}
	for range n {
		d.File = r.text(&rules[0])
		d.Rules = append(d.Rules, families.DecidedRule{Line: rules[1].index(math.MaxInt32), Text: r.text(&rules[2]),
			Family: r.text(&rules[3])})
	}
	for i := range d.Of {
		d.Of[i] = uint8(of[0].index(min(n+1, 256)))
	}
	for i, v := range saved.all(stackNamed) {
		if i < stacks {
			d.Named[i] = snapshot.FrameID(v) - 1
		}
	}
	r.decisions = d
}

func (r *snapshotReader) readTraces() {
	overflowed, n := r.table("trace", 1, 256)
	if n > maxDevices {
		r.fail("%d traces", n)
		return
	}
	for i := range n {
		r.s.Traces = append(r.s.Traces, snapshot.Trace{Device: snapshot.DeviceID(i), Overflowed: overflowed[0].is()})
	}
}

func (r *snapshotReader) stream(c *tapeColumn) snapshot.StreamID {
	return snapshot.StreamID(c.index(len(r.s.Streams)))
}

func (r *snapshotReader) pool(c *tapeColumn) snapshot.PoolID {
	return snapshot.PoolID(c.index(len(r.s.Pools)))
}

func (r *snapshotReader) stack(c *tapeColumn) snapshot.StackID {
	return snapshot.StackID(c.index(r.s.Stacks.Len()))
}

func (r *snapshotReader) readSegments() {
	s := r.s
	segments, n := r.table("segment", 12, 88)
	blocks, most := r.table("block", 5, 48)
	for range n {
		seg := snapshot.Segment{
			Device:  snapshot.DeviceID(segments[0].index(maxDevices)),
			Address: uint64(segments[1].signedSum()), TotalSize: segments[2].signed(), AllocatedSize: segments[3].signed(),
			ActiveSize: segments[4].signed(), RequestedSize: segments[5].signed(), Stream: r.stream(&segments[6]),
			Pool: r.pool(&segments[7]), Stack: r.stack(&segments[8]), SizeClass: snapshot.SizeClass(segments[9].index(3)),
			Expandable: segments[10].is(), FirstBlock: int32(len(s.Blocks)),
			BlockCount: int32(segments[11].index(most - len(s.Blocks) + 1)),
		}
		end := seg.Address
		for range seg.BlockCount {
			b := snapshot.Block{Address: end + uint64(blocks[0].signed()), Size: blocks[1].signed()}
			b.RequestedSize = b.Size - blocks[2].signed()
			b.Stack, b.State = r.stack(&blocks[3]), snapshot.BlockState(blocks[4].index(3))
			end = b.Address + uint64(b.Size)
			s.Blocks = append(s.Blocks, b)
		}
		sums := sumsOf(s.BlocksOf(&seg))
		seg.AllocatedSize += sums.AllocatedSize
		seg.ActiveSize += sums.ActiveSize
		seg.RequestedSize += sums.RequestedSize
		s.Segments = append(s.Segments, seg)
	}
	if len(s.Blocks) != most {
		r.fail("%d blocks, and segments have %d", most, len(s.Blocks))
	}
}

// readDevice makes the events of a device again.
func (r *snapshotReader) readDevice(d *savedDevice) {
	n, allocations := d.view.Events, d.n[columnSize]
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
func (r *snapshotReader) readTimes(d *savedDevice, n int) []int64 {
	first, recorded := r.table("first time", 1, 0)
	far, farCount := r.table("time", 2, 0)
	ranks, ranked := r.table("rank", 1, 8)
	switch {
	case recorded+ranked == 0 || r.err != nil || n == 0:
		return nil
	case ranked > 0 && ranked != n, ranked == 0 && d.n[columnTime] != n:
		r.fail("%d ranks and %d times for %d events", ranked, d.n[columnTime], n)
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
	for i, since := range d.signedSums(columnTime) {
		times[i] = start + since
	}
	for range farCount {
		times[far[0].ascending(n)] = far[1].signed()
	}
	return times
}

// traceOf is the trace that a device fills, which has no events yet; of a
// device without events it need not be there.
func (r *snapshotReader) traceOf(view *Device) *snapshot.Trace {
	if r.err != nil {
		return nil
	}
	if view.Device >= 0 && view.Device < len(r.s.Traces) && r.s.Traces[view.Device].Events.Action == nil {
		return &r.s.Traces[view.Device]
	} else if view.Events > 0 {
		r.fail("no trace for device %d", view.Device)
		return nil
	}
	return &snapshot.Trace{}
}

// readChanges reads a column of events that writeChanges wrote.
func readChanges[T snapshot.StringID | snapshot.PoolID](r *snapshotReader, events int,
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
	d       *savedDevice
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
	pending := sparse{left: d.n[columnPendingAlloc], index: d.cursor(columnPendingAlloc),
		value: d.cursor(columnPendingWait)}
	stacks, freeStacks, streams := d.cursor(columnStack), d.cursor(columnStackFree), d.cursor(columnStream)
	for i, l := range d.lives() {
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

// at is what is said of allocation i, if anything is. It is asked of each in
// turn.
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
	d, m := w.d, w.d.n[columnSize]
	moved, movedCount := w.table("address", 1, 0)
	kept, keptCount := w.table("address", 2, 16)
	switch {
	case d.view.HasAddr && d.view.WideAddr:
		high, low := d.cursor(columnAddrHigh), d.cursor(columnAddrLow)
		return func(int, int64) uint64 { return high.next()<<32 | low.next() }
	case d.view.HasAddr:
		base, _ := strconv.ParseUint(d.view.BaseAddr, 0, 64) // it was checked
		return addressesBySize(d.cursor(columnAddr), base)
	case movedCount == m:
		return addressesBySize(&moved[0].cursor, 0)
	case w.s.AddressesLost:
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
