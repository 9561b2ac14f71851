package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/units"
)

// torchSays is torch_says.json: where a story was recorded, and torch's own
// counters in the moment of each snapshot. Bytes throughout.
type torchSays struct {
	Torch     string              `json:"torch"`
	CUDA      string              `json:"cuda"`
	GPU       string              `json:"gpu"`
	Driver    string              `json:"driver"`
	Snapshots map[string]counters `json:"snapshots"` // by file name
}

type counters struct {
	Allocated    int64 `json:"memory_allocated"`
	MaxAllocated int64 `json:"max_memory_allocated"`
	Reserved     int64 `json:"memory_reserved"`
	MaxReserved  int64 `json:"max_memory_reserved"`
	Stats        struct {
		Requested    int64 `json:"requested_bytes.all.current"`
		MaxRequested int64 `json:"requested_bytes.all.peak"`
		Active       int64 `json:"active_bytes.all.current"`
	} `json:"memory_stats"`
}

// readTorchSays returns nil if there is no such file: the story is simulated.
func readTorchSays(t *testing.T, path string) *torchSays {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	says := &torchSays{}
	if err := json.Unmarshal(data, says); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return says
}

// recorded describes where a story was recorded.
func (s *torchSays) recorded() string {
	if s == nil {
		return "*simulated* by `cmd/memviz-gen`"
	}
	return fmt.Sprintf("torch %s, CUDA %s, %s, driver %s", s.Torch, s.CUDA, s.GPU, s.Driver)
}

// comparison is one number of torch's beside one of ours.
type comparison struct {
	what        string
	torch, ours int64  // bytes
	why         string // the reason for a difference; "" if there must be none
	least, most int64  // bounds on how much larger torch's number may be
}

func (c *comparison) holds() bool {
	difference := c.torch - c.ours
	return c.least <= difference && difference <= c.most
}

func (c *comparison) String() string {
	words := "the same"
	if difference := c.torch - c.ours; difference != 0 {
		words = fmt.Sprintf("torch has %+d, %s", difference, cmp.Or(c.why, "for which there is no reason"))
	}
	if !c.holds() {
		words += ": NOT EXPLAINED"
	}
	return fmt.Sprintf("%-24s torch %14d  memviz %14d  %s", c.what, c.torch, c.ours, words)
}

// compareWithTorch compares a snapshot of one device with torch's counters. They were
// read at the moment of the snapshot; their peaks begin where recording began.
func compareWithTorch(s *snapshot.Snapshot, d *replay.Device, says counters) []comparison {
	blocks := sumBlocks(s, d.ID)
	rounded := roundedPeak(d, blocks.requestedAllocated)
	exact := func(what string, torch, ours int64) comparison {
		return comparison{what: what, torch: torch, ours: ours}
	}
	return []comparison{
		exact("requested_bytes current", says.Stats.Requested, d.Totals.FinalBytes),
		exact("requested_bytes peak", says.Stats.MaxRequested, d.Totals.PeakBytes),
		exact("active_bytes current", says.Stats.Active, blocks.active),
		exact("memory_allocated", says.Allocated, blocks.allocated),
		exact("memory_reserved", says.Reserved, d.Totals.ReservedFinalBytes),
		exact("max_memory_reserved", says.MaxReserved, d.Totals.ReservedPeakBytes),
		{
			what: "memory_allocated", torch: says.Allocated, ours: d.Totals.FinalBytes,
			least: blocks.rounding - blocks.pending, most: blocks.rounding - blocks.pending,
			why: fmt.Sprintf("%d of rounding and blocks not split, less %d that wait for a stream", blocks.rounding,
				blocks.pending),
		},
		{
			what: "max_memory_allocated", torch: says.MaxAllocated, ours: rounded.bytes,
			most: rounded.most - rounded.bytes,
			why:  "large blocks that were not split, less than 1 MiB in each",
		},
	}
}

// blockSums are sums over the final blocks of a device, in bytes.
type blockSums struct {
	allocated, active, pending int64 // of blocks
	rounding                   int64 // of active blocks, above the requested size
	requestedAllocated         []int64
}

func sumBlocks(s *snapshot.Snapshot, device snapshot.DeviceID) (sums blockSums) {
	for _, b := range s.LiveBlocks(device) {
		if b.State == snapshot.ActivePendingFree {
			sums.pending += b.Size
		} else {
			sums.allocated += b.Size
			sums.requestedAllocated = append(sums.requestedAllocated, b.RequestedSize)
		}
		sums.active += b.Size
		sums.rounding += b.Size - b.RequestedSize
	}
	return sums
}

