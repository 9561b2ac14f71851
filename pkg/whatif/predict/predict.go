// Package predict says what a run at another size would need, from recordings of the
// same program at two or more sizes: another batch, or another length of sequences.
//
// The requests of the recordings are aligned by their stacks (align.go). The size of each
// follows a law in x, which the recordings prove or not (laws.go). The requests of a run
// at another x are those of the nearest recording, in its order and with its lifetimes,
// each of the size that its law gives (synthesize.go). Its active peak is their sum, and
// its reserved peak is what the model of PyTorch's allocator reserves for them, starting
// from an empty cache (reserved.go).
//
// No recording can show whether the program does the same at another x: another
// kernel, padding, or data type. Two recordings that are both padded alike do not show
// the padding. So every prediction holds if nothing else changes, and [New] refuses
// recordings that cannot be of one program at the given x (refusals.go).
package predict

import (
	"cmp"
	"slices"
	"sync"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// Given is a recording, and the x that it was made at: a batch size, a length of
// sequences, or whatever else was changed.
type Given struct {
	X    int64
	Name string // of the file, for sentences
	Run  *whatif.Run
}

// MaxRecordings is how many recordings can be given.
const MaxRecordings = 8

// MaxX bounds x.
const MaxX = 1 << 40

// Study predicts other sizes from recordings at several sizes.
type Study struct {
	Given   []Given // ascending in X
	Refused *Refusal

	// Aligned is the share of requests that the worst pair of recordings has in common,
	// ByFunction means that lines and folders were ignored, and LastStep that only the
	// last complete steps were compared.
	Aligned              float64
	ByFunction, LastStep bool

	Bytes []Bytes // by recording
	Colds []Cold  // by recording; empty where a model does not reproduce its recording

	// FirstStep: the recordings are of a first step, in which the optimizer made its
	// state, so that later steps need more.
	FirstStep bool

	models []*model
	next   []*nextStep // by recording; nil if it is not of a first step
}

// Options configure New.
type Options struct {
	Force bool // continue if possible, although the recordings are refused
}

// New compares recordings. If they cannot be compared, Study.Refused says why, and
// nothing can be predicted unless Options.Force is set and prediction is possible.
func New(given []Given, o Options) *Study {
	s := &Study{Given: slices.Clone(given)}
	slices.SortStableFunc(s.Given, func(a, b Given) int { return cmp.Compare(a.X, b.X) })
	if s.Refused = refuseInputs(s.Given); s.Refused != nil {
		return s
	}
	all := make([]*sample, len(s.Given))
	for i, g := range s.Given {
		all[i] = &sample{Given: g, r: g.Run.Recording()}
		all[i].useAll()
	}
	a, ok := alignAll(all)
	s.Aligned, s.LastStep = a.least(), a.last
	for i := range all {
		for j := i + 1; j < len(all); j++ {
			s.ByFunction = s.ByFunction || a.of[i][j].key == byFunction
		}
	}
	if !ok {
		s.Refused = refuseAlignment(all, a)
	} else if a.last {
		s.Refused = refuseRepetition(all)
	}
	if s.Refused != nil && !o.Force {
		return s
	}
	s.makeModels(a)
	if refused := refuseLaws(s); refused != nil && s.Refused == nil {
		if s.Refused = refused; !o.Force {
			s.models = nil
			return s
		}
	}
	s.makeColds(all)
	return s
}

func (s *Study) makeModels(a *alignments) {
	m := &modeler{a, map[sizes]law{}}
	s.next = make([]*nextStep, len(a.all))
	var wait sync.WaitGroup
	for i := range a.all {
		x := m.model(i)
		s.models, s.Bytes = append(s.models, x), append(s.Bytes, x.Bytes)
		wait.Go(func() { s.next[i] = nextStepOf(x) })
	}
	wait.Wait()
	s.FirstStep = slices.ContainsFunc(s.next, func(n *nextStep) bool { return n != nil })
}

// makeColds serves each recording at its own size, if the model reproduces all of them.
func (s *Study) makeColds(all []*sample) {
	for _, g := range s.Given {
		if !g.Run.Proof.Holds() {
			return
		}
	}
	s.Colds = make([]Cold, len(all))
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() { s.Colds[i] = coldOf(all[i]) })
	}
	wait.Wait()
}

// Possible reports whether anything can be predicted.
func (s *Study) Possible() bool { return len(s.models) > 0 }

// PredictsReserved reports whether reserved memory can be predicted: the model reproduces
// every recording, and each, served from an empty cache, reserves about as much as
// recorded.
func (s *Study) PredictsReserved() bool {
	return len(s.Colds) > 0 && !slices.ContainsFunc(s.Colds, func(c Cold) bool { return !c.Near() })
}

// fromEmpty reports whether every recording began with an empty cache, or emptied it
// early.
func (s *Study) fromEmpty() bool {
	return !slices.ContainsFunc(s.Colds, func(c Cold) bool { return !c.Empty })
}

// EvidentShare is the share of bytes under a law that the recordings prove, the least of
// all recordings.
func (s *Study) EvidentShare() float64 {
	least := 1.0
	for i := range s.Bytes {
		least = min(least, s.Bytes[i].EvidentShare())
	}
	return least
}

// Recording returns the run that was recorded at x; nil if there is none.
func (s *Study) Recording(x int64) *whatif.Run {
	for _, g := range s.Given {
		if g.X == x {
			return g.Run
		}
	}
	return nil
}

// Common returns the greatest common divisor of all given x.
func (s *Study) Common() int64 {
	common := int64(0)
	for _, g := range s.Given {
		for a, b := common, g.X; ; a, b = b, a%b {
			if b == 0 {
				common = a
				break
			}
		}
	}
	return common
}

