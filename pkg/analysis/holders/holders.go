package holders

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// By says what makes live allocations one row.
type By uint8

const (
	BySite     By = iota // file, line and function
	ByFile               // file of the site
	ByFunction           // function of the site, whatever its file
	ByOperator
	ByStack
	ByFamily
	BySize // requested bytes of one allocation
	ByStream
	ByPool
	ByCount int = iota
)

var byNames = [ByCount]string{
	BySite: "site", ByFile: "file", ByFunction: "function", ByOperator: "op", ByStack: "stack",
	ByFamily: "family", BySize: "size", ByStream: "stream", ByPool: "pool",
}

func (b By) String() string {
	if int(b) < ByCount {
		return byNames[b]
	}
	return ""
}

// ParseBy is the By with a name, and whether there is one.
func ParseBy(name string) (By, bool) {
	i := slices.Index(byNames[:], name)
	return By(max(i, 0)), i >= 0
}

// Grouping is how live allocations are put into rows.
type Grouping struct {
	By By
	// Depth is how many user frames, innermost first, make a site; 0 is 1. More
	// than one tell apart who called the site. Only BySite looks at it.
	Depth int
}

// Holding is what holds memory in a state. Bytes are requested bytes of live
// allocations, pending ones included, so they sum up to active bytes.
type Holding struct {
	Grouping
	State       int
	Before      int   // the state it is compared with, or NoState
	Bytes       int64 // active in State
	BeforeBytes int64 // active in Before
	Allocations int   // live in State

	// Rows have the most bytes first. Their Bytes sum up to Bytes and their
	// BeforeBytes to BeforeBytes. A row may hold nothing in State: when it did
	// before, or when all that it holds is held by what it calls.
	Rows []Row
}

// Row is one row.
type Row struct {
	// Key is what the allocations of the row share: a site as [Site.String] has
	// it, a file, a function, an operator, the key of a family, bytes, a stream
	// handle, a pool as its two ids. It is empty for what the recording does not
	// say. Rows by stack have the key of their site, and Stack tells them apart;
	// rows of more than one frame have them innermost first, " < " between.
	Key string

	Bytes       int64 // self: the site is here
	BeforeBytes int64 // self, in the state before
	// TotalBytes also counts what a file or function holds through what it calls:
	// it has some user frame of the stack. By anything else it is Bytes.
	TotalBytes  int64
	Allocations int // self

	Largest int // index of its largest allocation, the first of equals; -1 when it holds none
	// Stack is that of the largest allocation, or of one that the row counts
	// otherwise; 0 when none was recorded.
	Stack snapshot.StackID
}

// Change is by how much the row grew since the state before.
func (h *Row) Change() int64 { return h.Bytes - h.BeforeBytes }

// Share is the part of all active bytes that a row holds, from 0 to 1.
func (h *Holding) Share(row *Row) float64 {
	if h.Bytes == 0 {
		return 0
	}
	return float64(row.Bytes) / float64(h.Bytes)
}

// Input is what rows are made by, all of one device.
type Input struct {
	Stacks   *stacks.Table
	Device   *replay.Device
	Families func() *families.Assignment // asked by ByFamily only
	Pools    func() *layout.Pools        // asked by ByPool only
}

// At says what holds memory in a state, from 0 to the number of events.
// The cost is linear in the allocations.
func At(in Input, state int, g Grouping) *Holding {
	return Since(in, state, timeline.NoState, g)
}

// Since also says what every row held in a state before.
func Since(in Input, state, before int, g Grouping) *Holding {
	h := &Holding{Grouping: g, State: state, Before: before}
	rows := newRows(in, g)
	allocations := in.Device.Allocations
	for i := range allocations {
		a := &allocations[i]
		if int(a.Start) >= max(state, before) {
			break // they are in order of Start
		}
		now, then := a.LiveIn(state), before != timeline.NoState && a.LiveIn(before)
		if !now && !then {
			continue
		}
		row := rows.of(i)
		if then {
			h.BeforeBytes += a.Size
			row.BeforeBytes += a.Size
		}
		if now {
			h.Bytes += a.Size
			h.Allocations++
			row.hold(i, allocations)
			rows.total(a)
		}
	}
	h.Rows = rows.list
	for i := range h.Rows {
		if row := &h.Rows[i]; rows.through == nil {
			row.TotalBytes = row.Bytes
		}
	}
	slices.SortFunc(h.Rows, compareRows)
	return h
}

// hold counts allocation i, live in the state that is asked about.
func (h *Row) hold(i int, allocations []replay.Allocation) {
	a := &allocations[i]
	h.Bytes += a.Size
	h.Allocations++
	if h.Largest < 0 || a.Size > allocations[h.Largest].Size {
		h.Largest, h.Stack = i, a.Stack
	}
}

func compareRows(a, b Row) int {
	return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.TotalBytes, a.TotalBytes),
		cmp.Compare(b.BeforeBytes, a.BeforeBytes), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Stack, b.Stack))
}

// Largest are the indices of the n largest allocations live in a state, the
// largest first and of equals the older one.
func Largest(d *replay.Device, state, n int) []int {
	if n <= 0 {
		return nil
	}
	largest := func(a, b int) int {
		return cmp.Or(cmp.Compare(d.Allocations[b].Size, d.Allocations[a].Size), cmp.Compare(a, b))
	}
	var ids []int
	keep := func() {
		slices.SortFunc(ids, largest)
		ids = ids[:min(n, len(ids))]
	}
	for i := range d.Allocations {
		if int(d.Allocations[i].Start) >= state {
			break
		}
		if d.Allocations[i].LiveIn(state) {
			if ids = append(ids, i); len(ids)/2 >= n {
				keep()
			}
		}
	}
	keep()
	return ids
}
