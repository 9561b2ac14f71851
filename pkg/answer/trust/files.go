package trust

import (
	"errors"
	"fmt"
	"io"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/internal/pickle"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

func Salvaged(s *snapshot.Snapshot) (Warning, bool) {
	read := s.Salvaged
	if read == nil {
		return Warning{}, false
	}
	what := "is damaged"
	switch {
	case errors.Is(read.Err, pickle.ErrTruncated), errors.Is(read.Err, io.ErrUnexpectedEOF):
		what = "was cut"
	case errors.Is(read.Err, pickle.ErrLimit):
		what = "goes beyond a limit"
	}
	w := Warning{
		Fact: fmt.Sprintf("The file %s at byte %s: only the %s read.", what, units.Count(read.At),
			units.Plural(read.Events, "event before it was", "events before it were")),
		Consequence: "The end state was read before that; settings and annotations may be missing.",
	}
	switch {
	case read.NoEnd:
		w.Consequence = "The end state is missing, so nothing confirms the replay."
	case read.From != snapshot.NoDevice:
		w.Consequence = "The end state of " + s.DeviceLabel(read.From) + " is missing, so nothing confirms its replay."
	case read.Events == 0:
		w.Consequence = "What is shown is the end state, as far as it was read."
	}
	return w, true
}

// RedactedKeys are what was redacted, for JSON: paths, names, prefixes, addresses,
// times.
func RedactedKeys(r snapshot.Redaction) []string {
	var keys []string
	for _, what := range []struct {
		is  bool
		key string
	}{{r.Paths, "paths"}, {r.Names, "names"}, {r.Prefixes, "prefixes"},
		{r.Addresses, "addresses"}, {r.Times, "times"}} {
		if what.is {
			keys = append(keys, what.key)
		}
	}
	return keys
}

// RedactedAll is all that a reader has to know of a redaction.
func RedactedAll(r snapshot.Redaction) []Warning {
	var list []Warning
	if w, is := Redacted(r); is {
		list = append(list, w)
	}
	if r.Addresses {
		list = append(list, Warning{Fact: "Addresses were left out of the report.",
			Consequence: "Those here count from near the lowest one, and streams have numbers."})
	}
	if r.Times {
		list = append(list, Warning{Fact: "Times were left out of the report.",
			Consequence: "The order of events is as recorded."})
	}
	return list
}

// Redacted is what a reader has to know of replaced names, and whether any were
// replaced.
func Redacted(r snapshot.Redaction) (Warning, bool) {
	const others = "Pseudonyms stand for them, the same one for the same name. Public names, lines and numbers are " +
		"as recorded."
	const cut = "Prefixes of paths were cut."
	w := Warning{Consequence: others}
	switch {
	case r.Paths && r.Names:
		w.Fact = "Paths and names are redacted."
	case r.Paths:
		w.Fact = "Paths are redacted."
	case r.Names:
		w.Fact = "Names and texts are redacted."
	case r.Prefixes:
		return Warning{Fact: cut, Consequence: "The rest is as recorded."}, true
	default:
		return Warning{}, false
	}
	if r.Prefixes {
		w.Consequence += " " + cut
	}
	return w, true
}

// Predicted is the warning that a run was simulated, and what it rests on.
func Predicted(s *analysis.Source) (Warning, bool) {
	p := s.Origin.Predicted
	if p == nil {
		return Warning{}, false
	}
	w := Warning{
		Fact: "This run was never made: it is predicted at " + units.Count(p.X) + ".",
		Consequence: "Sizes follow from recordings at other sizes; order, lifetimes, stacks and times are as recorded " +
			"at " + units.Count(p.Base) + ". It holds if nothing else changes.",
	}
	if p.NextStep {
		w.Consequence += " The recordings are of a first step, which understates the run. So the step after it " +
			"follows behind, with the gradients of the first alive until its backward pass: the most that it needs."
	}
	return w, true
}
