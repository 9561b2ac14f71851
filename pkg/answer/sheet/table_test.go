package sheet

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"testing"
)

// TestColumnWidths: a line of 80 has 2 columns of indent and 2 between columns; what
// figures leave is shared by the columns that can be cut.
func TestColumnWidths(t *testing.T) {
	long := Name(strings.Repeat("x", 200))
	for _, test := range []struct {
		cells []any
		line  int
		want  []int
	}{
		{[]any{"1234567890", long, long}, 80, []int{10, 32, 32}},
		{[]any{"1234567890", Name("short"), long}, 80, []int{10, 5, 59}},
		{[]any{"1234567890", long, Name("short")}, 80, []int{10, 32, 5}},
		{[]any{"1234567890", long, long}, 20, []int{10, 12, 12}},
		{[]any{"1234567890"}, 80, []int{10, 4, 4}}, // its titles alone
	} {
		table := NewTable(Figures(""), Paths("site"), Names("file"))
		table.Row(test.cells...)
		if got, fit := table.widths(test.line); !slices.Equal(got, test.want) || fit != (test.line == 80) {
			t.Errorf("%d cells in %d columns: %v, fit: %v, want %v", len(test.cells), test.line, got, fit, test.want)
		}
	}
}

// TestShortRows: a row may lack its last cells.
func TestShortRows(t *testing.T) {
	table := NewTable(Words(""), Figures(""), Words(""))
	table.Row("a", "1")
	table.Row("b")
	if got, want := table.text(Look{}), "  a  1\n  b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBreakList(t *testing.T) {
	for _, test := range []struct {
		list  string
		width int
		want  string
	}{
		{"ab,cd,ef", 8, "ab,cd,ef"},
		{"ab,cd,ef", 7, "ab,cd,\nef"},
		{"ab,cd,ef", 6, "ab,cd,\nef"},
		{"ab,cd,ef", 5, "ab,\ncd,ef"},
		{"abcdef,g", 4, "abc…\ng"},
	} {
		if got := (Look{}).breakList(test.list, test.width); got != test.want {
			t.Errorf("%q in %d columns: %q, want %q", test.list, test.width, got, test.want)
		}
	}
}

func TestCutBeginning(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"/home/x.py", 10, "/home/x.py"}, {"/home/x.py", 9, "…ome/x.py"}, {"/home/x.py", 1, "…"}, {"日本語", 5, "…本語"},
	} {
		if got := (Look{}).CutBeginning(test.text, test.width); got != test.want {
			t.Errorf("%q in %d columns: %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestClipped(t *testing.T) {
	for n, want := range map[int]int{299: 299, 300: 300, 301: 301, 5000: 301} { // 300 and the ellipsis
		if got := []rune(Name(strings.Repeat("é", n)).Clipped()); len(got) != want ||
			(got[len(got)-1] == '…') != (n > 300) {
			t.Errorf("%d characters are clipped to %d", n, len(got))
		}
	}
}

// TestStreamedMarkdown shows at most 200 lines in a ticket.
func TestStreamedMarkdown(t *testing.T) {
	for n, more := range map[int]string{200: "", 201: "\n\n_and 1 more line_", 250: "\n\n_and 50 more lines_"} {
		lines := streamedLines{func(Look) iter.Seq[string] { return slices.Values(slices.Repeat([]string{"`x`"}, n)) }}
		if got := lines.markdown(); got != "```text\n"+strings.Repeat("'x'\n", 200)+"```"+more {
			t.Errorf("%d lines: %s", n, got)
		}
	}
}

// TestUnbrokenLines: lines that follow one another are one element.
func TestUnbrokenLines(t *testing.T) {
	s := &Sheet{}
	s.Line("a")
	s.Line("b")
	s.Say("c")
	s.Line("d")
	var b bytes.Buffer
	if err := s.Write(&b, Text, Look{}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "a\nb\n\n  c\n\nd\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
