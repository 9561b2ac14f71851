package whatif

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Study is a run with predictions for it.
type Study struct {
	*Run
	Limit Limit // what the predictions respect

	// Outcomes are the settings that were asked about, the best first: those under
	// which no request fails before others, those without an assumed limit before
	// others, then by the peak of reserved memory, then by how many options they have.
	Outcomes []Outcome
	// Reference is the recorded setting, predicted in the same way as the others:
	// what they have to be compared with.
	Reference Outcome
	// Best is the first outcome that is better than Reference and rests on no assumed
	// limit; nil if there is none.
	Best *Outcome
}

// Question is what to predict.
type Question struct {
	Settings []Setting // none: the usual ones
	Capacity int64     // how much memory PyTorch may have, in bytes; 0: nobody says
	Quick    bool      // each setting once, without trying other places for the driver's ranges
}

// Study answers a question. Without a proof there are no predictions.
func (run *Run) Study(q Question) *Study {
	s := &Study{Run: run, Limit: run.Limit}
	if q.Capacity > 0 {
		s.Limit = Limit{Bytes: q.Capacity, From: LimitGiven}
	}
	if !run.Proof.Holds() {
		return s
	}
	settings := q.Settings
	if len(settings) == 0 {
		settings = run.usual()
	}
	for _, x := range settings {
		x.Settings.Build = run.settings.Build
		s.Outcomes = append(s.Outcomes, Outcome{Setting: x})
	}
	s.Outcomes = append(s.Outcomes, Outcome{Setting: run.Recorded()})
	run.predict(s.Outcomes, s.Limit.Bytes, q.Quick)
	n := len(s.Outcomes) - 1
	s.Reference, s.Outcomes = s.Outcomes[n], s.Outcomes[:n]
	slices.SortStableFunc(s.Outcomes, func(x, y Outcome) int { return x.compare(&y) })
	for i := range s.Outcomes {
		if x := &s.Outcomes[i]; !x.Assumed && x.better(&s.Reference) {
			s.Best = x
			break
		}
	}
	return s
}

// Assumes reports whether a limit was assumed for some outcome.
func (s *Study) Assumes() bool {
	return slices.ContainsFunc(s.Outcomes, func(x Outcome) bool { return x.Assumed })
}

// Fails reports whether a request fails, or what was live before the recording
// does not fit.
func (o *Outcome) Fails() bool { return o.FailedOf > 0 || o.TooMuch }

// FailureState is the state in which the first request fails, 0 if what was live
// before the recording does not fit, and -1 if nothing fails.
func (o *Outcome) FailureState() int {
	switch {
	case o.TooMuch:
		return 0
	case len(o.Failures) > 0:
		return int(o.Failures[0].Event)
	}
	return -1
}

func (o *Outcome) compare(x *Outcome) int {
	return cmp.Or(cmp.Compare(one(o.Fails()), one(x.Fails())), cmp.Compare(one(o.Assumed), one(x.Assumed)),
		cmp.Compare(o.ReservedPeak, x.ReservedPeak),
		cmp.Compare(strings.Count(o.Setting.Conf, ","), strings.Count(x.Setting.Conf, ",")),
		cmp.Compare(o.Calls.All(), x.Calls.All()))
}

// better reports whether an outcome is worth changing a setting for: it serves
// what failed, or the peak is lower by more than hundredths of it, wherever the
// driver puts its ranges and whatever was there before the recording.
func (o *Outcome) better(x *Outcome) bool {
	if o.Fails() != x.Fails() {
		return x.Fails()
	}
	return !o.Fails() && o.Most < x.Least-x.Least/worthwhile && o.FromStart <= x.FromStart
}

// worthwhile is the part of the peak that a change has to save.
const worthwhile = 50

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Hopeless reports whether no setting could have served every request: what was
// live and what was asked for are more than the limit.
func (s *Study) Hopeless() bool { return s.Limit.Bytes > 0 && s.LowerBound() > s.Limit.Bytes }

// Outcome is what one setting would have done, and how sure that is.
type Outcome struct {
	Setting Setting
	*Prediction
	// Least and Most are the peak of reserved memory if the driver had put its
	// ranges elsewhere; both are ReservedPeak where that was not tried.
	Least, Most int64
	// FromStart is the peak if what was reserved before the recording is there, too,
	// as the recorded settings had laid it out; ReservedPeak where nothing was.
	FromStart int64
	// Assumed: the setting works on a limit, none is known, and the recorded peak
	// was taken for one.
	Assumed bool
}

// spreadSteps is the most steps of a run whose predictions are made three times,
// with the driver's ranges in other places.
const spreadSteps = 300_000

// predict fills outcomes that have their settings, on all cores. What was live
// before the recording is laid out anew under each.
func (run *Run) predict(outcomes []Outcome, limit int64, quick bool) {
	inParallel(len(outcomes), func(i int) {
		x := &outcomes[i]
		use := Options{Limit: limit, Anew: len(run.start.segments) > 0}
		if x.Setting.Settings.GCThreshold > 0 && limit == 0 {
			use.Limit, x.Assumed = run.ReservedPeak(), true
		}
		x.Prediction = run.Predict(x.Setting.Settings, use)
		x.Least, x.Most, x.FromStart = x.ReservedPeak, x.ReservedPeak, x.ReservedPeak
		if use.Anew {
			from := use
			from.Anew = false
			x.FromStart = run.Predict(x.Setting.Settings, from).ReservedPeak
		}
		if quick || len(run.steps) > spreadSteps {
			return
		}
		for _, use.Placement = range []Placement{placeUpwards, placeDownwards} {
			peak := run.Predict(x.Setting.Settings, use).ReservedPeak
			x.Least, x.Most = min(x.Least, peak), max(x.Most, peak)
		}
	})
}

// inParallel does n things on as many cores as there are.
func inParallel(n int, do func(i int)) {
	var wait sync.WaitGroup
	free := make(chan struct{}, max(runtime.GOMAXPROCS(0), 1))
	for i := range n {
		free <- struct{}{}
		wait.Go(func() {
			defer func() { <-free }()
			do(i)
		})
	}
	wait.Wait()
}

// CurveOf predicts an outcome again, to tell how reserved memory changes.
func (s *Study) CurveOf(o *Outcome) []Reserved {
	use := o.Options
	use.Curve = true
	return s.Predict(o.Setting.Settings, use).Curve
}
