package whatif

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

type vector testkit.Vector

func readVectors(t *testing.T) (list []vector) {
	t.Helper()
	for _, v := range testkit.Vectors(t) {
		list = append(list, vector(v))
	}
	return list
}

// capacity is the memory of the device.
func (v *vector) capacity() int64 { return number(strings.Fields(v.Ops[0])[1]) }

// conf is the last settings of the program: what a snapshot would say.
func (v *vector) conf() (conf string) {
	for _, x := range v.Ops {
		if text, is := strings.CutPrefix(x, "cfg "); is {
			conf = text
		}
	}
	return conf
}

// snapshot is what torch would have written at the end of the program, had its
// ring buffer lost the events before one.
func (v *vector) snapshot(from int) *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasTraces: true, HasPoolID: true, HasTime: true, HasSettings: true})
	c.Trace(0)
	c.Setting("PYTORCH_CUDA_ALLOC_CONF", v.conf())
	requested := map[uint64]int64{}
	n := 0
	for i, events := range v.Events {
		stack := c.Stack(snapshot.FrameText{File: "program.py", Line: int32(i + 1), Name: v.Ops[i]})
		for _, line := range events {
			f := strings.Fields(line)
			if f[0] == "seg" {
				addSegment(c, line, requested)
				continue
			}
			e := snapshot.EventText{Action: actions[f[0]], Addr: uint64(number(f[1])), Size: number(f[2]),
				Stream: uint64(number(f[3])), Stack: stack, TimeMicros: int64(i)}
			if e.Action == snapshot.Alloc {
				requested[e.Addr] = e.Size
			}
			if n++; n > from {
				c.Event(0, e)
			}
		}
	}
	return c.Snapshot()
}

// addSegment reads a line of the listing: address, size, stream, large,
// expandable, pool, then the blocks as size/allocated-active.
func addSegment(c *snapshot.Composer, line string, requested map[uint64]int64) {
	head, tail, _ := strings.Cut(line, ":")
	f := strings.Fields(head)
	seg := snapshot.Segment{
		Address: uint64(number(f[1])), TotalSize: number(f[2]), Stream: c.Stream(uint64(number(f[3]))),
		SizeClass:  snapshot.SizeClassSmall,
		Expandable: f[5] == "1", Pool: c.Pool(snapshot.Pool{B: uint64(number(f[6]))}),
	}
	if f[4] == "1" {
		seg.SizeClass = snapshot.SizeClassLarge
	}
	states := map[string]snapshot.BlockState{"00": snapshot.Inactive, "01": snapshot.ActivePendingFree,
		"11": snapshot.ActiveAllocated}
	var blocks []snapshot.Block
	at := seg.Address
	for _, text := range strings.Fields(tail) {
		size, state, _ := strings.Cut(text, "/")
		b := snapshot.Block{Address: at, Size: number(size), State: states[state]}
		if b.State.Live() {
			b.RequestedSize = requested[at]
		}
		blocks = append(blocks, b)
		at += uint64(b.Size)
	}
	c.Segment(seg, blocks...)
}

var actions = map[string]snapshot.Action{
	"alloc": snapshot.Alloc, "free_requested": snapshot.FreeRequested, "free_completed": snapshot.FreeCompleted,
	"segment_alloc": snapshot.SegmentAlloc, "segment_free": snapshot.SegmentFree, "segment_map": snapshot.SegmentMap,
	"segment_unmap": snapshot.SegmentUnmap, "snapshot": snapshot.SnapshotTaken, "oom": snapshot.OOM,
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// runOf makes the history of device 0 ready.
func runOf(s *snapshot.Snapshot) *Run {
	return New(analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, 0)))
}

// reproducible are the kinds of programs that record all that decides where blocks
// go. The others have a memory fraction, private pools or settings that change,
// which no snapshot has.
var reproducible = []string{"plain", "split", "exp", "round", "stream"}

// leastReproduced is how many of 1000 recordings that are cut are reproduced.
const leastReproduced = 988

// TestVectors makes recordings of what the real allocator did and reproduces
// them, whole and cut at each tenth, as a ring buffer leaves them.
func TestVectors(t *testing.T) {
	whole, cut := map[string]int{}, 0
	for i, v := range readVectors(t) {
		run := runOf(v.snapshot(0))
		name := fmt.Sprintf("%s program %d", v.Kind, i)
		if limit := run.Limit; limit.From == LimitFailed && limit.Bytes != v.capacity() {
			t.Errorf("%s: limit %+v, the device has %d bytes", name, limit, v.capacity())
		}
		if run.Proof.Holds() {
			whole[v.Kind]++
		}
		if !slices.Contains(reproducible, v.Kind) {
			continue
		}
		n := run.r.Device.Events.Len()
		for tenth := range 10 {
			run := runOf(v.snapshot(n * tenth / 10))
			p := run.Proof
			switch whole := p.Addresses == p.AddressesOf && p.DriverCalls == p.DriverCallsOf; {
			case p.Holds() && whole:
				cut++
			case p.Holds() || tenth == 0:
				t.Errorf("%s, from tenth %d: %+v, %+v", name, tenth, p, p.First)
			}
		}
	}
	for _, kind := range reproducible {
		if whole[kind] != 20 {
			t.Errorf("%d programs of kind %s are reproduced, want 20", whole[kind], kind)
		}
	}
	// Some do not say what lay in pages, or behind blocks, before the cut.
	if cut < leastReproduced {
		t.Errorf("%d of 1000 recordings that are cut are reproduced, want %d", cut, leastReproduced)
	}
	t.Logf("reproduced: %v; %d of %d when cut", whole, cut, 10*20*len(reproducible))
}
