package codec

import (
	"fmt"

	"github.com/memviz-go/memviz/pkg/report/recording"
)

// The columns of a device's payload, in the order of the package comment.
const (
	columnTime = iota
	columnStart
	columnLife
	columnPendingAlloc
	columnPendingWait
	columnSize
	columnAddr
	columnAddrHigh
	columnAddrLow
	columnStack
	columnStackFree
	columnStream
	columnFamily
	columnSource
	columnReservedEvent
	columnReservedDelta
	columnMarkerEvent
	columnMarkerKind
	columnMarkerSize
	columnMarkerFree
	columnContextAlloc
	columnContextText
	columnMetadataAlloc
	columnMetadataText
	columnRule
	columnPool
	deviceColumns
)

// chunkColumns is where each chunk of a device's payload begins.
var chunkColumns = [deviceChunks + 1]int{columnTime, columnStart, columnAddr, columnStack, columnStream, deviceColumns}

// savedDevice is the columns of a device of a report. It packs them again.
type savedDevice struct {
	*savedColumns
	view  *recording.Device
	lanes *savedColumns
	space *savedSpace // nil: unknown

	predicted *savedSpace            // likewise
	measured  map[string]*savedSpace // by payload
}

func readDevice(raw []byte, r *recording.Report, f *recording.File, view *recording.Device,
	stacks *savedStacks) (*savedDevice, error) {
	columns, err := splitColumns(raw, deviceColumns, false)
	if err != nil {
		return nil, err
	}
	d := &savedDevice{savedColumns: columns, view: view}
	if err := d.checkCounts(); err != nil {
		return nil, err
	}
	if err := d.checkIndices(r, f, stacks); err != nil {
		return nil, err
	}
	return d, d.checkEvents()
}

// checkCounts holds the length of every column against the others.
func (d *savedDevice) checkCounts() error {
	view, m := d.view, d.n[columnSize]
	if view.Events < 0 || view.Events > maxEvents || m > maxAllocations || view.PreExisting < 0 ||
		view.PreExisting > m || view.Allocations != m {
		return fmt.Errorf("%d events and %d allocations, %d of them pre-existing, with %d sizes", view.Events,
			view.Allocations, view.PreExisting, m)
	}
	times, narrow, wide, pools := 0, 0, 0, 0
	if view.HasTime {
		times = view.Events
	}
	switch {
	case !view.HasAddr || view.Space != nil:
	case view.WideAddr:
		wide = m
	default:
		narrow = m
	}
	if len(view.Pools) > 1 {
		pools = m
	}
	for _, c := range []struct {
		column int
		name   string
		n      int
	}{
		{columnTime, "time", times}, {columnStart, "start", m - view.PreExisting}, {columnLife, "life", m},
		{columnPendingWait, "pending.wait", d.n[columnPendingAlloc]},
		{columnAddr, "addr", narrow}, {columnAddrHigh, "addr.high", wide}, {columnAddrLow, "addr.low", wide},
		{columnStack, "stack", m}, {columnStackFree, "stack.free", m}, {columnStream, "stream", m},
		{columnFamily, "family", m},
		{columnSource, "source", view.PreExisting}, {columnReservedDelta, "reserved.delta", d.n[columnReservedEvent]},
		{columnMarkerKind, "marker.kind", d.n[columnMarkerEvent]},
		{columnMarkerSize, "marker.size", d.n[columnMarkerEvent]},
		{columnMarkerFree, "marker.free", d.n[columnMarkerEvent]},
		{columnContextText, "context.text", d.n[columnContextAlloc]},
		{columnMetadataText, "metadata.text", d.n[columnMetadataAlloc]}, {columnRule, "rule", m},
		{columnPool, "pool", pools},
	} {
		if err := d.have(c.column, c.name, c.n); err != nil {
			return err
		}
	}
	return nil
}

// checkIndices holds every index against what it points at.
func (d *savedDevice) checkIndices(r *recording.Report, f *recording.File, stacks *savedStacks) error {
	for _, c := range []struct {
		column int
		name   string
		limit  int
	}{
		{columnStack, "stack", stacks.n[stackNode]}, {columnStackFree, "stack.free", stacks.n[stackNode] + 2},
		{columnStream, "stream", len(f.Streams)}, {columnFamily, "family", len(r.Families)},
		{columnSource, "source", 3},
		{columnMarkerKind, "marker.kind", 2}, {columnContextText, "context.text", len(stacks.texts)},
		{columnMetadataText, "metadata.text", len(stacks.texts)}, {columnRule, "rule", len(r.Rules)},
		{columnPool, "pool", len(d.view.Pools)}, {columnAddrHigh, "addr.high", 1 << 32},
		{columnAddrLow, "addr.low", 1 << 32},
	} {
		if err := d.below(c.column, c.name, c.limit); err != nil {
			return err
		}
	}
	return nil
}

// checkEvents holds all that happens in an event, or to an allocation, against
// how many there are.
func (d *savedDevice) checkEvents() error {
	events, m := uint64(d.view.Events), uint64(d.n[columnSize])
	for _, c := range []struct {
		column int
		name   string
		limit  uint64
	}{
		{columnStart, "start", events + 1}, {columnReservedEvent, "reserved.event", events},
		{columnMarkerEvent, "marker.event", events},
		{columnPendingAlloc, "pending.alloc", m}, {columnContextAlloc, "context.alloc", m},
		{columnMetadataAlloc, "metadata.alloc", m},
	} {
		for i, v := range d.sums(c.column) {
			if v >= c.limit {
				return fmt.Errorf("%s of row %d is %d, and there are %d", c.name, i, v, c.limit)
			}
		}
	}
	for _, l := range d.intervals() {
		if l.start < 0 || l.end > d.view.Events+1 {
			return fmt.Errorf("an allocation lives from state %d to %d, and there are %d events", l.start, l.end,
				d.view.Events)
		}
	}
	return nil
}

func (d *savedDevice) shown() *recording.Device { return d.view }

func (d *savedDevice) values() int { return len(d.raw) }

func (d *savedDevice) pack(number int, tick func(values int)) chunk {
	level := packOthers
	if number == chunkTimes {
		level = packTimes
	}
	return pack(level, tick, func(c *columnWriter) {
		switch {
		case number == chunkAddresses && !d.view.HasAddr:
			c.column(0, nil)
			c.column(0, nil)
			c.column(0, nil)
		case number == chunkTimes && !d.view.HasTime:
			c.column(0, nil)
		case number == chunkTimes && d.view.TimeStepMicros > 1:
			d.writeCoarseTimes(c)
		default:
			d.write(c, chunkColumns[number], chunkColumns[number+1])
		}
	})
}

func (d *savedDevice) writeCoarseTimes(c *columnWriter) {
	c.uvarint(uint64(d.n[columnTime]))
	last := int64(0)
	for _, v := range d.signedSums(columnTime) {
		v = roundDown(v, d.view.TimeStepMicros)
		c.uvarint(zigzag(v - last))
		last = v
	}
}

// has reports whether there is anything to leave out. Frames and stacks stay:
// what they are needed for is known to the analysis only.
func (d *savedDevice) has(what Part) bool {
	switch what {
	case PredictedSpaces:
		return d.view.HasPredictedSpace() || d.view.Measures.HasSpaces()
	case Addresses:
		return d.view.HasAddr && d.n[columnSize] > 0 && d.view.Space == nil
	case FineTimes:
		return coarseStep(d.view.SpanMicros) > d.view.TimeStepMicros
	}
	return false
}

func (d *savedDevice) omit(what Part, _ *stackTable) { omitFrom(d.view, what) }
