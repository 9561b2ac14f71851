package answer

import (
	"bufio"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/memviz-go/memviz/pkg/units"
)

// indent stands before everything but headings.
const indent = "  "

// writeText writes the parts, a blank line between them.
func (s *Sheet) writeText(w *bufio.Writer, look Look) {
	for i, p := range s.parts {
		if i > 0 {
			w.WriteByte('\n')
		}
		if long, ok := p.(longPart); ok {
			long.writeText(w, look)
			continue
		}
		w.WriteString(p.text(look))
		w.WriteByte('\n')
	}
}

// asText shows a name as it is, but for what a terminal might obey.
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

// A line to copy stays whole, however long it is.
func (c code) text(Look) string { return indent + indent + units.Printable(string(c)) }

// wrap breaks a text between words, each line behind an indent. A word that is
// too long for a line stays whole, because people copy paths.
func (l Look) wrap(s, indent string) string {
	var lines []string
	line, width := "", 0
	for _, word := range strings.FieldsFunc(l.Show(s), func(r rune) bool { return r == ' ' || r == '\n' }) {
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
	// What kept words together has done its work.
	return strings.ReplaceAll(strings.Join(append(lines, indent+line), "\n"), "\u00a0", " ")
}

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
