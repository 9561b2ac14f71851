package sheet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/memviz-go/memviz/pkg/units"
)

// Name is a text from a snapshot, or the name of a file. Markdown shows it as
// code, so that __init__ is not taken for markup.
type Name string

// maxName is how many characters of a name are shown.
const maxName = 300

func (n Name) Clipped() string {
	text := string(n[:min(len(n), 4*maxName)])
	if runes := []rune(text); len(runes) > maxName {
		return string(runes[:maxName]) + "…"
	}
	return text
}

// Sentence is a format and its arguments.
type Sentence struct {
	Format string
	Args   []any
}

// Sentencef is a sentence like [fmt.Sprintf] makes; arguments of type name are shown as names.
func Sentencef(format string, args ...any) Sentence { return Sentence{format, args} }

// String is the sentence as text.
func (s Sentence) String() string { return s.with(Name.Shown) }

// with formats the sentence; show makes text of the names in it.
func (s Sentence) with(show func(Name) string) string {
	args := make([]any, len(s.Args))
	for i, arg := range s.Args {
		if n, ok := arg.(Name); ok {
			arg = show(n)
		}
		args[i] = arg
	}
	return fmt.Sprintf(s.Format, args...)
}

type heading struct{ Sentence }

type note struct{ Sentence }

// unbroken is a list of sentences on one line each, however long.
type unbroken []Sentence

type code string

// streamedLines is an element that may be larger than memory. Its lines are
// written as they are made, so the output of millions of events begins at once.
type streamedLines struct {
	lines func(look Look) iter.Seq[string] // that fit the width, without a line end
}

// maxMarkdownLines is how many streamed lines Markdown shows, which is for tickets.
const maxMarkdownLines = 200

// Lines adds streamed lines.
func (s *Sheet) Lines(lines func(look Look) iter.Seq[string]) { s.Add(streamedLines{lines}) }

func (l streamedLines) writeText(w *bufio.Writer, look Look) {
	for line := range l.lines(look) {
		w.WriteString(line)
		if w.WriteByte('\n') != nil {
			return // nobody is reading
		}
	}
}

func (l streamedLines) text(look Look) string {
	return strings.Join(slices.Collect(l.lines(look)), "\n")
}

func (l streamedLines) markdown() string {
	var b strings.Builder
	b.WriteString("```text\n")
	n := 0
	for line := range l.lines(Look{}) {
		if n++; n <= maxMarkdownLines {
			b.WriteString(strings.ReplaceAll(line, "`", "'") + "\n")
		}
	}
	b.WriteString("```")
	if n > maxMarkdownLines {
		b.WriteString("\n\n_and " + units.Plural(n-maxMarkdownLines, "more line", "more lines") + "_")
	}
	return b.String()
}

