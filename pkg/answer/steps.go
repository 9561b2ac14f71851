package answer

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/units"
)

// stepsSentence says how many steps end in the recording and how they were found.
func stepsSentence(steps *analysis.Steps) string {
	n := len(steps.Boundaries)
	found := map[analysis.StepMethod]string{
		analysis.StepsByAnnotation: "named in the file",
		analysis.StepsByOptimizer:  "found from optimizer frames; no annotations in the file",
		analysis.StepsByBackward:   "found from calls of backward; with gradient accumulation several make a step",
		analysis.StepsByBackwardRuns: "found from where backward begins; with gradient accumulation several " +
			"make a step",
		analysis.StepsByUserSites: "found from a line of your code that allocates again and again",
		analysis.StepsByForward:   "found from a module that is called again and again",
	}[steps.Method]
	if found == "" {
		return "No steps were recognised: the file holds one, a part of one, or code that looks like none."
	}
	cut := ""
	if !steps.Steps[0].Complete {
		cut = "; the first may be cut"
	}
	return units.Count(n) + " " + wordFor(n, steps.Method.Word()) + ", " + found + cut + "."
}

// wordFor is a plural word for n things.
func wordFor(n int, plural string) string {
	if n == 1 {
		return plural[:len(plural)-1]
	}
	return plural
}
