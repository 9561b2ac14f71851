package codec

import (
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/units"
)

// lanesWriter writes the lanes of a device.
type lanesWriter struct {
	*recording.DeviceLanes
	view *recording.Device
}

func (l *lanesWriter) write(c *columnWriter) {
	texts := newStringTable()
	names := make([]uint64, len(l.Ranges))
	for i := range l.Ranges {
		names[i] = texts.add(rangeName(l.Snapshot.String(l.Ranges[i].Name)))
	}
	c.strings(texts.texts)
	n := len(l.Ranges)
	c.ascending(n, func(i int) uint64 { return uint64(l.Ranges[i].From) })
	c.column(n, func(i int) uint64 { return uint64(l.Ranges[i].To - l.Ranges[i].From) })
	timed := n
	if len(l.Events.TimeMicros) == 0 || !l.view.HasTime {
		timed = 0
	}
	c.signedDelta(timed, func(i int) int64 { return l.started(i) })
	c.column(timed, func(i int) uint64 { return uint64(l.ended(i) - l.started(i)) })
	c.column(n, func(i int) uint64 { return uint64(l.Ranges[i].Lane) })
	c.column(n, func(i int) uint64 { return names[i] })
	c.column(n, func(i int) uint64 { return cut(&l.Ranges[i]) })

	c.ascending(len(l.Phases), func(i int) uint64 { return uint64(l.Phases[i].Start) })
	c.column(len(l.Phases), func(i int) uint64 { return uint64(l.Phases[i].End + 1 - l.Phases[i].Start) })
	c.column(len(l.Phases), func(i int) uint64 { return phaseKinds[l.Phases[i].Phase] })

	c.ascending(len(l.Steps.Boundaries), func(i int) uint64 { return uint64(l.Steps.Boundaries[i]) })
}

// started is when a range began, in microseconds since the first event and
// inside the recording.
func (l *lanesWriter) started(i int) int64 {
	if l.Ranges[i].NoStart {
		return 0
	}
	return l.since(l.Ranges[i].FromMicros)
}

// ended is when a range was over, not before it began.
func (l *lanesWriter) ended(i int) int64 {
	if l.Ranges[i].NoEnd {
		return l.Span
	}
	return max(l.started(i), l.since(l.Ranges[i].ToMicros))
}

func (l *lanesWriter) since(micros int64) int64 {
	first := l.Events.TimeMicros[0]
	switch since := micros - first; {
	case micros <= first:
		return 0
	case since < 0: // they lie too far apart to be subtracted
		return l.Span
	default:
		return min(since, l.Span)
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
	if len(runes) > recording.MaxRangeName {
		return string(runes[:recording.MaxRangeName-1]) + "…"
	}
	return string(runes)
}

// phaseKinds are the values of the column phase.kind.
var phaseKinds = map[stacks.Activity]uint64{
	stacks.InLoading: 0, stacks.InForward: 1, stacks.InBackward: 2, stacks.InOptimizer: 3,
}
