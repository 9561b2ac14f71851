package answer

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/units"
)

func (s *Sheet) markdown() string {
	return s.joined(part.markdown)
}

// codeSpan shows a name as code. Backticks would end it, and nothing else can.
func codeSpan(n name) string {
	text := units.Printable(n.clipped())
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(text, "`", "'") + "`"
}

func (h heading) markdown() string { return "**" + h.with(codeSpan) + "**" }

func (s sentence) markdown() string { return s.with(codeSpan) }

func (n note) markdown() string { return "_" + n.with(codeSpan) + "_" }

func (c code) markdown() string { return "```\n" + units.Printable(string(c)) + "\n```" }
