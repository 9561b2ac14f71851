package answer

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/units"
)

// TopChurn is what was allocated over a recording, whether it was freed or not.
type TopChurn struct {
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

func newTopChurn(r *analysis.Recording, c *holders.Churned) *TopChurn {
	x := &TopChurn{AllocatedBytes: c.Bytes, Allocations: c.Allocations, TemporaryBytes: c.TemporaryBytes,
		Rows: make([]ChurnRow, len(c.Rows))}
	for i := range c.Rows {
		row := &c.Rows[i]
		x.Rows[i] = ChurnRow{
			Key: row.Key, Bytes: row.Bytes, Allocations: row.Allocations, TemporaryBytes: row.TemporaryBytes,
			Temporaries: row.Temporaries, Share: c.Share(row), Stack: stackLines(r.Snapshot, row.Stack),
		}
	}
	return x
}

// churn says what was allocated over a recording.
func (s *Sheet) churn(in *Input, r *analysis.Recording, c *holders.Churned, rows int) {
	if !r.Device.HasHistory() {
		s.device(in, r.Device, "no history")
		s.say("%s, so what was allocated is not known.", holdsNoHistory(r))
		return
	}
	s.device(in, r.Device, "allocated "+units.Bytes(c.Bytes)+" over the recording, in "+
		units.Plural(c.Allocations, "request", "requests")+", "+units.Bytes(c.TemporaryBytes)+" of it for temporaries")
	if len(c.Rows) == 0 {
		s.say("Nothing was allocated while it was recorded.")
		return
	}
	t := newTable(figures("allocated"), figures("share"), figures("requests"),
		figures("temporary"), keyColumn(c.Grouping))
	t.fill(len(c.Rows), rows, func(i int) {
		row := &c.Rows[i]
		t.row(units.Bytes(row.Bytes), units.Share(row.Bytes, c.Bytes), units.Count(row.Allocations),
			units.Bytes(row.TemporaryBytes), keyName(c.By, row.Key))
	})
	s.put(t)
	s.note("Temporaries are freed in the pass or the step that made them. What was live before the recording is not " +
		"counted.")
}
