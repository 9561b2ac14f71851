package stats

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Summary has the statistics of torch.cuda.memory_summary() as far as a recording
// has them, under the keys of torch.cuda.memory_stats(). Peaks and totals are those of
// the recording; torch counts from the start of the process.
type Summary struct {
	Allocated SummaryPools `json:"allocated_bytes"` // of blocks that the program holds
	// and of those that it gave up while another stream uses them
	Active SummaryPools `json:"active_bytes"`
	// what was asked for of the active ones; called active elsewhere
	Requested SummaryPools `json:"requested_bytes"`
	Reserved  SummaryPools `json:"reserved_bytes"`
	// free, in segments in use: empty_cache cannot give it back
	InactiveSplit     SummaryPools `json:"inactive_split_bytes"`
	Allocations       SummaryPools `json:"allocation"` // blocks
	ActiveAllocations SummaryPools `json:"active"`     // blocks
	// by cudaMalloc: torch does not count pages of expandable segments
	Segments SummaryPools `json:"segment"`
	// that were served in the end; torch also counts the OOMs
	Retries     int      `json:"num_alloc_retries"`
	OOMs        int      `json:"num_ooms"`
	NotRecorded []string `json:"not_recorded"` // what torch.cuda.memory_summary() has beside it
}

// SummaryPools are a statistic of all requests, of those above 1 MiB, and of the others.
type SummaryPools struct {
	All   SummaryCounter `json:"all"`
	Large SummaryCounter `json:"large_pool"`
	Small SummaryCounter `json:"small_pool"`
}

// SummaryCounter is a statistic; null is what a recording does not hold.
type SummaryCounter struct {
	Current   *int64 `json:"current" jsonschema:"oneof_type=integer;null"` // in the last state
	Peak      *int64 `json:"peak" jsonschema:"oneof_type=integer;null"`
	Allocated *int64 `json:"allocated" jsonschema:"oneof_type=integer;null"` // in all
	Freed     *int64 `json:"freed" jsonschema:"oneof_type=integer;null"`     // in all
}

// notRecorded is what torch.cuda.memory_summary() says and no recording holds.
var notRecorded = []string{"oversize allocations", "oversize GPU segments", "non-releasable allocs"}

func newSummary(r *analysis.Recording) *Summary {
	m, history := r.Summary(), r.Device.Events.Len() > 1
	number := func(n int64, known bool) *int64 {
		if n == layout.Unrecorded || !known {
			return nil
		}
		return &n
	}
	counter := func(c *layout.Counter) SummaryCounter {
		return SummaryCounter{number(c.Current, true), number(c.Peak, history), number(c.Allocated, history),
			number(c.Freed, history)}
	}
	pools := func(c *layout.Counters) SummaryPools {
		return SummaryPools{counter(&c[layout.AllPools]), counter(&c[layout.LargePool]), counter(&c[layout.SmallPool])}
	}
	return &Summary{
		Allocated: pools(&m.Allocated), Active: pools(&m.Active), Requested: pools(&m.Requested),
		Reserved: pools(&m.Reserved), InactiveSplit: pools(&m.InactiveSplit), Allocations: pools(&m.Allocations),
		ActiveAllocations: pools(&m.ActiveAllocations), Segments: pools(&m.Segments),
		Retries: len(r.Retries().Served()), OOMs: r.Device.Totals.OOMEvents, NotRecorded: notRecorded,
	}
}

// writeSummary is the table of torch.cuda.memory_summary().
func writeSummary(s *sheet.Sheet, in *answer.Input, r *analysis.Recording, stats *Device) {
	m, d := stats.Summary, r.Device
	answer.Title(s, in, d, units.Plural(m.OOMs, "OOM", "OOMs")+", "+units.Plural(m.Retries, "retry", "retries"))
	t := sheet.NewTable(sheet.Words(""), sheet.Figures("current"), sheet.Figures("peak"),
		sheet.Figures("total allocated"), sheet.Figures("total freed"))
	rows := func(what string, p *SummaryPools, show func(int64) string) {
		row := func(what string, c *SummaryCounter) {
			cells := []any{what}
			for _, n := range []*int64{c.Current, c.Peak, c.Allocated, c.Freed} {
				text := "–"
				if n != nil {
					text = show(*n)
				}
				cells = append(cells, text)
			}
			t.Row(cells...)
		}
		row(what, &p.All)
		row("· large pool", &p.Large)
		row("· small pool", &p.Small)
	}
	gpu := "GPU "
	if d.ID == snapshot.Pinned {
		gpu = ""
	}
	rows("allocated memory", &m.Allocated, units.Bytes)
	rows("active memory", &m.Active, units.Bytes)
	rows("requested memory", &m.Requested, units.Bytes)
	rows(gpu+"reserved memory", &m.Reserved, units.Bytes)
	rows("non-releasable memory", &m.InactiveSplit, units.Bytes)
	rows("allocations", &m.Allocations, units.Count[int64])
	rows("active allocs", &m.ActiveAllocations, units.Count[int64])
	rows(gpu+"reserved segments", &m.Segments, units.Count[int64])
	s.Put(t)
	if stats.Cut {
		s.Say("The file was read in part, so every number is at least that.")
	}
	switch {
	case d.Events.Len() > 1:
		s.Note("Peaks and totals are of the recording; torch counts from the start of the process. Retries are those " +
			"that were served; torch also counts the OOMs.")
	case !stats.Cut:
		s.Note("No history was recorded, so only what is current is known.")
	}
	s.Note("Not recorded (–): how large blocks were that are freed, beyond what was requested, so that peaks of " +
		"allocated and active memory are inferred, and of non-releasable memory only what is current is known. " +
		"Oversize allocations and segments, and non-releasable allocs, are left out.")
	if r.Summary().Expandable {
		s.Note("Pages of expandable segments are no segments: torch does not count them.")
	}
}
