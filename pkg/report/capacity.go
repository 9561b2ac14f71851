package report

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/answer/strip"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// setMeasures shows other measures of a device.
func (d *Document) setMeasures(file, device int, best *whatif.BestMeasures) {
	view := &d.report.Files[file].Devices[device]
	if best == view.Measures.Best {
		return
	}
	view.Measures = recording.NewMeasures(best)
	d.files[file].ShowMeasures(device)
}

// Capacity shows what the user says a device can hold, in place of what the
// recording proves. It is ignored for the devices that had more than that, which
// are the result.
func (d *Document) Capacity(given recording.GivenCapacity) (tooSmall []*analysis.Recording) {
	d.report.GivenCapacity = nil
	if given.Bytes > 0 {
		d.report.GivenCapacity = &given
	}
	summary := 0
	for i := range d.report.Files {
		for j := range d.report.Files[i].Devices {
			r := d.in[i].Recordings[j]
			bytes := given.Bytes
			if r.Device.ID == snapshot.Pinned {
				bytes = 0 // it is of GPUs
			}
			known := oom.CapacityOf(r.Device, bytes)
			if known.TooSmall > 0 {
				tooSmall = append(tooSmall, r)
			}
			view := &d.report.Files[i].Devices[j]
			view.Capacity = recording.NewCapacity(r, known, given)
			if view.Measures != nil {
				d.setMeasures(i, j, view.Measures.Best.Under(given.Bytes))
				d.page.Summaries[summary].Measures = view.Measures.Texts()
			}
			summary++
			growth := strip.GrowthCard(r, given.Bytes)
			view.Answers[recording.GrowthAnswer].Small, view.Answers[recording.GrowthAnswer].Detail = growth.Small, growth.Detail
		}
	}
	return tooSmall
}
