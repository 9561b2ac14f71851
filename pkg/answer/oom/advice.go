package oom

import (
	"fmt"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/units"
)

// Advice is one thing to change.
type Advice struct {
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"` // that it is about; 0: it is not about bytes
	Fits  bool   `json:"fits"`  // by the numbers of the failure it would have been enough
	Text  string `json:"text"`
}

// Advice is what to change about a failed request. A leak comes first: settings
// only put off what it does.
func (f *Context) Advice(o *oom.Failure, p *whatif.Prediction) []Advice {
	given := AdviceOn(o.Advise(f.r.Settings()), f.r.Settings(), phrase.BackendOf(f.r.Snapshot), p)
	var bytes, perStep int64
	places := 0
	found := f.r.LeaksWithoutCycles()
	for i := range found.Leaks {
		if leak := &found.Leaks[i]; leak.Strong {
			places++
			bytes += leak.Bytes
			perStep += leak.PerStep
		}
	}
	if missing := o.WouldFit.Missing; places == 0 || bytes < o.Active/20 && (missing == 0 || bytes < missing) {
		return given
	}
	word := f.r.Steps().Method.Word
	text := fmt.Sprintf("First the leak: memory grows by %s each %s, at %s that memviz leaks names.",
		phrase.Amount(perStep),
		word(1), units.Plural(places, "place", "places"))
	if p.Cures() && p.Limit.Bytes > 0 && perStep > 0 {
		buys := "less than one more " + word(1)
		if n := int((p.Limit.Bytes - p.Best.ReservedPeak) / perStep); n > 0 {
			buys = "about " + units.Plural(n, "more "+word(1), "more "+word(2))
		}
		text += " A setting under which this request is served buys " + buys + "."
	}
	leak := Advice{Kind: "leak", Bytes: bytes, Fits: o.WouldFit.Missing > 0 &&
		bytes >= o.WouldFit.Missing, Text: text}
	return append([]Advice{leak}, given...)
}

// AdviceSentence says what to change, and what is known of its effect.
func adviceSentence(a oom.Advice, settings *layout.Settings, b *phrase.Backend) string {
	bytes, variable := phrase.Amount(a.Bytes), settings.Variable()
	switch a.Kind {
	case oom.AdviseExpandable:
		if a.Fits {
			return variable + "=expandable_segments:True: the request would have fitted."
		}
		return variable + "=expandable_segments:True lets free pages go where they are needed."
	case oom.AdviseMaxSplit:
		return fmt.Sprintf("%s=max_split_size_mb:%d keeps large blocks whole for large "+
			"requests; where large sizes vary it can raise the peak.",
			variable, a.Bytes/units.MiB)
	case oom.AdviseLessRounding:
		return "A smaller roundup_power2_divisions, or none: rounding costs " + bytes + "."
	case oom.AdviseFraction:
		return limitAdvice(&a.Refusal, variable, b)
	case oom.AdviseStream:
		if a.Fits {
			return "Make the large tensors on one stream: a free piece of another stream or pool was large enough."
		}
		return "Make the large tensors on one stream: " + bytes + " are cached for others."
	case oom.AdviseOutside:
		return "Look at what else uses the device (" + b.Monitor + "): " + bytes + " are outside PyTorch's allocator."
	case oom.AdviseLess:
		return "Have less memory live at a time, by " + bytes +
			" or more: no setting of the allocator would have avoided this failure."
	case oom.AdviseThresholdIdle:
		return "garbage_collection_threshold does nothing unless " + b.Module +
			".set_per_process_memory_fraction was " +
			"called, which no file records."
	}
	return a.Kind.Key()
}

// limitAdvice says what to do about a limit, of which the variable may have some.
func limitAdvice(r *oom.Refusal, variable string, b *phrase.Backend) string {
	switch {
	case r.Fraction > 0 && r.AtOnce != "":
		return fmt.Sprintf("Raise per_process_memory_fraction in %s, which is %g, or leave out %s, so that cached "+
			"memory is given back first.", variable, r.Fraction, r.AtOnce)
	case r.Fraction > 0:
		return fmt.Sprintf("Raise per_process_memory_fraction in %s, which is %g.", variable, r.Fraction)
	case r.TooSmall != nil && r.TooSmall.Class != "":
		return "Raise " + r.TooSmall.Option + " in " + variable +
			", if the stream of the request is of that class, which " +
			"no file says, or look for another limit."
	case r.TooSmall != nil:
		return "Raise " + r.TooSmall.Option + " in " + variable + "."
	}
	text := "Look for a limit such as " + b.Module + ".set_per_process_memory_fraction: no file records that call."
	if r.Unknown != nil {
		text += " Whether " + r.Unknown.Option +
			" left too little for the request depends on the memory of the device; " +
			"pass --capacity to check."
	}
	return text
}

// AdviceOn is what to change. Where the model reproduces the recording, it alone
// advises on the settings that it tried, in front if nothing fails then: so no
// command advises what whatif denies.
func AdviceOn(list []oom.Advice, settings *layout.Settings, b *phrase.Backend, p *whatif.Prediction) []Advice {
	predicted := predictedAdvice(p)
	given := []Advice{}
	for _, a := range list {
		known := a.Refusal.Fraction > 0 || a.Refusal.TooSmall != nil
		if (a.Kind == oom.AdviseLess || known) && p != nil && p.Best == nil {
			predicted = nil // it says that no setting helps
		}
		if p == nil || a.Kind != oom.AdviseExpandable && a.Kind != oom.AdviseMaxSplit {
			given = append(given, Advice{Kind: a.Kind.Key(), Bytes: a.Bytes, Fits: a.Fits,
				Text: adviceSentence(a, settings, b)})
		}
	}
	if p.Cures() {
		return append(predicted, given...)
	}
	return append(given, predicted...)
}

// PredictedKind is the kind of advice that the model proves.
const PredictedKind = "predicted"

// predictedAdvice is the prediction as advice: a setting that is better, or that
// none of the likeliest ones serves what failed.
func predictedAdvice(p *whatif.Prediction) []Advice {
	switch {
	case p == nil || p.Best == nil && !p.Reference.Fails():
		return nil
	case p.Best == nil:
		return []Advice{{Kind: PredictedKind, Text: p.Sentence}}
	}
	saved := max(p.Reference.ReservedPeak-p.Best.ReservedPeak, 0)
	return []Advice{{Kind: PredictedKind, Bytes: saved, Fits: p.Cures(), Text: p.Sentence}}
}
