package pagetest

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// long makes tests with something random in them try many times as much.
var long = flag.Bool("long", false, "walk far longer at random; make nightly does")

// tries is how often a test tries something random: n times, or 10 n with -long.
func tries(n int) int {
	if *long {
		return 10 * n
	}
	return n
}

// stateTotals is what memviz.state gives.
type stateTotals struct {
	Active      int64 `json:"active_bytes"`
	Reserved    int64 `json:"reserved_bytes"`
	Allocations int   `json:"allocations"`
}

// liveEntry is an entry of memviz.live; most are asked for without their stack.
type liveEntry struct {
	ID     int      `json:"id"`
	Addr   string   `json:"addr"`
	Size   int64    `json:"size"`
	Start  *int     `json:"start"`
	End    *int     `json:"end"`
	Offset int64    `json:"offset"`
	Stack  []string `json:"stack"`
}

// TestSnapshots opens the report of every story, with all its snapshots, and of every
// real snapshot. It compares numbers and pictures of all devices, and the events and
// segments of the first one of each snapshot.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	for name, paths := range allSnapshots(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openSized(t, makeReport(t, paths...), "theme=light", 1100, 700)
			compareDevices(t, p, paths)
			for file, path := range paths {
				if r := load(t, path); r.d != nil {
					p.await("memviz.select({file: %d, device: %d})", file, r.d.ID)
					compareEvents(t, p, r, path)
					compareSegments(t, p, r, path)
				}
			}
		})
	}
}

// compareDevices compares, in random states of every device, the console API with the
// backward replay, and, in whole views and in close ones, pixels and what lies under the
// pointer with a pile of its own. The page finds every site that memviz names first.
func compareDevices(t *testing.T, p *page, paths []string) {
	t.Helper()
	devices := eval[[]struct{ File, Device, Events int }](p, "memviz.devices()")
	sites := sitesNamedFirst(t, filepath.Dir(paths[0]))
	found := map[string]int{} // allocations, over all devices
	for file, path := range paths {
		r := load(t, path)
		for i, d := range r.Devices {
			if len(devices) == 0 || devices[0] != struct{ File, Device, Events int }{file, int(d.ID), d.Events.Len()} {
				t.Fatalf("the page has the devices %+v, then comes device %d of %s with %d events", devices, d.ID,
					path, d.Events.Len())
			}
			devices = devices[1:]
			p.await("memviz.select({file: %d, device: %d})", file, d.ID)
			compareStates(p, r.Snapshot, d.ID)
			p.goTo("d=%d.%d&c=family", file, d.ID)
			compareViews(p, newColors(r, i))
			for _, site := range sites {
				found[site] += eval[struct{ Allocations int }](p, "memviz.search(%q)", site).Allocations
			}
		}
	}
	if len(devices) > 0 {
		t.Errorf("the page has more devices: %+v", devices)
	}
	for _, site := range sites {
		if found[site] == 0 {
			t.Errorf("the page does not find %s", site)
		}
	}
}

// allSnapshots are the snapshots of every story, by its name, and every real
// snapshot by its own.
func allSnapshots(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, pattern := range []string{"*.pickle.gz", "*.pt"} {
		paths, err := filepath.Glob(filepath.Join(testkit.Root(t), "examples", "*", pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no examples are %s (%v)", pattern, err)
		}
		for _, path := range paths {
			story := filepath.Base(filepath.Dir(path))
			all[story] = append(all[story], path)
		}
	}
	for _, path := range testkit.Snapshots(t) {
		if filepath.Ext(path) == ".pickle" {
			all[filepath.Base(path)] = []string{path}
		}
	}
	return all
}

// sitesNamedFirst are the sites, as file:line, that memviz must name first when it
// is asked about a story. Real snapshots have none.
func sitesNamedFirst(t *testing.T, story string) (sites []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(story, "expect.txt"))
	if os.IsNotExist(err) {
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if site, is := strings.CutPrefix(strings.TrimSpace(line), "first "); is {
			before, _, _ := strings.Cut(site[:strings.LastIndex(site, ":")], "→") // where a line moved
			sites = append(sites, before)
		}
	}
	if len(sites) == 0 {
		t.Errorf("%s/expect.txt names no site first", story)
	}
	return sites
}

