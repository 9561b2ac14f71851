package answer

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/predict"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// PredictDevice is what a device would need at sizes at which nothing was recorded, if
// nothing but the size changes.
type PredictDevice struct {
	Device int `json:"device"`
	Trust
	Refused   *PredictRefusal `json:"refused" jsonschema:"nullable"` // why nothing is predicted; null if it is
	Forced    bool            `json:"forced"`                        // predicted although refused
	Proof     PredictProof    `json:"proof"`
	Laws      []PredictLaw    `json:"laws"`       // by which sizes follow x, in the recording at the largest x
	FirstStep bool            `json:"first_step"` // the recordings are of a first step, which understates the run

	ActivePeak   *int64          `json:"active_peak_bytes" jsonschema:"nullable"`   // the most of all rows
	ReservedPeak *int64          `json:"reserved_peak_bytes" jsonschema:"nullable"` // the most of all rows; null if it is not predicted
	Capacity     int64           `json:"capacity_bytes"`                            // given; 0: none
	Rows         []PredictRow    `json:"rows"`                                      // predictions, as asked
	Largest      *PredictLargest `json:"largest" jsonschema:"nullable"`             // the largest x that fits; null if it was not asked for or is not known
	Limits       []string        `json:"limits"`                                    // what the recordings cannot tell, and how it was treated: sentences
}

// PredictRefusal is why recordings cannot be compared.
type PredictRefusal struct {
	Reason string `json:"reason"`
	Text   string `json:"text"`
}

// PredictProof is what predictions rest on.
type PredictProof struct {
	AlignedShare float64         `json:"aligned_share"` // of the requests, in the worst pair of recordings
	ByFunction   bool            `json:"by_function"`   // lines and folders did not count, because files were edited or moved
	LastStep     bool            `json:"last_step"`     // only the last complete steps were compared
	EvidentShare float64         `json:"evident_share"` // of the bytes requested, under a law that the recordings prove
	Reserved     bool            `json:"reserved"`      // reserved memory is predicted: the model reproduces every recording, also from an empty cache
	Recordings   []PredictSource `json:"recordings"`
	Checks       []PredictCheck  `json:"checks"` // each recording predicted from the others, if there are three or more
}

// PredictSource is a recording that predictions are made from.
type PredictSource struct {
	X             int64  `json:"x"`
	File          string `json:"file"`
	ActivePeak    int64  `json:"active_peak_bytes"`
	ReservedPeak  int64  `json:"reserved_peak_bytes"`
	Reproduced    bool   `json:"reproduced"`        // the model gives every recorded address
	UsedReserved  int64  `json:"used_peak_bytes"`   // reserved peak without cached segments that were never used; 0 if not reproduced
	ServedAnew    int64  `json:"served_peak_bytes"` // reserved peak if its requests are served from an empty cache; 0 if not reproduced
	LeftoverBytes int64  `json:"leftover_bytes"`    // cached before the recording and never used in it
}

// PredictCheck is a recording predicted from all others.
type PredictCheck struct {
	X                    int64  `json:"x"`
	Refused              string `json:"refused"` // why the others predict nothing; "" if they do
	ActivePeak           int64  `json:"active_peak_bytes"`
	RecordedActivePeak   int64  `json:"recorded_active_peak_bytes"`
	ReservedPeak         *int64 `json:"reserved_peak_bytes" jsonschema:"nullable"`
	RecordedReservedPeak int64  `json:"recorded_reserved_peak_bytes"`
}

// PredictLaw is how many bytes follow a kind of law.
type PredictLaw struct {
	Kind  string `json:"kind"` // constant, linear, square, padded, padded_square, shifted, affine or unknown
	Bytes int64  `json:"bytes"`
}

