package answer

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// SalvagedFile says that only a part of a file was read, with --salvage.
type SalvagedFile struct {
	File     string `json:"file"`
	Byte     int64  `json:"byte"`      // where reading ended, in the unpacked pickle
	Events   int    `json:"events"`    // that were read before, of all devices
	EndKnown bool   `json:"end_known"` // whether the final segments of every device with events were read
	Error    string `json:"error"`     // what is wrong there
}

// salvagedFiles are those inputs that were read in part.
func salvagedFiles(in []Input) []SalvagedFile {
	var list []SalvagedFile
	for i := range in {
		if file := in[i].Salvaged(); file != nil {
			list = append(list, *file)
		}
	}
	return list
}

// Salvaged says how much of the file was read; nil if that is all of it.
func (in *Input) Salvaged() *SalvagedFile {
	part := in.Snapshot.Salvaged
	if part == nil {
		return nil
	}
	file := &SalvagedFile{File: in.FileName(), Byte: part.At, Events: part.Events,
		EndKnown: part.From == snapshot.NoDevice && !part.NoEnd}
	var located *pickle.Error
	if errors.As(part.Err, &located) {
		file.Error = units.Printable(located.Error())
	} else if part.Err != nil {
		file.Error = units.Printable(part.Err.Error())
	}
	return file
}

// SalvagedSentence says what was read of a file and what is missing; "" if
// nothing is.
func (in *Input) SalvagedSentence() string {
	if in.Snapshot.Salvaged == nil {
		return ""
	}
	fact, consequence := salvagedWords(in.Snapshot)
	return fact + " " + consequence
}

// salvagedWords are a fact and its consequence.
func salvagedWords(s *snapshot.Snapshot) (fact, consequence string) {
	part := s.Salvaged
	what := "is damaged"
	switch {
	case errors.Is(part.Err, pickle.ErrTruncated), errors.Is(part.Err, io.ErrUnexpectedEOF):
		what = "was cut"
	case errors.Is(part.Err, pickle.ErrLimit):
		what = "goes beyond a limit"
	}
	fact = fmt.Sprintf("The file %s at byte %s: only the %s before it %s read.", what, units.Count(part.At),
		units.Plural(part.Events, "event", "events"), map[bool]string{true: "was", false: "were"}[part.Events == 1])
	switch {
	case part.NoEnd:
		return fact, "The end state is missing, so nothing confirms the replay."
	case part.From != snapshot.NoDevice:
		return fact, fmt.Sprintf("The end state of %s is missing, so nothing confirms its replay.",
			s.DeviceLabel(part.From))
	case part.Events == 0:
		return fact, "What is shown is the end state, as far as it was read."
	}
	return fact, "The end state was read before that; settings and annotations may be missing."
}

func warnSalvaged(s *snapshot.Snapshot) (Warning, bool) {
	if s.Salvaged == nil {
		return Warning{}, false
	}
	fact, consequence := salvagedWords(s)
	return Warning{Fact: fact, Consequence: consequence}, true
}

// salvageable is an answer for programs that can say what was read in part.
type salvageable interface{ salvaged(list []SalvagedFile) }

func (d *devices[T]) salvaged(list []SalvagedFile) { d.Salvaged = list }

func (a *RanksAnswer) salvaged(list []SalvagedFile) { a.Salvaged = list }

func (v *eventsValue) salvaged(list []SalvagedFile) { v.parts = list }

// Salvaged puts in front of an answer which of its inputs were read in part.
func (s *Sheet) Salvaged(in []Input) {
	list := salvagedFiles(in)
	if len(list) == 0 {
		return
	}
	if value, ok := s.value.(salvageable); ok {
		value.salvaged(list)
	}
	var banners []part
	for i := range in {
		if text := in[i].SalvagedSentence(); text != "" {
			banners = append(banners, heading{sentence{"! %s: %s", []any{name(in[i].FileName()), text}}})
		}
	}
	s.parts = slices.Insert(s.parts, 0, banners...)
}