// WriteArray writes a JSON array with one item per line.
func WriteArray[T any](w *bufio.Writer, items iter.Seq[T]) error {
	w.WriteByte('[')
	separator := "\n"
	for item := range items {
		text, err := JSONLine(item)
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

// JSONLine is a value as one line of JSON, without a line end.
func JSONLine(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(units.EscapeJSON(text.Bytes()), []byte("\n")), err
}

// Indent is in front of everything but headings.
const Indent = "  "

// writeText writes the elements with blank lines between them.
func (s *Sheet) writeText(w *bufio.Writer, look Look) {
	for i, e := range s.elements {
		if i > 0 {
			w.WriteByte('\n')
		}
		if lines, ok := e.(streamedLines); ok {
			lines.writeText(w, look)
			continue
		}
		w.WriteString(e.text(look))
		w.WriteByte('\n')
	}
}

// Shown is the name without the characters that a terminal might obey.
func (n Name) Shown() string { return units.Printable(n.Clipped()) }

func (h heading) text(look Look) string {
	return look.Paint(look.wrap(h.String(), ""), text.Bold)
}

func (s Sentence) text(look Look) string { return look.wrap(s.String(), Indent) }

func (u unbroken) text(look Look) string {
	lines := make([]string, len(u))
	for i, s := range u {
		lines[i] = look.Show(s.String())
	}
	return strings.Join(lines, "\n")
}

func (n note) text(look Look) string { return look.Paint(n.Sentence.text(look), text.Faint) }

// A line to copy is never wrapped.
func (c code) text(Look) string { return Indent + Indent + units.Printable(string(c)) }

// wrap breaks a text between words, each line behind an indent. A word that is
// too long for a line stays whole, because people copy paths.
func (l Look) wrap(s, indent string) string {
	var lines []string
	line, width := "", 0
	for _, word := range strings.FieldsFunc(l.Show(s), isSpace) {
		w := text.StringWidthWithoutEscSequences(word)
		if line != "" && len(indent)+width+1+w > l.Columns() {
			lines = append(lines, indent+line)
			line, width = "", 0
		}
		if line != "" {
			line, width = line+" ", width+1
		}
		line, width = line+word, width+w
	}
	// No-break spaces have kept words together; terminals need none.
	return strings.ReplaceAll(strings.Join(append(lines, indent+line), "\n"), "\u00a0", " ")
}

// isSpace reports whether lines may be broken at r; no-break spaces are none.
func isSpace(r rune) bool { return r == ' ' || r == '\n' }

// Paint colours each line by itself, so that a pager keeps it.
func (l Look) Paint(s string, colors ...text.Color) string {
	if !l.Color {
		return s
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = text.Colors(colors).EscapeSeq() + lines[i] + text.Reset.EscapeSeq()
	}
	return strings.Join(lines, "\n")
}

func (s *Sheet) markdown() string {
	parts := make([]string, len(s.elements))
	for i, e := range s.elements {
		parts[i] = e.markdown() + "\n"
	}
	return strings.Join(parts, "\n")
}

// asCode shows a name as code. Only a backtick or the end of a line would end it, and
// Printable leaves no line ends.
func asCode(n Name) string {
	text := units.Printable(n.Clipped())
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(text, "`", "'") + "`"
}

func (h heading) markdown() string { return "**" + h.Sentence.markdown() + "**" }

func (s Sentence) markdown() string {
	args := make([]any, len(s.Args))
	for i, arg := range s.Args {
		if text, ok := arg.(string); ok {
			arg = quotesAsCode(text)
		}
		args[i] = arg
	}
	return strings.ReplaceAll(Sentence{s.Format, args}.with(asCode), "\u00a0", " ")
}

// inQuotes is what %q makes of a text.
var inQuotes = regexp.MustCompile(`"(?:[^"\\]|\\.)+"`)

// quotesAsCode shows what a text quotes as code, because it may come from a snapshot.
func quotesAsCode(text string) string {
	return inQuotes.ReplaceAllStringFunc(text, func(quoted string) string {
		return asCode(Name(quoted[1 : len(quoted)-1]))
	})
}

func (u unbroken) markdown() string {
	lines := make([]string, len(u))
	for i, s := range u {
		lines[i] = "- " + s.markdown()
	}
	return strings.Join(lines, "\n")
}

func (n note) markdown() string { return "_" + n.Sentence.markdown() + "_" }

// A line to copy may hold settings of a snapshot. Its fence is longer than any in it.
func (c code) markdown() string {
	fence := "```"
	for strings.Contains(string(c), fence) {
		fence += "`"
	}
	return fence + "\n" + units.Printable(string(c)) + "\n" + fence
}

// Curve is a series of values as a line of bars. Each bar is the highest value of
// its share of the series.
type Curve []int64

func (c Curve) text(look Look) string {
	return Indent + look.Show(Sparkline(c, look.Columns()-2*len(Indent)))
}

func (c Curve) markdown() string { return "`" + Sparkline(c, DefaultWidth-2*len(Indent)) + "`" }

// Levels are the heights of a bar, the lowest first.
var Levels = []rune("▁▂▃▄▅▆▇█")

// Sparkline is the highest value in each of at most width columns, from zero up.
func Sparkline(values []int64, width int) string {
	var top int64 = 1
	for _, v := range values {
		top = max(top, v)
	}
	width = min(width, len(values))
	line := make([]rune, width)
	for column := range line {
		from, end := column*len(values)/width, (column+1)*len(values)/width
		var high int64
		for _, v := range values[from:end] {
			high = max(high, v)
		}
		line[column] = Levels[int(float64(high)/float64(top)*float64(len(Levels)-1)+0.5)]
	}
	return string(line)
}