// PredictRow is a prediction.
type PredictRow struct {
	X             int64        `json:"x"`
	Base          int64        `json:"base"`                                      // the x of the recording whose order and lifetimes it has
	ActivePeak    int64        `json:"active_peak_bytes"`                         // of the step as recorded, with sizes that follow no law as in that recording
	ActiveLow     int64        `json:"active_low"`                                // bytes; unlike active_peak_bytes only where unknown_bytes or unproved_bytes are above 0
	ActiveHigh    int64        `json:"active_high"`                               // bytes
	PeakSite      string       `json:"peak_site"`                                 // that asked for memory last
	ReservedPeak  *int64       `json:"reserved_peak_bytes" jsonschema:"nullable"` // null: not predicted
	ReservedLow   *int64       `json:"reserved_low" jsonschema:"nullable"`        // bytes
	ReservedHigh  *int64       `json:"reserved_high" jsonschema:"nullable"`       // bytes
	NextStep      *PredictNext `json:"next_step" jsonschema:"nullable"`           // after a recorded first step; else null
	Fits          *bool        `json:"fits" jsonschema:"nullable"`                // into the capacity, next step included; null if that is not known
	EvidentShare  float64      `json:"evident_share"`
	UnknownBytes  int64        `json:"unknown_bytes"`                    // live at the peak, of sizes that follow no law
	SquareBytes   int64        `json:"square_bytes"`                     // live at the peak, of sizes that grow with the square of x, as scores of attention do
	WithoutSquare int64        `json:"without_square_active_peak_bytes"` // active peak if these requests were not made
	UnprovedBytes int64        `json:"unproved_bytes"`                   // live at the peak, of sizes under a law that the recordings do not prove
}

// PredictNext is what the step after a first one needs, in bytes of active memory: the
// least if its gradients are dropped before the forward pass, the most if after.
type PredictNext struct {
	Low          int64  `json:"low"`
	High         int64  `json:"high"`
	ReservedLow  *int64 `json:"reserved_low" jsonschema:"nullable"`
	ReservedHigh *int64 `json:"reserved_high" jsonschema:"nullable"`
}

// PredictLargest is the largest x that fits into the capacity.
type PredictLargest struct {
	X           int64  `json:"x"` // 0: not even the smallest
	MultipleOf  int64  `json:"multiple_of"`
	Margin      int64  `json:"margin_bytes"`
	FailsAt     int64  `json:"fails_at"` // the next x, of which a request fails; 0: none was found
	FailedBytes int64  `json:"failed_bytes"`
	FailedSite  string `json:"failed_site"`
	FitsAgainAt int64  `json:"fits_again_at"` // a larger x that fits all the same; 0: none
	WithSpread  int64  `json:"x_with_spread"` // that fits if the spread of reserved memory is left free; 0: none
}

// PredictOptions are the options of PredictSizes.
type PredictOptions struct {
	At         []int64
	Capacity   int64 // bytes that PyTorch may have; 0: not given
	Largest    bool  // find the largest x that fits into Capacity
	MultipleOf int64 // of which the largest x is to be a multiple; 0 is 1
	Force      bool  // predict although the recordings are refused, where that is possible
}

// SizedInput is a recording with the x that it was made at.
type SizedInput struct {
	X int64
	*Input
}

// PredictSizes predicts other sizes from recordings at several, device by device.
func PredictSizes(in []SizedInput, o PredictOptions) (*Sheet, error) {
	s, _, err := predictSizes(in, o)
	return s, err
}

// PredictedRun is a run that was never made, as a recording.
type PredictedRun struct {
	*Input           // its name says that it is predicted; nil: no device can be shown
	LeftOut []string // why a device is not in it: sentences
}

// PredictSizesAndRun is PredictSizes, with the run at the first of the sizes.
func PredictSizesAndRun(in []SizedInput, o PredictOptions) (*Sheet, PredictedRun, error) {
	s, all, err := predictSizes(in, o)
	if err != nil || len(o.At) == 0 {
		return s, PredictedRun{}, err
	}
	var run PredictedRun
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
		made := NewInput(predictedName(in, o.At[0]), predict.Snapshot(studies, o.At[0], o.Capacity))
		run.Input = &made
	}
	return s, run, nil
}

