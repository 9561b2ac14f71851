package allocator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

type program = testkit.Vector

// vectorPrograms and vectorEvents are what the file holds; less would be a lost test.
const (
	vectorPrograms = 160
	vectorEvents   = 81216
)

func TestVectors(t *testing.T) {
	programs, events := 0, 0
	for i, p := range testkit.Vectors(t) {
		ok := t.Run(fmt.Sprintf("%03d-%s", i, p.Kind), func(t *testing.T) {
			events += runProgram(t, p)
		})
		if ok {
			programs++
		}
	}
	if programs != vectorPrograms || events != vectorEvents {
		t.Errorf("%d programs with %d events are equal, want %d with %d", programs, events, vectorPrograms,
			vectorEvents)
	}
}

// runProgram compares the model with the real allocator operation by operation
// and returns how many events were equal. When several private pools are
// released at once, the real one takes them in the order of a hash table: then the order may differ.
func runProgram(t *testing.T, p program) (events int) {
	t.Helper()
	if len(p.Ops) != len(p.Events) {
		t.Fatalf("%d operations but %d lists of events", len(p.Ops), len(p.Events))
	}
	m := machine{addrs: map[string]uint64{}}
	for i, op := range p.Ops {
		unused := m.unusedPools()
		got, err := m.do(op)
		if err != nil {
			t.Fatalf("operation %d, %q: %v", i, op, err)
		}
		if want := p.Events[i]; !slices.Equal(got, want) {
			if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) || unused < 2 {
				t.Fatalf("operation %d, %q:\n got %q\nwant %q", i, op, got, want)
			}
			t.Logf("operation %d, %q: private pools were released in another order", i, op)
		}
		checkInvariants(t, m.Allocator)
		events += len(got)
	}
	return events
}

// machine runs programs in the language of the vectors.
type machine struct {
	*Allocator
	addrs map[string]uint64 // of allocations that succeeded and are not freed, by id
	lines []string          // what the operation recorded so far
}

// do runs one operation and returns its events.
func (m *machine) do(op string) ([]string, error) {
	m.lines = nil
	name, rest, _ := strings.Cut(op, " ")
	args := strings.Fields(rest)
	var err error
	switch name {
	case "cap":
		driver := NewSimulatedDriver(number(args[0]))
		driver.ModelMemory = 80 << 30
		m.Allocator = New(Settings{}, driver)
		m.Emit = func(e Event) { m.lines = append(m.lines, eventLine(e)) }
	case "cfg":
		var s Settings
		s, err = ParseSettings(rest)
		m.Configure(s)
	case "frac":
		var fraction float64
		fraction, err = strconv.ParseFloat(args[0], 64)
		m.SetMemoryFraction(fraction)
	case "a":
		if addr, failed := m.Alloc(number(args[1]), stream(args[2])); failed == nil {
			m.addrs[args[0]] = addr
		}
	case "f":
		if addr, ok := m.addrs[args[0]]; ok {
			err = m.Free(addr)
			delete(m.addrs, args[0])
		}
	case "r":
		if addr, ok := m.addrs[args[0]]; ok {
			err = m.RecordStream(addr, stream(args[1]))
		}
	case "d":
		m.Synchronize()
	case "e":
		m.EmptyCache()
	case "pb":
		err = m.BeginPool(poolID(args[0]), func(s Stream) bool { return s == 0 })
	case "pe":
		err = m.EndPool(poolID(args[0]))
	case "pr":
		err = m.ReleasePool(poolID(args[0]))
	case "s":
		for _, segment := range m.Snapshot() {
			m.lines = append(m.lines, segmentLine(segment))
		}
	default:
		err = fmt.Errorf("unknown operation")
	}
	return m.lines, err
}

// unusedPools is how many private pools the next release will empty.
func (m *machine) unusedPools() (n int) {
	if m.Allocator == nil {
		return 0
	}
	for _, p := range m.private {
		if p.users == 0 {
			n++
		}
	}
	return n
}

var eventNames = map[snapshot.Action]string{
	snapshot.Alloc:         "alloc",
	snapshot.FreeRequested: "free_requested",
	snapshot.FreeCompleted: "free_completed",
	snapshot.SegmentAlloc:  "segment_alloc",
	snapshot.SegmentFree:   "segment_free",
	snapshot.SegmentMap:    "segment_map",
	snapshot.SegmentUnmap:  "segment_unmap",
	snapshot.SnapshotTaken: "snapshot",
	snapshot.OOM:           "oom",
}

// eventLine is an event as the vectors write it: the address of an oom is the
// device's free memory.
func eventLine(e Event) string {
	addr := e.Addr
	if e.Action == snapshot.OOM {
		addr = uint64(e.DeviceFree)
	}
	return fmt.Sprintf("%s %d %d %d", eventNames[e.Action], addr, e.Size, e.Stream)
}

// segmentLine is a segment as the vectors write it: each block is its size, then
// whether it is allocated and whether it is active.
func segmentLine(s Segment) string {
	states := map[snapshot.BlockState]string{
		snapshot.Inactive:          "00",
		snapshot.ActivePendingFree: "01",
		snapshot.ActiveAllocated:   "11",
	}
	line := fmt.Sprintf("seg %d %d %d %d %d %d :", s.Address, s.TotalSize, s.Stream,
		digit(s.SizeClass == snapshot.SizeClassLarge), digit(s.Expandable), s.Pool.B)
	for _, b := range s.Blocks {
		line += fmt.Sprintf(" %d/%s", b.Size, states[b.State])
	}
	return line
}

func digit(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// stream is the handle of a stream that the vectors number.
func stream(s string) Stream { return Stream(256 * number(s)) }

func poolID(s string) snapshot.Pool { return snapshot.Pool{B: uint64(number(s))} }
