// Package sheet writes what is said of something as text for a terminal, as Markdown and as JSON:
// headings, paragraphs and tables, and a value for programs. It knows nothing of memory.
package sheet

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"github.com/memviz-go/memviz/pkg/units"
)

// Sheet is an answer: a value for programs, and the same in sentences and tables
// for people. A sheet decides how its elements look in each format.
type Sheet struct {
	Value    any // a JSON object whose first key is "schema"
	elements []Element
	Without  []string // inputs that hold no device
}

// Format is a form in which a sheet can be written.
type Format string

// The forms of a sheet.
const (
	Text     Format = "text"     // for a terminal
	Markdown Format = "markdown" // for a ticket
	JSON     Format = "json"     // for a program
)

// Formats are all formats, the default first.
var Formats = []Format{Text, Markdown, JSON}

// Look is what the reader of a text has in front of them.
type Look struct {
	Color bool
	ASCII bool // show nothing but ASCII, except in names from a snapshot
	Width int  // columns that lines are made to fit; 0 is DefaultWidth
}

// DefaultWidth is how many columns a text has when nothing else is known.
const DefaultWidth = 80

func (l Look) Columns() int { return cmp.Or(l.Width, DefaultWidth) }

// symbols are texts that stand for others where a reader has ASCII only.
var symbols = strings.NewReplacer("…", "...", "→", "->", "←", "<-", "✓", "ok:", "±", "+/-", "−", "-", "µ", "u",
	"·", ".", "░", "~", "▁", "_", "▂", ":", "▃", "-", "▄", "=", "▅", "+", "▆", "*", "▇", "%", "█", "#")

// Show is text with the symbols that the reader has.
func (l Look) Show(text string) string {
	if !l.ASCII {
		return text
	}
	return symbols.Replace(text)
}

// Write writes the sheet in a form.
func (s *Sheet) Write(w io.Writer, format Format, look Look) error {
	b := bufio.NewWriterSize(w, 1<<16)
	switch format {
	case JSON:
		if err := s.writeJSON(b); err != nil {
			return err
		}
	case Markdown:
		b.WriteString(s.markdown())
	default:
		s.writeText(b, look)
	}
	return b.Flush()
}

func (s *Sheet) writeJSON(w *bufio.Writer) error {
	if long, ok := s.Value.(Streamed); ok {
		return long.WriteJSON(w)
	}
	if err := WriteIndented(w, s.Value, ""); err != nil {
		return err
	}
	return w.WriteByte('\n')
}

// WriteIndented writes a value as JSON of several lines, all but the first behind a
// prefix, without a line end.
func WriteIndented(w io.Writer, v any, prefix string) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent(prefix, "  ")
	e.SetEscapeHTML(false) // it goes to programs and terminals, and "<module>" is a common name
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(bytes.TrimSuffix(units.EscapeJSON(text.Bytes()), []byte("\n")))
	return err
}

// Element is a paragraph, heading, table or the like.
type Element interface {
	text(look Look) string // without a line end
	markdown() string
}

func (s *Sheet) Add(e Element) { s.elements = append(s.elements, e) }

// Heading begins a section. Arguments of type name are shown as names.
func (s *Sheet) Heading(format string, args ...any) { s.Add(heading{Sentence{format, args}}) }

// Say adds a paragraph.
func (s *Sheet) Say(format string, args ...any) { s.Add(Sentence{format, args}) }

// SayIf adds a paragraph, unless it is empty.
func (s *Sheet) SayIf(text string) {
	if text != "" {
		s.Say("%s", text)
	}
}

// Note adds a paragraph of less importance, which terminals show faint.
func (s *Sheet) Note(format string, args ...any) { s.Add(note{Sentence{format, args}}) }

// NoteOf adds a sentence of less importance.
func (s *Sheet) NoteOf(text Sentence) { s.Add(note{text}) }

// Line adds a line that is never wrapped, directly below the one before it.
func (s *Sheet) Line(format string, args ...any) {
	line := Sentence{format, args}
	if last := len(s.elements) - 1; last >= 0 {
		if lines, ok := s.elements[last].(unbroken); ok {
			s.elements[last] = append(lines, line)
			return
		}
	}
	s.Add(unbroken{line})
}

// Prepend puts what another sheet says in front.
func (s *Sheet) Prepend(top *Sheet) { s.elements = append(top.elements, s.elements...) }

// LineOnTop adds a line to those that the sheet begins with, and reports whether it begins
// with any.
func (s *Sheet) LineOnTop(format string, args ...any) bool {
	if len(s.elements) == 0 {
		return false
	}
	lines, ok := s.elements[0].(unbroken)
	if ok {
		s.elements[0] = append(lines, Sentence{format, args})
	}
	return ok
}

// Code adds a line to copy.
func (s *Sheet) Code(line string) { s.Add(code(line)) }

// Put adds a table, if it has rows.
func (s *Sheet) Put(t *Table) {
	if len(t.Rows) > 0 {
		s.Add(t)
	}
}

// Streamed is a JSON value that may be larger than memory.
type Streamed interface {
	WriteJSON(w *bufio.Writer) error
	Figures() any // what a Condition is checked against: counts stand for long lists
}
