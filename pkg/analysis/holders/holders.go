// Package holders finds what holds memory in a state: live allocations summed by call
// site, file, operator, module, family, size, stream, pool, or texts that the program
// attached, or as folded stacks; and what was allocated over the whole recording
// ([Churn]).
//
// It is based on the replayed intervals, so sums are exact: requested bytes of the
// allocations that are live in the state, which add up to its active bytes. Sites,
// operators, modules and families come from the packages of these names; what is unknown
// there is a row of its own with an empty key. It cannot see memory outside of torch's
// allocator, nor which object keeps a tensor alive.
package holders

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/modules"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// By is the property that the allocations of a row share.
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
	ByModule             // innermost module that asked for it
	ByLayer              // call of a block that repeats; otherwise the module
	ByAnnotation         // the text of an annotate event, else the innermost range in which it was allocated
	ByCompileContext     // compiled region
	ByMetadata           // text that the program attached, when it was made or later
	ByCount          int = iota
)

// kinds holds the name of each By and whether its rows are nested. It does not
// compile without the last one.
var kinds [ByCount]kind = [...]kind{
	BySite:           {name: "site"},
	ByFile:           {name: "file", nested: true},
	ByFunction:       {name: "function", nested: true},
	ByOperator:       {name: "op"},
	ByStack:          {name: "stack"},
	ByFamily:         {name: "family"},
	BySize:           {name: "size"},
	ByStream:         {name: "stream"},
	ByPool:           {name: "pool"},
	ByModule:         {name: "module", nested: true},
	ByLayer:          {name: "layer"},
	ByAnnotation:     {name: "annotation"},
	ByCompileContext: {name: "compile_context"},
	ByMetadata:       {name: "metadata"},
}

type kind struct {
	name   string
	nested bool
}

// Nested reports whether rows also have totals that include what they call.
func (b By) Nested() bool { return kinds[b].nested }

func (b By) String() string {
	if int(b) < ByCount {
		return kinds[b].name
	}
	return ""
}

// ParseBy finds a By by its name.
func ParseBy(name string) (By, bool) {
	i := slices.IndexFunc(kinds[:], func(k kind) bool { return k.name == name })
	return By(max(i, 0)), i >= 0
}

// Grouping is how live allocations are grouped into rows.
type Grouping struct {
	By By
	// Depth is how many user frames, innermost first, make a site; 0 counts as 1.
	// More than one distinguish the callers of a site. Only BySite uses it.
	Depth int
	// Key makes one row for each value of this key, where metadata is a dict. Only ByMetadata uses it.
	Key string
}

// Holding is what holds memory in a state. Bytes are requested bytes of live
// allocations, pending ones included, so they sum up to active bytes.
type Holding struct {
	Grouping
	State       int
	Before      int   // the state to compare with, or NoState
	Bytes       int64 // active in State
	BeforeBytes int64 // active in Before
	Allocations int   // live in State

	// Rows have the most bytes first. Their Bytes and BeforeBytes add up to those above.
	// A row without bytes in State held some before, or holds bytes only through what it
	// calls.
	Rows []Row
}

// Row is one row.
type Row struct {
	// Key is what the allocations of the row share: a site as stacks.Site.String writes it, a
	// file, a function, an operator, the key of a family, bytes, the handle of a stream, the
	// two ids of a pool, a module as modules.Findings.Name writes it, a text. It is empty if
	// the recording does not have it. Rows by stack have the key of their site, and Stack
	// distinguishes them. Several frames are joined with " < ", the innermost first.
	Key string

	Bytes       int64 // of allocations with this site
	BeforeBytes int64 // the same in Before
	// TotalBytes also counts allocations with any other user frame in this file or
	// function, or inside this module: what it holds directly or through what it calls.
	// For other groupings it equals Bytes.
	TotalBytes  int64
	Allocations int // with this site

	Largest int // index of its largest allocation, the first of equals; -1 when it holds none
	// Stack is the stack of the largest allocation, or of another one that the row
	// counts; 0 when none was recorded.
	Stack snapshot.StackID
}

// Change returns how much the row grew since Before.
func (h *Row) Change() int64 { return h.Bytes - h.BeforeBytes }

// Share returns a row's share of all active bytes, from 0 to 1.
func (h *Holding) Share(row *Row) float64 {
	if h.Bytes == 0 {
		return 0
	}
	return float64(row.Bytes) / float64(h.Bytes)
}

// Input is the data that rows are made from, all of the same device.
type Input struct {
	Stacks   *stacks.Table
	Device   *replay.Device
	Families func() *families.Assignment // called for ByFamily and for Churn only
	Pools    func() *layout.Pools        // called for ByPool only
	Modules  func() *modules.Findings    // called for ByModule and ByLayer only

	Annotations func() []timeline.Annotation // called for ByAnnotation only
	Notes       func() *replay.Notes         // called for ByAnnotation and ByMetadata only
}

// Since returns what holds memory in a state, 0 to the number of events, and what the
// same rows held in an earlier state, which may be timeline.NoState. The cost is linear
// in the allocations.
func Since(in Input, state, before int, g Grouping) *Holding {
	h := &Holding{Grouping: g, State: state, Before: before}
	rows := newRows(in, g)
	allocations := in.Device.Allocations
	for i := range allocations {
		a := &allocations[i]
		if int(a.Start) >= max(state, before) {
			break // they are sorted by Start
		}
		now, then := a.LiveIn(state), before != timeline.NoState && a.LiveIn(before)
		if !now && !then {
			continue
		}
		row := &rows.list[rows.of(i)]
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
		if row := &h.Rows[i]; !g.By.Nested() {
			row.TotalBytes = row.Bytes
		}
	}
	slices.SortFunc(h.Rows, compareRows)
	return h
}

// hold counts allocation i, which is live in the state.
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

// Largest returns the indices of the n largest allocations live in a state, the largest
// first, the older first of equal ones.
func Largest(d *replay.Device, state, n int) []int32 {
	ids := d.Live(nil, state)
	slices.SortFunc(ids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(d.Allocations[b].Size, d.Allocations[a].Size), cmp.Compare(a, b))
	})
	return ids[:min(max(n, 0), len(ids))]
}
