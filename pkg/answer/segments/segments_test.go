package segments

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

func TestSegments(t *testing.T) {
	in := []answer.Input{
		answer.NewInput("training.pickle", testsnap.Training()), answer.NewInput("expanding.pickle",
			answertest.Expanding()),
		answer.NewInput("state_only.pickle", testsnap.StateOnly()), answer.NewInput("hostile.pickle",
			testsnap.Hostile()),
	}
	var all []byte
	for _, at := range []string{"end", "peak", "start"} {
		moment, err := answer.ParseMoment(at)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Answer(in, moment, 2000)
		if err != nil {
			t.Fatal(err)
		}
		answertest.Fits(t, "segments", s)
		text := answertest.Written(t, s, sheet.Text)
		answertest.FitsTerminal(t, string(text))
		all = append(all, text...)
		if at == "end" {
			testkit.Golden(t, "segments.json", answertest.Written(t, s, sheet.JSON))
			all = append(all, answertest.Written(t, s, sheet.Markdown)...)
		}
	}
	testkit.Golden(t, "segments.txt", all)
}

// The blocks of a segment tile it, and all sums are those of the snapshot.
func TestSegmentsAddUp(t *testing.T) {
	for _, story := range []string{"training-loop", "leaking-loss", "out-of-memory"} {
		in := answertest.Example(t, story)
		s, err := Answer([]answer.Input{in}, answer.End, 2000)
		if err != nil {
			t.Fatal(err)
		}
		var total, reserved, free, largest int64
		for _, seg := range in.Snapshot.Segments {
			total += seg.TotalSize
		}
		d := s.Value.(*answer.Devices[Device]).Devices[0]
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
