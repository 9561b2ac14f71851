package report

import (
	"github.com/memviz-go/memviz/pkg/answer/inspect"
	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/report/recording"
)

// Inspect is what there is to say of what a report that was read holds.
func (d *Document) Inspect(name string) *inspect.Report {
	in := &inspect.Report{
		Name: name, Bytes: d.Bytes(), Program: d.report.Program, Redacted: d.report.Redacted,
		Census: d.census(), Foreign: d.Foreign(), FirstTime: d.firstTime(),
	}
	in.Addresses, in.Times = d.Numbers()
	return in
}

// census looks at every text of a report.
func (d *Document) census() *redact.Census {
	c := redact.NewCensus()
	d.Texts(func(t recording.Text) {
		switch t.Kind {
		case recording.TextFile:
			c.File(t.Text)
		case recording.TextFunction:
			c.Function(t.File, t.Text)
		case recording.TextOperator:
			c.Operator(t.Text)
		case recording.TextSetting:
			c.Setting(t.Key, t.Text)
		case recording.TextAnnotation, recording.TextNote:
			c.Text(t.Text)
		default:
			c.Prose(t.Text)
		}
	})
	return c
}

// firstTime is when the earliest recording began.
func (d *Document) firstTime() string {
	first := ""
	for i := range d.report.Files {
		for _, view := range d.report.Files[i].Devices {
			if view.FirstTime != "" && (first == "" || view.FirstTime < first) {
				first = view.FirstTime
			}
		}
	}
	return first
}
