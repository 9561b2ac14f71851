package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testkit"
)

// statesPerDevice is how many random states of each device are compared.
const statesPerDevice = 50

// stateTotals is what memviz.state gives.
type stateTotals struct {
	Active      int64 `json:"active_bytes"`
	Reserved    int64 `json:"reserved_bytes"`
	Allocations int   `json:"allocations"`
}

// liveEntry is an entry of memviz.live, without its stack.
type liveEntry struct {
	ID     int    `json:"id"`
	Addr   string `json:"addr"`
	Size   int64  `json:"size"`
	Start  *int   `json:"start"`
	End    *int   `json:"end"`
	Offset int64  `json:"offset"`
}

// TestPageData opens every report and compares the console API with the
// backward replay; no request may leave the page and nothing may go wrong in it.
func TestPageData(t *testing.T) {
	browser := chromium(t)
	for _, path := range testkit.Snapshots(t) {
		t.Run(shortName(path), func(t *testing.T) {
			s, err := snapshot.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			p := open(t, browser, writeReport(t, path), "", 1440, 900)
			devices := eval[[]struct{ Device, Events, Allocations int }](p, "memviz.devices()")
			if len(devices) != len(s.Devices()) {
				t.Fatalf("the page has %d devices, the file %d", len(devices), len(s.Devices()))
			}
			for i, device := range s.Devices() {
				if devices[i].Device != int(device) || devices[i].Events != s.Events(device).Len() {
					t.Errorf("device %d: the page has %+v", device, devices[i])
				}
				p.await("memviz.select(%d)", device)
				compareStates(p, s, device)
			}
			p.requireNoTrouble()
		})
	}
}

func shortName(path string) string {
	if name := filepath.Base(path); name != "snapshot.pickle.gz" {
		return name
	}
	return filepath.Base(filepath.Dir(path))
}

func compareStates(p *page, s *snapshot.Snapshot, device snapshot.DeviceID) {
	t := p.t
	n := s.Events(device).Len()
	random := rand.New(rand.NewPCG(uint64(n), 7))
	states := []int{0, n}
	for len(states) < statesPerDevice && n > 0 {
		states = append(states, random.IntN(n+1))
	}
	slices.Sort(states)
	walk := newBackward(s, device)
	for _, k := range slices.Backward(slices.Compact(states)) {
		if err := walk.to(k); err != nil {
			t.Fatal(err)
		}
		compareState(p, walk, k, random)
		if t.Failed() {
			t.Fatalf("in state %d of device %d", k, device)
		}
	}
}

func compareState(p *page, walk *backward, k int, random *rand.Rand) {
	t := p.t
	totals := eval[stateTotals](p, "memviz.state(%d)", k)
	if totals.Active != walk.active || totals.Reserved != walk.reserved || totals.Allocations != len(walk.live) {
		t.Errorf("the page says %+v; live are %d bytes in %d allocations, reserved %d", totals, walk.active,
			len(walk.live), walk.reserved)
	}
	live := eval[[]liveEntry](p, "memviz.live(%d).map(({stack, ...rest}) => rest)", k)
	seen := map[uint64]bool{}
	var offset int64
	lastStart := -1
	for _, entry := range live {
		addr, err := strconv.ParseUint(entry.Addr, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		if size, ok := walk.live[addr]; !ok || size != entry.Size || seen[addr] {
			t.Errorf("the page has %d bytes live at %s, brute force %d", entry.Size, entry.Addr, size)
		}
		seen[addr] = true
		if entry.Offset != offset {
			t.Errorf("%s lies at %d, below it are %d bytes", entry.Addr, entry.Offset, offset)
		}
		offset += entry.Size
		checkEvents(t, walk.events, entry, addr, k)
		if entry.Start != nil { // what existed before lies below, then comes the order of allocation
			if *entry.Start <= lastStart {
				t.Errorf("%s, allocated at %d, lies above one allocated at %d", entry.Addr, *entry.Start, lastStart)
			}
			lastStart = *entry.Start
		} else if lastStart >= 0 {
			t.Errorf("%s was there before the recording and lies above newer ones", entry.Addr)
		}
	}
	if len(live) != len(walk.live) {
		t.Errorf("the page has %d live allocations, brute force %d", len(live), len(walk.live))
	}
	for range min(3, len(live)) {
		checkStack(p, walk, k, random.IntN(len(live)), live)
	}
}

// checkEvents holds the start and end of a live allocation against the events themselves.
func checkEvents(t *testing.T, e *snapshot.Events, entry liveEntry, addr uint64, k int) {
	t.Helper()
	if entry.Start != nil {
		i := *entry.Start
		if i >= k || e.Action[i] != snapshot.Alloc || e.Addr[i] != addr || e.Size[i] != entry.Size {
			t.Errorf("%s starts with event %d, which is no alloc of it before state %d", entry.Addr, i, k)
		}
	}
	if entry.End != nil {
		i := *entry.End
		if i < k || (e.Action[i] != snapshot.FreeCompleted && e.Action[i] != snapshot.Free) || e.Addr[i] != addr {
			t.Errorf("%s ends with event %d, which is no free of it from state %d on", entry.Addr, i, k)
		}
	}
}

func checkStack(p *page, walk *backward, k, i int, live []liveEntry) {
	p.t.Helper()
	got := eval[[]string](p, "memviz.live(%d)[%d].stack", k, i)
	want := []string{}
	if start := live[i].Start; start != nil {
		want = stackText(walk.s, walk.events.Stack[*start])
	} else if live[i].End == nil {
		want = stackText(walk.s, finalStack(walk.s, live[i].Addr))
	}
	if !slices.Equal(got, want) {
		p.t.Errorf("%s has the stack\n%q\nwant\n%q", live[i].Addr, got, want)
	}
}

func finalStack(s *snapshot.Snapshot, addr string) snapshot.StackID {
	for i := range s.Blocks {
		if fmt.Sprintf("0x%x", s.Blocks[i].Address) == addr && s.Blocks[i].State != snapshot.Inactive {
			return s.Blocks[i].Stack
		}
	}
	return 0
}
