package report

import (
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer"
)

// Omission is what a report goes without because somebody wants it so.
type Omission struct {
	Addresses bool // and the handles of streams, which are addresses too
	Times     bool // all of them; ranges and steps keep their places among the events
}

func (o Omission) String() string {
	var list []string
	if o.Addresses {
		list = append(list, "addresses")
	}
	if o.Times {
		list = append(list, "times")
	}
	return strings.Join(list, ", ")
}

// Omit leaves things out, and says so in the file. It comes before Fit.
func (d *Document) Omit(o Omission) {
	if o == (Omission{}) {
		return
	}
	d.asked = o
	for i, f := range d.files {
		if o.Addresses {
			f.omit(omitEveryAddress)
			for j := range d.report.Files[i].Streams {
				d.report.Files[i].Streams[j] = strconv.Itoa(j)
			}
		}
		if o.Times {
			f.omit(omitEveryTime)
		}
	}
	d.warn()
	d.setFacts()
}

// warn puts what was left out below the warnings of every device.
func (d *Document) warn() {
	var more []answer.Warning
	if d.asked != (Omission{}) {
		more = append(more, answer.Warning{
			Fact:        "Left out: " + d.asked.String() + ".",
			Consequence: "Sizes, lifetimes in events, call sites and every total are exact.",
		})
	}
	more = append(more, d.fitted...)
	summary := 0
	for i := range d.report.Files {
		for j := range d.report.Files[i].Devices {
			list := append(append([]answer.Warning{}, d.warnings[i][j]...), more...)
			d.report.Files[i].Devices[j].Warnings = list
			d.page.Summaries[summary].Warnings = list
			summary++
		}
	}
}

// setFacts writes the facts of the summaries again.
func (d *Document) setFacts() {
	summary := 0
	for i := range d.report.Files {
		f := &d.report.Files[i]
		for j := range f.Devices {
			d.page.Summaries[summary].Facts = factsOf(f, &f.Devices[j])
			summary++
		}
	}
}
