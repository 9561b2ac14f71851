package predict

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

const mib = 1 << 20

// tape records calls of a model of the allocator.
type tape struct {
	c       *snapshot.Composer
	a       *allocator.Allocator
	stack   snapshot.StackID
	running bool // events are recorded
}

func newTape() *tape {
	t := &tape{c: snapshot.NewComposer(snapshot.Format{HasTime: true, HasPoolID: true, HasSettings: true})}
	t.c.Setting("PYTORCH_CUDA_ALLOC_CONF", "")
	t.c.Trace(0)
	t.a = allocator.New(allocator.Settings{}, allocator.NewSimulatedDriver(80<<30))
	t.a.Emit = func(e allocator.Event) {
		if t.running {
			t.c.Event(0, snapshot.EventText{Action: e.Action, Addr: e.Addr, Size: e.Size, Stack: t.stack,
				Stream: uint64(e.Stream)})
		}
	}
	return t
}

// alloc allocates at a line of the script.
func (t *tape) alloc(line int32, bytes int64) uint64 {
	t.stack = t.c.Stack(snapshot.FrameText{File: "/x/train.py", Line: line, Name: "main"})
	addr, err := t.a.Alloc(bytes, 0)
	if err != nil {
		panic(err)
	}
	return addr
}

func (t *tape) free(addrs ...uint64) {
	for _, addr := range addrs {
		if err := t.a.Free(addr); err != nil {
			panic(err)
		}
	}
}

func (t *tape) at(x int64) Given {
	for _, seg := range t.a.Segments() {
		var blocks []snapshot.Block
		for _, b := range seg.Blocks {
			blocks = append(blocks, snapshot.Block{Address: b.Address, Size: b.Size, RequestedSize: b.RequestedSize,
				State: b.State})
		}
		t.c.Segment(snapshot.Segment{Address: seg.Address, TotalSize: seg.TotalSize, SizeClass: seg.SizeClass,
			Stream: t.c.Stream(uint64(seg.Stream))}, blocks...)
	}
	s := t.c.Snapshot()
	return Given{X: x, Name: "x", Run: whatif.New(analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, 0)))}
}

// leftover is a run with cached memory from before it: 400 MiB that are never used and
// given back in the end, 100 MiB that are, and weights of 30 MiB and of so many bytes.
func leftover(x, other int64) Given {
	t := newTape()
	t.alloc(1, 30*mib)
	t.alloc(2, other)
	unused, err := t.a.Alloc(400*mib, 7) // on a stream that is not used again
	if err != nil {
		panic(err)
	}
	t.free(unused, t.alloc(4, 100*mib))
	t.running = true
	for range 3 {
		t.free(t.alloc(11, x*mib), t.alloc(12, 100*mib))
	}
	t.a.EmptyCache()
	t.free(t.alloc(13, 2*x*mib))
	return t.at(x)
}

// TestCold: cached segments that were never used do not count.
func TestCold(t *testing.T) {
	s := New([]Given{leftover(101, 32*mib), leftover(202, 64*mib)}, Options{})
	if s.Refused != nil {
		t.Fatal(s.Refused.Sentence)
	}
	for i, c := range s.Colds {
		if c.Empty || c.Leftover != 400*mib || !c.Near() {
			t.Errorf("%d: %+v", i, c)
		}
	}
	if !s.PredictsReserved() || s.fromEmpty() {
		t.Errorf("reserved predicted: %v, from empty: %v", s.PredictsReserved(), s.fromEmpty())
	}
	// 30 MiB are constant, the other weight grows; the last request is the peak.
	if p := s.At(404, 0); p.ActivePeak != (30+128+808)*mib || p.UnknownBytes != 0 {
		t.Errorf("%+v", p)
	}
}

