package analysis

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// interpreterSymbols are functions of CPython that say why it drops an object.
// Names of allocators are among them: nothing is freed below an allocator,
// except by the cycle collector that it starts when enough objects were made.
//
// Ordinary destructors (subtype_dealloc, dict_dealloc, THPVariable_clear) are
// not among them: they run for every object.
var interpreterSymbols = map[string]facts{
	"gc_collect_main":          factCollector,
	"gc_collect_region":        factCollector,
	"gc_collect_with_callback": factCollector,
	"delete_garbage":           factCollector,

	"gc_collect_generations": factCollector | factCollectorAutomatic,
	"_Py_RunGC":              factCollector | factCollectorAutomatic,
	"_PyObject_GC_New":       factCollector | factCollectorAutomatic,
	"_PyObject_GC_NewVar":    factCollector | factCollectorAutomatic,
	"PyType_GenericAlloc":    factCollector | factCollectorAutomatic,

	"gc_collect":      factCollector | factCollectorExplicit,
	"gc_collect_impl": factCollector | factCollectorExplicit,
	"PyGC_Collect":    factCollector | factCollectorExplicit,

	"BaseException_dealloc": factExceptionDealloc,
	"tb_dealloc":            factFrameDealloc,
	"frame_dealloc":         factFrameDealloc,
}

// interpreterFacts are the facts of a C function of CPython. Compilers append
// suffixes such as .constprop.0 to it.
func interpreterFacts(symbol string) facts {
	name, _, _ := strings.Cut(symbol, ".")
	if strings.HasPrefix(name, "_PyGC_Collect") {
		return factCollector | factCollectorExplicit
	}
	return interpreterSymbols[name]
}

// collectorFrame is the innermost frame of a stack that shows the cycle collector.
func (st *StackFacts) collectorFrame(id snapshot.StackID) snapshot.FrameID {
	for _, frame := range st.snapshot.Stacks.Frames(id) {
		if st.FrameClass[frame] != Internal {
			continue
		}
		name := st.snapshot.String(st.snapshot.Frames[frame].Name)
		if interpreterFacts(name).has(factCollector) {
			return frame
		}
	}
	return NoFrame
}
