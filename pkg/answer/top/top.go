// Package top answers what holds memory at a moment.
package top

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Device is what holds memory on a device in one state. Bytes are requested
// bytes of live allocations.
type Device struct {
	answer.Subject
	State       int    `json:"state"`
	BeforeState int    `json:"before_state"`           // what before_bytes are of: the previous peak; -1: there is none
	By          string `json:"by"`                     // what the allocations of a row have in common
	MetadataKey string `json:"metadata_key,omitempty"` // by metadata: rows are the values that dicts have under it
	ActiveBytes int64  `json:"active_bytes"`           // the sum of the rows' bytes
	BeforeBytes int64  `json:"before_bytes"`
	Allocations int    `json:"allocations"` // live
	Rows        []Row  `json:"rows"`        // the most bytes first

	// by module and by layer: what a forward pass calls again and again, that which keeps most
	// first
	Blocks []Block `json:"blocks"`
	Churn  *Churn  `json:"churn" jsonschema:"nullable"` // with --churn, else null
}

// Row is a group of live allocations.
type Row struct {
	Key         string   `json:"key"` // a site reads file:line:function; empty if not recorded
	Bytes       int64    `json:"bytes"`
	TotalBytes  int64    `json:"total_bytes"`  // for files and functions also what they hold through calls
	BeforeBytes int64    `json:"before_bytes"` // at the previous peak
	Allocations int      `json:"allocations"`
	Share       float64  `json:"share"` // of active_bytes, from 0 to 1
	Stack       []string `json:"stack"` // of the largest allocation: file:line:function, innermost first
}

// Options are the options of Top.
type Options struct {
	At       answer.Moment
	Grouping holders.Grouping
	Churn    bool // say what was allocated over the recording, too
	Rows     int  // shown in text; JSON has all
}

// Answer answers what holds memory at a moment.
func Answer(in []answer.Input, o Options) (*sheet.Sheet, error) {
	return answer.PerDevice("top", in, func(s *sheet.Sheet, in *answer.Input, r *analysis.Recording) (Device, error) {
		state, err := o.At.State(r)
		if err != nil {
			return Device{}, err
		}
		h := r.HoldersSince(state, timeline.PreviousPeak(r.Device, state), o.Grouping)
		device := newDevice(in, r, h)
		if o.Churn {
			c := r.Churn(o.Grouping)
			device.Churn = newChurn(r, c)
			writeChurn(s, in, r, c, o.Rows)
			return device, nil
		}
		least := ""
		if in.Snapshot.Cut(r.Device.ID) {
			least = "at least "
		}
		answer.Section(s, in, r.Device, "holds "+least+units.Bytes(h.Bytes)+" "+o.At.Describe(r, state)+", in "+
			units.Plural(h.Allocations, "allocation", "allocations"))
		s.Put(Table(r, h, o.Rows))
		s.SayIf(metadataKeys(r, h.Grouping))
		if len(h.Rows) == 0 {
			s.Say("Nothing is live there.")
		} else if h.Before != timeline.NoState {
			s.Note("Change is since the peak before, in state %s, with %s.", units.Count(h.Before),
				units.Bytes(h.BeforeBytes))
		}
		if r.Device.ID == snapshot.Pinned && h.By == holders.ByFamily {
			s.Note("What host memory is for is not found from stacks, unless a rule of yours says it.")
		}
		writeBlocks(s, device.Blocks)
		return device, nil
	})
}

func newDevice(in *answer.Input, r *analysis.Recording, h *holders.Holding) Device {
	return Device{
		Subject: answer.NewSubject(in, r.Device), State: h.State, BeforeState: h.Before, By: h.By.String(),
		MetadataKey: h.Key,
		ActiveBytes: h.Bytes, BeforeBytes: h.BeforeBytes, Allocations: h.Allocations, Rows: Rows(r, h),
		Blocks: newBlocks(r, h.By),
	}
}

func Rows(r *analysis.Recording, h *holders.Holding) []Row {
	rows := make([]Row, len(h.Rows))
	for i := range h.Rows {
		row := &h.Rows[i]
		rows[i] = Row{
			Key: row.Key, Bytes: row.Bytes, TotalBytes: row.TotalBytes, BeforeBytes: row.BeforeBytes,
			Allocations: row.Allocations, Share: h.Share(row), Stack: phrase.StackLines(r.Snapshot, row.Stack),
		}
	}
	return rows
}

func Table(r *analysis.Recording, h *holders.Holding, rows int) *sheet.Table {
	nested := h.By.Nested()
	columns := []sheet.Column{sheet.Figures("bytes"), sheet.Figures("share")}
	if nested {
		columns = append(columns, sheet.Figures("total"))
	}
	columns = append(columns, sheet.Figures("tensors"))
	if h.Before != timeline.NoState {
		columns = append(columns, sheet.Figures("change"))
	}
	t := sheet.NewTable(append(columns, keyColumn(h.Grouping))...)
	left := h.Bytes
	t.Fill(len(h.Rows), rows, func(i int) {
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
		t.Row(append(cells, keyName(h.By, row.Key))...)
	})
	if t.More != "" {
		t.More = strings.Replace(t.More, ";", ", with "+units.Bytes(left)+";", 1)
	}
	return t
}
