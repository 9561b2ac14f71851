package answer

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Sheet is an answer: a value for programs, and the same in words and tables
// for people. The sheet decides how they look; who fills it says what they are.
type Sheet struct {
	value any // a JSON object whose first key is "schema"
	parts []part
}

// Format is a form in which a sheet can be written.
type Format string

// The forms of a sheet.
const (
	Text     Format = "text"     // for a terminal
	Markdown Format = "markdown" // for a ticket
	JSON     Format = "json"     // for a program
)

// Formats are all of them, the usual one first.
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
	if long, ok := s.value.(longValue); ok {
		return long.writeJSON(w)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false) // it goes to programs and terminals, and "<module>" is a common name
	return e.Encode(s.value)
}

// part is a piece of a sheet.
type part interface {
	text(look Look) string // lines without an end
	markdown() string
}

func (s *Sheet) add(p part) { s.parts = append(s.parts, p) }

// heading begins a section. Its arguments may be names.
func (s *Sheet) heading(format string, args ...any) { s.add(heading{sentence{format, args}}) }

// say adds a paragraph. Its arguments may be names.
func (s *Sheet) say(format string, args ...any) { s.add(sentence{format, args}) }

// note adds a paragraph that matters less.
func (s *Sheet) note(format string, args ...any) { s.add(note{sentence{format, args}}) }

// line adds a line that is never broken, below the one before it.
func (s *Sheet) line(format string, args ...any) {
	line := sentence{format, args}
	if last := len(s.parts) - 1; last >= 0 {
		if lines, ok := s.parts[last].(unbroken); ok {
			s.parts[last] = append(lines, line)
			return
		}
	}
	s.add(unbroken{line})
}

// code adds a line to copy.
func (s *Sheet) code(line string) { s.add(code(line)) }

// put adds a table, if it has rows.
func (s *Sheet) put(t *sheetTable) {
	if len(t.rows) > 0 {
		s.add(t)
	}
}

// name is a text that comes from a snapshot or a file's name. In Markdown it is
// code, so that __init__ stays what it is.
type name string

// maxName bounds how much of a name is shown, in characters.
const maxName = 300

func (n name) clipped() string {
	text := string(n[:min(len(n), 4*maxName)])
	if runes := []rune(text); len(runes) > maxName {
		return string(runes[:maxName]) + "…"
	}
	return text
}

// sentence is a format and its arguments.
type sentence struct {
	format string
	args   []any
}

// with is the sentence with its names shown as show says.
func (s sentence) with(show func(name) string) string {
	args := make([]any, len(s.args))
	for i, arg := range s.args {
		if n, ok := arg.(name); ok {
			arg = show(n)
		}
		args[i] = arg
	}
	return fmt.Sprintf(s.format, args...)
}

type heading struct{ sentence }

type note struct{ sentence }

// unbroken is sentences of a line each, however long.
type unbroken []sentence

type code string
