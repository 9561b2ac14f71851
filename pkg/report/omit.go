package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Omission is what a report goes without because somebody wants it so.
type Omission struct {
	Addresses bool // and the handles of streams, which are addresses too
	Times     bool // all of them; ranges and steps keep their places among the events
}

func (o Omission) keys() []string {
	return answer.RedactedKeys(snapshot.Redaction{Addresses: o.Addresses, Times: o.Times})
}

// Omit leaves things out, and says so in the file. It comes before Fit.
func (d *Document) Omit(o Omission) {
	for i := range d.files {
		d.omit(i, o)
	}
}

// omit leaves things out of one file.
func (d *Document) omit(i int, o Omission) {
	f, file := d.files[i], &d.report.Files[i]
	o.Addresses, o.Times = o.Addresses && !f.asked.Addresses, o.Times && !f.asked.Times
	if o == (Omission{}) {
		return
	}
	if o.Addresses {
		f.asked.Addresses = true
		f.omit(omitEveryAddress)
		for j := range file.Streams {
			file.Streams[j] = strconv.Itoa(j)
		}
	}
	if o.Times {
		f.asked.Times = true
		f.omit(omitEveryTime)
	}
	for _, key := range o.keys() {
		if !slices.Contains(d.report.Redacted, key) {
			d.report.Redacted = append(d.report.Redacted, key)
		}
	}
	d.warn()
	d.setFacts()
}

// warn puts what was left out below the warnings of every device.
func (d *Document) warn() {
	summary := 0
	for i := range d.report.Files {
		var more []answer.Warning
		if asked := d.files[i].asked; asked != (Omission{}) {
			more = append(more, answer.Warning{
				Fact:        "Left out: " + strings.Join(asked.keys(), ", ") + ".",
				Consequence: "Sizes, lifetimes in events, call sites and every total are exact.",
			})
		}
		more = append(more, d.fitted...)
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
