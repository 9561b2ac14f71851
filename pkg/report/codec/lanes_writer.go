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
	w := laneColumns.from(c, "strings")
	w.texts(texts.texts)
	n := len(l.Ranges)
	w.put("range.from", n, func(i int) int64 { return int64(l.Ranges[i].From) })
	w.put("range.length", n, func(i int) int64 { return int64(l.Ranges[i].To - l.Ranges[i].From) })
	timed := n
	if len(l.Events.TimeMicros) == 0 || !l.view.HasTime {
		timed = 0
	}
	w.put("range.from_us", timed, l.started)
	w.put("range.length_us", timed, func(i int) int64 { return l.ended(i) - l.started(i) })
	w.put("range.depth", n, func(i int) int64 { return int64(l.Ranges[i].Lane) })
	w.put("range.name", n, func(i int) int64 { return int64(names[i]) })
	w.put("range.cut", n, func(i int) int64 { return cut(&l.Ranges[i]) })

	phases := l.Phases
	w.put("phase.from", len(phases), func(i int) int64 { return int64(phases[i].Start) })
	w.put("phase.length", len(phases), func(i int) int64 { return int64(phases[i].End + 1 - phases[i].Start) })
	w.put("phase.kind", len(phases), func(i int) int64 { return phaseKinds[phases[i].Phase] })

	w.put("step.boundary", len(l.Steps.Boundaries), func(i int) int64 { return int64(l.Steps.Boundaries[i]) })
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
func cut(a *timeline.Annotation) int64 {
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
var phaseKinds = map[stacks.Activity]int64{
	stacks.InLoading: 0, stacks.InForward: 1, stacks.InBackward: 2, stacks.InOptimizer: 3,
}
