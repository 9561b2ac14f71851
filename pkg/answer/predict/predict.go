// Package predict answers how much memory a program needs at a size at which nothing was recorded.
package predict

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/pkg/whatif"
	"github.com/memviz-go/memviz/pkg/whatif/predict"
)

// Options are the options of Answer.
type Options struct {
	At         []int64
	Capacity   int64 // bytes that PyTorch may have; 0: not given
	Largest    bool  // find the largest x that fits into Capacity
	MultipleOf int64 // of which the largest x is to be a multiple; 0 is 1
	Force      bool  // predict although the recordings are refused, where that is possible
}

// SizedInput is a recording with the x that it was made at.
type SizedInput struct {
	X int64
	*answer.Input
}

// Answer predicts other sizes from recordings at several, device by device.
func Answer(in []SizedInput, o Options) (*sheet.Sheet, error) {
	s, _, err := answerDevices(in, o)
	return s, err
}

// Run is a run that was never made, as a recording.
type Run struct {
	*answer.Input          // its name says that it is predicted; nil: no device can be shown
	LeftOut       []string // why a device is not in it: sentences
}

// AnswerAndRun is Answer, with the run at the first of the sizes.
func AnswerAndRun(in []SizedInput, o Options) (*sheet.Sheet, Run, error) {
	s, all, err := answerDevices(in, o)
	if err != nil || len(o.At) == 0 {
		return s, Run{}, err
	}
	var run Run
	var studies []*predict.Study
	for _, x := range all {
		why := ""
		switch {
		case x.PredictsReserved() && x.Possible():
			studies = append(studies, x.Study)
			continue
		case x.Possible():
			why = reservedSentence(x)
		default:
			why = x.Refused.Sentence
		}
		if len(all) > 1 {
			why = x.in[0].Snapshot.DeviceLabel(x.Given[0].Run.Recording().Device.ID) + ": " + why
		}
		run.LeftOut = append(run.LeftOut, why)
	}
	if len(studies) > 0 {
		recording, origin := predict.Snapshot(studies, o.At[0], o.Capacity)
		made := answer.NewInput(predictedName(in, o.At[0]), recording)
		made.Origin.Predicted = origin
		run.Input = &made
	}
	return s, run, nil
}

// answerDevices also returns the prediction of each device.
func answerDevices(in []SizedInput, o Options) (*sheet.Sheet, []*prediction, error) {
	value := answer.NewDevices[Device]("predict")
	s := &sheet.Sheet{Value: value}
	var all []*prediction
	for _, r := range in[0].Recordings {
		if r.Device.ID == snapshot.Pinned {
			s.Note("pinned is not predicted: it is host memory, which has another allocator.")
			continue
		}
		given, of, lacks := sameDevice(in, r.Device.ID)
		if lacks != "" {
			s.Note("%s is not predicted: %s has no such device.", in[0].Snapshot.DeviceLabel(r.Device.ID),
				sheet.Name(lacks))
			continue
		}
		x := &prediction{Study: predict.New(given, predict.Options{Force: o.Force}), in: of, o: o}
		x.view.Device = int(r.Device.ID)
		x.fill()
		value.Devices = append(value.Devices, x.view)
		write(s, x)
		all = append(all, x)
	}
	if len(value.Devices) == 0 {
		return nil, nil, errors.New("the snapshots have no GPU in common")
	}
	return s, all, nil
}

// PredictedAt names a run that was never made.
func PredictedAt(x int64) string { return "predicted at " + units.Count(x) }

// RecordedAt names a recording by its size.
func RecordedAt(x int64) string { return "recorded at " + units.Count(x) }

// predictedName names the recording of a run that was never made.
func predictedName(in []SizedInput, x int64) string {
	names := make([]string, len(in))
	for i := range in {
		names[i] = in[i].FileName()
	}
	last := len(names) - 1
	return PredictedAt(x) + ", from " + strings.Join(names[:last], ", ") + " and " + names[last]
}

// sameDevice are the recordings of a device, ascending in x. lacks is the name of a file
// that has none.
func sameDevice(in []SizedInput, id snapshot.DeviceID) (given []predict.Given, of []SizedInput, lacks string) {
	of = slices.Clone(in)
	slices.SortStableFunc(of, func(a, b SizedInput) int { return int(max(-1, min(a.X-b.X, 1))) })
	var recordings []*analysis.Recording
	for _, f := range of {
		i := slices.IndexFunc(f.Recordings, func(r *analysis.Recording) bool { return r.Device.ID == id })
		if i < 0 {
			return nil, nil, f.FileName()
		}
		given = append(given, predict.Given{X: f.X, Name: f.FileName()})
		recordings = append(recordings, f.Recordings[i])
	}
	var wait sync.WaitGroup
	for i, r := range recordings {
		wait.Go(func() { given[i].Run = whatif.New(r) })
	}
	wait.Wait()
	return given, of, ""
}

// prediction is a study with what was asked of it.
type prediction struct {
	*predict.Study
	in      []SizedInput // ascending in x
	o       Options
	rows    []predict.Prediction
	largest *predict.Largest
	view    Device
}