// Range is a number of bytes that is known to lie between two bounds.
type Range struct{ Low, High int64 }

// Prediction is what a run at x would need.
type Prediction struct {
	X     int64
	Given bool  // it was recorded at this x
	Base  int64 // the x of the recording whose order and lifetimes it has

	Active        Range // peak in bytes; both are equal unless unknown or unproved bytes are live at the peak
	ActivePeak    int64 // with sizes that follow no law carried over
	PeakEvent     replay.EventIndex
	UnknownBytes  int64 // live at the peak, of sizes that follow no law
	UnprovedBytes int64 // live at the peak, of sizes under a law that the recordings do not prove
	EvidentShare  float64
	SquareBytes   int64 // live at the peak, of sizes that grow with the square of x, as scores of attention do
	WithoutSquare int64 // active peak in bytes if these requests were not made

	Reserved *Reserved // nil: it is not predicted
	NextStep *NextStep // nil: the recording is not of a first step

	// Fits is whether the run fits the capacity, the next step included. It is unknown if no
	// capacity is given or reserved memory is not predicted, and never Fits if the recordings
	// are refused.
	Fits    whatif.Fit
	hasRoom bool  // it fits with the spread of reserved memory left free
	room    int64 // bytes of the capacity left in that case
}

// NextStep is what the step after a recorded first step needs, in bytes: the least if
// gradients are freed before its forward pass, the most if they live until backward.
type NextStep struct {
	Active   Range
	Reserved *Range // of both steps; nil: it is not predicted
}

// At predicts a run at x, which is from 1 to MaxX. Capacity is the memory available to
// PyTorch in bytes; 0 if it is not known.
func (s *Study) At(x, capacity int64) Prediction {
	m := s.nearest(x)
	stream := m.synthesize(x)
	p := Prediction{X: x, Base: m.X, EvidentShare: m.EvidentShare(),
		Given: slices.ContainsFunc(s.Given, func(g Given) bool { return g.X == x })}
	peak, step := stream.ActivePeak()
	p.ActivePeak, p.PeakEvent = peak, replay.None
	if step >= 0 {
		p.PeakEvent = stream.Ops[step].Event
	}
	u := m.unprovedAt(stream, step, x)
	p.UnknownBytes, p.UnprovedBytes = u.carried, u.byLaw
	p.SquareBytes, p.WithoutSquare = m.withoutSquare(stream, step)
	proved := peak - u.carried - u.byLaw
	p.Active = Range{proved + u.bounds.Low, proved + u.bounds.High}
	less, more := peak-p.Active.Low, p.Active.High-peak
	limit := s.limit(m, capacity)
	low, above, below := stream, int64(0), int64(0)
	if s.PredictsReserved() {
		r := reserve(stream, limit, s.fromEmpty())
		r.Low, r.High = max(r.Low-less, 0), r.High+more
		p.Reserved = &r
		above, below = r.above+more, r.Peak-r.Low
	}
	if next := s.next[slices.Index(s.models, m)]; next != nil {
		gone, alive, second := next.streams(stream)
		p.NextStep = &NextStep{}
		p.NextStep.Active.Low, _ = gone.ActivePeakFrom(second)
		p.NextStep.Active.High, _ = alive.ActivePeakFrom(second)
		p.NextStep.Active.Low, p.NextStep.Active.High = max(p.NextStep.Active.Low-less, 0), p.NextStep.Active.High+more
		if stream, low = alive, gone; p.Reserved != nil {
			a, b := reserve(gone, limit, s.fromEmpty()), reserve(alive, limit, s.fromEmpty())
			p.NextStep.Reserved = &Range{max(min(a.Low, b.Low)-less, 0), max(a.High, b.High) + more}
			above, below = max(above, b.above+more), a.Peak-a.Low+less
		}
	}
	if capacity > 0 && p.Reserved != nil {
		p.room = capacity - above
		fits := try(stream, capacity).Fits
		p.hasRoom = fits && try(stream, p.room).Fits
		switch {
		case p.hasRoom && s.Refused == nil:
			p.Fits = whatif.Fits
		case fits || try(low, capacity+below).Fits:
			p.Fits = whatif.MayFit
		default:
			p.Fits = whatif.DoesNotFit
		}
	}
	return p
}

// limit returns the limit to serve a run of a model's recording under: none, unless the
// recording released cached memory.
func (s *Study) limit(m *model, capacity int64) int64 {
	if m.Run.Retries == 0 {
		return 0
	}
	return cmp.Or(capacity, m.Run.Limit.Bytes)
}

// Check is a recording predicted from all others, with its actual numbers.
type Check struct {
	X                int64
	Refused          *Refusal // the others alone are refused, so nothing was predicted
	Active, Recorded int64    // peaks in bytes
	Reserved         *Reserved
	RecordedReserved int64
}

// Checks returns the checks of all recordings, if there are three or more: one alone
// predicts nothing.
func (s *Study) Checks() []Check {
	if len(s.Given) < 3 || !s.Possible() {
		return nil
	}
	var checks []Check
	for i, g := range s.Given {
		others := New(slices.Delete(slices.Clone(s.Given), i, i+1), Options{})
		c := Check{X: g.X, Refused: others.Refused, Recorded: g.Run.Recording().Device.Totals.PeakBytes,
			RecordedReserved: g.Run.ReservedPeak()}
		if len(s.Colds) > 0 {
			c.RecordedReserved = s.Colds[i].Recorded
		}
		if c.Refused == nil {
			p := others.At(g.X, 0)
			c.Active, c.Reserved = p.ActivePeak, p.Reserved
		}
		checks = append(checks, c)
	}
	return checks
}
