package report

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/units"
)

// capacity is how much memory a device has for this process, as far as that is
// known.
type capacity struct {
	Bytes int64  `json:"bytes"`
	Text  string `json:"text"` // what and where from: "capacity, from the OOM: 10.6 GiB"
}

// GivenCapacity is what the user says of the memory of every device.
type GivenCapacity struct {
	Bytes int64  `json:"bytes"`         // 0: nothing
	GPU   string `json:"gpu,omitempty"` // the card that was named, if one was
}

// capacity draws what the user says a device can hold, in place of what the
// recording proves. It gives the devices that had more than that, for which it
// is left aside.
func (d *Document) Capacity(given GivenCapacity) (tooSmall []*analysis.Recording) {
	d.report.GivenCapacity = nil
	if given.Bytes > 0 {
		d.report.GivenCapacity = &given
	}
	for i := range d.report.Files {
		for j := range d.report.Files[i].Devices {
			r := d.in[i].Recordings[j]
			known := oom.CapacityOf(r.Device, given.Bytes)
			if known.TooSmall > 0 {
				tooSmall = append(tooSmall, r)
			}
			d.report.Files[i].Devices[j].Capacity = newCapacity(r, known, given)
		}
	}
	return tooSmall
}

// newCapacity is nil where nothing is known. What was reserved at most proves
// nothing about a limit; what an out-of-memory event saw does.
func newCapacity(r *analysis.Recording, known oom.Capacity, given GivenCapacity) *capacity {
	switch {
	case known.Given > 0 && given.GPU != "":
		return &capacity{known.Given,
			units.NoBreak("capacity of " + article(given.GPU) + " " + given.GPU + ": about " +
				units.Bytes(known.Given))}
	case known.Given > 0:
		return &capacity{known.Given, units.NoBreak("capacity, as given: " + units.Bytes(known.Given))}
	case r.Device.Totals.OOMEvents > 0:
		return &capacity{known.AtLeast, units.NoBreak("capacity, from the OOM: " + units.Bytes(known.AtLeast))}
	}
	return nil
}

// article goes before the name of a card, by its sound: an A100, a T4.
func article(gpu string) string {
	switch gpu[0] {
	case 'A', 'H', 'L', 'M', 'R':
		return "an"
	}
	return "a"
}

// recordedCapacity is what the recording alone says.
func recordedCapacity(r *analysis.Recording) *capacity {
	return newCapacity(r, oom.CapacityOf(r.Device, 0), GivenCapacity{})
}
