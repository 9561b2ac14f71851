package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/units"
)

// measurePairs are recordings of the story measures without and with one more measure.
var measurePairs = []struct{ measure, key, without, with string }{
	{"checkpoint each block", "checkpoint", "before", "checkpoint"},
	{"half the batch twice a step", "accumulate", "before", "accumulate"},
	{"optimizer state over 8 GPUs, cut evenly", "zero1", "before", "zero1"},
	{"`zero_grad(set_to_none=True)` before forward", "set_to_none", "before", "set-to-none"},
	{"`del logits, last` after the step", "del", "before", "del"},
	{"`fused=True`, when each block is checkpointed", "fused", "checkpoint", "checkpoint-fused"},
}

// The table of the story's README is between its heading and an empty line.
const measuresBegin = "| measure | from | active, predicted | then recorded | reserved, predicted | then recorded |\n" +
	"|---|---|---|---|---|---|\n"

// TestMeasuresStory compares memviz's prediction for each measure with the recording of
// it, and the README with both. -update regenerates the table.
func TestMeasuresStory(t *testing.T) {
	s := story{dir: filepath.Join("..", "..", "examples", "measures")}
	readme := s.read(t, "README.md")
	before, rest, found := strings.Cut(readme, measuresBegin)
	table, after, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatalf("README.md has no table that begins with\n%s", measuresBegin)
	}
	t.Chdir(s.dir)
	s.dir = "."
	var rows []string
	for _, pair := range measurePairs {
		var whatIf struct{ Devices []whatif.Device }
		var stats struct{ Devices []stats.Device }
		s.askJSON(t, "whatif", pair.without, &whatIf)
		s.askJSON(t, "stats", pair.with, &stats)
		base, recorded := whatIf.Devices[0].MeasuresBase, stats.Devices[0]
		predicted := whatif.MeasureOutcome{}
		for _, m := range whatIf.Devices[0].Measures {
			if m.Key == pair.key {
				predicted = m
			}
		}
		if predicted.ReservedPeakBytes == nil {
			t.Fatalf("%s is not a measure for %s.pickle.gz", pair.key, pair.without)
		}
		// The active peak is a promise, within 1 %; reserved is within 10 %. Each measure saves something.
		active := [2]int64{predicted.ActivePeakLeastBytes, predicted.ActivePeakBytes}
		reserved := [2]int64{*predicted.ReservedPeakLeastBytes, *predicted.ReservedPeakBytes}
		if !within(active, recorded.PeakBytes, 1) || recorded.PeakBytes > base.ActivePeakBytes*99/100 {
			t.Errorf("%s: %d active before, predicted %d, recorded %d", pair.key, base.ActivePeakBytes, active,
				recorded.PeakBytes)
		}
		if !within(reserved, recorded.ReservedPeakBytes, 10) || recorded.ReservedPeakBytes >= base.ReservedPeakBytes {
			t.Errorf("%s: %d reserved before, predicted %d, recorded %d", pair.key, base.ReservedPeakBytes, reserved,
				recorded.ReservedPeakBytes)
		}
		rows = append(rows, fmt.Sprintf("| %s | %s: %s | %s | %s | %s | %s |", pair.measure, pair.without,
			units.Bytes(base.ActivePeakBytes), span(active), units.Bytes(recorded.PeakBytes), span(reserved),
			units.Bytes(recorded.ReservedPeakBytes)))
	}
	if got := strings.Join(rows, "\n"); *testkit.Update {
		s.write(t, "README.md", before+measuresBegin+got+"\n\n"+after)
	} else if got != table {
		t.Errorf("README.md has\n%s\nthe recordings give\n%s", table, got)
	}
}

// askJSON decodes a command's answer about a recording of the story.
func (s *story) askJSON(t *testing.T, command, recording string, into any) {
	t.Helper()
	text := s.ask(t, "memviz "+command+" --format json "+recording+".pickle.gz")
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// within reports whether one end of a predicted range is that close to a recorded number.
// Values in between do not count: the ends are two readings of a recording that cannot decide.
func within(predicted [2]int64, recorded int64, percent float64) bool {
	for _, x := range predicted {
		if math.Abs(float64(x-recorded)) <= percent/100*float64(recorded) {
			return true
		}
	}
	return false
}

// span formats a predicted range as in the README.
func span(x [2]int64) string {
	if least, most := units.Bytes(x[0]), units.Bytes(x[1]); least != most {
		return least + " or " + most
	}
	return units.Bytes(x[1])
}
