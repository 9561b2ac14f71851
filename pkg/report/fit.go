package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/report/frame"
	"github.com/memviz-go/memviz/pkg/units"
)

// TooLargeError says that a report does not fit its limit.
type TooLargeError struct {
	Size, Limit int64
	LeftOut     []string // without which Size is measured
}

func (e *TooLargeError) Error() string {
	without := ""
	if len(e.LeftOut) > 0 {
		without = " even without " + strings.Join(e.LeftOut, ", ")
	}
	return fmt.Sprintf("the report takes %s%s; the limit is %s", units.FileSize(e.Size), without,
		units.FileSize(e.Limit))
}

// Fit makes the file at most limit bytes long. It leaves out as little as that
// takes, step by step, and says so in the file. When all steps are not enough
// the error is a [*TooLargeError].
func (d *Document) Fit(limit int64) error {
	for next := codec.Part(0); ; next++ {
		size, err := d.Size()
		if err != nil || size <= limit {
			return err
		}
		for next < codec.PartCount && (d.omitted[next] || !d.has(next)) {
			next++
		}
		if next == codec.PartCount {
			return &TooLargeError{Size: size, Limit: limit, LeftOut: d.LeftOut()}
		}
		d.omitted[next] = true
		for _, f := range d.files {
			f.Omit(next)
		}
		d.warnFit(limit)
	}
}

// Least is how many bytes snapshots take at least in any report that holds them, alone or
// with others, whatever [Document.Fit] leaves out beyond o.
func Least(program string, in []answer.Input, o codec.Omission) (int64, error) {
	d := encode(program, in, nil, false)
	d.Omit(o)
	whole, err := d.sizeOfFiles()
	if err != nil {
		return 0, err
	}
	for what := range codec.PartCount {
		if d.has(what) {
			for _, f := range d.files {
				f.Omit(what)
			}
		}
	}
	smallest, err := d.sizeOfFiles()
	return min(whole, smallest), err
}

// sizeOfFiles is how many bytes of the file are of snapshots, and not of the page.
func (d *Document) sizeOfFiles() (int64, error) {
	counted := &frame.Counter{W: io.Discard}
	for i, f := range d.files {
		view, err := json.Marshal(d.report.Files[i])
		if err != nil {
			return 0, err
		}
		counted.N += int64(len(view))
		if err := f.Write(counted); err != nil {
			return 0, err
		}
	}
	return counted.N, nil
}

// leftOutPrediction is what a report can lack and still hold its snapshots.
const leftOutPrediction = "the predicted address space"

// LeftOut says what the file lacks, the first step first: "addresses",
// "times finer than 200 µs".
func (d *Document) LeftOut() []string {
	var list []string
	for what, is := range d.omitted {
		if !is {
			continue
		}
		switch codec.Part(what) {
		case codec.PredictedSpaces:
			list = append(list, leftOutPrediction)
		case codec.Addresses:
			list = append(list, "addresses")
		case codec.FineTimes:
			list = append(list, "times finer than "+units.Duration(d.coarsestTime()))
		case codec.InnerFrames:
			list = append(list, "stack frames below the user's code")
		case codec.FreeStacks:
			list = append(list, "the stacks of frees")
		}
	}
	return list
}

// has reports whether there is anything to leave out.
func (d *Document) has(what codec.Part) bool {
	return slices.ContainsFunc(d.files, func(f *codec.File) bool { return f.Has(what) })
}

func (d *Document) coarsestTime() int64 {
	step := int64(1)
	for i := range d.report.Files {
		for _, view := range d.report.Files[i].Devices {
			step = max(step, view.TimeStepMicros)
		}
	}
	return step
}

// warnFit says what was left out.
func (d *Document) warnFit(limit int64) {
	d.report.LeftOut = d.LeftOut()
	command := "memviz trace --max-size none " + commandName(d.in)
	if d.comparison != nil {
		command = "memviz diff --max-size none BEFORE AFTER -o compare.html"
	}
	d.fitted = []trust.Warning{{
		Fact: fmt.Sprintf("Left out to keep this file within %s: %s.", units.FileSize(limit),
			strings.Join(d.LeftOut(), ", ")),
		Consequence: "Sizes, lifetimes in events, call sites and every total are exact. To have the rest too, write " +
			"the report again without a limit:",
		Code: command,
	}}
	d.warn()
}

// commandName is what to write for the snapshots in a shell: the name of a
// single one if a shell cannot read anything else into it.
func commandName(in []answer.Input) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/"
	if len(in) != 1 || in[0].Name == "" || strings.HasPrefix(in[0].Name, "-") || strings.Trim(in[0].Name, plain) != "" {
		return "SNAPSHOT..."
	}
	return in[0].Name
}

// Omit leaves things out, and says so in the file. It comes before Fit.
func (d *Document) Omit(o codec.Omission) {
	for i := range d.files {
		d.omit(i, o)
	}
}

// omit leaves things out of one file.
func (d *Document) omit(i int, o codec.Omission) {
	f, file := d.files[i], &d.report.Files[i]
	o.Addresses, o.Times = o.Addresses && !f.Asked.Addresses, o.Times && !f.Asked.Times
	if o == (codec.Omission{}) {
		return
	}
	if o.Addresses {
		f.Asked.Addresses = true
		f.Omit(codec.EveryAddress)
		for j := range file.Streams {
			file.Streams[j] = strconv.Itoa(j)
		}
	}
	if o.Times {
		f.Asked.Times = true
		f.Omit(codec.EveryTime)
	}
	for _, key := range o.Keys() {
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
		var more []trust.Warning
		if asked := d.files[i].Asked; asked != (codec.Omission{}) {
			more = append(more, trust.Warning{
				Fact:        "Left out: " + strings.Join(asked.Keys(), ", ") + ".",
				Consequence: "Sizes, lifetimes in events, call sites and every total are exact.",
			})
		}
		more = append(more, d.fitted...)
		for j := range d.report.Files[i].Devices {
			list := append(append([]trust.Warning{}, d.warnings[i][j]...), more...)
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