// peakRounded is the most that was allocated, with requests rounded up to 512
// bytes, and with 1 MiB more for each request of more than that: a larger rest of its
// block would have been split off.
type peakRounded struct{ bytes, most int64 }

// roundedPeak walks back from the blocks that are allocated at the end. Memory that
// waits for a stream is not allocated any more, as torch counts.
func roundedPeak(d *replay.Device, atEnd []int64) (peak peakRounded) {
	var now peakRounded
	add := func(size, sign int64) {
		rounded := sign * ((size + 511) &^ 511)
		now.bytes += rounded
		now.most += rounded
		if size > units.MiB {
			now.most += sign * units.MiB
		}
		peak.bytes, peak.most = max(peak.bytes, now.bytes), max(peak.most, now.most)
	}
	for _, size := range atEnd {
		add(size, 1)
	}
	e := d.Events
	for i := e.Len() - 1; i >= 0; i-- {
		switch e.Action[i] {
		case snapshot.Alloc:
			add(e.Size[i], -1)
		case snapshot.FreeRequested:
			add(e.Size[i], 1)
		}
	}
	return peak
}

// TestTorchSays compares every real recording with torch's own counters, and keeps the
// comparison beside it.
func TestTorchSays(t *testing.T) {
	recorded := 0
	for _, s := range stories(t) {
		if s.says == nil {
			continue
		}
		recorded++
		t.Run(s.name, func(t *testing.T) {
			var text strings.Builder
			for _, name := range slices.Sorted(maps.Keys(s.says.Snapshots)) {
				loaded := s.loaded(t, filepath.Join(s.dir, name))
				fmt.Fprintf(&text, "%s\n", name)
				for _, c := range compareWithTorch(loaded, busiest(loaded), s.says.Snapshots[name]) {
					fmt.Fprintf(&text, "  %s\n", &c)
					if !c.holds() {
						t.Errorf("%s: %s", name, &c)
					}
				}
			}
			testkit.GoldenFile(t, filepath.Join(s.dir, "torch_says.txt"), []byte(text.String()))
		})
	}
	if recorded == 0 {
		t.Skip("every story is simulated; examples/capture.sh records them on a GPU")
	}
}

// busiest returns the device that holds the most: recorded scripts use one.
func busiest(s *snapshot.Snapshot) (most *replay.Device) {
	for _, device := range s.Devices() {
		if d := replay.Replay(s, device); most == nil || d.Totals.ReservedFinalBytes > most.Totals.ReservedFinalBytes {
			most = d
		}
	}
	return most
}

// TestComparisonWithTorch compares simulated stories with counters of the model that made
// them, then with one wrong counter at a time: each has to be detected.
func TestComparisonWithTorch(t *testing.T) {
	says := readTorchSays(t, filepath.Join("testdata", "torch_says.json"))
	if says == nil || len(says.Snapshots) == 0 {
		t.Fatal("there are no counters")
	}
	if got, want := says.recorded(), "torch 0.0.0+model, CUDA none, no GPU, driver none"; got != want {
		t.Errorf("recorded with %q, want %q", got, want)
	}
	for name, right := range says.Snapshots {
		loaded, err := snapshot.Open(filepath.Join("..", "..", "examples", name))
		if err != nil {
			t.Fatal(err)
		}
		d := busiest(loaded)
		for _, c := range compareWithTorch(loaded, d, right) {
			if !c.holds() {
				t.Errorf("%s: %s", name, &c)
			}
		}
		for wrong, change := range map[string]func(*counters){
			"requested_bytes current": func(c *counters) { c.Stats.Requested++ },
			"requested_bytes peak":    func(c *counters) { c.Stats.MaxRequested-- },
			"active_bytes current":    func(c *counters) { c.Stats.Active += 512 },
			"memory_allocated":        func(c *counters) { c.Allocated -= 512 },
			"memory_reserved":         func(c *counters) { c.Reserved += 2 << 20 },
			"max_memory_reserved":     func(c *counters) { c.MaxReserved += 2 << 20 },
			"max_memory_allocated":    func(c *counters) { c.MaxAllocated -= 1 << 30 },
		} {
			c := right
			change(&c)
			var found []string
			for _, x := range compareWithTorch(loaded, d, c) {
				if !x.holds() {
					found = append(found, x.what)
				}
			}
			if found = slices.Compact(found); len(found) == 0 ||
				slices.ContainsFunc(found, func(x string) bool { return x != wrong }) {
				t.Errorf("%s: with a wrong %s these do not hold: %q", name, wrong, found)
			}
		}
	}
}
