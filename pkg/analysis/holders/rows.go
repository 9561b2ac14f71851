package holders

import (
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/modules"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// noStack marks a stack that was not seen yet.
const noStack snapshot.StackID = -1

// rows finds the row of an allocation, or adds it.
type rows struct {
	Grouping
	Input

	list    []Row
	byKey   map[string]int32
	byCode  map[int64]int32     // for keys that come from a number
	ofStack []int32             // by stack: the row of its allocations plus 1; 0 if not known yet
	through [][]int32           // by stack: all rows that its user frames belong to; nil unless Nested
	lastIn  []snapshot.StackID  // by row: the last stack with a frame in it
	modules *modules.Findings   // nil unless by module or layer
	labels  []snapshot.StringID // by event: the text of the allocation born in it; nil unless by a text
	notes   *replay.Notes       // nil unless by annotation or metadata
}

func newRows(in Input, g Grouping) *rows {
	w := &rows{Grouping: g, Input: in, byKey: map[string]int32{}, byCode: map[int64]int32{}}
	switch g.By {
	case BySite, ByFile, ByFunction, ByOperator, ByStack:
		w.ofStack = make([]int32, len(in.Stacks.SiteFrame))
	case ByModule, ByLayer:
		w.ofStack = make([]int32, len(in.Stacks.SiteFrame))
		w.modules = in.Modules()
	case ByAnnotation:
		w.labels, w.notes = in.labels(g.By), in.Notes()
	case ByCompileContext:
		w.labels = in.labels(g.By)
	case ByMetadata:
		w.notes = in.Notes()
	}
	if g.By.Nested() {
		w.through = make([][]int32, len(in.Stacks.SiteFrame))
	}
	return w
}

// of returns the row of allocation i, an index into list.
func (w *rows) of(i int) int32 {
	a := &w.Device.Allocations[i]
	switch w.By {
	case ByFamily:
		family := w.Families().Family(i)
		return w.coded(int64(family), a.Stack, family.Key)
	case BySize:
		return w.coded(a.Size, a.Stack, func() string { return strconv.FormatInt(a.Size, 10) })
	case ByStream:
		handle := func() string { return strconv.FormatUint(w.Stacks.Snapshot.Streams[a.Stream], 10) }
		return w.coded(int64(a.Stream), a.Stack, handle)
	case ByPool:
		pool := w.Pools().ID(a)
		return w.coded(int64(pool), a.Stack, func() string { return w.Pools().Key(pool) })
	case ByAnnotation, ByCompileContext, ByMetadata:
		return w.labelled(a)
	case ByLayer:
		if block, call := w.modules.Layer(i); block != modules.None {
			key := func() string { return w.modules.LayerName(block, call) }
			return w.coded(int64(block)<<32|int64(call), a.Stack, key)
		}
	}
	if w.ofStack[a.Stack] == 0 {
		w.ofStack[a.Stack] = w.rowOfStack(a.Stack) + 1
	}
	return w.ofStack[a.Stack] - 1
}

// total counts a live allocation in every row that its user frames belong to.
func (w *rows) total(a *replay.Allocation) {
	if w.through == nil {
		return
	}
	if w.through[a.Stack] == nil {
		w.through[a.Stack] = w.rowsThrough(a.Stack)
	}
	for _, row := range w.through[a.Stack] {
		w.list[row].TotalBytes += a.Size
	}
}

// coded returns the row of a number, whose key is only computed for a new row.
func (w *rows) coded(code int64, stack snapshot.StackID, key func() string) int32 {
	row, ok := w.byCode[code]
	if !ok {
		row = w.add(key(), stack)
		w.byCode[code] = row
	}
	return row
}

// keyed returns the row of a key.
func (w *rows) keyed(key string, stack snapshot.StackID) int32 {
	row, ok := w.byKey[key]
	if !ok {
		row = w.add(key, stack)
		w.byKey[key] = row
	}
	return row
}

func (w *rows) add(key string, stack snapshot.StackID) int32 {
	w.list = append(w.list, Row{Key: key, Largest: -1, Stack: stack})
	return int32(len(w.list) - 1)
}

func (w *rows) rowOfStack(id snapshot.StackID) int32 {
	st := w.Stacks
	switch frame := st.SiteFrame[id]; {
	case w.modules != nil:
		return w.ofModule(w.modules.Of(id), id)
	case w.By == ByStack:
		return w.add(st.Site(id).String(), id)
	case w.By == ByOperator:
		return w.keyed(st.Operator[id], id)
	case frame == stacks.NoFrame:
		return w.keyed(st.Site(id).String(), id)
	case w.By == ByFile || w.By == ByFunction:
		return w.keyed(w.name(frame), id)
	}
	return w.keyed(w.path(id), id)
}

// rowsThrough returns the rows of a stack's user frames, each once, or the single row of
// a stack without user frames.
func (w *rows) rowsThrough(id snapshot.StackID) []int32 {
	rows := []int32{w.ofStack[id] - 1} // the row of the site, which is known
	if w.modules != nil {
		return w.modulesThrough(id, rows)
	}
	w.first(rows[0], id)
	for _, frame := range w.Stacks.Snapshot.Stacks.Frames(id) {
		if w.Stacks.FrameClass[frame] != stacks.UserCode {
			continue
		}
		if row := w.keyed(w.name(frame), id); w.first(row, id) {
			rows = append(rows, row)
		}
	}
	return rows
}

// first reports whether this is the first frame of the stack in a row; a recursion
// has several.
func (w *rows) first(row int32, id snapshot.StackID) bool {
	for len(w.lastIn) < len(w.list) {
		w.lastIn = append(w.lastIn, noStack)
	}
	is := w.lastIn[row] != id
	w.lastIn[row] = id
	return is
}

// name returns the file or the function of a user frame.
func (w *rows) name(frame snapshot.FrameID) string {
	f := &w.Stacks.Snapshot.Frames[frame]
	if w.By == ByFile {
		return w.Stacks.Snapshot.String(f.File)
	}
	return w.Stacks.Snapshot.String(f.Name)
}

// path returns the Depth innermost user frames of a stack.
func (w *rows) path(id snapshot.StackID) string {
	st := w.Stacks
	if w.Depth <= 1 {
		return st.Site(id).String()
	}
	var sites []string
	for _, frame := range w.Stacks.Snapshot.Stacks.Frames(id) {
		if st.FrameClass[frame] == stacks.UserCode {
			if sites = append(sites, st.Frame(frame).String()); len(sites) == w.Depth {
				break
			}
		}
	}
	return strings.Join(sites, " < ")
}
