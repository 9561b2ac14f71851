package answer

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/memviz-go/memviz/pkg/units"
)

// sheetTable is an element with rows of cells, which are names or other texts.
type sheetTable struct {
	columns []column
	rows    [][]any
	more    string // the line below the table, on rows that are not shown
}

func newTable(columns ...column) *sheetTable { return &sheetTable{columns: columns} }

type column struct {
	title string
	kind  columnKind
}

type columnKind uint8

const (
	words   columnKind = iota // short texts, which are never cut
	figures                   // aligned right, never cut
	names                     // cut at the end if the line is too long
	paths                     // cut at the beginning
	lists                     // wrapped after commas
)

// flexible reports whether the column can be narrower than its texts.
func (k columnKind) flexible() bool { return k == names || k == paths || k == lists }

func (t *sheetTable) row(cells ...any) { t.rows = append(t.rows, cells) }

// fill calls row for each of the first most of n items, and says below the table
// how many are left out.
func (t *sheetTable) fill(n, most int, row func(i int)) {
	for i := range min(n, most) {
		row(i)
	}
	if n > most {
		t.more = "and " + units.Plural(n-most, "more row", "more rows") + "; --rows shows more"
	}
}

// leastFlexible is the least width of a flexible column.
const leastFlexible = 12

// gutter is between columns.
const gutter = "  "

func (t *sheetTable) text(look Look) string {
	t = t.filled(func(n name) string { return look.Show(asText(n)) }, look.Show)
	w := t.writer(false)
	var configs []table.ColumnConfig
	for i, width := range t.widths(look.width()) {
		c := table.ColumnConfig{Number: i + 1, WidthMax: width}
		switch t.columns[i].kind {
		case figures:
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		case names:
			c.WidthMaxEnforcer = look.cutEnd
		case paths:
			c.WidthMaxEnforcer = look.cutBeginning
		case lists:
			c.WidthMaxEnforcer = look.breakList
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
	t = t.filled(asCode, func(text string) string { return text })
	w := t.writer(true)
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

// filled is the table with a text in every cell, without columns that say
// nothing. The first function shows names, the second all other texts.
func (t *sheetTable) filled(showName func(name) string, show func(string) string) *sheetTable {
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
			if !keep[i] {
				continue
			}
			if n, ok := cell.(name); ok {
				row = append(row, showName(n))
			} else {
				row = append(row, show(fmt.Sprint(cell)))
			}
		}
		kept.rows = append(kept.rows, row)
	}
	return kept
}

// writer is the table for the library. It has a header if a column has a title,
// or always.
func (t *sheetTable) writer(titled bool) table.Writer {
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
		w.AppendRow(cells)
	}
	return w
}

// widths are the columns' widths: what they need, but for those that can be
// cut, which share what is left of a line.
func (t *sheetTable) widths(line int) []int {
	need, flexible := make([]int, len(t.columns)), 0
	left := line - len(indent)
	for i, c := range t.columns {
		need[i] = text.StringWidthWithoutEscSequences(c.title)
		for _, cells := range t.rows {
			if i < len(cells) {
				need[i] = max(need[i], text.StringWidthWithoutEscSequences(fmt.Sprint(cells[i])))
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

func (l Look) cutEnd(s string, width int) string {
	return text.Snip(s, width, l.Show("…"))
}

// breakList puts items on lines of their own where they do not fit beside others.
func (l Look) breakList(s string, width int) string {
	var lines []string
	for item := range strings.SplitAfterSeq(s, ",") {
		if n := len(lines); n > 0 && text.StringWidthWithoutEscSequences(lines[n-1]+item) <= width {
			lines[n-1] += item
			continue
		}
		lines = append(lines, item)
	}
	for i, line := range lines {
		lines[i] = l.cutEnd(line, width)
	}
	return strings.Join(lines, "\n")
}

func (l Look) cutBeginning(s string, width int) string {
	runes, ellipsis := []rune(s), l.Show("…")
	if text.StringWidthWithoutEscSequences(s) <= width {
		return s
	}
	for cut := max(1, len(runes)-width+1); cut < len(runes); cut++ {
		if rest := ellipsis + string(runes[cut:]); text.StringWidthWithoutEscSequences(rest) <= width {
			return rest
		}
	}
	return ellipsis
}
