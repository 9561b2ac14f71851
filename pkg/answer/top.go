package answer

import (
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// TopSchema names the meaning of the keys of TopDevice.
const TopSchema = "memviz.top/1"

// TopDevice is what holds memory on a device in one state. Bytes are requested
// bytes of live allocations.
type TopDevice struct {
	Subject
	State       int      `json:"state"`
	BeforeState int      `json:"before_state"` // what before_bytes are of: the previous peak; -1: there is none
	By          string   `json:"by"`           // what makes a row
	ActiveBytes int64    `json:"active_bytes"` // the sum of the rows' bytes
	BeforeBytes int64    `json:"before_bytes"`
	Allocations int      `json:"allocations"` // live
	Rows        []TopRow `json:"rows"`        // the most bytes first
}

// TopRow is what its allocations share.
type TopRow struct {
	Key         string   `json:"key"` // a site reads file:line:function; empty for what was not recorded
	Bytes       int64    `json:"bytes"`
	TotalBytes  int64    `json:"total_bytes"`  // for files and functions also what they hold through calls
	BeforeBytes int64    `json:"before_bytes"` // at the previous peak
	Allocations int      `json:"allocations"`
	Share       float64  `json:"share"` // of active_bytes, from 0 to 1
	Stack       []string `json:"stack"` // of the largest allocation: file:line:function, innermost first
}

// TopOptions are what a person asked of Top.
type TopOptions struct {
	At       Moment
	Grouping holders.Grouping
	Rows     int // shown to people; programs get all
}

// Top is what holds memory at a moment.
func Top(in []Input, o TopOptions) (*Sheet, error) {
	value := newDevices[TopDevice](TopSchema)
	s := &Sheet{value: value}
	err := s.eachRecording(in, func(in *Input, r *analysis.Recording) error {
		state, err := o.At.State(r)
		if err != nil {
			return err
		}
		h := r.HoldersSince(state, timeline.PreviousPeak(r.Device, state), o.Grouping)
		value.Devices = append(value.Devices, newTopDevice(in, r, h))
		s.device(in, r.Device, "holds "+units.Bytes(h.Bytes)+" "+o.At.said(r, state)+", in "+
			units.Plural(h.Allocations, "allocation", "allocations"))
		s.put(topTable(r, h, o.Rows))
		if len(h.Rows) == 0 {
			s.say("Nothing is live there.")
		} else if h.Before != timeline.NoState {
			s.note("Change is since the peak before, in state %s, with %s.", units.Count(h.Before),
				units.Bytes(h.BeforeBytes))
		}
		return nil
	})
	return s, err
}

func newTopDevice(in *Input, r *analysis.Recording, h *holders.Holding) TopDevice {
	d := TopDevice{
		Subject: newSubject(in, r.Device), State: h.State, BeforeState: h.Before, By: h.By.String(),
		ActiveBytes: h.Bytes, BeforeBytes: h.BeforeBytes, Allocations: h.Allocations, Rows: make([]TopRow, len(h.Rows)),
	}
	for i := range h.Rows {
		row := &h.Rows[i]
		d.Rows[i] = TopRow{
			Key: row.Key, Bytes: row.Bytes, TotalBytes: row.TotalBytes, BeforeBytes: row.BeforeBytes,
			Allocations: row.Allocations, Share: h.Share(row), Stack: stackLines(r.Snapshot, row.Stack),
		}
	}
	return d
}

func topTable(r *analysis.Recording, h *holders.Holding, rows int) *sheetTable {
	nested := h.By == holders.ByFile || h.By == holders.ByFunction
	columns := []column{{"bytes", figures}, {"share", figures}}
	if nested {
		columns = append(columns, column{"total", figures})
	}
	columns = append(columns, column{"tensors", figures})
	if h.Before != timeline.NoState {
		columns = append(columns, column{"change", figures})
	}
	t := newTable(append(columns, column{h.By.String(), paths})...)
	for i := range h.Rows {
		if i == rows {
			t.more = "and " + units.Plural(len(h.Rows)-rows, "more row", "more rows") + ", with " +
				units.Bytes(bytesOf(h.Rows[rows:])) + "; --rows shows more"
			break
		}
		row := &h.Rows[i]
		cells := []any{units.Bytes(row.Bytes), units.Share(row.Bytes, h.Bytes)}
		if nested {
			cells = append(cells, units.Bytes(row.TotalBytes))
		}
		cells = append(cells, units.Count(row.Allocations))
		if h.Before != timeline.NoState {
			cells = append(cells, units.Change(row.Change()))
		}
		t.row(append(cells, keyName(r.Snapshot, h.By, row.Key))...)
	}
	return t
}

func bytesOf(rows []holders.Row) int64 {
	var sum int64
	for i := range rows {
		sum += rows[i].Bytes
	}
	return sum
}

// What stands for a site, an operator and a pool that the recording does not say.
const (
	noStack    = "(no stack recorded)"
	noOperator = "(no operator recorded)"
	noPool     = "(pool not recorded)"
)

// keyName is the key of a row for people.
func keyName(s *snapshot.Snapshot, by holders.By, key string) any {
	switch by {
	case holders.ByFamily:
		return familyLabel(key)
	case holders.BySize:
		n, err := strconv.ParseInt(key, 10, 64)
		if err == nil {
			return units.ExactBytes(n)
		}
	case holders.ByStream:
		handle, err := strconv.ParseUint(key, 10, 64)
		if err == nil && handle == 0 {
			return "default stream"
		} else if err == nil {
			return units.Address(handle)
		}
	}
	switch {
	case key != "":
	case by == holders.ByOperator:
		return noOperator
	case by == holders.ByPool:
		return noPool
	default:
		return noStack
	}
	return name(shortChain(key))
}

// shortChain is a key without the folders, if it names several places.
func shortChain(key string) string {
	places := strings.Split(key, " < ")
	if len(places) == 1 {
		return key
	}
	for i, place := range places {
		places[i] = place[strings.LastIndexAny(place, `/\`)+1:]
	}
	return strings.Join(places, " < ")
}

// familyLabel is the label of the family with a key.
func familyLabel(key string) string {
	for f := range families.Count {
		if family := families.Family(f); family.Key() == key {
			return family.Label()
		}
	}
	return key
}
