package report

import (
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/report/compare"
)

// EncodeCompare makes the page that compares two snapshots: a report of both with
// another frame, and what of them belongs together. It is an error if they have no
// device in common. program and progress are as in [Encode].
func EncodeCompare(program string, before, after answer.Input, progress func(done, events int64)) (*Document, error) {
	in := []answer.Input{before, after}
	pairs, err := compare.Pairs(in)
	if err != nil {
		return nil, err
	}
	d := encode(program, in, progress, false)
	d.comparison = compare.New(pairs, in, [2]*codec.File(d.files))
	for i, p := range pairs {
		after := d.report.Files[1].Devices[d.comparison.Pairs[i].Devices[1]]
		d.page.Compared = append(d.page.Compared, compare.NewSummary(p.Pair, in, after.Label))
	}
	d.page.Frame = compare.Frame()
	d.page.Title = before.FileName() + " → " + after.FileName() + " · memviz"
	return d, nil
}

// Peaks are the peaks of active memory before and after, in bytes, of the pair that a
// compare page shows first. The last result is false for other pages.
func (d *Document) Peaks() (before, after int64, compared bool) {
	if d.comparison == nil {
		return 0, 0, false
	}
	before, after = d.comparison.Peaks()
	return before, after, true
}
