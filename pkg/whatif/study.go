package whatif

import (
	"cmp"
	"slices"
	"strings"
)

// Study is a run with predictions for it.
type Study struct {
	*Run
	Limit Limit // what the predictions respect

	// Outcomes are the settings that were asked about, the best first: those under
	// which no request fails before others, then by the peak of reserved memory, then
	// by how many options they have.
	Outcomes []Outcome
	// Reference is the recorded setting, predicted in the same way as the others:
	// what they have to be compared with.
	Reference Outcome
	// Best is the first outcome if it is better than Reference; else nil.
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
	if len(s.Outcomes) > 0 && s.Outcomes[0].better(&s.Reference) {
		s.Best = &s.Outcomes[0]
	}
	return s
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
	return cmp.Or(cmp.Compare(one(o.Fails()), one(x.Fails())), cmp.Compare(o.ReservedPeak, x.ReservedPeak),
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
