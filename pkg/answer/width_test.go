package answer

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// TestWidths writes every answer on every example for terminals of several
// widths. No line is wider, unless it is to be copied or for a log, or is one word.
func TestWidths(t *testing.T) {
	examples, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "snapshot.pickle.gz"))
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	first := example(t, "training-loop")
	for _, path := range examples {
		story := filepath.Base(filepath.Dir(path))
		t.Run(story, func(t *testing.T) {
			t.Parallel()
			fitsWidths(t, example(t, story), &first)
		})
	}
	t.Run("hostile", func(t *testing.T) {
		fitsWidths(t, NewInput("\x1b[31mhostile\n.pickle", testsnap.Hostile()), &first)
	})
}

func fitsWidths(t *testing.T, in Input, other *Input) {
	all := []Input{in}
	sheets := map[string]*Sheet{
		"stats":         Stats(all, StatsOptions{Rows: 20, Capacity: 80 << 30}),
		"summary":       Stats(all, StatsOptions{Summary: true}),
		"stats --every": Stats(all, StatsOptions{Rows: 20, Every: Every{Events: 50}}),
		"ranks":         ranksOf(in, *other, in),
		"inspect":       Inspect(censusOf(&in), 20),
	}
	add := func(command string, s *Sheet, err error) {
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		sheets[command] = s
	}
	leaks, err := Leaks(all, LeaksOptions{Rows: 20})
	add("leaks", leaks, err)
	failed, err := OOM(all, OOMOptions{Rows: 20})
	add("oom", failed, err)
	predicted, err := WhatIf(all, WhatIfOptions{})
	add("whatif", predicted, err)
	changed, err := Diff(other, &in, DiffOptions{Rows: 20})
	add("diff", changed, err)
	log, err := Events(all, EventOptions{To: eventBound(300)})
	add("events", log, err)
	segments, err := Segments(all, Peak, 50)
	add("segments", segments, err)
	for by := range holders.ByCount {
		top, err := Top(all, TopOptions{At: Peak, Rows: 20, Grouping: holders.Grouping{By: holders.By(by), Depth: 1}})
		add("top --by "+holders.By(by).String(), top, err)
	}
	for command, s := range sheets {
		whole := written(t, s, Text)
		for _, width := range []int{40, 60, 80, 100, 160} {
			var shown strings.Builder
			if err := s.Write(&shown, Text, Look{Width: width}); err != nil {
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

func censusOf(in *Input) *Inspected {
	c := redact.NewCensus()
	for i := range in.Snapshot.Frames {
		f := &in.Snapshot.Frames[i]
		c.Function(in.Snapshot.String(f.File), in.Snapshot.String(f.Name))
	}
	return &Inspected{Name: in.FileName(), Program: "memviz", Census: c, Addresses: 1000, Times: 12}
}
