package answer_test

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// Every line of folded stacks can be read by flamegraph.pl, and their numbers
// sum up to the totals.
func TestFolded(t *testing.T) {
	line := regexp.MustCompile(`^\S.* (\d+)$`)
	for _, in := range []answer.Input{
		answertest.Example(t, "out-of-memory"), answer.NewInput("training.pickle", testsnap.Training()),
		answer.NewInput("hostile.pickle", testsnap.Hostile()),
	} {
		var active, segments bytes.Buffer
		if err := top.Folded(&active, &in, answer.Peak); err != nil {
			t.Fatal(err)
		}
		if err := top.FoldedSegments(&segments, &in); err != nil {
			t.Fatal(err)
		}
		sum := func(text string) (sum int64) {
			for l := range strings.Lines(text) {
				parts := line.FindStringSubmatch(strings.TrimSuffix(l, "\n"))
				if parts == nil {
					t.Fatalf("%s: the line %q", in.Name, l)
				}
				n, err := strconv.ParseInt(parts[1], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				sum += n
			}
			return sum
		}
		var peaks, blocks int64
		for _, d := range in.Devices {
			peaks += d.Totals.PeakBytes
		}
		for _, b := range in.Snapshot.Blocks {
			blocks += max(b.Size, 0)
		}
		if got := sum(active.String()); got != peaks {
			t.Errorf("%s: %d bytes at the peak, want %d", in.Name, got, peaks)
		}
		if got := sum(segments.String()); got != blocks {
			t.Errorf("%s: %d bytes in blocks, want %d", in.Name, got, blocks)
		}
		if several := strings.HasPrefix(active.String(), "cuda:0;"); several != (len(in.Devices) > 1) {
			t.Errorf("%s has %d devices: %.80s", in.Name, len(in.Devices), &active)
		}
	}
}
