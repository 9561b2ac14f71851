package holders

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Churned is what was allocated over a recording, whether it was freed or not.
type Churned struct {
	Grouping
	Bytes          int64 // requested
	Allocations    int
	TemporaryBytes int64      // of temporaries: freed in the pass or the step that made them
	Rows           []ChurnRow // the most bytes first; they add up to the totals above
}

// ChurnRow is a group of allocations.
type ChurnRow struct {
	Key            string // as in [Row]
	Bytes          int64
	Allocations    int
	TemporaryBytes int64
	Temporaries    int
	Stack          snapshot.StackID // of the largest allocation
}

// Share returns a row's share of all allocated bytes, from 0 to 1.
func (c *Churned) Share(row *ChurnRow) float64 {
	if c.Bytes == 0 {
		return 0
	}
	return float64(row.Bytes) / float64(c.Bytes)
}

// Churn sums the allocations that were made in the recording; earlier ones do not count.
// The cost is linear in the allocations.
func Churn(in Input, g Grouping) *Churned {
	c := &Churned{Grouping: g}
	rows := newRows(in, g)
	family := in.Families()
	d := in.Device
	var temporary []ChurnRow // by row
	for i := d.PreExisting; i < len(d.Allocations); i++ {
		size, row := d.Allocations[i].Size, rows.of(i)
		rows.list[row].hold(i, d.Allocations)
		c.Bytes += size
		c.Allocations++
		if family.Family(i) != families.Temporary {
			continue
		}
		for len(temporary) < len(rows.list) {
			temporary = append(temporary, ChurnRow{})
		}
		temporary[row].TemporaryBytes += size
		temporary[row].Temporaries++
		c.TemporaryBytes += size
	}
	for i := range rows.list {
		row := ChurnRow{}
		if i < len(temporary) {
			row = temporary[i]
		}
		from := &rows.list[i]
		row.Key, row.Bytes, row.Allocations, row.Stack = from.Key, from.Bytes, from.Allocations, from.Stack
		if row.Allocations > 0 {
			c.Rows = append(c.Rows, row)
		}
	}
	slices.SortFunc(c.Rows, func(a, b ChurnRow) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Allocations, a.Allocations),
			cmp.Compare(a.Key, b.Key), cmp.Compare(a.Stack, b.Stack))
	})
	return c
}
