package codec

import (
	"fmt"

	"github.com/memviz-go/memviz/pkg/report/recording"
)

// chunkColumns is where each chunk of a device's payload begins.
var chunkColumns = [deviceChunks + 1]string{"time", "start", "addr", "stack", "stream", ""}

// deviceReader is the columns of a device of a report. It packs them again.
type deviceReader struct {
	*columnSet
	view  *recording.Device
	lanes *columnSet
	space *spaceReader // nil: unknown

	predicted *spaceReader            // likewise
	measured  map[string]*spaceReader // by payload
}

func readDevice(raw []byte, r *recording.Report, f *recording.File, view *recording.Device,
	stacks *stackReader) (*deviceReader, error) {
	columns, err := splitColumns(raw, deviceColumns)
	if err != nil {
		return nil, err
	}
	d := &deviceReader{columnSet: columns, view: view}
	if err := d.checkColumns(r, f, stacks); err != nil {
		return nil, err
	}
	for _, l := range d.intervals() {
		if l.start < 0 || l.end > view.Events+1 {
			return nil, fmt.Errorf("an allocation lives from state %d to %d, and there are %d events", l.start, l.end,
				view.Events)
		}
	}
	return d, nil
}

// checkColumns holds the columns against their table and the view.
func (d *deviceReader) checkColumns(r *recording.Report, f *recording.File, stacks *stackReader) error {
	view, m := d.view, d.count("size")
	if view.Events < 0 || view.Events > maxEvents || m > maxAllocations || view.PreExisting < 0 ||
		view.PreExisting > m || view.Allocations != m {
		return fmt.Errorf("%d events and %d allocations, %d of them pre-existing, with %d sizes", view.Events,
			view.Allocations, view.PreExisting, m)
	}
	counts := map[string]int{
		"events": view.Events, "allocations": m, "recorded": m - view.PreExisting, "pre_existing": view.PreExisting,
		"times": 0, "narrow": 0, "wide": 0, "pooled": 0,
		"stacks": stacks.count("stack.node"), "strings": len(stacks.texts), "streams": len(f.Streams),
		"families": len(r.Families), "rules": len(r.Rules), "pools": len(view.Pools),
	}
	if view.HasTime {
		counts["times"] = view.Events
	}
	switch {
	case !view.HasAddr || view.Space != nil:
	case view.WideAddr:
		counts["wide"] = m
	default:
		counts["narrow"] = m
	}
	if len(view.Pools) > 1 {
		counts["pooled"] = m
	}
	return d.check(counts)
}

func (d *deviceReader) shown() *recording.Device { return d.view }

func (d *deviceReader) values() int { return len(d.raw) }

func (d *deviceReader) pack(number int, tick func(values int)) chunk {
	level := packOthers
	if number == chunkTimes {
		level = packTimes
	}
	return pack(level, tick, func(c *columnWriter) {
		switch {
		case number == chunkAddresses && !d.view.HasAddr:
			deviceColumns.from(c, "addr").empty("addr", "addr.high", "addr.low")
		case number == chunkTimes && !d.view.HasTime:
			deviceColumns.from(c, "time").empty("time")
		case number == chunkTimes && d.view.TimeStepMicros > 1:
			d.writeCoarseTimes(c)
		default:
			d.write(c, chunkColumns[number], chunkColumns[number+1])
		}
	})
}

func (d *deviceReader) writeCoarseTimes(c *columnWriter) {
	c.uvarint(uint64(d.count("time")))
	last := int64(0)
	for _, v := range d.signedSums("time") {
		v = roundDown(v, d.view.TimeStepMicros)
		c.uvarint(zigzag(v - last))
		last = v
	}
}

// has reports whether there is anything to leave out. Frames and stacks stay:
// what they are needed for is known to the analysis only.
func (d *deviceReader) has(what Part) bool {
	switch what {
	case PredictedSpaces:
		return d.view.HasPredictedSpace() || d.view.Measures.HasSpaces()
	case Addresses:
		return d.view.HasAddr && d.count("size") > 0 && d.view.Space == nil
	case FineTimes:
		return coarseStep(d.view.SpanMicros) > d.view.TimeStepMicros
	}
	return false
}

func (d *deviceReader) omit(what Part, _ *stackTable) { omitFrom(d.view, what) }
