package answer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/units"
)

// longPart is a part that may be longer than memory: each line is written as it
// comes, so that a log of millions of events begins at once.
type longPart struct {
	lines func(look Look) iter.Seq[string] // that fit, without an end
}

// longest bounds the lines of a long part in Markdown, which is for tickets.
const longest = 200

// lines adds a long part.
func (s *Sheet) lines(lines func(look Look) iter.Seq[string]) { s.add(longPart{lines}) }

func (l longPart) writeText(w *bufio.Writer, look Look) {
	for line := range l.lines(look) {
		w.WriteString(line)
		if w.WriteByte('\n') != nil {
			return // nobody is reading
		}
	}
}

func (l longPart) text(look Look) string {
	return strings.Join(slices.Collect(l.lines(look)), "\n")
}

func (l longPart) markdown() string {
	var b strings.Builder
	b.WriteString("```text\n")
	n := 0
	for line := range l.lines(Look{}) {
		if n++; n <= longest {
			b.WriteString(strings.ReplaceAll(line, "`", "'") + "\n")
		}
	}
	b.WriteString("```")
	if n > longest {
		b.WriteString("\n\n_and " + units.Plural(n-longest, "more line", "more lines") + "_")
	}
	return b.String()
}

// longValue is an answer for programs that may be longer than memory.
type longValue interface {
	writeJSON(w *bufio.Writer) error
	figures() any // the same for conditions, with numbers of items in place of long lists
}

// writeArray writes a JSON array, an item a line.
func writeArray[T any](w *bufio.Writer, items iter.Seq[T]) error {
	w.WriteByte('[')
	separator := "\n"
	for item := range items {
		text, err := jsonLine(item)
		if err != nil {
			return err
		}
		w.WriteString(separator)
		if _, err := w.Write(text); err != nil {
			return err // nobody is reading
		}
		separator = ",\n"
	}
	return w.WriteByte(']')
}

// jsonLine is a value as JSON in one line without an end.
func jsonLine(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
