package answer

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// Prediction is what goes with a finding that settings can cure: what a few other
// settings would have done.
type Prediction struct {
	*whatif.Study
	Sentence string // what the best of them would have done, or that none is better, and the proof
	Export   string // the line for it; "" if none is better
}

// Bounds on the recordings for which a finding comes with a prediction, so that
// their reports take hardly longer: the likeliest cure alone is tried from so many
// events on, and none above. memviz whatif has no such bound.
const (
	manyPredictedEvents = 200_000
	maxPredictedEvents  = 1_000_000
)

// Predict predicts a few settings for a recording in which a request failed,
// fragmentation matters or most of what is reserved lies idle. It is nil for others, for those that the model does not
// reproduce, and for very large ones.
func Predict(r *analysis.Recording) *Prediction {
	d := r.Device
	if d.Events.Len() > maxPredictedEvents || d.Totals.OOMEvents == 0 && !mayMatter(r) {
		return nil
	}
	run := whatif.New(r)
	if !run.Proof.Holds() {
		return nil
	}
	settings := run.Few()
	if d.Events.Len() > manyPredictedEvents {
		settings = settings[:1]
	}
	p := &Prediction{Study: run.Study(whatif.Question{Settings: settings, Quick: true})}
	p.Sentence = bestSentence(p.Study) + " " + proofSentence(&run.Proof)
	if p.Best != nil {
		p.Export = exportLine(p.Best.Setting.Conf)
	}
	return p
}

// mayMatter reports whether fragmentation matters or most memory is idle when
// reserved memory is at its highest, which is first tried without looking at the
// segments.
func mayMatter(r *analysis.Recording) bool {
	state := layout.ReservedPeakState(r.Device)
	reserved := r.Device.Totals.ReservedPeakBytes
	most := layout.Fragmentation{Reserved: reserved, Bytes: reserved - r.Device.ActiveBytes()[state]}
	if !most.Matters() {
		return false
	}
	return mayCure(&r.Fragmentation().AtPeak)
}

// mayCure reports whether a fragmentation is one that settings can cure.
func mayCure(f *layout.Fragmentation) bool { return f.Matters() || f.MostlyIdle() }

// withPrediction is advice with the prediction: in front if that cures, because
// it alone comes with a proof.
func withPrediction(list []AdviceGiven, p *Prediction) []AdviceGiven {
	predicted := predictedAdvice(p)
	if p.cures() {
		return append(predicted, list...)
	}
	return append(list, predicted...)
}

// cures reports whether nothing fails under the best setting.
func (p *Prediction) cures() bool { return p != nil && p.Best != nil && !p.Best.Fails() }

// predictedAdvice is the prediction among other advice; nothing if there is none.
func predictedAdvice(p *Prediction) []AdviceGiven {
	if p == nil || p.Best == nil {
		return nil
	}
	saved := max(p.Reference.ReservedPeak-p.Best.ReservedPeak, 0)
	return []AdviceGiven{{Kind: "predicted", Bytes: saved, Fits: p.cures(), Text: p.Sentence}}
}
