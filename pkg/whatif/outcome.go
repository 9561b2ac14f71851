package whatif

import (
	"runtime"
	"sync"
)

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
