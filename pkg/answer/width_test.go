package answer_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/inspect"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// TestWidths writes every answer on every example for terminals of several
// widths. No line is wider, unless it is to be copied or for a log, or is one word.
func TestWidths(t *testing.T) {
	examples, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "snapshot.pickle.gz"))
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	first := answertest.Example(t, "training-loop")
	for _, path := range examples {
		story := filepath.Base(filepath.Dir(path))
		t.Run(story, func(t *testing.T) {
			t.Parallel()
			fitsWidths(t, answertest.Example(t, story), &first)
		})
	}
	t.Run("hostile", func(t *testing.T) {
		fitsWidths(t, answer.NewInput("\x1b[31mhostile\n.pickle", testsnap.Hostile()), &first)
	})
}

func fitsWidths(t *testing.T, in answer.Input, other *answer.Input) {
	all := []answer.Input{in}
	sheets := map[string]*sheet.Sheet{
		"stats":         stats.Answer(all, stats.Options{Rows: 20, Capacity: 80 << 30}),
		"summary":       stats.Answer(all, stats.Options{Summary: true}),
		"stats --every": stats.Answer(all, stats.Options{Rows: 20, Every: stats.Every{Events: 50}}),
		"ranks":         ranksOf(in, *other, in),
		"inspect":       inspect.Answer(censusOf(&in), 20),
	}
	add := func(command string, s *sheet.Sheet, err error) {
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		sheets[command] = s
	}
	leaks, err := leaks.Answer(all, leaks.Options{Rows: 20})
	add("leaks", leaks, err)
	failed, err := oom.Answer(all, oom.Options{Rows: 20})
	add("oom", failed, err)
	predicted, err := whatif.Answer(all, whatif.Options{})
	add("whatif", predicted, err)
	changed, err := diff.Answer(other, &in, diff.Options{Rows: 20})
	add("diff", changed, err)
	log, err := events.Answer(all, events.Options{To: answertest.EventBound(300)})
	add("events", log, err)
	segments, err := segments.Answer(all, answer.Peak, 50)
	add("segments", segments, err)
	for by := range holders.ByCount {
		top, err := top.Answer(all, top.Options{At: answer.Peak, Rows: 20,
			Grouping: holders.Grouping{By: holders.By(by), Depth: 1}})
		add("top --by "+holders.By(by).String(), top, err)
	}
	for command, s := range sheets {
		whole := answertest.Written(t, s, sheet.Text)
		for _, width := range []int{40, 60, 80, 100, 160} {
			var shown strings.Builder
			if err := s.Write(&shown, sheet.Text, sheet.Look{Width: width}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(shown.String()) {
				line = strings.TrimRight(line, "\n")
				if strings.HasPrefix(line, "    torch.") || strings.HasPrefix(line, "    export ") {
					continue // to copy
				}
				if n := text.StringWidthWithoutEscSequences(line); n > width &&
					strings.Contains(strings.TrimSpace(line), " ") {
					t.Errorf("%s in %d columns has a line of %d:\n%s", command, width, n, line)
					break
				}
			}
			if missing := missingNumbers(string(whole), shown.String()); command != "events" && len(missing) > 0 {
				t.Errorf("%s in %d columns lacks %q", command, width, missing)
			}
		}
	}
}

var byteNumber = regexp.MustCompile(`[0-9][0-9.,]*\s+(?:[KMGT]iB|B)\b`)

// missingNumbers are the numbers of bytes in a text that another one lacks.
func missingNumbers(whole, shown string) []string {
	shown = strings.Join(strings.Fields(shown), " ")
	return slices.DeleteFunc(byteNumber.FindAllString(whole, -1), func(number string) bool {
		return strings.Contains(shown, strings.Join(strings.Fields(number), " "))
	})
}

func censusOf(in *answer.Input) *inspect.Report {
	c := redact.NewCensus()
	for i := range in.Snapshot.Frames {
		f := &in.Snapshot.Frames[i]
		c.Function(in.Snapshot.String(f.File), in.Snapshot.String(f.Name))
	}
	return &inspect.Report{Name: in.FileName(), Program: "memviz", Census: c, Addresses: 1000, Times: 12}
}
