package analysis

import (
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// noStack stands for a stack that was not yet seen.
const noStack snapshot.StackID = -1

// holderRows finds the row of an allocation, and makes it when it is new.
type holderRows struct {
	Grouping
	HolderInput

	rows    []Holder
	byKey   map[string]int32
	byCode  map[int64]int32    // for what has a number shorter than its key
	ofStack []int32            // row+1 of the allocations of a stack; 0 when not yet known
	through [][]int32          // by file and function: all rows that a stack goes through
	lastIn  []snapshot.StackID // by row: the last stack found to go through it
}

func newHolderRows(in HolderInput, g Grouping) *holderRows {
	w := &holderRows{Grouping: g, HolderInput: in, byKey: map[string]int32{}, byCode: map[int64]int32{}}
	switch g.By {
	case BySite, ByFile, ByFunction, ByOperator, ByStack:
		w.ofStack = make([]int32, len(in.Stacks.SiteFrame))
	}
	if g.By == ByFile || g.By == ByFunction {
		w.through = make([][]int32, len(in.Stacks.SiteFrame))
	}
	return w
}

// of is the row of allocation i, valid until the next call.
func (w *holderRows) of(i int) *Holder {
	a := &w.Device.Allocations[i]
	switch w.By {
	case ByFamily:
		family := w.Families().Family(i)
		return &w.rows[w.coded(int64(family), a.Stack, family.Key)]
	case BySize:
		return &w.rows[w.coded(a.Size, a.Stack, func() string { return strconv.FormatInt(a.Size, 10) })]
	case ByStream:
		handle := func() string { return strconv.FormatUint(w.Stacks.snapshot.Streams[a.Stream], 10) }
		return &w.rows[w.coded(int64(a.Stream), a.Stack, handle)]
	case ByPool:
		pool := w.Pools().ID(a)
		return &w.rows[w.coded(int64(pool), a.Stack, func() string { return w.Pools().Key(pool) })]
	}
	if w.ofStack[a.Stack] == 0 {
		w.ofStack[a.Stack] = w.rowOfStack(a.Stack) + 1
	}
	return &w.rows[w.ofStack[a.Stack]-1]
}

// total counts a live allocation in every row that its stack goes through.
func (w *holderRows) total(a *replay.Allocation) {
	if w.through == nil {
		return
	}
	if w.through[a.Stack] == nil {
		w.through[a.Stack] = w.rowsThrough(a.Stack)
	}
	for _, row := range w.through[a.Stack] {
		w.rows[row].TotalBytes += a.Size
	}
}

// coded is the row of a number; its key is asked for once.
func (w *holderRows) coded(code int64, stack snapshot.StackID, key func() string) int32 {
	row, ok := w.byCode[code]
	if !ok {
		row = w.add(key(), stack)
		w.byCode[code] = row
	}
	return row
}

// keyed is the row of a key.
func (w *holderRows) keyed(key string, stack snapshot.StackID) int32 {
	row, ok := w.byKey[key]
	if !ok {
		row = w.add(key, stack)
		w.byKey[key] = row
	}
	return row
}

func (w *holderRows) add(key string, stack snapshot.StackID) int32 {
	w.rows = append(w.rows, Holder{Key: key, Largest: -1, Stack: stack})
	return int32(len(w.rows) - 1)
}

func (w *holderRows) rowOfStack(id snapshot.StackID) int32 {
	st := w.Stacks
	switch frame := st.SiteFrame[id]; {
	case w.By == ByStack:
		return w.add(st.Site(id).String(), id)
	case w.By == ByOperator:
		return w.keyed(st.Operator[id], id)
	case frame == NoFrame:
		return w.keyed(st.Site(id).String(), id)
	case w.By == ByFile || w.By == ByFunction:
		return w.keyed(w.part(frame), id)
	}
	return w.keyed(w.path(id), id)
}

// rowsThrough are the rows of a stack's user frames, each once, or the one row
// of a stack without.
func (w *holderRows) rowsThrough(id snapshot.StackID) []int32 {
	rows := []int32{w.ofStack[id] - 1} // that of the site, which is known
	w.first(rows[0], id)
	for _, frame := range w.Stacks.snapshot.Stacks.Frames(id) {
		if w.Stacks.FrameClass[frame] != UserCode {
			continue
		}
		if row := w.keyed(w.part(frame), id); w.first(row, id) {
			rows = append(rows, row)
		}
	}
	return rows
}

// first reports whether a stack goes through a row for the first time, as a
// recursion does again and again.
func (w *holderRows) first(row int32, id snapshot.StackID) bool {
	for len(w.lastIn) < len(w.rows) {
		w.lastIn = append(w.lastIn, noStack)
	}
	is := w.lastIn[row] != id
	w.lastIn[row] = id
	return is
}

// part is the file or the function of a user frame.
func (w *holderRows) part(frame snapshot.FrameID) string {
	f := &w.Stacks.snapshot.Frames[frame]
	if w.By == ByFile {
		return w.Stacks.snapshot.String(f.File)
	}
	return w.Stacks.snapshot.String(f.Name)
}

// path is the innermost user frames of a stack, as many as make a site.
func (w *holderRows) path(id snapshot.StackID) string {
	st := w.Stacks
	if w.Depth <= 1 {
		return st.Site(id).String()
	}
	var sites []string
	for _, frame := range w.Stacks.snapshot.Stacks.Frames(id) {
		if st.FrameClass[frame] == UserCode {
			if sites = append(sites, st.frame(frame).String()); len(sites) == w.Depth {
				break
			}
		}
	}
	return strings.Join(sites, " < ")
}
