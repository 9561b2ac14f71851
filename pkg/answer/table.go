package answer

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// newTable is a table with these columns.
func newTable(columns ...column) *sheetTable { return &sheetTable{columns: columns} }

// sheetTable is rows of texts. Cells are names or texts of our own.
type sheetTable struct {
	columns []column
	rows    [][]any
	more    string // below: what is not shown
}

// column is a heading and what stands below it.
type column struct {
	title string
	kind  columnKind
}

type columnKind uint8

const (
	words   columnKind = iota // short: never cut
	figures                   // to the right, never cut
	names                     // cut at its end where the line is too short
	paths                     // cut at its beginning
	lists                     // broken after commas where the line is too short
)

// flexible reports whether the column can be narrower than what stands in it.
func (k columnKind) flexible() bool { return k == names || k == paths || k == lists }

func (t *sheetTable) row(cells ...any) { t.rows = append(t.rows, cells) }

// leastFlexible is how narrow a column that can be cut may become.
const leastFlexible = 12

// gutter stands between columns.
const gutter = "  "

func (t *sheetTable) text(look Look) string {
	t = t.withoutEmpty()
	w := t.writer(plainName, false)
	var configs []table.ColumnConfig
	for i, width := range t.widths() {
		c := table.ColumnConfig{Number: i + 1, WidthMax: width}
		switch t.columns[i].kind {
		case figures:
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		case names:
			c.WidthMaxEnforcer = cutEnd
		case paths:
			c.WidthMaxEnforcer = cutBeginning
		case lists:
			c.WidthMaxEnforcer = breakList
		}
		if look.Color {
			c.ColorsHeader = text.Colors{text.Faint}
		}
		configs = append(configs, c)
	}
	w.SetColumnConfigs(configs)
	style := table.StyleDefault
	style.Box = table.BoxStyle{PaddingRight: gutter}
	style.Format = table.FormatOptions{}
	style.Options = table.OptionsNoBordersAndSeparators
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	var b strings.Builder
	for line := range strings.Lines(w.Render()) {
		b.WriteString(indent + line)
	}
	if t.more != "" {
		b.WriteString("\n" + indent + look.paint(t.more, text.Faint))
	}
	return b.String()
}

func (t *sheetTable) markdown() string {
	t = t.withoutEmpty()
	w := t.writer(codeSpan, true)
	var configs []table.ColumnConfig
	for i, c := range t.columns {
		config := table.ColumnConfig{Number: i + 1}
		if c.kind == figures {
			config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
		}
		configs = append(configs, config)
	}
	w.SetColumnConfigs(configs)
	rendered := w.RenderMarkdown()
	if t.more != "" {
		rendered += "\n\n_" + t.more + "_"
	}
	return rendered
}

// withoutEmpty is the table without columns that say nothing.
func (t *sheetTable) withoutEmpty() *sheetTable {
	keep := make([]bool, len(t.columns))
	for i, c := range t.columns {
		keep[i] = c.title != ""
		for _, cells := range t.rows {
			keep[i] = keep[i] || i < len(cells) && cells[i] != ""
		}
	}
	kept := &sheetTable{more: t.more}
	for i, c := range t.columns {
		if keep[i] {
			kept.columns = append(kept.columns, c)
		}
	}
	for _, cells := range t.rows {
		var row []any
		for i, cell := range cells {
			if keep[i] {
				row = append(row, cell)
			}
		}
		kept.rows = append(kept.rows, row)
	}
	return kept
}

// writer is the table for the library, with its names shown as show says. It
// has a header if a column has a title, or always.
func (t *sheetTable) writer(show func(name) string, titled bool) table.Writer {
	w := table.NewWriter()
	header := make(table.Row, len(t.columns))
	for i, c := range t.columns {
		header[i] = c.title
		titled = titled || c.title != ""
	}
	if titled {
		w.AppendHeader(header)
	}
	for _, cells := range t.rows {
		row := make(table.Row, len(cells))
		for i, cell := range cells {
			row[i] = shown(cell, show)
		}
		w.AppendRow(row)
	}
	return w
}

func shown(cell any, show func(name) string) string {
	if n, ok := cell.(name); ok {
		return show(n)
	}
	return fmt.Sprint(cell)
}

// widths are the columns' widths: what they need, but for those that can be
// cut, which share what is left of a line.
func (t *sheetTable) widths() []int {
	need, flexible := make([]int, len(t.columns)), 0
	left := Width - len(indent)
	for i, c := range t.columns {
		need[i] = text.StringWidthWithoutEscSequences(c.title)
		for _, cells := range t.rows {
			if i < len(cells) {
				need[i] = max(need[i], text.StringWidthWithoutEscSequences(shown(cells[i], plainName)))
			}
		}
		if i > 0 {
			left -= len(gutter)
		}
		if c.kind.flexible() {
			flexible++
		} else {
			left -= need[i]
		}
	}
	for i, c := range t.columns {
		if c.kind.flexible() {
			need[i] = min(need[i], max(left/flexible, leastFlexible))
			left -= need[i]
			flexible--
		}
	}
	return need
}

func cutEnd(s string, width int) string {
	return text.Snip(s, width, "…")
}

// breakList puts items on lines of their own where they do not fit beside others.
func breakList(s string, width int) string {
	var lines []string
	for item := range strings.SplitAfterSeq(s, ",") {
		if n := len(lines); n > 0 && text.StringWidthWithoutEscSequences(lines[n-1]+item) <= width {
			lines[n-1] += item
			continue
		}
		lines = append(lines, item)
	}
	for i, line := range lines {
		lines[i] = cutEnd(line, width)
	}
	return strings.Join(lines, "\n")
}

func cutBeginning(s string, width int) string {
	runes := []rune(s)
	if text.StringWidthWithoutEscSequences(s) <= width {
		return s
	}
	for cut := max(1, len(runes)-width+1); cut < len(runes); cut++ {
		if rest := "…" + string(runes[cut:]); text.StringWidthWithoutEscSequences(rest) <= width {
			return rest
		}
	}
	return "…"
}
