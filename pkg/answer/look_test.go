package answer

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
)

// TestLook writes every answer on an example for terminals of several widths,
// with Unicode and without. Lines fit, but for tables in less than 80 columns; what
// can use more room does.
func TestLook(t *testing.T) {
	in := []Input{example(t, "training-loop"), example(t, "out-of-memory")}
	for command, sheet := range map[string]*Sheet{
		"stats": Stats(in, StatsOptions{Rows: 8}), "events": asked(Events(in, EventOptions{})),
		"oom": asked(OOM(in, OOMOptions{Rows: 8})), "leaks": asked(Leaks(in, LeaksOptions{Rows: 8})),
		"whatif": asked(WhatIf(in, WhatIfOptions{})), "diff": asked(Diff(&in[0], &in[1], DiffOptions{Rows: 8})),
		"segments": asked(Segments(in, Peak, 2000)), "top": asked(Top(in, TopOptions{At: Peak, Rows: 8})),
		"ranks": ranksOf(in...),
	} {
		longest := map[int]int{}
		for _, width := range []int{40, 80, 100, 160} {
			for _, ascii := range []bool{false, true} {
				var b bytes.Buffer
				if err := sheet.Write(&b, Text, Look{Width: width, ASCII: ascii}); err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(b.String()) {
					line = strings.TrimSuffix(line, "\n")
					n := text.StringWidthWithoutEscSequences(line)
					if longest[width] = max(longest[width], n); n > max(width, 80) { // tables need 80
						t.Errorf("%s: a line of %d columns for %d: %s", command, n, width, line)
					}
					if ascii && strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
						t.Errorf("%s: a line is not ASCII: %s", command, line)
					}
				}
			}
		}
		if longest[160] <= 80 && command != "top" && command != "segments" {
			t.Errorf("%s uses %d columns of 160", command, longest[160])
		}
	}
}
