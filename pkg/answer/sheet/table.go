package sheet

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/memviz-go/memviz/pkg/units"
)

// Table is an element with rows of cells, which are names or other texts.
type Table struct {
	columns []Column
	Rows    [][]any
	More    string // the line below the table, on rows that are not shown
}

func NewTable(columns ...Column) *Table { return &Table{columns: columns} }

type Column struct {
	title string
	kind  columnKind
}

type columnKind uint8

const (
	wordColumn columnKind = iota
	figureColumn
	nameColumn
	pathColumn
	listColumn
	barColumn
)

// Words is a column that is wrapped between words if nothing else makes the line fit.
func Words(title string) Column { return Column{title, wordColumn} }

// Figures is a column of numbers, aligned right and never cut.
func Figures(title string) Column { return Column{title, figureColumn} }

// Names is a column whose cells are cut at the end if the line is too long.
func Names(title string) Column { return Column{title, nameColumn} }

// Paths is a column whose cells are cut at the beginning if the line is too long.
func Paths(title string) Column { return Column{title, pathColumn} }

// Lists is a column whose cells are wrapped after commas.
func Lists(title string) Column { return Column{title, listColumn} }

// Bars is a column of [Bar], drawn as wide as there is room.
func Bars(title string) Column { return Column{title, barColumn} }

// Bar draws a bar of some width.
type Bar func(width int) string

// Widths of a column of bars.
const (
	leastBar = 6
	mostBar  = 14
)

// flexible reports whether the column can be narrower than its texts.
func (k columnKind) flexible() bool { return k != wordColumn && k != figureColumn }

// least is how narrow a flexible column can be whose texts are that wide.
func (k columnKind) least(need int) int {
	if k == barColumn {
		return leastBar
	}
	return min(need, leastFlexible)
}

func (t *Table) Row(cells ...any) { t.Rows = append(t.Rows, cells) }

// Fill calls row for each of the first most of n items, and says below the table
// how many are left out.
func (t *Table) Fill(n, most int, row func(i int)) {
	for i := range min(n, most) {
		row(i)
	}
	if n > most {
		t.More = "and " + units.Plural(n-most, "more row", "more rows") + "; --rows shows more"
	}
}

// leastFlexible is the least width of a flexible column.
const leastFlexible = 12

// Gutter is between columns.
const Gutter = "  "

func (t *Table) text(look Look) string {
	t = t.filled(func(n Name) string { return look.Show(n.Shown()) }, look.Show)
	widths, fit := t.widths(look.Columns())
	if !fit {
		return t.paragraphs(look)
	}
	t.draw(look, widths)
	w := t.writer(false)
	var configs []table.ColumnConfig
	for i, width := range widths {
		c := table.ColumnConfig{Number: i + 1, WidthMax: width}
		switch t.columns[i].kind {
		case wordColumn:
			c.WidthMaxEnforcer = look.breakWords
		case figureColumn:
			c.Align, c.AlignHeader, c.WidthMaxEnforcer = text.AlignRight, text.AlignRight, look.breakWords
		case nameColumn:
			c.WidthMaxEnforcer = look.CutEnd
		case pathColumn:
			c.WidthMaxEnforcer = look.CutBeginning
		case listColumn:
			c.WidthMaxEnforcer = look.breakList
		}
		if look.Color {
			c.ColorsHeader = text.Colors{text.Faint}
		}
		configs = append(configs, c)
	}
	w.SetColumnConfigs(configs)
	style := table.StyleDefault
	style.Box = table.BoxStyle{PaddingRight: Gutter}
	style.Format = table.FormatOptions{}
	style.Options = table.OptionsNoBordersAndSeparators
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	var b strings.Builder
	for line := range strings.Lines(w.Render()) {
		b.WriteString(Indent + line)
	}
	return b.String() + t.moreText(look)
}

func (t *Table) moreText(look Look) string {
	if t.More == "" {
		return ""
	}
	return "\n" + look.Paint(look.wrap(t.More, Indent), text.Faint)
}

// paragraphs is the table for a line that is too narrow for its columns: a
// paragraph for each row, where the title of a column stands before its cell.
func (t *Table) paragraphs(look Look) string {
	narrower := look
	narrower.Width = look.Columns() - len(Indent)
	var rows []string
	if first := t.columns[0]; first.kind == wordColumn && first.title != "" {
		rows = append(rows, look.Paint(look.wrap(first.title, Indent), text.Faint))
	}
	for _, row := range t.Rows {
		var cells []string
		for i, cell := range row {
			if draw, ok := cell.(Bar); ok {
				cell = look.Show(draw(mostBar))
			}
			text, c := fmt.Sprint(cell), t.columns[i]
			if text == "" {
				continue
			}
			switch room := narrower.Width - len(Indent); c.kind {
			case figureColumn:
				text = units.NoBreak(text)
			case nameColumn:
				text = units.NoBreak(look.CutEnd(text, room))
			case pathColumn:
				text = units.NoBreak(look.CutBeginning(text, room))
			}
			if c.title != "" && c.kind != nameColumn && c.kind != pathColumn && (i > 0 || c.kind != wordColumn) {
				text = c.title + " " + text
			}
			cells = append(cells, text)
		}
		rows = append(rows, strings.ReplaceAll(narrower.wrap(WithUnits(strings.Join(cells, ", ")), Indent), "\n",
			"\n"+Indent))
	}
	return strings.Join(rows, "\n") + t.moreText(look)
}

