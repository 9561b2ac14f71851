package answer

import (
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/units"
)

// stepsSentence says how many steps end in the recording and how they were found.
func stepsSentence(list *steps.List) string {
	if list.Method == steps.None {
		return "No steps were recognised: the file holds one at most, or the code does not look like a training loop."
	}
	cut := ""
	if !list.Steps[0].Complete {
		cut = "; the first may be cut"
	}
	n := len(list.Boundaries)
	return units.Count(n) + " " + list.Method.Word(n) + ", " + list.Method.Found() + cut + "."
}
