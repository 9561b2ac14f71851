package answer

import (
	"errors"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/trust"
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
func provenanceOf(s *sheet.Sheet) *Provenance {
	if v, ok := s.Value.(interface{ provenance() *Provenance }); ok {
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
	w, salvaged := trust.Salvaged(in.Snapshot)
	if !salvaged {
		return ""
	}
	return w.Fact + " " + w.Consequence
}

// MarkSalvaged says, at the top of the answer, which of its inputs were read in part.
func MarkSalvaged(s *sheet.Sheet, in []Input) {
	var files []SalvagedFile
	top := &sheet.Sheet{}
	for i := range in {
		if file := in[i].Salvaged(); file != nil {
			files = append(files, *file)
			top.Heading("! %s: %s", sheet.Name(file.File), in[i].SalvagedSentence())
		}
	}
	if p := provenanceOf(s); p != nil {
		p.Salvaged = files
	}
	s.Prepend(top)
}

// MarkPredicted says, at the top of the answer, which of its inputs are runs that were never
// made.
func MarkPredicted(s *sheet.Sheet, in []Input) {
	var files []PredictedFile
	top := &sheet.Sheet{}
	for i := range in {
		if w, is := trust.Predicted(in[i].Source); is {
			p := in[i].Origin.Predicted
			files = append(files, PredictedFile{in[i].FileName(), p.X, p.Base, p.NextStep})
			top.Heading("! %s: %s %s", sheet.Name(in[i].FileName()), w.Fact, w.Consequence)
		}
	}
	if p := provenanceOf(s); p != nil {
		p.PredictedRuns = files
	}
	s.Prepend(top)
}

// MarkRedacted says at the top of the answer what it shows under other names, or does
// not show.
func MarkRedacted(s *sheet.Sheet, r snapshot.Redaction) {
	if !r.Any() {
		return
	}
	if p := provenanceOf(s); p != nil {
		p.Redacted = trust.RedactedKeys(r)
	}
	if s.LineOnTop("redacted: %s", strings.Join(trust.RedactedKeys(r), ", ")) {
		return // one line per device, which scripts read
	}
	top := &sheet.Sheet{}
	for _, w := range trust.RedactedAll(r) {
		top.Note("%s %s", w.Fact, w.Consequence)
	}
	s.Prepend(top)
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