// draw draws the bars.
func (t *Table) draw(look Look, widths []int) {
	for _, row := range t.Rows {
		for i, cell := range row {
			if draw, ok := cell.(Bar); ok {
				row[i] = look.Show(draw(widths[i]))
			}
		}
	}
}

func (t *Table) markdown() string {
	t = t.filled(codeCell, quotesAsCode)
	widths, _ := t.widths(math.MaxInt)
	t.draw(Look{}, widths)
	w := t.writer(true)
	var configs []table.ColumnConfig
	for i, c := range t.columns {
		config := table.ColumnConfig{Number: i + 1}
		if c.kind == figureColumn {
			config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
		}
		configs = append(configs, config)
	}
	w.SetColumnConfigs(configs)
	rendered := w.RenderMarkdown()
	if t.More != "" {
		rendered += "\n\n_" + t.More + "_"
	}
	return rendered
}

// codeCell shows a name as code in a cell, which a pipe would end. Parsers do not
// agree on a backslash before it.
func codeCell(n Name) string { return asCode(Name(strings.ReplaceAll(string(n), "|", "¦"))) }

// filled is the table with a text in every cell, without columns that say
// nothing. The first function shows names, the second all other texts.
func (t *Table) filled(showName func(Name) string, show func(string) string) *Table {
	keep := make([]bool, len(t.columns))
	for i, c := range t.columns {
		keep[i] = c.title != ""
		for _, cells := range t.Rows {
			if i < len(cells) {
				text, isText := cells[i].(string)
				keep[i] = keep[i] || !isText || text != ""
			}
		}
	}
	kept := &Table{More: t.More}
	for i, c := range t.columns {
		if keep[i] {
			kept.columns = append(kept.columns, c)
		}
	}
	for _, cells := range t.Rows {
		var row []any
		for i, cell := range cells {
			if !keep[i] {
				continue
			}
			switch cell := cell.(type) {
			case Name:
				row = append(row, showName(cell))
			case Bar:
				row = append(row, cell)
			default:
				row = append(row, show(fmt.Sprint(cell)))
			}
		}
		kept.Rows = append(kept.Rows, row)
	}
	return kept
}

// writer is the table for the library. It has a header if a column has a title,
// or always.
func (t *Table) writer(titled bool) table.Writer {
	w := table.NewWriter()
	header := make(table.Row, len(t.columns))
	for i, c := range t.columns {
		header[i] = c.title
		titled = titled || c.title != ""
	}
	if titled {
		w.AppendHeader(header)
	}
	for _, cells := range t.Rows {
		w.AppendRow(cells)
	}
	return w
}

// widths are the columns' widths, and whether they fit into a line. Names, paths,
// lists and bars share what the others leave. If that is too little, titles and
// the texts of words are wrapped, those of the last column first.
func (t *Table) widths(line int) (widths []int, fit bool) {
	need, flexible := make([]int, len(t.columns)), 0
	left := line - len(Indent)
	for i, c := range t.columns {
		need[i] = text.StringWidthWithoutEscSequences(c.title)
		for _, cells := range t.Rows {
			if i < len(cells) {
				need[i] = max(need[i], cellWidth(cells[i]))
			}
		}
		if i > 0 {
			left -= len(Gutter)
		}
		if c.kind.flexible() {
			flexible++
		} else {
			left -= need[i]
		}
	}
	for i, c := range t.columns {
		if c.kind.flexible() {
			need[i] = min(need[i], max(left/flexible, c.kind.least(need[i])))
			left -= need[i]
			flexible--
		}
	}
	for i := len(need) - 1; i >= 0 && left < 0; i-- {
		less := min(-left, need[i]-min(need[i], t.leastWidth(i)))
		need[i] -= less
		left += less
	}
	return need, left >= 0
}

func cellWidth(cell any) int {
	if _, ok := cell.(Bar); ok {
		return mostBar
	}
	return text.StringWidthWithoutEscSequences(fmt.Sprint(cell))
}

// leastWidth is how narrow a column can be when titles and words are wrapped: that
// of its longest word, or of its cells where these stay as they are.
func (t *Table) leastWidth(column int) int {
	kind := t.columns[column].kind
	least := longestWord(t.columns[column].title)
	for _, row := range t.Rows {
		if column >= len(row) {
			continue
		}
		switch width := cellWidth(row[column]); {
		case kind == wordColumn:
			least = max(least, longestWord(fmt.Sprint(row[column])))
		case kind == figureColumn:
			least = max(least, width)
		default:
			least = max(least, kind.least(width))
		}
	}
	return least
}

func longestWord(s string) int {
	longest := 0
	for word := range strings.FieldsFuncSeq(WithUnits(s), isSpace) {
		longest = max(longest, text.StringWidthWithoutEscSequences(word))
	}
	return longest
}

var numberAndUnit = regexp.MustCompile(`(\d) ((?:[KMGT]i)?B|%|[mµ]?s)\b`)

// WithUnits keeps a number and its unit in one line.
func WithUnits(text string) string { return numberAndUnit.ReplaceAllString(text, "${1}\u00a0${2}") }

func (l Look) breakWords(s string, width int) string {
	if text.StringWidthWithoutEscSequences(s) <= width {
		return s
	}
	l.Width = width
	return l.wrap(WithUnits(s), "")
}

func (l Look) CutEnd(s string, width int) string {
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
		lines[i] = l.CutEnd(line, width)
	}
	return strings.Join(lines, "\n")
}

func (l Look) CutBeginning(s string, width int) string {
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
