package recording

import (
	whatifanswer "github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// Predicted is what other settings of the allocator would have done, for a
// device where a request failed, fragmentation matters or most of what is reserved
// lies idle, and which the model of the allocator reproduces.
type Predicted struct {
	// what the best setting would have done, or that none is better, and the proof
	Text       string             `json:"text"`
	Export     string             `json:"export"` // the line for it; "" if none is better
	LowerBound int64              `json:"lower_bound_bytes"`
	Reference  predictedSetting   `json:"reference"` // the recorded setting, predicted like the others
	Settings   []predictedSetting `json:"settings"`  // the best first
	Curve      predictedCurve     `json:"curve"`     // of the best setting; empty if none is better
	// Space is where the best setting would have put the tensors; left out if none is
	// better, or if that cannot be said.
	Space *PredictedSpace `json:"space,omitempty"`
	Best  *whatif.Served  `json:"-"`
}

// HasPredictedSpace reports whether the report has the places of a prediction.
func (view *Device) HasPredictedSpace() bool {
	return view.Predicted != nil && view.Predicted.Space != nil
}

// maxPredictedSpace bounds the payload of a prediction, in bytes before base64.
const MaxPredictedSpace = 256 << 10

// predictedSetting is a row of the table.
type predictedSetting struct {
	Setting       string `json:"setting"` // a value of PYTORCH_CUDA_ALLOC_CONF; "" for the defaults
	ReservedPeak  int64  `json:"reserved_peak_bytes"`
	Fragmentation int64  `json:"fragmentation_peak_bytes"`
	DriverCalls   int    `json:"driver_calls"`
	FailureState  int    `json:"failure_state"` // of the first request that fails; -1 if none does
}

// predictedCurve is reserved memory as steps: Bytes[i] from state States[i] on.
type predictedCurve struct {
	States []int   `json:"states"` // ascending; the first is 0
	Bytes  []int64 `json:"bytes"`
}

// maxPredictedSteps bounds the curve. Of more steps, as many equal parts of the
// states keep what they begin with and their highest.
const maxPredictedSteps = 1000

// newPredicted is nil where nothing is predicted.
func newPredicted(p *whatifanswer.Prediction) *Predicted {
	if p == nil {
		return nil
	}
	view := &Predicted{
		Text: p.Sentence, Export: p.Export, LowerBound: p.LowerBound(), Reference: newPredictedSetting(&p.Reference),
		Settings: make([]predictedSetting, len(p.Outcomes)), Curve: predictedCurve{States: []int{}, Bytes: []int64{}},
	}
	for i := range p.Outcomes {
		view.Settings[i] = newPredictedSetting(&p.Outcomes[i])
	}
	if p.Best != nil {
		view.Best = p.Trace(p.Best)
		for _, x := range fewer(view.Best.Curve, p.Recording().Device.States(), maxPredictedSteps/2) {
			view.Curve.States = append(view.Curve.States, x.State)
			view.Curve.Bytes = append(view.Curve.Bytes, x.Bytes)
		}
	}
	return view
}

func newPredictedSetting(o *whatif.Outcome) predictedSetting {
	return predictedSetting{
		Setting: o.Setting.Conf, ReservedPeak: o.ReservedPeak, Fragmentation: o.Fragmentation,
		DriverCalls: o.Calls.All(), FailureState: o.FailureState(),
	}
}

// fewer is a curve with at most two steps in each of so many equal parts of the
// states: the first one and the highest.
func fewer(curve []whatif.CurvePoint, states, parts int) []whatif.CurvePoint {
	if len(curve) <= 2*parts {
		return curve
	}
	var kept []whatif.CurvePoint
	for from := 0; from < len(curve); {
		part := curve[from].State * parts / states
		highest, next := from, from
		for ; next < len(curve) && curve[next].State*parts/states == part; next++ {
			if curve[next].Bytes > curve[highest].Bytes {
				highest = next
			}
		}
		kept = append(kept, curve[from])
		if highest > from {
			kept = append(kept, curve[highest])
		}
		if last := next - 1; last > highest && next == len(curve) {
			kept = append(kept, curve[last])
		}
		from = next
	}
	return kept
}
