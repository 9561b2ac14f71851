package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	gopretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// results are all samples of a benchmark.
type results struct {
	inputs  []*input
	samples map[measure][]float64
}

// measure is a figure of a subject, which is a program or a part of the page,
// on an input.
type measure struct{ input, subject, figure string }

func (r *results) add(in *input, subject, figure string, values ...float64) {
	m := measure{in.name, subject, figure}
	r.samples[m] = append(r.samples[m], values...)
}

// unknown is a figure that was not measured.
var unknown = math.NaN()

// addUsage adds what a run of a program took.
func (r *results) addUsage(in *input, subject string, used usage) {
	r.add(in, subject, wall, used.wall)
	r.add(in, subject, cpu, used.cpu)
	r.add(in, subject, output, float64(used.output))
	if known(used.peak) {
		r.add(in, subject, memory, used.peak)
	}
}

func known(v float64) bool { return !math.IsNaN(v) }

// percentile returns the smallest sample that at least a share p of all samples does
// not exceed, with 0 < p <= 1. It is unknown if there are no samples.
func percentile(samples []float64, p float64) float64 {
	if len(samples) == 0 {
		return unknown
	}
	rank := int(math.Ceil(p * float64(len(samples))))
	return slices.Sorted(slices.Values(samples))[max(rank, 1)-1]
}

func p95(samples []float64) float64 { return percentile(samples, 0.95) }

// median is the middle sample, or the mean of the middle two.
func median(samples []float64) float64 {
	n := len(samples)
	if n == 0 {
		return unknown
	}
	sorted := slices.Sorted(slices.Values(samples))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// medianRatio is the median over runs of one figure divided by another of the
// same run, so that what slows a whole run down cancels out.
func medianRatio(of, to []float64) float64 {
	if len(of) != len(to) {
		return unknown
	}
	ratios := make([]float64, len(of))
	for i := range of {
		if to[i] == 0 {
			return unknown
		}
		ratios[i] = of[i] / to[i]
	}
	return median(ratios)
}

// worst is the highest figure. It is unknown if any of them is, or there is none.
func worst(figures ...float64) float64 {
	highest := unknown
	for i, f := range figures {
		if i == 0 || f > highest || !known(f) {
			highest = f
		}
		if !known(f) {
			break
		}
	}
	return highest
}

// budget is a figure that must not exceed a limit, both in a unit.
type budget struct {
	name            string
	measured, limit float64
	unit            string
}

func (b budget) verdict() string {
	switch {
	case !known(b.measured):
		return "not measured"
	case b.measured > b.limit:
		return "NOT HELD"
	}
	return "held"
}

func budgetTable(budgets []budget) *table {
	t := &table{title: "Budgets", header: []string{"budget", "verdict", "measured", "at most"}, words: 2}
	for _, b := range budgets {
		t.add(b.name, b.verdict(), number(b.measured, b.unit), strconv.FormatFloat(b.limit, 'f', -1, 64)+b.unit)
	}
	return t
}

// number formats a value with about three significant digits.
func number(v float64, unit string) string {
	switch {
	case !known(v):
		return "-"
	case v >= 99.95:
		return fmt.Sprintf("%.0f%s", v, unit)
	case v >= 9.995:
		return fmt.Sprintf("%.1f%s", v, unit)
	}
	return fmt.Sprintf("%.2f%s", v, unit)
}

// table is a title, a header and rows. The first columns are words, aligned to
// the left; the others are figures, aligned to the right.
type table struct {
	title  string
	header []string
	words  int // how many columns are words
	rows   [][]string
	notes  []string // lines below
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// column is the figure that a table shows of each subject.
type column struct {
	header string
	cell   func(in *input, subject string) string
}

// table has a group for each input, with a row for each subject.
func (r *results) table(title string, subjects []string, detail func(*input) string, columns ...column) *table {
	t := &table{title: title, header: []string{"input", "measured"}, words: 2}
	for _, c := range columns {
		t.header = append(t.header, c.header)
	}
	for _, in := range r.inputs {
		t.add(in.name, detail(in))
		for _, subject := range subjects {
			row := []string{"", subject}
			for _, c := range columns {
				row = append(row, c.cell(in, subject))
			}
			t.add(row...)
		}
	}
	return t
}

// figure is a column of medians, each multiplied by scale before it is formatted.
func (r *results) figure(figure string, format func(int64) string, scale float64) column {
	return column{figure, func(in *input, subject string) string {
		v := median(r.samples[measure{in.name, subject, figure}])
		if !known(v) {
			return "-"
		}
		return format(int64(v * scale))
	}}
}

// writeTables writes tables as aligned text, or as Markdown.
func writeTables(w io.Writer, markdown bool, tables ...*table) error {
	var b strings.Builder
	title, body, note := "%s\n\n", gopretty.Writer.Render, "  %s\n"
	if markdown {
		title, body, note = "**%s**\n\n", gopretty.Writer.RenderMarkdown, "\n%s\n"
	}
	for i, t := range tables {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, title+"%s\n", t.title, body(t.writer()))
		if len(t.notes) > 0 && !markdown {
			b.WriteString("\n")
		}
		for _, line := range t.notes {
			fmt.Fprintf(&b, note, line)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *table) writer() gopretty.Writer {
	w := gopretty.NewWriter()
	style := gopretty.StyleDefault
	style.Box = gopretty.BoxStyle{PaddingLeft: "  "}
	style.Format = gopretty.FormatOptions{}
	style.Options = gopretty.OptionsNoBordersAndSeparators
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	columns := make([]gopretty.ColumnConfig, len(t.header))
	for i := range columns {
		align := text.AlignRight
		if i < t.words {
			align = text.AlignLeft
		}
		columns[i] = gopretty.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align}
	}
	w.SetColumnConfigs(columns)
	w.AppendHeader(cells(t.header))
	for _, row := range t.rows {
		w.AppendRow(cells(row))
	}
	return w
}

func cells(texts []string) gopretty.Row {
	row := make(gopretty.Row, len(texts))
	for i, text := range texts {
		row[i] = text
	}
	return row
}
