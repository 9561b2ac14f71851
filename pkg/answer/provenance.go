package answer

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Provenance is the part of a JSON answer that says how its inputs differ from
// what was recorded.
type Provenance struct {
	// what is shown under other names or left out: paths, names, prefixes, addresses, times
	Redacted []string       `json:"redacted,omitempty"`
	Salvaged []SalvagedFile `json:"salvaged,omitempty"` // files of which only a part was read
	// inputs that were predicted, not recorded
	PredictedRuns []PredictedFile `json:"predicted_runs,omitempty"`
}

// PredictedFile is a run that was never made.
type PredictedFile struct {
	File     string `json:"file"`
	X        int64  `json:"x"`         // the size that it is predicted at
	Base     int64  `json:"base"`      // the size of the recording whose order, lifetimes, stacks and times it has
	NextStep bool   `json:"next_step"` // the step after a recorded first one follows behind it
}

func (p *Provenance) provenance() *Provenance { return p }

// provenanceOf is the provenance in the value of a sheet; nil if it has none.
func (s *Sheet) provenanceOf() *Provenance {
	if v, ok := s.value.(interface{ provenance() *Provenance }); ok {
		return v.provenance()
	}
	return nil
}

// SalvagedFile is a file of which only a part was read, with --salvage.
type SalvagedFile struct {
	File     string `json:"file"`
	Byte     int64  `json:"byte"`      // where reading ended, in the unpacked pickle
	Events   int    `json:"events"`    // that were read, of all devices
	EndKnown bool   `json:"end_known"` // whether the final segments of every device with events were read
	Error    string `json:"error"`     // what is wrong there
}

// Salvaged says how much of the file was read; nil if all of it was.
func (in *Input) Salvaged() *SalvagedFile {
	read := in.Snapshot.Salvaged
	if read == nil {
		return nil
	}
	file := &SalvagedFile{File: in.FileName(), Byte: read.At, Events: read.Events,
		EndKnown: read.From == snapshot.NoDevice && !read.NoEnd}
	var located *pickle.Error
	if errors.As(read.Err, &located) {
		file.Error = units.Printable(located.Error())
	} else if read.Err != nil {
		file.Error = units.Printable(read.Err.Error())
	}
	return file
}

// SalvagedSentence says what was read of a file and what is missing; "" if all of
// it was read.
func (in *Input) SalvagedSentence() string {
	w, salvaged := warnSalvaged(in.Snapshot)
	if !salvaged {
		return ""
	}
	return w.Fact + " " + w.Consequence
}

func warnSalvaged(s *snapshot.Snapshot) (Warning, bool) {
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

// Salvaged says, at the top of the answer, which of its inputs were read in part.
func (s *Sheet) Salvaged(in []Input) {
	var files []SalvagedFile
	top := &Sheet{}
	for i := range in {
		if file := in[i].Salvaged(); file != nil {
			files = append(files, *file)
			top.heading("! %s: %s", name(file.File), in[i].SalvagedSentence())
		}
	}
	if p := s.provenanceOf(); p != nil {
		p.Salvaged = files
	}
	s.prepend(top)
}

// Predicted says, at the top of the answer, which of its inputs are runs that were never
// made.
func (s *Sheet) Predicted(in []Input) {
	var files []PredictedFile
	top := &Sheet{}
	for i := range in {
		if w, is := warnPredicted(in[i].Source); is {
			p := in[i].Origin.Predicted
			files = append(files, PredictedFile{in[i].FileName(), p.X, p.Base, p.NextStep})
			top.heading("! %s: %s %s", name(in[i].FileName()), w.Fact, w.Consequence)
		}
	}
	if p := s.provenanceOf(); p != nil {
		p.PredictedRuns = files
	}
	s.prepend(top)
}

// Redacted says at the top of the answer what it shows under other names, or does
// not show.
func (s *Sheet) Redacted(r snapshot.Redaction) {
	if !r.Any() {
		return
	}
	if p := s.provenanceOf(); p != nil {
		p.Redacted = RedactedKeys(r)
	}
	if s.lineOnTop("redacted: %s", strings.Join(RedactedKeys(r), ", ")) {
		return // one line per device, which scripts read
	}
	top := &Sheet{}
	for _, w := range redactedOn(r) {
		top.note("%s %s", w.Fact, w.Consequence)
	}
	s.prepend(top)
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

// redactedOn is all that a reader has to know of a redaction.
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

// RedactedOn is what a reader has to know of replaced names, and whether any were
// replaced.
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
