package report

import (
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/units"
)

// lanesWriter writes the lanes of a device.
type lanesWriter struct {
	*deviceLanes
	view *Device
}

func (l *lanesWriter) write(c *columnWriter) {
	texts := newStringTable()
	names := make([]uint64, len(l.ranges))
	for i := range l.ranges {
		names[i] = texts.add(rangeName(l.snapshot.String(l.ranges[i].Name)))
	}
	c.strings(texts.texts)
	n := len(l.ranges)
	c.ascending(n, func(i int) uint64 { return uint64(l.ranges[i].From) })
	c.column(n, func(i int) uint64 { return uint64(l.ranges[i].To - l.ranges[i].From) })
	timed := n
	if len(l.events.TimeMicros) == 0 || !l.view.HasTime {
		timed = 0
	}
	c.signedDelta(timed, func(i int) int64 { return l.started(i) })
	c.column(timed, func(i int) uint64 { return uint64(l.ended(i) - l.started(i)) })
	c.column(n, func(i int) uint64 { return uint64(l.ranges[i].Lane) })
	c.column(n, func(i int) uint64 { return names[i] })
	c.column(n, func(i int) uint64 { return cut(&l.ranges[i]) })

	c.ascending(len(l.phases), func(i int) uint64 { return uint64(l.phases[i].Start) })
	c.column(len(l.phases), func(i int) uint64 { return uint64(l.phases[i].End + 1 - l.phases[i].Start) })
	c.column(len(l.phases), func(i int) uint64 { return phaseKinds[l.phases[i].Phase] })

	c.ascending(len(l.steps.Boundaries), func(i int) uint64 { return uint64(l.steps.Boundaries[i]) })
}

// started is when a range began, in microseconds since the first event and
// inside the recording.
func (l *lanesWriter) started(i int) int64 {
	if l.ranges[i].NoStart {
		return 0
	}
	return l.since(l.ranges[i].FromMicros)
}

// ended is when a range was over, not before it began.
func (l *lanesWriter) ended(i int) int64 {
	if l.ranges[i].NoEnd {
		return l.span
	}
	return max(l.started(i), l.since(l.ranges[i].ToMicros))
}

func (l *lanesWriter) since(micros int64) int64 {
	first := l.events.TimeMicros[0]
	switch since := micros - first; {
	case micros <= first:
		return 0
	case since < 0: // they lie too far apart to be subtracted
		return l.span
	default:
		return min(since, l.span)
	}
}

// cut is a value of the column range.cut.
func cut(a *timeline.Annotation) uint64 {
	switch {
	case a.NoStart:
		return 1
	case a.NoEnd:
		return 2
	}
	return 0
}

// rangeName is a name as the page shows it.
func rangeName(name string) string {
	runes := []rune(units.Printable(name))
	if len(runes) > maxRangeName {
		return string(runes[:maxRangeName-1]) + "…"
	}
	return string(runes)
}

// phaseKinds are the values of the column phase.kind.
var phaseKinds = map[stacks.Activity]uint64{
	stacks.InLoading: 0, stacks.InForward: 1, stacks.InBackward: 2, stacks.InOptimizer: 3,
}
