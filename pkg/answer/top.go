package answer

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// TopDevice is what holds memory on a device in one state. Bytes are requested
// bytes of live allocations.
type TopDevice struct {
	Subject
	State       int      `json:"state"`
	BeforeState int      `json:"before_state"`           // what before_bytes are of: the previous peak; -1: there is none
	By          string   `json:"by"`                     // what the allocations of a row have in common
	MetadataKey string   `json:"metadata_key,omitempty"` // by metadata: rows are the values that dicts have under it
	ActiveBytes int64    `json:"active_bytes"`           // the sum of the rows' bytes
	BeforeBytes int64    `json:"before_bytes"`
	Allocations int      `json:"allocations"` // live
	Rows        []TopRow `json:"rows"`        // the most bytes first

	// by module and by layer: what a forward pass calls again and again, that which keeps most
	// first
	Blocks []TopBlock `json:"blocks"`
	Churn  *TopChurn  `json:"churn" jsonschema:"nullable"` // with --churn, else null
}

// TopRow is a group of live allocations.
type TopRow struct {
	Key         string   `json:"key"` // a site reads file:line:function; empty if not recorded
	Bytes       int64    `json:"bytes"`
	TotalBytes  int64    `json:"total_bytes"`  // for files and functions also what they hold through calls
	BeforeBytes int64    `json:"before_bytes"` // at the previous peak
	Allocations int      `json:"allocations"`
	Share       float64  `json:"share"` // of active_bytes, from 0 to 1
	Stack       []string `json:"stack"` // of the largest allocation: file:line:function, innermost first
}

// TopOptions are the options of Top.
type TopOptions struct {
	At       Moment
	Grouping holders.Grouping
	Churn    bool // say what was allocated over the recording, too
	Rows     int  // shown in text; JSON has all
}

// Top answers what holds memory at a moment.
func Top(in []Input, o TopOptions) (*Sheet, error) {
	return perDevice("top", in, func(s *Sheet, in *Input, r *analysis.Recording) (TopDevice, error) {
		state, err := o.At.State(r)
		if err != nil {
			return TopDevice{}, err
		}
		h := r.HoldersSince(state, timeline.PreviousPeak(r.Device, state), o.Grouping)
		device := newTopDevice(in, r, h)
		if o.Churn {
			c := r.Churn(o.Grouping)
			device.Churn = newTopChurn(r, c)
			s.churn(in, r, c, o.Rows)
			return device, nil
		}
		least := ""
		if in.Snapshot.Cut(r.Device.ID) {
			least = "at least "
		}
		s.device(in, r.Device, "holds "+least+units.Bytes(h.Bytes)+" "+o.At.describe(r, state)+", in "+
			units.Plural(h.Allocations, "allocation", "allocations"))
		s.put(topTable(r, h, o.Rows))
		s.sayIf(metadataKeys(r, h.Grouping))
		if len(h.Rows) == 0 {
			s.say("Nothing is live there.")
		} else if h.Before != timeline.NoState {
			s.note("Change is since the peak before, in state %s, with %s.", units.Count(h.Before),
				units.Bytes(h.BeforeBytes))
		}
		if r.Device.ID == snapshot.Pinned && h.By == holders.ByFamily {
			s.note("What host memory is for is not found from stacks, unless a rule of yours says it.")
		}
		s.blocks(device.Blocks)
		return device, nil
	})
}

func newTopDevice(in *Input, r *analysis.Recording, h *holders.Holding) TopDevice {
	return TopDevice{
		Subject: newSubject(in, r.Device), State: h.State, BeforeState: h.Before, By: h.By.String(), MetadataKey: h.Key,
		ActiveBytes: h.Bytes, BeforeBytes: h.BeforeBytes, Allocations: h.Allocations, Rows: newTopRows(r, h),
		Blocks: newTopBlocks(r, h.By),
	}
}

func newTopRows(r *analysis.Recording, h *holders.Holding) []TopRow {
	rows := make([]TopRow, len(h.Rows))
	for i := range h.Rows {
		row := &h.Rows[i]
		rows[i] = TopRow{
			Key: row.Key, Bytes: row.Bytes, TotalBytes: row.TotalBytes, BeforeBytes: row.BeforeBytes,
			Allocations: row.Allocations, Share: h.Share(row), Stack: stackLines(r.Snapshot, row.Stack),
		}
	}
	return rows
}

func topTable(r *analysis.Recording, h *holders.Holding, rows int) *sheetTable {
	nested := h.By.Nested()
	columns := []column{figures("bytes"), figures("share")}
	if nested {
		columns = append(columns, figures("total"))
	}
	columns = append(columns, figures("tensors"))
	if h.Before != timeline.NoState {
		columns = append(columns, figures("change"))
	}
	t := newTable(append(columns, keyColumn(h.Grouping))...)
	left := h.Bytes
	t.fill(len(h.Rows), rows, func(i int) {
		row := &h.Rows[i]
		left -= row.Bytes
		cells := []any{units.Bytes(row.Bytes), units.Share(row.Bytes, h.Bytes)}
		if nested {
			cells = append(cells, units.Bytes(row.TotalBytes))
		}
		cells = append(cells, units.Count(row.Allocations))
		if h.Before != timeline.NoState {
			cells = append(cells, units.Change(row.Change()))
		}
		t.row(append(cells, keyName(h.By, row.Key))...)
	})
	if t.more != "" {
		t.more = strings.Replace(t.more, ";", ", with "+units.Bytes(left)+";", 1)
	}
	return t
}

// metadataKeys says which keys metadata has, where the rows could be made of the values of one.
func metadataKeys(r *analysis.Recording, g holders.Grouping) string {
	if g.By != holders.ByMetadata {
		return ""
	}
	keys := r.Notes().Keys()
	if len(keys) == 0 || slices.Contains(keys, g.Key) {
		return ""
	}
	seen := map[string]bool{}
	for _, key := range keys {
		seen[key] = true
	}
	return "The metadata is dicts; --key makes a row of each value of one key: " + quotedNames(seen, func(bool) string { return "" }) + "."
}

// Folded writes the stacks of what is live at a moment in the format that
// flamegraph.pl, inferno and speedscope read: a stack per line, outermost function
// first, joined by semicolons, then a space and the bytes.
func Folded(w io.Writer, in *Input, at Moment) error {
	return writeFolded(w, in, func(r *analysis.Recording) (iter.Seq2[[]string, int64], error) {
		state, err := at.State(r)
		return holders.FoldedActive(r.Stacks, r.Device, state), err
	})
}

// FoldedSegments writes, in the same format, what the segments hold at the end,
// including rounding and free memory.
func FoldedSegments(w io.Writer, in *Input) error {
	return writeFolded(w, in, func(r *analysis.Recording) (iter.Seq2[[]string, int64], error) {
		return holders.FoldedSegments(r.Stacks, r.Device), nil
	})
}

// writeFolded writes the stacks of each device; if there are several, the device
// is the outermost function.
func writeFolded(w io.Writer, in *Input, stacks func(*analysis.Recording) (iter.Seq2[[]string, int64], error)) error {
	b := bufio.NewWriterSize(w, 1<<16)
	err := new(Sheet).eachRecording([]Input{*in}, func(in *Input, r *analysis.Recording) error {
		paths, err := stacks(r)
		if err != nil {
			return err
		}
		root := ""
		if len(in.Recordings) > 1 {
			root = in.Snapshot.DeviceLabel(r.Device.ID) + ";"
		}
		for path, bytes := range paths {
			if _, err := fmt.Fprintf(b, "%s%s %d\n", root, strings.Join(path, ";"), bytes); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.Flush()
}
