package answer

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

func TestSegments(t *testing.T) {
	in := []Input{
		NewInput("training.pickle", testsnap.Training()), NewInput("expanding.pickle", expanding()),
		NewInput("state_only.pickle", testsnap.StateOnly()), NewInput("hostile.pickle", testsnap.Hostile()),
	}
	var all []byte
	for _, at := range []string{"end", "peak", "start"} {
		moment, err := ParseMoment(at)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Segments(in, moment, 2000)
		if err != nil {
			t.Fatal(err)
		}
		fits(t, "segments", s)
		text := written(t, s, Text)
		fitsTerminal(t, string(text))
		all = append(all, text...)
		if at == "end" {
			testkit.Golden(t, "segments.json", written(t, s, JSON))
			all = append(all, written(t, s, Markdown)...)
		}
	}
	testkit.Golden(t, "segments.txt", all)
}

// The blocks of a segment tile it, and all sums are those of the snapshot.
func TestSegmentsAddUp(t *testing.T) {
	for _, story := range []string{"training-loop", "leaking-loss", "out-of-memory"} {
		in := example(t, story)
		s, err := Segments([]Input{in}, End, 2000)
		if err != nil {
			t.Fatal(err)
		}
		var total, reserved, free, largest int64
		for _, seg := range in.Snapshot.Segments {
			total += seg.TotalSize
		}
		d := s.value.(*devices[SegmentsDevice]).Devices[0]
		for _, seg := range d.Segments {
			var blocks, unused int64
			for _, b := range seg.Blocks {
				blocks += b.Bytes
				if b.State == snapshot.Inactive.String() {
					unused += b.Bytes
					largest = max(largest, b.Bytes)
				}
			}
			if seg.StuckBytes+seg.ReturnableBytes != seg.FreeBytes || seg.ActiveBytes > 0 && seg.ReturnableBytes > 0 {
				t.Errorf("%s: %d bytes stuck and %d returnable of %+v", story, seg.StuckBytes, seg.ReturnableBytes, seg)
			}
			if blocks != seg.Bytes || unused != seg.FreeBytes || seg.ActiveBytes+seg.FreeBytes != seg.Bytes {
				t.Errorf("%s: blocks of %d and %d free bytes in %+v", story, blocks, unused, seg)
			}
			reserved += seg.Bytes
			free += seg.FreeBytes
		}
		if reserved != total || d.ReservedBytes != total || d.FreeBytes != free || d.LargestFreeBlockBytes != largest {
			t.Errorf("%s: %d bytes in segments, %d reserved, want %d; %d free, %d the largest", story, reserved,
				d.ReservedBytes, total, free, largest)
		}
	}
}

func TestOccupancy(t *testing.T) {
	extent := func(from, to uint64, state snapshot.BlockState) layout.Extent {
		return layout.Extent{Address: 1000 + from, Size: int64(to - from), State: state}
	}
	for _, test := range []struct {
		size    int64
		extents []layout.Extent
		want    string
	}{
		{1400, nil, "··············"},
		{1400, []layout.Extent{extent(0, 1400, snapshot.ActiveAllocated)}, "██████████████"},
		{1400, []layout.Extent{extent(0, 100, snapshot.ActiveAllocated), extent(150, 200, snapshot.ActiveAllocated)},
			"█▅············"},
		{1400, []layout.Extent{extent(100, 400, snapshot.ActivePendingFree),
			extent(400, 401, snapshot.ActiveAllocated)}, "·░░░▁·········"},
		{1400, []layout.Extent{extent(0, 50, snapshot.ActivePendingFree), extent(50, 100, snapshot.ActiveAllocated),
			extent(100, 151, snapshot.ActivePendingFree), extent(151, 200, snapshot.ActiveAllocated)},
			"█░············"},
		{14 * 512, []layout.Extent{extent(0, 1, snapshot.ActiveAllocated)}, "▁·············"},
		{14 * 1024, []layout.Extent{extent(0, 1, snapshot.ActiveAllocated)}, "··············"},
		{1400, []layout.Extent{extent(1300, 1400, snapshot.ActiveAllocated), extent(0, 1300, snapshot.Inactive)},
			"·············█"},
	} {
		if got := occupancy(&layout.Segment{Address: 1000, Size: test.size}, test.extents,
			14); got != test.want {
			t.Errorf("%v is %s, want %s", test.extents, got, test.want)
		}
	}
}

// Every line of folded stacks can be read by flamegraph.pl, and their numbers
// sum up to the totals.
func TestFolded(t *testing.T) {
	line := regexp.MustCompile(`^\S.* (\d+)$`)
	for _, in := range []Input{
		example(t, "out-of-memory"), NewInput("training.pickle", testsnap.Training()),
		NewInput("hostile.pickle", testsnap.Hostile()),
	} {
		var active, segments bytes.Buffer
		if err := Folded(&active, &in, Peak); err != nil {
			t.Fatal(err)
		}
		if err := FoldedSegments(&segments, &in); err != nil {
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
