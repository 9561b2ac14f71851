package report

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestSpaceIsTheMap: in any state, what a page knows of the address space is the memory
// map that `memviz segments` prints: the same segments, blocks and holes.
func TestSpaceIsTheMap(t *testing.T) {
	maps, states := 0, 0
	for name, s := range known(t) {
		in := answer.NewInput(name, s)
		page := encoded(t, []answer.Input{in})
		for i, r := range in.Recordings {
			view := &page.report.Files[0].Devices[i]
			if view.Space == nil {
				continue
			}
			maps++
			d := deviceOf(t, page, 0, i)
			places := checkPile(t, d, r.Device)
			for _, state := range sampledStates(r.Device) {
				states++
				got, want := spaceAt(d, view, r.Device, places, state), mapAt(r.Layouts().At(state))
				if got != want {
					t.Fatalf("%s: state %d of device %d is\n%swant\n%s", name, state, i, got, want)
				}
			}
		}
	}
	if maps < 20 || states < 300 {
		t.Errorf("only %d states of %d address spaces", states, maps)
	}
}

// sampledStates are the first and the last, and some between them.
func sampledStates(d *replay.Device) []int {
	random := rand.New(rand.NewPCG(1, uint64(d.Events.Len())))
	states := []int{0, d.Events.Len(), layout.ReservedPeakState(d), d.Totals.PeakState}
	for range 16 {
		states = append(states, random.IntN(d.States()))
	}
	return states
}

// mapAt is one line a segment, with its blocks.
func mapAt(m *layout.Map) string {
	var text []byte
	for i := range m.Segments {
		s := &m.Segments[i]
		text = fmt.Appendf(text, "%#x+%d stream %d pool %d small %t expandable %t:", s.Address, s.Size, s.Stream,
			s.Pool,
			s.SizeClass == snapshot.SizeClassSmall, s.Expandable)
		for _, x := range m.ExtentsOf(s) {
			if x.Allocation != layout.NoAllocation {
				text = fmt.Appendf(text, " %d at %#x+%d", x.Allocation, x.Address, x.Size)
			}
		}
		text = append(text, '\n')
	}
	return string(text)
}

// spaceAt likewise, of the columns of a page. index is the allocation of the device at
// each position.
func spaceAt(d *decodedDevice, view *recording.Device, device *replay.Device, index []int, state int) string {
	s := d.space
	var live []int // reservations
	for r := range s.kind {
		last := uint64(view.Events)
		if s.to[r] > 0 {
			last = s.reservedEvent[s.from[r]+s.to[r]-1]
		}
		if s.first0(r) <= uint64(state) && uint64(state) <= last {
			live = append(live, r)
		}
	}
	slices.SortFunc(live, func(a, b int) int { return cmp.Compare(s.start(a), s.start(b)) })
	var blocks []int // positions
	for i, place := range s.place {
		if place != naiveOutside && device.Allocations[index[i]].LiveIn(state) {
			blocks = append(blocks, i)
		}
	}
	slices.SortFunc(blocks, func(a, b int) int { return cmp.Compare(s.place[a], s.place[b]) })
	var text []byte
	address := func(lane int64, place uint64) uint64 { return s.laneAddr[lane] + (place-s.starts[lane])*s.unit }
	for n := 0; n < len(live); n++ {
		r := live[n]
		kind, lane, from, to := s.kind[r], s.lane[r], s.start(r), s.start(r)+s.size[r]
		for s.kindExpandable[kind] == 1 && n+1 < len(live) && s.kind[live[n+1]] == kind && s.lane[live[n+1]] == lane &&
			s.start(live[n+1]) == to {
			n++
			to += s.size[live[n]]
		}
		text = fmt.Appendf(text, "%#x+%d stream %d pool %d small %t expandable %t:", address(lane, from),
			(to-from)*s.unit,
			s.kindStream[kind], s.kindPool[kind], s.kindLarge[kind] == 0, s.kindExpandable[kind] == 1)
		for ; len(blocks) > 0 && s.place[blocks[0]] < to; blocks = blocks[1:] {
			i := blocks[0]
			text = fmt.Appendf(text, " %d at %#x+%d", index[i], address(lane, s.place[i]), s.block[i]*s.unit)
		}
		text = append(text, '\n')
	}
	return string(text)
}

// TestOmitSaysNothingOfAddresses: without addresses, a report says only in which order
// segments lie. With them further apart, it has the same bytes.
func TestOmitSaysNothingOfAddresses(t *testing.T) {
	for seed := range uint64(4) {
		page := func(apart uint64) []byte {
			s := randomRecording(t, seed)
			d := Encode("memviz test", []answer.Input{answer.NewInput("", s)}, nil)
			lanes := deviceOf(t, written(t, d), 0, 0).space.laneAddr
			spread := func(addr uint64) uint64 {
				i, is := slices.BinarySearch(lanes, addr)
				if !is {
					i--
				}
				switch {
				case addr == 0:
					return 0
				case seed%2 == 1: // the simulated driver puts each expandable segment on whole TiB
					return addr + addr>>40*apart<<41
				}
				return addr + uint64(i)*apart<<21 + apart<<30
			}
			e := &s.Traces[0].Events
			for i := range e.Addr {
				e.Addr[i] = spread(e.Addr[i])
			}
			for i := range s.Segments {
				s.Segments[i].Address = spread(s.Segments[i].Address)
			}
			for i := range s.Blocks {
				s.Blocks[i].Address = spread(s.Blocks[i].Address)
			}
			d = Encode("memviz test", []answer.Input{answer.NewInput("", s)}, nil)
			if got := deviceOf(t, written(t, d), 0, 0).space.laneAddr; (apart > 0) == slices.Equal(got, lanes) {
				t.Fatalf("lanes that are %d apart", apart)
			}
			d.Omit(codec.Omission{Addresses: true})
			return bytesOf(t, d)
		}
		if !bytes.Equal(page(0), page(3)) {
			t.Errorf("seed %d: pages without addresses differ", seed)
		}
	}
}

// TestReportOfSchema1: a report from before places were written holds the same snapshot,
// and the report of that has them.
func TestReportOfSchema1(t *testing.T) {
	d, err := Read(bytes.NewReader(gunzipped(t, "testdata/report_schema_1.html.gz")))
	if err != nil {
		t.Fatal(err)
	}
	if d.Report().Files[0].Devices[0].Space != nil {
		t.Error("it has places")
	}
	again, err := Read(bytes.NewReader(bytesOf(t, d)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Open(filepath.Join(testkit.Root(t), "examples", "expandable-segments", "snapshot.pickle.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*Document{d, again} {
		back, _, err := d.Snapshot(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		checkSame(t, contents(back), contents(s))
		page := encoded(t, []answer.Input{answer.NewInput("", back)})
		if page.report.Files[0].Devices[0].Space == nil {
			t.Error("the report of its snapshot has no places")
		}
	}
}

func gunzipped(t *testing.T, path string) []byte {
	t.Helper()
	packed, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	file, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