func (x *prediction) fill() {
	v := &x.view
	v.Rows, v.Laws, v.Limits, v.Capacity = []Row{}, []Law{}, []string{}, x.o.Capacity
	v.Proof = Proof{AlignedShare: x.Aligned, ByFunction: x.ByFunction, LastStep: x.LastStep,
		Recordings: []Source{}, Checks: []Check{}}
	for i, g := range x.Given {
		d := g.Run.Recording().Device
		trust := trust.New(d.AddsUp(), x.in[i].Snapshot.Cut(d.ID), d.Anomalies)
		if i == 0 {
			v.Trust = trust
		} else {
			v.Trust = v.Trust.And(trust)
		}
		source := Source{X: g.X, File: g.Name, ActivePeak: d.Totals.PeakBytes,
			ReservedPeak: g.Run.ReservedPeak(),
			Reproduced:   g.Run.Proof.Holds()}
		if len(x.Colds) > 0 {
			c := &x.Colds[i]
			source.UsedReserved, source.ServedAnew, source.LeftoverBytes = c.Recorded, c.Served, c.Leftover
		}
		v.Proof.Recordings = append(v.Proof.Recordings, source)
	}
	if x.Refused != nil {
		v.Refused, v.Forced = &Refusal{x.Refused.Key, x.Refused.Sentence}, x.Possible()
	}
	if !x.Possible() {
		return
	}
	v.FirstStep = x.FirstStep
	v.Proof.EvidentShare, v.Proof.Reserved = x.EvidentShare(), x.PredictsReserved()
	for kind, bytes := range x.Bytes[len(x.Bytes)-1].ByKind {
		if bytes > 0 {
			v.Laws = append(v.Laws, Law{predict.LawKind(kind).Key(), bytes})
		}
	}
	for _, c := range x.Checks() {
		v.Proof.Checks = append(v.Proof.Checks, newCheck(&c))
	}
	for _, at := range x.o.At {
		p := x.At(at, x.o.Capacity)
		x.rows = append(x.rows, p)
		row := x.row(&p)
		v.Rows = append(v.Rows, row)
		v.ActivePeak = most(v.ActivePeak, &row.ActivePeak)
		v.ReservedPeak = most(v.ReservedPeak, row.ReservedPeak)
	}
	if x.o.Largest && x.o.Capacity > 0 {
		x.largest = x.Largest(x.o.Capacity, max(x.o.MultipleOf, 1))
		v.Largest = x.largestView()
	}
	v.Limits = x.limits()
}

// most is the larger of two numbers, of which none, one or both are known.
func most(a, b *int64) *int64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

func newCheck(c *predict.Check) Check {
	v := Check{X: c.X, ActivePeak: c.Active, RecordedActivePeak: c.Recorded,
		RecordedReservedPeak: c.RecordedReserved}
	if c.Refused != nil {
		v.Refused = c.Refused.Key
	}
	if c.Reserved != nil {
		v.ReservedPeak = &c.Reserved.Peak
	}
	return v
}

func (x *prediction) row(p *predict.Prediction) Row {
	row := Row{X: p.X, Base: p.Base, ActivePeak: p.ActivePeak, ActiveLow: p.Active.Low,
		ActiveHigh: p.Active.High, PeakSite: x.site(p.Base, p.PeakEvent), EvidentShare: p.EvidentShare,
		UnknownBytes: p.UnknownBytes, UnprovedBytes: p.UnprovedBytes,
		SquareBytes: p.SquareBytes, WithoutSquare: p.WithoutSquare}
	if r := p.Reserved; r != nil {
		row.ReservedPeak, row.ReservedLow, row.ReservedHigh = &r.Peak, &r.Low, &r.High
	}
	if n := p.NextStep; n != nil {
		row.NextStep = &Next{Low: n.Active.Low, High: n.Active.High}
		if n.Reserved != nil {
			row.NextStep.ReservedLow, row.NextStep.ReservedHigh = &n.Reserved.Low, &n.Reserved.High
		}
	}
	if p.Fits != whatif.FitNotKnown {
		row.Fits, row.MayFit = new(p.Fits == whatif.Fits), new(p.Fits != whatif.DoesNotFit)
	}
	return row
}

// site is the call site of an event in the recording at x; "" if there is none.
func (x *prediction) site(at int64, event replay.EventIndex) string {
	run := x.Recording(at)
	if run == nil || event == replay.None || int(event) >= run.Recording().Device.Events.Len() {
		return ""
	}
	r := run.Recording()
	return r.Stacks.Site(r.Device.Events.Stack[event]).String()
}

func (x *prediction) largestView() *Largest {
	l := x.largest
	if l == nil {
		return nil
	}
	v := &Largest{X: l.X, MultipleOf: max(x.o.MultipleOf, 1), Margin: l.Margin, FailsAt: l.FailsAt,
		FitsAgainAt: l.Again, WithSpread: l.WithRoom}
	if l.Failure != nil {
		v.FailedBytes, v.FailedSite = l.Failure.Bytes, x.site(l.Base, l.Failure.Event)
	}
	return v
}
