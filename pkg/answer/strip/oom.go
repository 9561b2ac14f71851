package strip

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Failure is the text of the page's panel about a request that failed.
type Failure struct {
	State     int    `json:"state"`
	FreeBytes *int64 `json:"free_bytes,omitempty"` // in the cache where the request may be served; not in old reports
	// LargestBytes is the largest hole of these; not in old reports.
	LargestBytes *int64 `json:"largest_bytes,omitempty"`
	Stream       int    `json:"stream"` // numbers of the request's stream and pool, 0 for the default
	Pool         int    `json:"pool"`
	Diagnosis    string `json:"diagnosis"` // a sentence without the numbers that the panel lists
	Evidence     string `json:"evidence"`  // the sentence with all numbers
	Try          string `json:"try"`       // a sentence on the most promising thing to change
}

// haveLess is the advice when no setting helps.
const haveLess = "Have less memory live at a time: what was live stands below, the largest first."

// outOfMemory is the card of the last failed request, and the texts about all of
// them.
func outOfMemory(r *analysis.Recording, p *whatif.Prediction) (Card, []Failure) {
	const question = "What happened at the OOM?"
	d := r.Device
	ooms := r.OOMs(0)
	if len(ooms) == 0 {
		c := Card{Brief: answer.Brief{Question: question, Mood: answer.Unknown, Value: "Not recorded",
			Line: "needs a history of events"}, Evidence: noEvidence}
		if d.HasHistory() {
			t := &d.Totals
			c.Value = "No out-of-memory event"
			c.Line = units.Bytes(max(0, t.ReservedAtPeakBytes-t.PeakBytes)) + " reserved but not requested at the peak"
			c.Evidence = Evidence{State: t.PeakState, Allocation: -1}
		}
		if d.ID == snapshot.Pinned {
			c.Value, c.Line = "Not recorded", phrase.NoHostFailures
		} else if r.Snapshot.Format.MLX {
			c.Value, c.Line = "Not recorded", "MLX records no request that fails"
		}
		if p != nil {
			c.Detail = p.Sentence
		}
		if list := r.Retries().Served(); len(list) > 0 {
			c.Mood, c.Value, c.Small = answer.Known, "Near it", units.Plural(len(list), "time", "times")
			c.Line, c.Detail = "served only after the cache was given back", oom.RetriesSentence(r)
			c.Evidence.State = list[len(list)-1].State()
		}
		return c, []Failure{}
	}
	f := oom.NewContext(nil, r, 0)
	failures := make([]Failure, len(ooms))
	for i := range ooms {
		o := &ooms[i]
		failures[i] = Failure{State: o.State(), FreeBytes: &o.FreeSame, LargestBytes: &o.LargestSame,
			Stream: int(o.Stream), Pool: int(o.Pool()), Diagnosis: oom.Brief(o),
			Evidence: f.Sentence(o).String(), Try: haveLess}
		if advice := f.Advice(o, p); len(advice) > 0 {
			if failures[i].Try = advice[0].Text; advice[0].Kind == oom.PredictedKind {
				failures[i].Try = whatif.BestSentence(p.Study) // the proof stands beside the settings
			}
		}
	}
	last := len(ooms) - 1
	o := &ooms[last]
	c := Card{
		Brief: answer.Brief{
			Question: question, Mood: answer.Alarm, Value: "Asked " + units.Bytes(o.Requested),
			Small: units.Bytes(o.DeviceFree) + " free on the device", Line: oom.Short(o),
			Detail: failures[last].Evidence,
		},
		Evidence: Evidence{State: o.State(), Allocation: -1},
	}
	if len(ooms) > 1 {
		c.Line += ", the last of " + units.Count(len(ooms))
	}
	return c, failures
}

// RetryCard is the text of the page's panel about a retry.
type RetryCard struct {
	State int    `json:"state"` // before the first segment was given back
	Text  string `json:"text"`  // a sentence
}

// maxRetryCards is how many retries have a card, the last ones.
const maxRetryCards = 100

func retryCards(r *analysis.Recording) []RetryCard {
	served := r.Retries().Served()
	served = served[max(len(served)-maxRetryCards, 0):]
	list := make([]RetryCard, len(served))
	for i := range served {
		x := &served[i]
		text := "The driver refused " + phrase.Amount(x.Asked) + " for a request of " + phrase.Amount(x.Requested) +
			". PyTorch gave back " + oom.FlushedWords(x) + " of its cache, and the request was served"
		if x.Micros > 0 {
			text += ", " + units.Duration(x.Micros) + " later"
		}
		if left := r.Retries().Margin(x); left > 0 {
			text += ", with less than " + phrase.Amount(left) + " left"
		}
		list[i] = RetryCard{x.State(), text + "."}
	}
	return list
}
