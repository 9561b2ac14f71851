package compare

import (
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/units"
)

// Summary is what can be read of a pair of devices without JavaScript.
type Summary struct {
	Before, After string // files
	Device        string // "cuda:0"
	Warnings      []trust.Warning
	Answers       []answerText
	Rows          []rowText // that changed most at the peaks
	Rest          string    // a sentence about all others
}

// answerText is one of the four answers, printable.
type answerText struct{ Question, Value, Line string }

// rowText is what changed at a line.
type rowText struct{ Change, What, Site string }

// maxSummaryRows is how many rows the summary has.
const maxSummaryRows = 12

// NewSummary takes the label of the device after.
func NewSummary(p *diff.Pair, in []answer.Input, device string) Summary {
	s := Summary{Before: in[0].FileName(), After: in[1].FileName(), Device: device, Warnings: p.Warnings()}
	for _, a := range p.Answers() {
		s.Answers = append(s.Answers, answerText{a.Question, units.Printable(a.Value), units.Printable(a.Line)})
	}
	d := p.Diff(p.Sides[0].Device.Totals.PeakState, p.Sides[1].Device.Totals.PeakState)
	for i := range d.Rows[:min(len(d.Rows), maxSummaryRows)] {
		row := &d.Rows[i]
		site := "(no stack recorded)"
		if row.Named {
			site = units.Printable(row.Site.String())
		}
		what := diff.ChangeOf(row.Before.Amount, row.After.Amount)
		s.Rows = append(s.Rows, rowText{units.Change(row.Delta()), what, site})
	}
	rest := len(d.Rows) - len(s.Rows)
	switch {
	case len(d.Rows) == 0:
		s.Rest = "No call site holds more or less at the peaks."
	case rest > 0:
		s.Rest = units.Plural(rest, "site", "sites") + " more changed less; " + units.Count(d.UnchangedRows) +
			" did not change."
	case d.UnchangedRows > 0:
		s.Rest = units.Plural(d.UnchangedRows, "site", "sites") + " more, with " + units.Bytes(d.UnchangedBytes) +
			", did not change."
	}
	return s
}
