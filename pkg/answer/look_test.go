package answer_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// TestLook writes every answer on an example for terminals of several widths,
// with Unicode and without. Lines fit, but for tables in less than 80 columns; what
// can use more room does.
func TestLook(t *testing.T) {
	in := []answer.Input{answertest.Example(t, "training-loop"), answertest.Example(t, "out-of-memory")}
	for command, said := range map[string]*sheet.Sheet{
		"stats": stats.Answer(in, stats.Options{Rows: 8}), "events": answertest.Asked(events.Answer(in,
			events.Options{})),
		"oom": answertest.Asked(oom.Answer(in, oom.Options{Rows: 8})), "leaks": answertest.Asked(leaks.Answer(in,
			leaks.Options{Rows: 8})),
		"whatif": answertest.Asked(whatif.Answer(in, whatif.Options{})), "diff": answertest.Asked(diff.Answer(&in[0],
			&in[1], diff.Options{Rows: 8})),
		"segments": answertest.Asked(segments.Answer(in, answer.Peak, 2000)), "top": answertest.Asked(top.Answer(in,
			top.Options{At: answer.Peak, Rows: 8})),
		"ranks": ranksOf(in...),
	} {
		longest := map[int]int{}
		for _, width := range []int{40, 80, 100, 160} {
			for _, ascii := range []bool{false, true} {
				var b bytes.Buffer
				if err := said.Write(&b, sheet.Text, sheet.Look{Width: width, ASCII: ascii}); err != nil {
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
