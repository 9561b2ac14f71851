package main

import (
	"strings"
	"testing"
)

func sample() *table {
	t := &table{title: "Sizes", header: []string{"what", "µ", "much"}, words: 2, notes: []string{"A note."}}
	t.gap() // none before the first row
	t.add("a long name", "x", "1")
	t.gap()
	t.add("b", "yµ", "1,000")
	t.add("c")
	return t
}

func TestTableText(t *testing.T) {
	var b strings.Builder
	if err := writeTables(&b, false, sample(), &table{title: "Empty", header: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	want := `Sizes

  what         µ    much
  a long name  x       1

  b            yµ  1,000
  c

  A note.

Empty

  a
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestTableMarkdown(t *testing.T) {
	var b strings.Builder
	if err := writeTables(&b, true, sample()); err != nil {
		t.Fatal(err)
	}
	want := `**Sizes**

| what | µ | much |
|:--- |:--- | ---:|
| a long name | x | 1 |
| b | yµ | 1,000 |
| c |  |  |

A note.
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestFigure(t *testing.T) {
	for v, want := range map[float64]string{0: "0.00", 0.456: "0.46", 9.99: "9.99", 9.999: "10.0", 12.34: "12.3",
		99.96: "100", 1234.5: "1234"} {
		if got := figure(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
	if got := figure(unknown); got != "-" {
		t.Errorf("an unknown figure is %q", got)
	}
}
