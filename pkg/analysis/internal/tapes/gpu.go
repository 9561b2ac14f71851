package tapes

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// GPU is a device whose allocator, the model of PyTorch's, is recorded.
type GPU struct {
	*allocator.Allocator
	out  *snapshot.Composer
	conf string
	Live []uint64 // addresses that the program still holds, oldest first

	Script []Call         // what the program did so far
	made   map[uint64]int // by address: the call that made it
}

// Call is one call of a program: a request, or the free of what another call made.
type Call struct {
	size   int64 // 0: a free
	stream allocator.Stream
	made   int
}

func NewGPU(t *testing.T, conf string, driver allocator.Driver) *GPU {
	t.Helper()
	settings, err := allocator.ParseSettings(conf)
	if err != nil {
		t.Fatal(err)
	}
	g := &GPU{Allocator: allocator.New(settings, driver), conf: conf, made: map[uint64]int{},
		out: snapshot.NewComposer(snapshot.Format{HasPoolID: true, HasSettings: true})}
	g.out.Trace(0)
	g.Emit = func(e allocator.Event) {
		addr := e.Addr
		if e.Action == snapshot.OOM {
			addr = uint64(e.DeviceFree)
		}
		g.out.Event(0, snapshot.EventText{Action: e.Action, Addr: addr, Size: e.Size, Stream: uint64(e.Stream)})
	}
	return g
}

// Ask asks for memory and remembers the address; false is out of memory.
func (g *GPU) Ask(bytes int64, stream allocator.Stream) (addr uint64, ok bool) {
	addr, err := g.Alloc(bytes, stream)
	g.Script = append(g.Script, Call{size: bytes, stream: stream})
	if err != nil {
		return 0, false
	}
	g.made[addr] = len(g.Script) - 1
	g.Live = append(g.Live, addr)
	return addr, true
}

// Drop frees the i-th address that the program holds.
func (g *GPU) Drop(t *testing.T, i int) {
	t.Helper()
	if err := g.Free(g.Live[i]); err != nil {
		t.Fatal(err)
	}
	g.Script = append(g.Script, Call{made: g.made[g.Live[i]]})
	g.Live = append(g.Live[:i], g.Live[i+1:]...)
}

// Again does the calls of a program over, and reports whether every request was served.
func (g *GPU) Again(t *testing.T, script []Call) bool {
	t.Helper()
	addrs := make([]uint64, len(script))
	for i, c := range script {
		if c.size == 0 {
			if err := g.Free(addrs[c.made]); err != nil {
				t.Fatal(err)
			}
			continue
		}
		addr, ok := g.Ask(c.size, c.stream)
		if !ok {
			return false
		}
		addrs[i] = addr
	}
	return true
}

// State is the state that the recording has come to.
func (g *GPU) State() int { return g.out.Len(0) }

// Stop ends the recording and writes the file.
func (g *GPU) Stop() *snapshot.Snapshot {
	for _, seg := range g.Segments() {
		blocks := make([]snapshot.Block, len(seg.Blocks))
		for i, b := range seg.Blocks {
			blocks[i] = snapshot.Block{Address: b.Address, Size: b.Size, RequestedSize: b.RequestedSize, State: b.State}
		}
		g.out.Segment(snapshot.Segment{
			Address: seg.Address, TotalSize: seg.TotalSize, SizeClass: seg.SizeClass, Expandable: seg.Expandable,
			Stream: g.out.Stream(uint64(seg.Stream)), Pool: g.out.Pool(seg.Pool),
		}, blocks...)
	}
	g.out.Setting("PYTORCH_CUDA_ALLOC_CONF", g.conf)
	return g.out.Snapshot()
}

// drawSize draws a request: small, medium or large, in odd bytes or even.
func drawSize(rng *rand.Rand) int64 {
	n := [...]int64{1 << 10, 64 << 10, 1 << 20, 3 << 20, 9 << 20, 12 << 20, 40 << 20}[rng.IntN(7)]
	n += rng.Int64N(n)
	if rng.IntN(2) == 0 {
		n = n &^ (1<<19 - 1)
	}
	return max(n, 1)
}

// Wander runs a random program of n calls and tells each state it comes to.
func (g *GPU) Wander(t *testing.T, rng *rand.Rand, n int, at func()) {
	t.Helper()
	streams := []allocator.Stream{0, 0, 0x100, 0x200}
	for range n {
		switch x := rng.IntN(100); {
		case x < 48 || len(g.Live) == 0:
			g.Ask(drawSize(rng), streams[rng.IntN(len(streams))])
		case x < 90:
			g.Drop(t, rng.IntN(len(g.Live)))
		case x < 95:
			if err := g.RecordStream(g.Live[rng.IntN(len(g.Live))], streams[rng.IntN(len(streams))]); err != nil {
				t.Fatal(err)
			}
		case x < 98:
			g.Synchronize()
		default:
			g.EmptyCache()
		}
		at()
	}
}

// SegmentsText is what a test compares: every segment and block in words.
func SegmentsText(list []allocator.Segment) string {
	var text []byte
	for _, s := range list {
		text = fmt.Appendf(text, "%#x %d stream %d %v %d %t\n", s.Address, s.TotalSize, s.Stream, s.Pool, s.SizeClass,
			s.Expandable)
		for _, b := range s.Blocks {
			text = fmt.Appendf(text, "  %#x %d", b.Address, b.Size)
			if b.State.Live() {
				text = fmt.Appendf(text, " %d %s", b.RequestedSize, b.State)
			}
			text = append(text, '\n')
		}
	}
	return string(text)
}

// FirstDifference is the segment of two texts that differs first; nothing when
// they are equal.
func FirstDifference(x, y string) (string, string) {
	a, b := strings.Split(x, "\n0x"), strings.Split(y, "\n0x")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return strings.Join(a[:min(len(a), 1)], ""), strings.Join(b[:min(len(b), 1)], "")
}
