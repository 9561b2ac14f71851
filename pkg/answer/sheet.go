// Package answer writes the answers of memviz's commands. An answer is a [Sheet],
// which can be written as text for a terminal, as Markdown and as JSON. The
// package holds every sentence about memory; pkg/report takes its own from here.
//
// The types of the JSON are exported because their comments become descriptions
// in the JSON Schemas (schemas/*.json), which a test writes.
package answer

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
	value    any // a JSON object whose first key is "schema"
	elements []element
	without  []string // inputs that hold no device
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

func (l Look) width() int { return cmp.Or(l.Width, DefaultWidth) }

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
	if long, ok := s.value.(streamedValue); ok {
		return long.writeJSON(w)
	}
	if err := writeIndented(w, s.value, ""); err != nil {
		return err
	}
	return w.WriteByte('\n')
}

// writeIndented writes a value as JSON of several lines, all but the first behind a
// prefix, without a line end.
func writeIndented(w io.Writer, v any, prefix string) error {
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

// element is a paragraph, heading, table or the like.
type element interface {
	text(look Look) string // without a line end
	markdown() string
}

func (s *Sheet) add(e element) { s.elements = append(s.elements, e) }

// heading begins a section. Arguments of type name are shown as names.
func (s *Sheet) heading(format string, args ...any) { s.add(heading{sentence{format, args}}) }

// say adds a paragraph.
func (s *Sheet) say(format string, args ...any) { s.add(sentence{format, args}) }

// sayIf adds a paragraph, unless it is empty.
func (s *Sheet) sayIf(text string) {
	if text != "" {
		s.say("%s", text)
	}
}

// note adds a paragraph of less importance, which terminals show faint.
func (s *Sheet) note(format string, args ...any) { s.add(note{sentence{format, args}}) }

// noteOf adds a sentence of less importance.
func (s *Sheet) noteOf(text sentence) { s.add(note{text}) }

// line adds a line that is never wrapped, directly below the one before it.
func (s *Sheet) line(format string, args ...any) {
	line := sentence{format, args}
	if last := len(s.elements) - 1; last >= 0 {
		if lines, ok := s.elements[last].(unbroken); ok {
			s.elements[last] = append(lines, line)
			return
		}
	}
	s.add(unbroken{line})
}

// prepend puts what another sheet says in front.
func (s *Sheet) prepend(top *Sheet) { s.elements = append(top.elements, s.elements...) }

// lineOnTop adds a line to those that the sheet begins with, and reports whether it begins
// with any.
func (s *Sheet) lineOnTop(format string, args ...any) bool {
	if len(s.elements) == 0 {
		return false
	}
	lines, ok := s.elements[0].(unbroken)
	if ok {
		s.elements[0] = append(lines, sentence{format, args})
	}
	return ok
}

// code adds a line to copy.
func (s *Sheet) code(line string) { s.add(code(line)) }

// put adds a table, if it has rows.
func (s *Sheet) put(t *sheetTable) {
	if len(t.rows) > 0 {
		s.add(t)
	}
}
