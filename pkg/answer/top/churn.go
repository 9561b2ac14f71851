package top

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/units"
)

// Churn is what was allocated over a recording, whether it was freed or not.
type Churn struct {
	AllocatedBytes int64      `json:"allocated_bytes"` // requested; the sum of the rows' bytes
	Allocations    int        `json:"allocations"`
	TemporaryBytes int64      `json:"temporary_bytes"` // of the family temporary
	Rows           []ChurnRow `json:"rows"`            // the most bytes first
}

// ChurnRow is a group of allocations.
type ChurnRow struct {
	Key            string   `json:"key"`
	Bytes          int64    `json:"bytes"`
	Allocations    int      `json:"allocations"`
	TemporaryBytes int64    `json:"temporary_bytes"`
	Temporaries    int      `json:"temporaries"`
	Share          float64  `json:"share"` // of allocated_bytes, from 0 to 1
	Stack          []string `json:"stack"` // of the largest allocation: file:line:function, innermost first
}

func newChurn(r *analysis.Recording, c *holders.Churned) *Churn {
	x := &Churn{AllocatedBytes: c.Bytes, Allocations: c.Allocations, TemporaryBytes: c.TemporaryBytes,
		Rows: make([]ChurnRow, len(c.Rows))}
	for i := range c.Rows {
		row := &c.Rows[i]
		x.Rows[i] = ChurnRow{
			Key: row.Key, Bytes: row.Bytes, Allocations: row.Allocations, TemporaryBytes: row.TemporaryBytes,
			Temporaries: row.Temporaries, Share: c.Share(row), Stack: phrase.StackLines(r.Snapshot, row.Stack),
		}
	}
	return x
}

// writeChurn says what was allocated over a recording.
func writeChurn(s *sheet.Sheet, in *answer.Input, r *analysis.Recording, c *holders.Churned, rows int) {
	if !r.Device.HasHistory() {
		answer.Section(s, in, r.Device, "no history")
		s.Say("%s, so what was allocated is not known.", trust.HoldsNoHistory(r))
		return
	}
	answer.Section(s, in, r.Device, "allocated "+units.Bytes(c.Bytes)+" over the recording, in "+
		units.Plural(c.Allocations, "request", "requests")+", "+units.Bytes(c.TemporaryBytes)+" of it for temporaries")
	if len(c.Rows) == 0 {
		s.Say("Nothing was allocated while it was recorded.")
		return
	}
	t := sheet.NewTable(sheet.Figures("allocated"), sheet.Figures("share"), sheet.Figures("requests"),
		sheet.Figures("temporary"), keyColumn(c.Grouping))
	t.Fill(len(c.Rows), rows, func(i int) {
		row := &c.Rows[i]
		t.Row(units.Bytes(row.Bytes), units.Share(row.Bytes, c.Bytes), units.Count(row.Allocations),
			units.Bytes(row.TemporaryBytes), keyName(c.By, row.Key))
	})
	s.Put(t)
	s.Note("Temporaries are freed in the pass or the step that made them. What was live before the recording is not " +
		"counted.")
}
