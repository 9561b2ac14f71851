package predict

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// Trial is a run served under a capacity. It fits if every request is served. Cached memory is
// released when the device is full, so a run may fit although it reserves more without a
// limit.
type Trial struct {
	Fits     bool
	Reserved int64             // peak in bytes of the served requests under the capacity
	Event    replay.EventIndex // of the first request that fails, in the base recording; None: before the first event
	Bytes    int64             // of that request, rounded
}

// try serves a stream until a request fails.
func try(s *whatif.Stream, capacity int64) *Trial {
	if capacity <= 0 { // which would mean no limit
		return &Trial{Event: replay.None}
	}
	served := s.Serve(whatif.Options{Limit: capacity, DeviceMemory: capacity, Placement: whatif.PlaceUpwards,
		Strict: true})
	t := &Trial{Fits: !served.Fails(), Reserved: served.ReservedPeak, Event: replay.None, Bytes: served.TooMuchBytes}
	if len(served.Failures) > 0 {
		t.Event, t.Bytes = served.Failures[0].Event, served.Failures[0].Bytes
	}
	return t
}

// Largest is the largest x that fits into a capacity, as predicted without the spread of
// reserved memory except in WithRoom.
type Largest struct {
	X        int64  // 0: not even the smallest
	Margin   int64  // bytes of the capacity that are not reserved at X
	FailsAt  int64  // the next x, which does not fit; 0: none up to the greatest one tried
	Failure  *Trial // at FailsAt
	Base     int64  // the x of the recording that Failure's event is in
	Again    int64  // a larger x that fits although FailsAt does not; 0: none
	WithRoom int64  // the largest x that fits with the spread of reserved memory left free; 0: none was found
}

// neighbours is the number of values tried around the boundary: fitting is not monotonic
// in x.
const neighbours = 16

// farthest bounds the x that are tried, as a multiple of the greatest given one.
const farthest = 1 << 16

// Largest finds the largest multiple of step that fits into a capacity in bytes. It
// returns nil if reserved memory is not predicted.
func (s *Study) Largest(capacity, step int64) *Largest {
	if !s.PredictsReserved() {
		return nil
	}
	f := &fitter{s: s, step: step, known: map[[2]int64]*Trial{}}
	l := &Largest{}
	n := f.boundary(capacity)
	l.X = n * step
	if n > 0 {
		l.Margin = capacity - f.fit(n, capacity).Reserved
	}
	if next := f.fit(n+1, capacity); next != nil && !next.Fits {
		l.FailsAt, l.Failure, l.Base = (n+1)*step, next, s.nearest((n+1)*step).X
		f.look(n+2, n+neighbours, capacity)
		for i := n + 2; i <= n+neighbours; i++ {
			if fit := f.fit(i, capacity); fit != nil && fit.Fits {
				l.Again = i * step
			}
		}
	}
	for range neighbours { // one or two are enough, unless the spread changes much from x to x
		if n == 0 {
			break
		}
		p := s.At(n*step, capacity)
		if p.hasRoom {
			l.WithRoom = n * step
			break
		}
		n = min(n-1, f.boundary(p.room))
	}
	return l
}

// fitter remembers what fits.
type fitter struct {
	s     *Study
	step  int64
	known map[[2]int64]*Trial
}

// fit tries n steps; nil if x would be too large to try.
func (f *fitter) fit(n, capacity int64) *Trial {
	if n > f.most() {
		return nil
	}
	key := [2]int64{n, capacity}
	if f.known[key] == nil {
		f.known[key] = f.s.tryAt(n*f.step, capacity)
	}
	return f.known[key]
}

// look finds out which numbers of steps between from and to fit, several concurrently.
func (f *fitter) look(from, to, capacity int64) {
	to = min(to, f.most())
	if to < from {
		return
	}
	found := make([]*Trial, to-from+1)
	var wait sync.WaitGroup
	next := atomic.Int64{}
	for range min(runtime.GOMAXPROCS(0), len(found)) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(found)); i = next.Add(1) - 1 {
				found[i] = f.s.tryAt((from+i)*f.step, capacity)
			}
		})
	}
	wait.Wait()
	for i, fit := range found {
		f.known[[2]int64{from + int64(i), capacity}] = fit
	}
}

func (f *fitter) most() int64 {
	greatest := f.s.Given[len(f.s.Given)-1].X
	return max(min(greatest*farthest, MaxX)/f.step, 1)
}

func (f *fitter) fits(n, capacity int64) bool {
	fit := f.fit(n, capacity)
	return fit != nil && fit.Fits
}

// boundary returns the largest n below the first failure near the boundary that bisecting
// finds; 0 if not even 1 fits.
func (f *fitter) boundary(capacity int64) int64 {
	if !f.fits(1, capacity) {
		return 0
	}
	low, high := int64(1), max(f.s.Given[len(f.s.Given)-1].X/f.step, 2) // low fits
	for f.fits(high, capacity) {
		if low = high; high >= f.most() {
			return low
		}
		high = min(2*high, f.most())
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; f.fits(middle, capacity) {
			low = middle
		} else {
			high = middle
		}
	}
	first := low
	f.look(max(low-neighbours, 0)+1, low-1, capacity)
	for n := low - 1; n > max(low-neighbours, 0); n-- {
		if !f.fits(n, capacity) {
			first = n - 1
		}
	}
	return first
}

// tryAt tries a run at x; after a first step, also the next one.
func (s *Study) tryAt(x, capacity int64) *Trial {
	m := s.nearest(x)
	stream := m.synthesize(x)
	if next := s.next[slices.Index(s.models, m)]; next != nil {
		_, stream, _ = next.streams(stream)
	}
	return try(stream, capacity)
}
