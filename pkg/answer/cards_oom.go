package answer

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/units"
)

// Failure is what stands beside the numbers of a request that failed.
type Failure struct {
	State     int
	Free      int64  // bytes in the cache where the request may be served
	Diagnosis string // a sentence, with no number that stands there anyway
	Evidence  string // the same with all of them
	Try       string // a sentence on the most promising thing to change
}

// haveLess is what is left to try where no setting would help for long.
const haveLess = "Have less memory live at a time: what was live stands below, the largest first."

// outOfMemory speaks of the last failure, and gives what there is to say of all.
// What other settings would have done is said where it is known.
func outOfMemory(r *analysis.Recording, p *Prediction) (Card, []Failure) {
	const question = "What happened at the OOM?"
	d := r.Device
	ooms := r.OOMs(0)
	if len(ooms) == 0 {
		c := Card{Question: question, Mood: Nothing, Value: "No out-of-memory event", Line: "needs a history of events",
			Evidence: nowhere}
		if hasHistory(d) {
			t := &d.Totals
			c.Line = units.Bytes(max(0, t.ReservedAtPeakBytes-t.PeakBytes)) + " reserved but not requested at the peak"
			c.Evidence = Evidence{State: t.PeakState, Allocation: -1}
		}
		if p != nil {
			c.Detail = p.Sentence
		}
		return c, nil
	}
	f := &failure{r: r, settings: r.Settings(), capacity: oom.CapacityOf(r.Device, 0)}
	failures := make([]Failure, len(ooms))
	for i := range ooms {
		o := &ooms[i]
		failures[i] = Failure{State: o.State(), Free: o.FreeSame, Diagnosis: verdicts[o.Verdict].brief(o),
			Evidence: f.sentence(o).with(asText), Try: haveLess}
		if advice := o.Advise(f.settings); len(advice) > 0 {
			failures[i].Try = adviceSentence(advice[0])
		}
	}
	last := len(ooms) - 1
	if p.cures() || failures[last].Try == haveLess && p != nil && p.Best != nil {
		failures[last].Try = p.Sentence
	}
	o := &ooms[last]
	c := Card{
		Question: question, Mood: Alarm, Value: "Asked " + units.Bytes(o.Requested), Small: units.Bytes(o.DeviceFree) +
			" free on the device",
		Line:     verdicts[o.Verdict].short(o),
		Detail:   failures[last].Evidence,
		Evidence: Evidence{State: o.State(), Allocation: -1},
	}
	if len(ooms) > 1 {
		c.Line += ", the last of " + units.Count(len(ooms))
	}
	return c, failures
}
