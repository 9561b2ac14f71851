package report

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// TestMeasuresUnderCapacity: with a capacity that is too small for the recorded training, a
// page has a further line on what fits, and its layout; without one it is as it was.
func TestMeasuresUnderCapacity(t *testing.T) {
	s, err := snapshot.Open(filepath.Join("..", "..", "examples", "training-loop", "snapshot.pickle.gz"))
	if err != nil {
		t.Fatal(err)
	}
	d := Encode("memviz test", []answer.Input{answer.NewInput("", s)}, nil)
	plain := bytesOf(t, d)
	device := &d.report.Files[0].Devices[0]
	lines := len(device.Measures.Lines)
	given := device.ReservedPeakBytes * 3 / 4
	d.Capacity(recording.GivenCapacity{Bytes: given})
	if len(device.Measures.Lines) != lines+1 {
		t.Fatalf("%d lines, without a capacity %d", len(device.Measures.Lines), lines)
	}
	last := device.Measures.Lines[lines]
	want := "Enough for " + units.Bytes(given) + ": "
	if !strings.HasPrefix(strings.ReplaceAll(last.Text, "\u00a0", " "), want) || last.Space == nil {
		t.Errorf("the last line is %+v, want one that begins with %q", last, want)
	}
	page := bytesOf(t, d)
	checkReadAgain(t, "under a capacity", page)
	if !strings.Contains(strings.ReplaceAll(string(page), "\u00a0", " "), `<p class="measure">`+want) {
		t.Error("the summary does not say what is enough")
	}
	d.Capacity(recording.GivenCapacity{})
	if !bytes.Equal(bytesOf(t, d), plain) {
		t.Error("without a capacity the page is another one than before")
	}
}
