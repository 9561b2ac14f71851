package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
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
	var aligned strings.Builder
	columns := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', tabwriter.AlignRight)
	widths := t.wordWidths()
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i := range t.header {
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			if i < t.words {
				cell += strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			}
			fmt.Fprint(columns, cell, "\t")
		}
		fmt.Fprintln(columns)
	}
	columns.Flush()
	fmt.Fprintf(b, "%s\n\n", t.title)
	for line := range strings.Lines(aligned.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	if len(t.notes) > 0 {
		b.WriteString("\n")
	}
	for _, note := range t.notes {
		fmt.Fprintf(b, "  %s\n", note)
	}
}

func (t *table) wordWidths() []int {
	widths := make([]int, t.words)
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, cell := range row[:min(t.words, len(row))] {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func (t *table) markdown(b *strings.Builder) {
	line := func(cells []string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }
	fmt.Fprintf(b, "**%s**\n\n", t.title)
	line(t.header)
	rules := make([]string, len(t.header))
	for i := range rules {
		rules[i] = "---:"
		if i < t.words {
			rules[i] = "---"
		}
	}
	line(rules)
	for _, row := range t.rows {
		if row != nil {
			line(append(row[:len(row):len(row)], make([]string, len(t.header)-len(row))...))
		}
	}
	for _, note := range t.notes {
		fmt.Fprintf(b, "\n%s\n", note)
	}
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
