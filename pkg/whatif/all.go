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
	// Assumed: the setting works on a limit, none is known, and the recorded peak
	// was taken for one.
	Assumed bool
}

// spreadSteps is the most steps of a run whose predictions are made three times,
// with the driver's ranges in other places.
const spreadSteps = 500_000

// PredictAll predicts settings, on all cores. Limit is how much memory in bytes
// PyTorch may have; 0: any amount. The outcomes are in the order of the settings.
func (run *Run) PredictAll(settings []Setting, limit int64, o ...func(*Options)) []Outcome {
	outcomes := make([]Outcome, len(settings))
	inParallel(len(settings), func(i int) {
		x := &outcomes[i]
		x.Setting = settings[i]
		use := Options{Limit: limit, Anew: run.anew(settings[i])}
		if x.Setting.Settings.GCThreshold > 0 && limit == 0 {
			use.Limit, x.Assumed = run.ReservedPeak(), true
		}
		for _, change := range o {
			change(&use)
		}
		x.Prediction = run.Predict(x.Setting.Settings, use)
		x.Least, x.Most = x.ReservedPeak, x.ReservedPeak
		if len(run.steps) > spreadSteps {
			return
		}
		for _, use.Placement = range []Placement{PlaceUpwards, PlaceDownwards} {
			use.Curve = false
			peak := run.Predict(x.Setting.Settings, use).ReservedPeak
			x.Least, x.Most = min(x.Least, peak), max(x.Most, peak)
		}
	})
	return outcomes
}

// anew reports whether what was live before the recording has to be laid out
// anew: it was not under other settings that it was laid out.
func (run *Run) anew(s Setting) bool {
	return len(run.start.segments) > 0 && s.Settings != run.settings.Settings
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
