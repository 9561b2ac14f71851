package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	gopretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// table is a title, a header and rows. The first columns are text, aligned to
// the left; the others are figures, aligned to the right.
type table struct {
	title  string
	header []string
	words  int // how many columns are text
	rows   [][]string
	notes  []string // lines below
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// gap is an empty row between groups; Markdown has none.
func (t *table) gap() {
	if len(t.rows) > 0 {
		t.rows = append(t.rows, nil)
	}
}

// writeTables writes tables as aligned text, or as Markdown.
func writeTables(w io.Writer, markdown bool, tables ...*table) error {
	var b strings.Builder
	for i, t := range tables {
		if i > 0 {
			b.WriteString("\n")
		}
		if markdown {
			t.markdown(&b)
		} else {
			t.text(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *table) text(b *strings.Builder) {
	w := t.writer(t.rows)
	style := gopretty.StyleDefault
	style.Box = gopretty.BoxStyle{PaddingLeft: "  "}
	style.Format = gopretty.FormatOptions{}
	style.Options = gopretty.OptionsNoBordersAndSeparators
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	fmt.Fprintf(b, "%s\n\n%s\n", t.title, w.Render())
	if len(t.notes) > 0 {
		b.WriteString("\n")
	}
	for _, note := range t.notes {
		fmt.Fprintf(b, "  %s\n", note)
	}
}

func (t *table) markdown(b *strings.Builder) {
	full := slices.DeleteFunc(slices.Clone(t.rows), func(cells []string) bool { return cells == nil })
	w := t.writer(full)
	fmt.Fprintf(b, "**%s**\n\n%s\n", t.title, w.RenderMarkdown())
	for _, note := range t.notes {
		fmt.Fprintf(b, "\n%s\n", note)
	}
}

func (t *table) writer(rows [][]string) gopretty.Writer {
	w := gopretty.NewWriter()
	var columns []gopretty.ColumnConfig
	for i := range t.header {
		c := gopretty.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight}
		if i < t.words {
			c.Align, c.AlignHeader = text.AlignLeft, text.AlignLeft
		}
		columns = append(columns, c)
	}
	w.SetColumnConfigs(columns)
	w.AppendHeader(row(t.header))
	for _, cells := range rows {
		w.AppendRow(row(append(cells, make([]string, len(t.header)-len(cells))...)))
	}
	return w
}

func row(cells []string) gopretty.Row {
	r := make(gopretty.Row, len(cells))
	for i, cell := range cells {
		r[i] = cell
	}
	return r
}

// figure is a ratio or the like with about three significant digits.
func figure(v float64) string {
	switch {
	case !known(v):
		return "-"
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
