package whatif

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Study is a run with predictions for it.
type Study struct {
	*Run
	Limit Limit // the limit that the predictions were made with

	// Outcomes are the predictions, best first: settings under which no request fails,
	// then those without an assumed limit, then by peak of reserved memory, number of
	// options, and number of driver calls.
	Outcomes []Outcome
	// Reference is the recorded setting, predicted in the same way as the others, which
	// makes it comparable with them.
	Reference Outcome
	// Best is the first outcome that is better than Reference and rests on no assumed
	// limit; nil if there is none.
	Best *Outcome
}

// Question is what to predict.
type Question struct {
	Settings []Setting // empty: the usual ones
	Capacity int64     // memory available to PyTorch in bytes; 0: as far as the recording shows it
	Quick    bool      // predict each setting once, which leaves Outcome.Least and Most equal
}

// Study predicts the settings of a question. If the Proof does not hold, the Study has
// no outcomes.
func (run *Run) Study(q Question) *Study {
	s := &Study{Run: run, Limit: run.Limit}
	if q.Capacity > 0 {
		s.Limit = run.Given(q.Capacity)
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
	run.predictAll(s.Outcomes, s.Limit.Bytes, q.Quick)
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

// FailureState is the state in which the first request fails, 0 if the pre-existing
// allocations do not fit, and -1 if nothing fails.
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

// better reports whether an outcome justifies a change from x: it serves requests that
// fail under x, or its peak is lower by more than 2 % of x's for every placement of
// ranges, with or without cached memory from before the recording.
func (o *Outcome) better(x *Outcome) bool {
	if o.Fails() != x.Fails() {
		return x.Fails()
	}
	return !o.Fails() && o.Most < x.Least-x.Least/worthwhile && o.FromStart <= x.FromStart
}

// worthwhile: a change has to save at least 1/worthwhile of the peak.
const worthwhile = 50

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Hopeless reports whether no setting can serve every request, because live memory
// and the request together exceed the limit.
func (s *Study) Hopeless() bool { return s.Limit.Bytes > 0 && s.LowerBound() > s.Limit.Bytes }

// Outcome is what one setting would have done, with its uncertainty.
type Outcome struct {
	Setting Setting
	*Served
	// Least and Most bound the peak of reserved memory in bytes over several placements
	// of the driver's ranges; both are ReservedPeak if only one was tried.
	Least, Most int64
	// FromStart is the peak in bytes if the run starts from the segments reserved before
	// the recording instead of Options.Anew; ReservedPeak if there were none.
	FromStart int64
	// Assumed: the setting needs a limit (garbage_collection_threshold), none is known,
	// and the recorded peak was taken as the limit.
	Assumed bool
}

// spreadOps is the length of a run, in ops, up to which each setting is also
// predicted with two other placements of the driver's ranges.
const spreadOps = 300_000

// predictAll fills outcomes that have only their Setting, on all cores.
func (run *Run) predictAll(outcomes []Outcome, limit int64, quick bool) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range outcomes {
		g.Go(func() error {
			run.predictOne(&outcomes[i], limit, quick)
			return nil
		})
	}
	_ = g.Wait() // nothing fails
}

func (run *Run) predictOne(x *Outcome, limit int64, quick bool) {
	use := Options{Limit: limit, Anew: len(run.start.segments) > 0}
	if x.Setting.Settings.GCThreshold > 0 && limit == 0 {
		use.Limit, x.Assumed = run.ReservedPeak(), true
	}
	x.Served = run.predict(x.Setting.Settings, use)
	x.Least, x.Most, x.FromStart = x.ReservedPeak, x.ReservedPeak, x.ReservedPeak
	if use.Anew {
		from := use
		from.Anew = false
		x.FromStart = run.predict(x.Setting.Settings, from).ReservedPeak
	}
	if quick || len(run.ops) > spreadOps {
		return
	}
	for _, use.Placement = range []Placement{PlaceUpwards, PlaceDownwards} {
		peak := run.predict(x.Setting.Settings, use).ReservedPeak
		x.Least, x.Most = min(x.Least, peak), max(x.Most, peak)
	}
}

// Trace predicts an outcome again with Options.Traced: it has Curve and Layout.
func (s *Study) Trace(o *Outcome) *Served {
	use := o.Options
	use.Traced = true
	return s.predict(o.Setting.Settings, use)
}
