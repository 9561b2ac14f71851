package answer

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/units"
)

// Window is a stretch of the recording: a step, or so many events or so much time.
type Window struct {
	Name      string `json:"name"` // of an annotated step, or empty
	Rest      bool   `json:"rest"` // what follows the last step
	From      int    `json:"from"` // first state
	To        int    `json:"to"`   // last state
	PeakBytes int64  `json:"peak_bytes"`
	PeakState int    `json:"peak_state"`
	// Fragmentation of its last state; null unless windows were asked for, and at
	// most 200 of them.
	FragmentationBytes *int64 `json:"fragmentation_bytes" jsonschema:"oneof_type=integer;null"`
}

// windows are the steps, or the stretches that a person asked for.
func windows(r *analysis.Recording, every Every) []Window {
	steps := r.Steps()
	ranges := steps.Ranges()
	switch {
	case every.Events > 0:
		ranges = timeline.EveryEvents(r.Device, every.Events)
	case every.Micros > 0:
		ranges = timeline.EveryMicros(r.Device, every.Micros)
	}
	list := make([]Window, len(ranges))
	for i, p := range timeline.PeaksOf(r.Device, ranges) {
		list[i] = Window{From: p.From, To: p.To, PeakBytes: p.Bytes, PeakState: p.State}
		if every == (Every{}) {
			list[i].Name = r.Snapshot.String(steps.Steps[i].Name)
			list[i].Rest = i >= len(steps.Boundaries)
		}
	}
	if every != (Every{}) {
		fragment(r, list)
	}
	return list
}

// fragment measures the fragmentation at the end of each window.
func fragment(r *analysis.Recording, list []Window) {
	if len(list) > layout.MaxFragmentationSamples {
		return
	}
	states := make([]int, len(list))
	for i := range list {
		states[i] = list[i].To
	}
	at := r.Layouts().FragmentationsAt(states...)
	for i := range list {
		bytes := at[list[i].To].Bytes
		list[i].FragmentationBytes = &bytes
	}
}

func windowTable(stats *DeviceStats, o StatsOptions) *sheetTable {
	what := "step"
	if o.Every != (Every{}) {
		what = "window"
	}
	t := newTable(column{what, figures}, column{"peak", figures}, column{"in state", figures}, column{"states", words},
		column{"", names})
	if o.Every != (Every{}) {
		t.columns[4] = column{"fragmentation", figures}
	}
	if len(stats.Windows) < 2 {
		return t
	}
	for i := range stats.Windows {
		if i == o.Rows {
			t.more = "and " + units.Plural(len(stats.Windows)-i, "more", "more") + "; --rows shows more"
			break
		}
		w := &stats.Windows[i]
		number := units.Count(i + 1)
		if w.Rest {
			number = "rest"
		}
		t.row(number, units.Bytes(w.PeakBytes), units.Count(w.PeakState), units.Count(w.From)+" to "+units.Count(w.To),
			w.remark())
	}
	return t
}

// remark is what is known besides the peak: a name, or the fragmentation.
func (w *Window) remark() any {
	if w.FragmentationBytes != nil {
		return units.Bytes(*w.FragmentationBytes)
	}
	return name(w.Name)
}