// TestCarried: what was there before and does not match is carried over, and bounds the
// prediction.
func TestCarried(t *testing.T) {
	a, b := leftover(101, 64*mib), leftover(202, 32*mib) // it falls, so it follows no law
	s := New([]Given{a, b}, Options{})
	if s.Refused != nil {
		t.Fatal(s.Refused.Sentence)
	}
	p := s.At(404, 0)
	if s.Bytes[1].Carried != 32*mib || p.UnknownBytes != 32*mib || p.ActivePeak != (30+32+808)*mib ||
		p.Active != (Range{p.ActivePeak, p.ActivePeak + 3*32*mib}) {
		t.Errorf("%+v, %+v", s.Bytes, p)
	}
}

// TestBoundary: a capacity too small for anything, and one without an end.
func TestBoundary(t *testing.T) {
	s := New([]Given{leftover(101, 32*mib), leftover(202, 32*mib)}, Options{})
	if s.Refused != nil {
		t.Fatal(s.Refused.Sentence)
	}
	if l := s.Largest(10*mib, 1); l.X != 0 || l.FailsAt != 1 || l.Failure == nil {
		t.Errorf("10 MiB: %+v", l)
	}
	if l := s.Largest(1<<60, 1<<20); l.X < 1<<20 || l.FailsAt != 0 || l.Failure != nil {
		t.Errorf("without an end: %+v", l)
	}
}

// TestUnproved: sizes under a law that two recordings do not prove bound a forced prediction,
// too: they lie between as recorded and as if they grew with the square of x.
func TestUnproved(t *testing.T) {
	run := func(x int64) Given {
		r := newTape()
		r.running = true
		r.free(r.alloc(11, 100*mib+x*mib)) // a + b x
		return r.at(x)
	}
	s := New([]Given{run(100), run(200)}, Options{Force: true})
	if s.Refused == nil || s.Refused.Key != "no_laws" || !s.Possible() {
		t.Fatalf("%+v", s.Refused)
	}
	p := s.At(400, 0)
	if p.ActivePeak != 500*mib || p.UnknownBytes != 0 || p.UnprovedBytes != 500*mib ||
		p.Active != (Range{300 * mib, 1200 * mib}) {
		t.Errorf("%+v", p)
	}
	if r := p.Reserved; r == nil || r.Low > 300*mib || r.High < 1200*mib {
		t.Errorf("reserved: %+v", r)
	}
}

// TestFits: a run fits if it does at the upper end of what it may reserve, and may fit if it
// does at the lower end only, or if the recordings are refused.
func TestFits(t *testing.T) {
	s := New([]Given{leftover(101, 32*mib), leftover(202, 64*mib)}, Options{})
	r := s.At(404, 0).Reserved
	if s.Refused != nil || r == nil || !(r.Low < r.Peak && r.Peak < r.High) {
		t.Fatalf("%+v, %+v", s.Refused, r)
	}
	for _, test := range []struct {
		capacity int64
		want     whatif.Fit
	}{
		{0, whatif.FitNotKnown}, {r.High, whatif.Fits}, {r.High - mib, whatif.MayFit}, {r.Peak, whatif.MayFit},
		{r.Low, whatif.MayFit}, {r.Low - mib, whatif.DoesNotFit}, {1, whatif.DoesNotFit},
	} {
		if got := s.At(404, test.capacity).Fits; got != test.want {
			t.Errorf("with %d of %d to %d bytes: %v, want %v", test.capacity, r.Low, r.High, got, test.want)
		}
	}
	at := s.Largest(r.Peak, 1)
	if got := s.At(at.WithRoom, r.Peak).Fits; at.WithRoom == 0 || at.WithRoom >= at.X || got != whatif.Fits {
		t.Errorf("%+v: %v", at, got)
	}
	falling := New([]Given{leftover(101, 64*mib), leftover(202, 32*mib)}, Options{Force: true})
	falling.Refused = &Refusal{}
	if got := falling.At(404, 1<<50).Fits; got != whatif.MayFit {
		t.Errorf("although refused: %v", got)
	}
}
