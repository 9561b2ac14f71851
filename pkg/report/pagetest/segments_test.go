package pagetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/units"
)

// pageSegment is an entry of memviz.segments.
type pageSegment struct {
	Addr         string
	Size         int64
	Class        string
	Expandable   bool
	Pool, Stream int
	Stuck        int64
	Returnable   int64
	LargestHole  int64 `json:"largest_hole"`
	Blocks       []struct {
		ID     int
		Offset int64
		Size   int64
	}
}

// segmentsAnswer is what `memviz segments --at state=k --format json` says of the first device.
func segmentsAnswer(t *testing.T, in answer.Input, state int) segments.Device {
	t.Helper()
	at, err := answer.ParseMoment(fmt.Sprintf("state=%d", state))
	if err != nil {
		t.Fatal(err)
	}
	said, err := segments.Answer([]answer.Input{in}, at, 0)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := said.Write(&text, sheet.JSON, sheet.Look{}); err != nil {
		t.Fatal(err)
	}
	var all struct{ Devices []segments.Device }
	if err := json.Unmarshal(text.Bytes(), &all); err != nil || len(all.Devices) == 0 {
		t.Fatalf("%v: %.200s", err, &text)
	}
	return all.Devices[0]
}

// compareSegments: in ten states the page has the segments, blocks and holes that the command
// prints, and their sums are those of the curve of reserved memory and of fragmentation.
func compareSegments(t *testing.T, p *page, r *recording, path string) {
	t.Helper()
	n := r.d.Events.Len()
	reserved := r.d.ReservedBytes()
	for k := 0; ; k = min(k+max(n/9, 1), n) {
		got := eval[[]pageSegment](p, "memviz.segments(%d)", k)
		want := segmentsAnswer(t, r.Input, k)
		if outside := r.d.Anomalies[replay.OutsideSegments]; len(got) == 0 && 10*outside > len(r.d.Allocations) {
			return // too many tensors lie in nothing that is reserved
		}
		if len(got) != len(want.Segments) {
			t.Fatalf("%s, state %d: the page has %d segments, the command %d", path, k, len(got), len(want.Segments))
		}
		var sum, stuck, returnable, largest int64
		for i, g := range got {
			w := &want.Segments[i]
			if g.Addr != w.Address || g.Size != w.Bytes || g.Class != w.SizeClass || g.Expandable != w.Expandable ||
				g.Stuck != w.StuckBytes || g.Returnable != w.ReturnableBytes ||
				g.LargestHole != w.LargestFreeBlockBytes {
				t.Fatalf("%s, state %d: segment %d is %+v on the page, and %+v in the command", path, k, i, g, *w)
			}
			isHole := func(b segments.Block) bool { return b.State == "inactive" }
			blocks := slices.DeleteFunc(slices.Clone(w.Blocks), isHole)
			if len(blocks) != len(g.Blocks) {
				t.Fatalf("%s, state %d: segment %d has %d blocks, the command %d", path, k, i, len(g.Blocks),
					len(blocks))
			}
			base, err := strconv.ParseUint(g.Addr, 0, 64)
			for j, b := range g.Blocks {
				at := units.Address(base + uint64(b.Offset))
				if err == nil && at != blocks[j].Address || b.Size != blocks[j].Bytes {
					t.Fatalf("%s, state %d: block %d of segment %d is %+v on the page, %+v in the command", path, k, j,
						i, b, blocks[j])
				}
			}
			sum, stuck, returnable = sum+g.Size, stuck+g.Stuck, returnable+g.Returnable
			largest = max(largest, g.LargestHole)
		}
		f := r.Recordings[0].Layouts().FragmentationsAt(k)[k]
		if sum != reserved[k] || stuck+returnable != sum-want.ActiveBytes || returnable != f.Returnable ||
			largest != f.Largest {
			t.Errorf("%s, state %d: reserved %d, stuck %d, returnable %d, largest %d; want %d, %+v", path, k, sum,
				stuck, returnable, largest, reserved[k], f)
		}
		if k == n {
			return
		}
	}
}