// predictSizes also returns the prediction of each device.
func predictSizes(in []SizedInput, o PredictOptions) (*Sheet, []*prediction, error) {
	value := newDevices[PredictDevice]("predict")
	s := &Sheet{value: value}
	var all []*prediction
	for _, r := range in[0].Recordings {
		given, of, lacks := sameDevice(in, r.Device.ID)
		if lacks != "" {
			s.note("%s is not predicted: %s has no such device.", in[0].Snapshot.DeviceLabel(r.Device.ID), name(lacks))
			continue
		}
		x := &prediction{Study: predict.New(given, predict.Options{Force: o.Force}), in: of, o: o}
		x.view.Device = int(r.Device.ID)
		x.fill()
		value.Devices = append(value.Devices, x.view)
		s.predict(x)
		all = append(all, x)
	}
	if len(value.Devices) == 0 {
		return nil, nil, errors.New("the snapshots have no device in common")
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
	return PredictedAt(x) + ", from " + strings.Join(names, " and ")
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
	o       PredictOptions
	rows    []predict.Prediction
	largest *predict.Largest
	view    PredictDevice
}

func (x *prediction) fill() {
	v := &x.view
	v.Rows, v.Laws, v.Limits, v.Capacity = []PredictRow{}, []PredictLaw{}, []string{}, x.o.Capacity
	v.Proof = PredictProof{AlignedShare: x.Aligned, ByFunction: x.ByFunction, LastStep: x.LastStep,
		Recordings: []PredictSource{}, Checks: []PredictCheck{}}
	for i, g := range x.Given {
		d := g.Run.Recording().Device
		trust := newTrust(d.AddsUp(), x.in[i].Snapshot.Cut(d.ID), d.Anomalies)
		if i == 0 {
			v.Trust = trust
		} else {
			v.Trust = v.Trust.and(trust)
		}
		source := PredictSource{X: g.X, File: g.Name, ActivePeak: d.Totals.PeakBytes,
			ReservedPeak: g.Run.ReservedPeak(),
			Reproduced:   g.Run.Proof.Holds()}
		if len(x.Colds) > 0 {
			c := &x.Colds[i]
			source.UsedReserved, source.ServedAnew, source.LeftoverBytes = c.Recorded, c.Served, c.Leftover
		}
		v.Proof.Recordings = append(v.Proof.Recordings, source)
	}
	if x.Refused != nil {
		v.Refused, v.Forced = &PredictRefusal{x.Refused.Key, x.Refused.Sentence}, x.Possible()
	}
	if !x.Possible() {
		return
	}
	v.FirstStep = x.FirstStep
	v.Proof.EvidentShare, v.Proof.Reserved = x.EvidentShare(), x.PredictsReserved()
	for kind, bytes := range x.Bytes[len(x.Bytes)-1].ByKind {
		if bytes > 0 {
			v.Laws = append(v.Laws, PredictLaw{predict.LawKind(kind).Key(), bytes})
		}
	}
	for _, c := range x.Checks() {
		v.Proof.Checks = append(v.Proof.Checks, newPredictCheck(&c))
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

func newPredictCheck(c *predict.Check) PredictCheck {
	v := PredictCheck{X: c.X, ActivePeak: c.Active, RecordedActivePeak: c.Recorded,
		RecordedReservedPeak: c.RecordedReserved}
	if c.Refused != nil {
		v.Refused = c.Refused.Key
	}
	if c.Reserved != nil {
		v.ReservedPeak = &c.Reserved.Peak
	}
	return v
}

func (x *prediction) row(p *predict.Prediction) PredictRow {
	row := PredictRow{X: p.X, Base: p.Base, ActivePeak: p.ActivePeak, ActiveLow: p.Active.Low,
		ActiveHigh: p.Active.High,
		PeakSite:   x.site(p.Base, p.PeakEvent), EvidentShare: p.EvidentShare, UnknownBytes: p.UnknownBytes, SquareBytes: p.SquareBytes, WithoutSquare: p.WithoutSquare,
		UnprovedBytes: p.UnprovedBytes}
	if r := p.Reserved; r != nil {
		row.ReservedPeak, row.ReservedLow, row.ReservedHigh = &r.Peak, &r.Low, &r.High
	}
	if n := p.NextStep; n != nil {
		row.NextStep = &PredictNext{Low: n.Active.Low, High: n.Active.High}
		if n.Reserved != nil {
			row.NextStep.ReservedLow, row.NextStep.ReservedHigh = &n.Reserved.Low, &n.Reserved.High
		}
	}
	if p.Fit != nil {
		row.Fits = &p.Fit.Fits
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

func (x *prediction) largestView() *PredictLargest {
	l := x.largest
	if l == nil {
		return nil
	}
	v := &PredictLargest{X: l.X, MultipleOf: max(x.o.MultipleOf, 1), Margin: l.Margin, FailsAt: l.FailsAt,
		FitsAgainAt: l.Again, WithSpread: l.WithRoom}
	if l.Failure != nil {
		v.FailedBytes, v.FailedSite = l.Failure.Bytes, x.site(l.Base, l.Failure.Event)
	}
	return v
}
