package report

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Lanes is what stands above the chart of one device and where its steps are;
// the payload has the ranges themselves.
type Lanes struct {
	Payload       string `json:"payload"`
	RangesLeftOut int    `json:"ranges_left_out"` // annotations nested too deep, or too many
	PhasesLeftOut int    `json:"phases_left_out"` // the shortest of too many
	StepWord      string `json:"step_word"`       // "step", "backward call", "iteration" or "window"; "" without any
	StepsFrom     string `json:"steps_from"`      // a clause: "found from optimizer frames"
}

// What a page shows at most of one device, and of the name of a range.
const (
	maxRangeDepth = 6
	maxRanges     = 20_000
	maxPhases     = 20_000
	maxRangeName  = 100 // characters
)

// phaseKinds are the values of the column phase.kind.
var phaseKinds = map[stacks.Activity]uint64{
	stacks.InLoading: 0, stacks.InForward: 1, stacks.InBackward: 2, stacks.InOptimizer: 3,
}

// deviceLanes are the ranges above the chart of one device, and its steps.
type deviceLanes struct {
	snapshot *snapshot.Snapshot
	events   *snapshot.Events
	span     int64 // microseconds
	ranges   []timeline.Annotation
	phases   []timeline.PhaseRun
	steps    *steps.List
	timeless bool // times were left out
}

// setLanes finds them; id is that of the payload.
func (view *Device) setLanes(r *analysis.Recording, id string) {
	l := &deviceLanes{snapshot: r.Snapshot, events: r.Device.Events, span: r.Device.Events.SpanMicros(),
		steps: r.Steps()}
	ranges, phases := r.Annotations(), r.Phases()
	l.ranges = outermost(ranges, maxRangeDepth, maxRanges)
	l.phases = longest(phases, maxPhases)
	view.lanes = l
	view.Lanes = Lanes{
		Payload:       id,
		RangesLeftOut: len(ranges) - len(l.ranges),
		PhasesLeftOut: len(phases) - len(l.phases),
	}
	if method := l.steps.Method; method != steps.None {
		view.Lanes.StepWord, view.Lanes.StepsFrom = method.Word(1), method.Found()
	}
}

// outermost keeps whole levels of nesting, the outermost first, that together
// have at most so many ranges; of the first level at least the longest.
func outermost(ranges []timeline.Annotation, depth, limit int) []timeline.Annotation {
	perLevel := make([]int, depth)
	for _, a := range ranges {
		if a.Lane < depth {
			perLevel[a.Lane]++
		}
	}
	levels, total := 0, 0
	for levels < depth && total+perLevel[levels] <= limit {
		total += perLevel[levels]
		levels++
	}
	kept := slices.DeleteFunc(slices.Clone(ranges),
		func(a timeline.Annotation) bool { return a.Lane >= max(levels, 1) })
	return longestOf(kept, limit, func(a timeline.Annotation) int { return a.To - a.From })
}

// longest keeps the phases with most events.
func longest(runs []timeline.PhaseRun, limit int) []timeline.PhaseRun {
	return longestOf(runs, limit, func(p timeline.PhaseRun) int { return int(p.End - p.Start) })
}

// longestOf keeps the longest of a list, in their order.
func longestOf[T any](list []T, limit int, length func(T) int) []T {
	if len(list) <= limit {
		return list
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(length(list[b]), length(list[a])) })
	order = order[:limit]
	slices.Sort(order)
	kept := make([]T, limit)
	for i, place := range order {
		kept[i] = list[place]
	}
	return kept
}

// write writes the columns of the payload.
func (l *deviceLanes) write(c *columnWriter) {
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
	if len(l.events.TimeMicros) == 0 || l.timeless {
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
func (l *deviceLanes) started(i int) int64 {
	if l.ranges[i].NoStart {
		return 0
	}
	return l.since(l.ranges[i].FromMicros)
}

// ended is when a range was over, not before it began.
func (l *deviceLanes) ended(i int) int64 {
	if l.ranges[i].NoEnd {
		return l.span
	}
	return max(l.started(i), l.since(l.ranges[i].ToMicros))
}

func (l *deviceLanes) since(micros int64) int64 {
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
