package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/predict"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/report/recording"
)

// predictedPage is the page that predict writes in addition to its answer: the report of the
// simulated run, or a comparison with a recording.
type predictedPage struct {
	page
	against int64 // the size of that recording; 0: none
}

func (o *predictedPage) flags() []cli.Flag {
	return []cli.Flag{
		o.flag("write a report of the simulated run at one size to `FILE`, whose name must contain predicted"),
		option("against", "", "with -o, write a page that compares the recording at this `SIZE` with the predicted run",
			&o.against, parseSize),
		o.sizeFlag("keep the page within `SIZE`, such as 10MB or 9MiB; none lifts the limit"), o.openFlag(),
	}
}

// check returns an error if the page cannot be written, before anything is read.
func (o *predictedPage) check(t *terminal, at, sizes []int64, files []string) error {
	switch {
	case o.path == "" && o.against > 0:
		return misuse("--against is about the page that -o writes, and -o is not given")
	case o.path == "" && o.open:
		return misuse("--open is about the page that -o writes, and -o is not given")
	case o.path == "":
		return nil
	case len(at) != 1:
		return misuse("-o writes the report of one size, and --at names %d", len(at))
	case !strings.Contains(filepath.Base(o.path), "predicted"):
		return misuse("-o %s: the name of such a report has to have the word predicted in it", o.path)
	case o.against > 0 && !slices.Contains(sizes, o.against):
		return misuse("--against %d: no recording of that size is named", o.against)
	}
	return o.page.output.check(t, files...)
}

// write writes the page, and warns about devices that are not in it.
func (o *predictedPage) write(t *terminal, run predict.Run, in []predict.SizedInput,
	capacity recording.GivenCapacity) error {
	for _, why := range run.LeftOut {
		if run.Input == nil {
			t.warn("%s was not written. %s", o.path, why)
		} else {
			t.warn("a device is not in %s. %s", o.path, why)
		}
	}
	if run.Input == nil {
		return nil
	}
	if o.against == 0 {
		document := report.Encode(program, []answer.Input{*run.Input}, t.events("encoding"))
		document.Capacity(capacity)
		return o.save(t, document)
	}
	i := slices.IndexFunc(in, func(r predict.SizedInput) bool { return r.X == o.against })
	before, after := *in[i].Input, *run.Input
	before.Name = predict.RecordedAt(in[i].X) + ", " + before.FileName()
	after.Name = predict.PredictedAt(run.Origin.Predicted.X)
	document, err := report.EncodeCompare(program, before, after, t.events("encoding"))
	if err != nil {
		return err
	}
	return o.save(t, document)
}
