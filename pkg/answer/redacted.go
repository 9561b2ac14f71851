package answer

import (
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// redactedValue is an answer for programs that says what was redacted.
type redactedValue interface{ setRedacted(what []string) }

func (d *devices[T]) setRedacted(what []string)  { d.Redacted = what }
func (r *RanksAnswer) setRedacted(what []string) { r.Redacted = what }
func (v *eventsValue) setRedacted(what []string) { v.redacted = what }

// Redacted says in the answer what stands in it under other names, if anything
// does.
func (s *Sheet) Redacted(r snapshot.Redaction) {
	if !r.Any() {
		return
	}
	if v, ok := s.value.(redactedValue); ok {
		v.setRedacted(RedactedKeys(r))
	}
	var said []part
	for _, w := range redactedOn(r) {
		said = append(said, note{sentence{"%s %s", []any{w.Fact, w.Consequence}}})
	}
	if lines, ok := s.firstLines(); ok { // of a log, which is read by line
		s.parts[0] = append(lines, sentence{"redacted: %s", []any{strings.Join(RedactedKeys(r), ", ")}})
		return
	}
	s.parts = slices.Insert(s.parts, 0, said...)
}

func (s *Sheet) firstLines() (unbroken, bool) {
	if len(s.parts) == 0 {
		return nil, false
	}
	lines, ok := s.parts[0].(unbroken)
	return lines, ok
}

// RedactionOf is what was redacted in any input.
func RedactionOf(in []Input) snapshot.Redaction {
	var all snapshot.Redaction
	for i := range in {
		r := in[i].Snapshot.Redaction
		all.Paths, all.Names, all.Prefixes = all.Paths || r.Paths, all.Names || r.Names, all.Prefixes || r.Prefixes
		all.Addresses, all.Times = all.Addresses || r.Addresses, all.Times || r.Times
	}
	return all
}

// RedactedKeys are what was redacted, for programs: paths, names, prefixes,
// addresses, times.
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

// redactedOn is all that a reader has to know.
func redactedOn(r snapshot.Redaction) []Warning {
	var list []Warning
	if w, is := RedactedOn(r); is {
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

// RedactedOn is what a reader has to know of a snapshot whose names were
// replaced, and whether any were.
func RedactedOn(r snapshot.Redaction) (Warning, bool) {
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