// TestSegmentsTab: the panel of the address space has the numbers of the command; a click on a segment lists what
// keeps it, a click on a holder pins it, and its block, segment and neighbours stand there.
func TestSegmentsTab(t *testing.T) {
	t.Parallel()
	x := load(t, example(t, "out-of-memory"))
	const state = 7600
	p := open(t, exampleReport(t, "out-of-memory"), fmt.Sprintf("v=map&at=%d", state))
	p.until("document.querySelector('.segments .row')")
	plot(p)
	want := segmentsAnswer(t, x.Input, state)
	moment := p.wordsOf("#moment")
	holes := 0
	for _, seg := range want.Segments {
		for _, b := range seg.Blocks {
			if b.State == "inactive" {
				holes++
			}
		}
	}
	requireWords(t, "the panel", moment, "In the allocator", units.Bytes(want.ReservedBytes),
		"reserved before event 7,600",
		fmt.Sprintf("%d segments; %s free in %d holes, the largest %s", len(want.Segments), units.Bytes(want.FreeBytes),
			holes, units.Bytes(want.LargestFreeBlockBytes)),
		"Rounding\n"+units.Bytes(want.ActiveBytes-want.RequestedBytes),
		"Stuck holes\n"+units.Bytes(want.StuckBytes),
		"Returnable\n"+units.Bytes(want.ReturnableBytes))
	list := slices.Clone(want.Segments)
	slices.SortStableFunc(list, func(a, b segments.Segment) int {
		return int(max(-1, min(1, b.StuckBytes-a.StuckBytes)))
	})
	first := list[0]
	row := p.wordsOf(".segments .row")
	if row := strings.Join(strings.Fields(row), " "); row != fmt.Sprintf("%s %s %s %s", first.SizeClass,
		units.Bytes(first.Bytes), units.Bytes(first.StuckBytes), units.Bytes(first.LargestFreeBlockBytes)) {
		t.Errorf("the first row is %q, of %+v", row, first)
	}
	if closing := plainSpaces(eval[string](p, "document.querySelector('.closing').textContent")); closing !=
		fmt.Sprintf("%d tensors with %s keep %s: without them %s could be returned", want.NearlyIdle.Allocations,
			units.Bytes(want.NearlyIdle.ActiveBytes), units.Bytes(want.NearlyIdle.StuckBytes),
			units.Bytes(want.NearlyIdle.ActiveBytes+want.NearlyIdle.StuckBytes)) {
		t.Errorf("the closing line is %q, the command has %+v", closing, want.NearlyIdle)
	}

	p.click(".segments .row")
	p.until("document.querySelector('#pinned .holder')")
	pinned := p.wordsOf("#pinned")
	requireWords(t, "the pinned segment", pinned, units.Bytes(first.Bytes)+" large segment", first.Address, "keep",
		units.Bytes(first.StuckBytes)+" of it from being returned:")
	seg := p.hash("seg")
	if seg == "" {
		t.Error("the address does not name the pinned segment")
	}
	p.click("#pinned .holder")
	p.until("document.querySelector('#pinned .link')")
	pinned = p.wordsOf("#pinned")
	requireWords(t, "the pinned tensor", pinned, "block\n", "segment\n"+units.Bytes(first.Bytes)+" large", "before it\n",
		"after it\n")
	id := p.hash("sel")
	p.click("#pinned dt:last-of-type + dd .link") // after it
	if next := p.hash("sel"); next == id || next == "" {
		t.Errorf("after %s comes %q", id, next)
	}

	p.do(chromedp.EmulateViewport(1440, 900, chromedp.EmulateScale(2)))
	p.reopen("v=map&seg=" + seg)
	p.until("document.querySelector('.segments .row.on')")
	bars := eval[[][2]float64](p, `[...document.querySelectorAll('.strip')].map((e) => [e.clientWidth, e.width])`)
	if n := len(bars); n < 10 || bars[0] != [2]float64{118, 236} || bars[n-1][1] < 2*bars[n-1][0] {
		t.Errorf("with two device pixels a pixel the bars are as wide as %v", bars)
	}
}

// TestOOMBars: the bars of the card are those of the analysis, and the largest hole and all of them together those of
// the page's own segments.
func TestOOMBars(t *testing.T) {
	t.Parallel()
	x := load(t, example(t, "out-of-memory"))
	p := open(t, exampleReport(t, "out-of-memory"), "")
	p.until("document.querySelectorAll('.bars .holes i').length > 1")
	ooms := x.Recordings[0].OOMs(0)
	o := &ooms[len(ooms)-1]
	holes := 0
	l := x.Recordings[0].Layouts().At(o.State())
	for i := range l.Segments {
		if seg := &l.Segments[i]; seg.Stream == o.Stream && seg.Pool == o.Pool() &&
			seg.SizeClass == layout.SizeClassOf(o.Requested) {
			holes += l.HolesOf(seg).Count
		}
	}
	want := fmt.Sprintf("asked for %s free on device %s largest hole %s all %d holes %s", units.Bytes(o.Requested),
		units.Bytes(o.DeviceFree), units.Bytes(o.LargestSame), holes, units.Bytes(o.FreeSame))
	text := p.wordsOf(".bars")
	if got := strings.Join(strings.Fields(text), " "); got != want {
		t.Errorf("the bars are %q, want %q", got, want)
	}
	sentence := fmt.Sprintf("%s asked; the largest hole has %s.", units.Bytes(o.Requested), units.Bytes(o.LargestSame))
	if card := p.card(); !strings.Contains(card, sentence) {
		t.Errorf("the card does not say %q: %q", sentence, card)
	}
	type piece struct{ Sum, Largest, Pieces int64 }
	got := eval[piece](p, `memviz.segments(%d).then((all) => all.filter((s) => s.class === 'large' && s.pool === %d &&
		s.stream === %d)).then((all) => ({sum: all.reduce((n, s) => n + s.stuck + s.returnable, 0),
		largest: Math.max(...all.map((s) => s.largest_hole)),
		pieces: document.querySelectorAll('.bars .holes i').length}))`, o.State(), o.Pool(), o.Stream)
	if got != (piece{o.FreeSame, o.LargestSame, int64(holes)}) {
		t.Errorf("the page's segments have %+v, want %d bytes in %d holes, the largest %d", got, o.FreeSame, holes,
			o.LargestSame)
	}
}

// TestPagesOfLargeSegments: pages of 12 MiB, which large_segment_size_mb asks for, count on the page as in the command.
func TestPagesOfLargeSegments(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testkit.Root(t), "pkg", "snapshot", "testdata", "newer", "large_pages.json")
	compareSegments(t, open(t, makeReport(t, path), ""), load(t, path), path)
}
