package whatif

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// Prediction is what a few other settings would have done for a recording with a
// problem that settings can cure.
type Prediction struct {
	*whatif.Study
	Sentence string // on the best setting, or that none is better, and on the proof
	Export   string // the shell line for the best setting; "" if none is better
}

// Bounds on the events of a recording, so that reports are hardly slower for
// predictions. memviz whatif has no bounds.
const (
	manyPredictedEvents = 200_000   // from here on, only the likeliest setting is tried
	maxPredictedEvents  = 1_000_000 // above, none
)

// Predict predicts a few settings for a recording in which a request failed,
// fragmentation matters or most of what is reserved is idle. It is nil for other
// recordings, for those that the model does not reproduce, and for very large ones.
func Predict(r *analysis.Recording) *Prediction {
	return predictSettings(r, func() *whatif.Run { return whatif.New(r) })
}

func predictSettings(r *analysis.Recording, prove func() *whatif.Run) *Prediction {
	d := r.Device
	if d.ID == snapshot.Pinned || r.Snapshot.Format.MLX || d.Events.Len() > maxPredictedEvents ||
		d.Totals.OOMEvents == 0 && !mayMatter(r) {
		return nil
	}
	run := prove()
	if !run.Proof.Holds() {
		return nil
	}
	settings := run.Few()
	if d.Events.Len() > manyPredictedEvents {
		settings = settings[:1]
	}
	p := &Prediction{Study: run.Study(whatif.Question{Settings: settings, Quick: true})}
	p.Sentence = BestSentence(p.Study) + " " + proofSentence(&run.Proof)
	if p.Best != nil {
		p.Export = exportLine(r, p.Best.Setting.Conf)
	}
	return p
}

// mayMatter reports whether settings may cure the fragmentation at the reserved
// peak. The upper bound, which needs no layout, is tried first.
func mayMatter(r *analysis.Recording) bool {
	state := layout.ReservedPeakState(r.Device)
	reserved := r.Device.Totals.ReservedPeakBytes
	most := layout.Fragmentation{Reserved: reserved, Bytes: reserved - r.Device.ActiveBytes()[state]}
	if !most.Matters() {
		return false
	}
	return MayCure(&r.Fragmentation().AtPeak)
}

// MayCure reports whether settings can cure a fragmentation.
func MayCure(f *layout.Fragmentation) bool { return f.Matters() || f.MostlyIdle() }

// Cures reports whether nothing fails under the best setting.
func (p *Prediction) Cures() bool { return p != nil && p.Best != nil && !p.Best.Fails() }
