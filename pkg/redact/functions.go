package redact

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
)

// function is the name of a function as it may be shown, given its file as it
// was.
func (w *worker) function(file, name string) string {
	switch {
	case !w.Names:
		return w.withoutPaths(name)
	case w.isKept(file) || isPublicFile(file):
		return name
	case stacks.ReadFrame(file, "").Python():
		return w.python(name)
	}
	return w.symbol(name)
}

// python renames the parts of a qualified name, such as Trainer.step.<locals>.inner.
func (w *worker) python(name string) string {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		if !isWhole(part) && !commonFunctions[part] {
			parts[i] = w.word(kindFunction, part)
		}
	}
	return strings.Join(parts, ".")
}
