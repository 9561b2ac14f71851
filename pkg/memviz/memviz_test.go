package memviz_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/memviz"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// TestSites adds up the live allocations of every state.
func TestSites(t *testing.T) {
	file := memviz.New("training", testsnap.Training())
	if len(file.Devices) == 0 {
		t.Fatal("the sample has no device")
	}
	for _, d := range file.Devices {
		for state := range d.States() {
			var bytes int64
			count := 0
			for i := range d.Allocations {
				if d.Allocations[i].LiveIn(state) {
					bytes += d.Allocations[i].Size
					count++
				}
			}
			for i, site := range d.Sites(state) {
				bytes -= site.Bytes
				count -= site.Allocations
				if i > 0 && site.Bytes > d.Sites(state)[i-1].Bytes {
					t.Errorf("state %d: site %d is larger than the one before it", state, i)
				}
			}
			if bytes != 0 || count != 0 {
				t.Errorf("state %d: the sites miss %d bytes in %d allocations", state, bytes, count)
			}
		}
		for _, state := range []int{-1, d.States()} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("state %d does not exist, and Sites did not panic", state)
					}
				}()
				d.Sites(state)
			}()
		}
	}
}

// TestOpenReport reads back what WriteReport wrote.
func TestOpenReport(t *testing.T) {
	write := func(files ...*memviz.File) string {
		t.Helper()
		var page bytes.Buffer
		if err := memviz.WriteReport(&page, files...); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "report.html")
		if err := os.WriteFile(path, page.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	training, tiny := memviz.New("training", testsnap.Training()), memviz.New("tiny", testsnap.OneEvent())
	file, err := memviz.Open(write(training))
	if err != nil {
		t.Fatal(err)
	}
	if len(training.Devices) == 0 || len(file.Devices) != len(training.Devices) {
		t.Fatalf("%d devices, want %d", len(file.Devices), len(training.Devices))
	}
	for i, want := range training.Devices {
		peak := want.Totals.PeakState
		if got := file.Devices[i]; got.Totals.PeakBytes != want.Totals.PeakBytes ||
			!slices.Equal(got.Sites(peak), want.Sites(peak)) {
			t.Errorf("%s holds %v at its peak, want %v", want.Label, got.Sites(peak), want.Sites(peak))
		}
	}
	both := write(training, tiny)
	if _, err := memviz.Open(both); err == nil || !strings.Contains(err.Error(), "the report holds 2 snapshots") {
		t.Errorf("a report of two snapshots: %v", err)
	}
	files, err := memviz.OpenAll(both)
	if err != nil || len(files) != 2 || len(files[1].Devices) != len(tiny.Devices) {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// TestOpenMissing: the error of package snapshot is passed on.
func TestOpenMissing(t *testing.T) {
	if file, err := memviz.Open("no such file"); err == nil {
		t.Errorf("opened %v", file)
	}
}
