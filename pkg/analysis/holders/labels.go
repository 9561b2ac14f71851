package holders

import (
	"math"

	"github.com/memviz-go/memviz/pkg/analysis/modules"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// notCompiled is what torch writes for memory outside of compiled regions.
const notCompiled = "N/A"

// labels returns the texts of a kind for the allocation of each event. The empty text
// means none.
func (in *Input) labels(by By) []snapshot.StringID {
	e := in.Device.Events
	switch {
	case by == ByAnnotation:
		return timeline.InnermostNames(in.Device, in.Annotations())
	case by == ByCompileContext && e.CompileContext != nil:
		return e.CompileContext
	}
	return make([]snapshot.StringID, e.Len())
}

// labelled returns the row of an allocation's text.
func (w *rows) labelled(a *replay.Allocation) int32 {
	text := ""
	switch {
	case w.By == ByMetadata && w.Key != "":
		text = w.notes.Value(a, w.Key)
	case w.By == ByMetadata:
		text = w.notes.Of(a)
	case w.By == ByAnnotation:
		text = w.notes.Added(a)
	}
	if text == "" && w.labels != nil && !a.PreExisting() {
		text = w.Stacks.Snapshot.String(w.labels[a.Start])
	}
	if w.By == ByCompileContext && text == notCompiled {
		text = ""
	}
	return w.keyed(text, a.Stack)
}

// outside is the code of the row for memory that no module asked for. Calls of blocks
// have smaller codes, and modules negative ones.
const outside = math.MaxInt64

// ofModule returns the row of a module, or of none.
func (w *rows) ofModule(module int32, id snapshot.StackID) int32 {
	if module == modules.None {
		return w.coded(outside, id, func() string { return "" })
	}
	return w.coded(int64(-1-module), id, func() string { return w.modules.Name(module) })
}

// modulesThrough adds the rows of the modules around a stack's own module.
func (w *rows) modulesThrough(id snapshot.StackID, rows []int32) []int32 {
	module := w.modules.Of(id)
	if module == modules.None {
		return rows
	}
	for i := w.modules.Modules[module].Parent; i != modules.None; i = w.modules.Modules[i].Parent {
		rows = append(rows, w.ofModule(i, id))
	}
	return rows
}
