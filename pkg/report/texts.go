package report

import "github.com/memviz-go/memviz/pkg/report/recording"

// Texts yields every text that a report holds, some more than once. It is for
// reports that were read.
func (d *Document) Texts(yield func(recording.Text)) {
	for _, f := range d.files {
		f.Texts(yield)
	}
	d.report.Texts(yield)
	for _, text := range d.markup.texts {
		yield(recording.Text{Kind: recording.TextMarkup, Text: text})
	}
}

// Foreign is how many scripts and styles of a report that was read are not of
// this version of memviz. They are not written again.
func (d *Document) Foreign() int { return d.markup.foreign }

// Numbers are how many addresses and times a report holds.
func (d *Document) Numbers() (addresses, times int) {
	for i := range d.report.Files {
		f := &d.report.Files[i]
		for _, stream := range f.Streams {
			if len(stream) > 3 { // 0x0 and small numbers are nobody's address
				addresses++
			}
		}
		for j := range f.Devices {
			view := &f.Devices[j]
			if view.HasAddr {
				addresses += view.Allocations
			}
			if view.HasTime {
				times += view.Events
			}
		}
	}
	return addresses, times
}
