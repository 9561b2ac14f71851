package testsnap

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Program runs on one recorded device. A call that the allocator must not refuse, but does, is a
// bug of the test, and panics.
type Program struct {
	*GPU
	recorder *Recorder
	conf     string
	Live     []uint64 // addresses that the program still holds, oldest first

	Script []Call         // what the program did so far
	made   map[uint64]int // by address: the call that made it
}

// Call is one call of a program: a request, or the free of an earlier one.
type Call struct {
	size   int64 // 0: a free
	stream allocator.Stream
	made   int
}

// NewProgram begins a program on a device with allocator settings, a PYTORCH_CUDA_ALLOC_CONF.
func NewProgram(conf string, driver allocator.Driver) *Program {
	settings, err := allocator.ParseSettings(conf)
	must(err)
	r := NewRecorder(snapshot.Format{HasPoolID: true, HasSettings: true})
	return &Program{GPU: r.Add(settings, driver), recorder: r, conf: conf, made: map[uint64]int{}}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Ask requests memory and remembers the address; false means out of memory.
func (p *Program) Ask(bytes int64, stream allocator.Stream) (addr uint64, ok bool) {
	addr, err := p.Alloc(bytes, stream)
	p.Script = append(p.Script, Call{size: bytes, stream: stream})
	if err != nil {
		return 0, false
	}
	p.made[addr] = len(p.Script) - 1
	p.Live = append(p.Live, addr)
	return addr, true
}

// Drop frees the i-th address that the program holds.
func (p *Program) Drop(i int) {
	must(p.Free(p.Live[i]))
	p.Script = append(p.Script, Call{made: p.made[p.Live[i]]})
	p.Live = append(p.Live[:i], p.Live[i+1:]...)
}

// Again repeats the calls of a program, and reports whether every request was served.
func (p *Program) Again(script []Call) bool {
	addrs := make([]uint64, len(script))
	for i, c := range script {
		if c.size == 0 {
			must(p.Free(addrs[c.made]))
			continue
		}
		addr, ok := p.Ask(c.size, c.stream)
		if !ok {
			return false
		}
		addrs[i] = addr
	}
	return true
}

// State returns the current state of the recording.
func (p *Program) State() int { return p.recorder.Out.Len(0) }

// Stop ends the recording.
func (p *Program) Stop() *snapshot.Snapshot {
	p.recorder.Out.Setting("PYTORCH_CUDA_ALLOC_CONF", p.conf)
	return p.recorder.Snapshot()
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

// Wander runs a random program of n calls, and calls visit in each state it reaches.
func (p *Program) Wander(rng *rand.Rand, n int, visit func()) {
	streams := []allocator.Stream{0, 0, 0x100, 0x200}
	for range n {
		switch x := rng.IntN(100); {
		case x < 48 || len(p.Live) == 0:
			p.Ask(drawSize(rng), streams[rng.IntN(len(streams))])
		case x < 90:
			p.Drop(rng.IntN(len(p.Live)))
		case x < 95:
			must(p.RecordStream(p.Live[rng.IntN(len(p.Live))], streams[rng.IntN(len(streams))]))
		case x < 98:
			p.Synchronize()
		default:
			p.EmptyCache()
		}
		visit()
	}
}

// SegmentsText formats every segment and block as text, for tests to compare.
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

// FirstDifference returns the first segment that differs between two texts; empty if
// they are equal.
func FirstDifference(x, y string) (string, string) {
	a, b := strings.Split(x, "\n0x"), strings.Split(y, "\n0x")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return strings.Join(a[:min(len(a), 1)], ""), strings.Join(b[:min(len(b), 1)], "")
}
