package recording

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Lanes is what is drawn above the chart of one device, and where its steps are;
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
	MaxRangeDepth = 6
	MaxRanges     = 20_000
	MaxPhases     = 20_000
	MaxRangeName  = 100 // characters
)

// DeviceLanes are the ranges above the chart of one device, and its steps.
type DeviceLanes struct {
	Snapshot *snapshot.Snapshot
	Events   *snapshot.Events
	Span     int64 // microseconds
	Ranges   []timeline.Annotation
	Phases   []timeline.PhaseRun
	Steps    *steps.List
}

// FindLanes picks the ranges and phases that fit the page.
func FindLanes(r *analysis.Recording) *DeviceLanes {
	return &DeviceLanes{
		Snapshot: r.Snapshot, Events: r.Device.Events, Span: r.Device.Events.SpanMicros(), Steps: r.Steps(),
		Ranges: outermost(r.Annotations(), MaxRangeDepth, MaxRanges), Phases: longest(r.Phases(), MaxPhases),
	}
}

// setLanes describes them; id is the id of their payload.
func (view *Device) setLanes(r *analysis.Recording, id string) {
	l := FindLanes(r)
	view.Lanes = Lanes{
		Payload:       id,
		RangesLeftOut: len(r.Annotations()) - len(l.Ranges),
		PhasesLeftOut: len(r.Phases()) - len(l.Phases),
	}
	if method := l.Steps.Method; method != steps.None {
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
