package answer

import (
	"bufio"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/memviz-go/memviz/pkg/units"
)

// indent is in front of everything but headings.
const indent = "  "

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

// asText shows a name without the characters that a terminal might obey.
func asText(n name) string { return units.Printable(n.clipped()) }

func (h heading) text(look Look) string {
	return look.paint(look.wrap(h.with(asText), ""), text.Bold)
}

func (s sentence) text(look Look) string { return look.wrap(s.with(asText), indent) }

func (u unbroken) text(look Look) string {
	lines := make([]string, len(u))
	for i, s := range u {
		lines[i] = look.Show(s.with(asText))
	}
	return strings.Join(lines, "\n")
}

func (n note) text(look Look) string { return look.paint(n.sentence.text(look), text.Faint) }

// A line to copy is never wrapped.
func (c code) text(Look) string { return indent + indent + units.Printable(string(c)) }

// wrap breaks a text between words, each line behind an indent. A word that is
// too long for a line stays whole, because people copy paths.
func (l Look) wrap(s, indent string) string {
	var lines []string
	line, width := "", 0
	for _, word := range strings.FieldsFunc(l.Show(s), isSpace) {
		w := text.StringWidthWithoutEscSequences(word)
		if line != "" && len(indent)+width+1+w > l.width() {
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

// paint colours each line by itself, so that a pager keeps it.
func (l Look) paint(s string, colors ...text.Color) string {
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

// asCode shows a name as code. Backticks would end it, and nothing else can.
func asCode(n name) string {
	text := units.Printable(n.clipped())
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(text, "`", "'") + "`"
}

func (h heading) markdown() string { return "**" + h.sentence.markdown() + "**" }

func (s sentence) markdown() string { return strings.ReplaceAll(s.with(asCode), "\u00a0", " ") }

func (u unbroken) markdown() string {
	lines := make([]string, len(u))
	for i, s := range u {
		lines[i] = "- " + s.markdown()
	}
	return strings.Join(lines, "\n")
}

func (n note) markdown() string { return "_" + n.sentence.markdown() + "_" }

func (c code) markdown() string { return "```\n" + units.Printable(string(c)) + "\n```" }

// curve is a series of values as a line of bars. Each bar is the highest value of
// its share of the series.
type curve []int64

func (c curve) text(look Look) string {
	return indent + look.Show(sparkline(c, look.width()-2*len(indent)))
}

func (c curve) markdown() string { return "`" + sparkline(c, DefaultWidth-2*len(indent)) + "`" }

// levels are the heights of a bar, the lowest first.
var levels = []rune("▁▂▃▄▅▆▇█")

// sparkline is the highest value in each of at most width columns, from zero up.
func sparkline(values []int64, width int) string {
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
		line[column] = levels[int(float64(high)/float64(top)*float64(len(levels)-1)+0.5)]
	}
	return string(line)
}
