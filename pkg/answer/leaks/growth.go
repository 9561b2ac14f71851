package leaks

import (
	"math"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/units"
)

// Unexplained is how the least active bytes of each step change, without those of
// suspects and caches.
type Unexplained struct {
	Bytes  int64 `json:"bytes"`   // that each step adds, by a line through the steps, whether it goes on or not
	Spread int64 `json:"spread"`  // two standard errors of bytes
	Steps  int   `json:"steps"`   // that the line rests on; those in which a program gets ready do not count
	Least  int64 `json:"least"`   // the smallest growth a step, in bytes, that would be told from chance
	GoesOn bool  `json:"goes_on"` // it is far above its spread, in the second half of the steps as in the first

	// Resized says that it would go on but for tensors that are replaced by others of another size.
	Resized bool   `json:"resized"`
	Site    string `json:"site"` // file:line:function whose memory grows most, if that is half of it or more; or empty
}

// newUnexplained is nil where growth beside the suspects cannot be judged.
func newUnexplained(r *analysis.Recording, l *leaks.Findings) *Unexplained {
	t := l.Trend
	if t == nil {
		return nil
	}
	u := &Unexplained{
		Bytes: t.PerStep, Spread: t.Spread, Steps: t.Steps, Least: t.Least, GoesOn: t.GoesOn, Resized: t.Resized,
	}
	if 2*t.Bytes >= t.PerStep && t.Bytes > 0 {
		u.Site = r.Stacks.Site(t.Stack).String()
	}
	return u
}

// unexplainedPerStep is what each step adds that no suspect explains; 0 where that
// does not go on, and nil where it cannot be judged.
func unexplainedPerStep(l *leaks.Findings) *int64 {
	if l.Trend == nil || l.Trend.Resized {
		return nil
	}
	bytes := int64(0)
	if l.Trend.GoesOn {
		bytes = l.Trend.PerStep
	}
	return &bytes
}

// CapacityOf is how much memory a device has for PyTorch: what was given, or else what
// a failed request shows that there was; 0 if neither is known.
func CapacityOf(r *analysis.Recording, given int64) (bytes int64, isGiven bool) {
	known := oom.CapacityOf(r.Device, given)
	switch {
	case known.Given > 0:
		return known.Given, true
	case r.Device.Totals.OOMEvents > 0:
		return known.AtLeast, false
	}
	return 0, false
}

// StepsLeft is after how many more steps a device of a capacity is full if memory
// goes on growing as it does; nil if that is not known, or if nothing grows. It goes
// by the peak of active memory in the last whole step, and so says the most.
func StepsLeft(r *analysis.Recording, l *leaks.Findings, capacity int64) *int {
	perStep := int64(0)
	if l.Trend != nil && l.Trend.GoesOn {
		perStep = l.Trend.PerStep
	}
	for i := range l.Leaks {
		if leak := &l.Leaks[i]; leak.Kind != leaks.Sawtooth {
			perStep += leak.PerStep
		}
	}
	list := r.Steps()
	if l.Limit != leaks.NoLimit || capacity <= 0 || perStep <= 0 {
		return nil
	}
	last := list.Steps[len(list.Boundaries)-1]
	active := r.Device.ActiveBytes()
	room := capacity - active[timeline.PeakBetween(r.Device, last.From, last.To)]
	left := int(min(max(0, room)/perStep, math.MaxInt32))
	return &left
}

// StepsLeftSentence is empty without a number.
func StepsLeftSentence(r *analysis.Recording, l *leaks.Findings, given int64) string {
	capacity, isGiven := CapacityOf(r, given)
	left := StepsLeft(r, l, capacity)
	if left == nil {
		return ""
	}
	word, whose := r.Steps().Method.Word, " of the device"
	if !isGiven {
		whose = " that PyTorch could see when a request failed"
	}
	if *left == 0 {
		return "At this rate the " + phrase.Amount(capacity) + whose + " do not last for another " + word(1) + "."
	}
	return "At this rate the " + phrase.Amount(capacity) + whose + " are full after at most " +
		units.Plural(*left, "more "+word(1), "more "+word(2)) + "."
}

// Grown says how much a leak adds and how often: "1.00 MiB each step", "3.00 MiB
// every 3 steps" or "3.00 MiB in 4 of 12 steps"; word, such as " more", follows the
// bytes.
func Grown(leak *leaks.Leak, method steps.Method, word string) string {
	span := leak.LastStep - leak.FirstStep + 1
	switch {
	case leak.Every > 1:
		return phrase.Amount(leak.PerGrowth) + word + " every " + units.Count(leak.Every) + " " +
			method.Word(leak.Every)
	case leak.Every == 0 && leak.Kind != leaks.Sawtooth && 10*leak.GrowingSteps < 9*span:
		return phrase.Amount(leak.PerGrowth) + word + " in " + units.Count(leak.GrowingSteps) + " of " +
			units.Plural(span, method.Word(1), method.Word(2))
	}
	return phrase.Amount(leak.PerStep) + word + " each " + method.Word(1)
}

// doubtful says why a finding is weak, as the end of a sentence, and what to do.
func doubtful(r *analysis.Recording, leak *leaks.Leak) string {
	list := r.Steps()
	n := len(list.Boundaries)
	one, many := list.Method.Word(1), list.Method.Word(2)
	const filling = ": a cache that is still filling would look the same."
	switch leak.Doubt {
	case leaks.FewSteps:
		return ", but only " + units.Plural(n, one+" was", many+" were") + " recorded" + filling + " " +
			trust.More(r, trust.RecordMore)
	case leaks.GuessedSteps:
		return ", but the " + many + " are a guess and may be the layers of one forward pass. Record them as ranges" +
			trust.PrintsHow(r, "leak") + "."
	case leaks.FewGrowingSteps:
		every := leak.Every
		if every == 0 {
			every = (n + leak.GrowingSteps - 1) / leak.GrowingSteps
		}
		return ", but only " + units.Count(leak.GrowingSteps) + " of " + units.Count(n) + " " + many + " add to it" +
			filling + " " + trust.More(r, 7*every) // two to get ready, five that add
	case leaks.SlowingDown:
		return ", less and less" + filling
	}
	return "; no program runs out of memory by so little, but what keeps it may keep more elsewhere."
}