// compareStates compares random states of the device shown.
func compareStates(p *page, s *snapshot.Snapshot, device snapshot.DeviceID) {
	t := p.t
	t.Helper()
	n := s.Events(device).Len()
	random := rand.New(rand.NewPCG(uint64(n), 7))
	states := []int{0, n}
	for range tries(20) {
		states = append(states, random.IntN(n+1))
	}
	slices.Sort(states)
	states = slices.Compact(states)
	slices.Reverse(states)
	walk := newBackward(s, device)
	for states := range slices.Chunk(states, 10) {
		// Of three entries of each state the stack comes too.
		var withStack [3]float64
		for i := range withStack {
			withStack[i] = random.Float64()
		}
		all := eval[[]struct {
			Totals stateTotals
			Live   []liveEntry
		}](p, `%s.map((k) => {
			const live = memviz.live(k), stacks = new Set(%s.map((part) => Math.floor(part * live.length)));
			return {totals: memviz.state(k), live: live.map(({stack, ...rest}, i) => stacks.has(i) ? {...rest, stack} : rest)};
		})`, asJSON(t, states), asJSON(t, withStack))
		for i, k := range states {
			if err := walk.to(k); err != nil {
				t.Fatal(err)
			}
			compareState(t, walk, all[i].Totals, all[i].Live)
			if t.Failed() {
				t.Fatalf("in state %d of device %d", k, device)
			}
		}
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// compareState compares what the page says of a state with the backward replay,
// which stands there.
func compareState(t *testing.T, walk *backward, totals stateTotals, live []liveEntry) {
	t.Helper()
	if want := (stateTotals{walk.active, walk.reserved, len(walk.live)}); totals != want {
		t.Errorf("the page says %+v, want %+v", totals, want)
	}
	seen := map[uint64]bool{}
	var offset int64
	lastStart, stacks := -1, 0
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
		checkEvents(t, walk, entry, addr)
		if entry.Start != nil { // what existed before lies below, then comes the order of allocation
			if *entry.Start <= lastStart {
				t.Errorf("%s, allocated at %d, lies above one allocated at %d", entry.Addr, *entry.Start, lastStart)
			}
			lastStart = *entry.Start
		} else if lastStart >= 0 {
			t.Errorf("%s was there before the recording and lies above newer ones", entry.Addr)
		}
		if entry.Stack != nil {
			stacks++
			if want := walk.stackOf(entry); !slices.Equal(entry.Stack, want) {
				t.Errorf("%s has the stack\n%q\nwant\n%q", entry.Addr, entry.Stack, want)
			}
		}
	}
	if len(live) != len(walk.live) || stacks == 0 && len(live) > 0 {
		t.Errorf("the page has %d live allocations, %d stacks; brute force has %d", len(live), stacks, len(walk.live))
	}
}

// checkEvents compares the start and end of a live allocation with the events themselves.
func checkEvents(t *testing.T, walk *backward, entry liveEntry, addr uint64) {
	t.Helper()
	e, k := walk.events, walk.state
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

// stackOf is the stack of a live allocation: of its alloc event, or of its final
// block, or none.
func (b *backward) stackOf(entry liveEntry) []string {
	if entry.Start != nil {
		return stackText(b.s, b.events.Stack[*entry.Start])
	}
	for i := range b.s.Blocks {
		block := &b.s.Blocks[i]
		if entry.End == nil && fmt.Sprintf("0x%x", block.Address) == entry.Addr && block.State != snapshot.Inactive {
			return stackText(b.s, block.Stack)
		}
	}
	return []string{}
}

// stackText is a stack as the page's console API gives it.
func stackText(s *snapshot.Snapshot, id snapshot.StackID) []string {
	lines := []string{}
	for _, f := range s.Stacks.Frames(id) {
		frame := s.Frames[f]
		lines = append(lines, fmt.Sprintf("%s:%d:%s", s.String(frame.File), frame.Line, s.String(frame.Name)))
	}
	return lines
}
