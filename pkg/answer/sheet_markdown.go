package answer

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/units"
)

func (s *Sheet) markdown() string {
	parts := make([]string, len(s.parts))
	for i, p := range s.parts {
		parts[i] = p.markdown() + "\n"
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
