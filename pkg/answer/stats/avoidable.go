package stats

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/peaks"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Avoidable is memory that is live at the peak and need not be.
type Avoidable struct {
	Kind        string `json:"kind"`  // last_outputs, gradients, foreach or pending
	Bytes       int64  `json:"bytes"` // live at the peak
	Allocations int    `json:"allocations"`
	Site        string `json:"site"`       // file:line:function that allocated most of it
	Remedy      string `json:"remedy"`     // a clause
	PeakBytes   int64  `json:"peak_bytes"` // the peak of the same history, if these lifetimes ended where they could
}

// avoidableWords say what each kind is and what ends it.
var avoidableWords = [...]struct{ what, remedy string }{
	peaks.LastOutputs: {"outputs of the last iteration", "del them before the next forward pass"},
	peaks.Gradients: {"gradients that live through the next forward pass",
		"call optimizer.zero_grad(set_to_none=True) right after optimizer.step()"},
	peaks.Foreach: {"temporaries of an optimizer that works on all parameters at once",
		"make the optimizer with fused=True or foreach=False"},
	peaks.Pending: {"freed tensors that another stream has not let go of",
		"let the streams wait for each other in place of record_stream"},
}

// avoidableWordsOf are those of a kind on a device.
func avoidableWordsOf(r *analysis.Recording, kind peaks.Kind) (what, remedy string) {
	words := avoidableWords[kind]
	switch {
	case kind == peaks.Pending && r.Device.ID == snapshot.Pinned:
		return "freed memory that copies may still use, as far as torch has noticed",
			"have fewer copies under way at a time, or keep the memory and use it again"
	case kind == peaks.Gradients && r.Snapshot.Backend() == snapshot.MLX:
		words.remedy = "del them after the optimizer has used them"
	case kind == peaks.Foreach && r.Snapshot.Backend() == snapshot.MLX:
		words.remedy = "update the parameters in groups"
	}
	return words.what, words.remedy
}

// newAvoidable is never nil.
func newAvoidable(r *analysis.Recording) []Avoidable {
	list := []Avoidable{}
	for _, n := range r.Peaks().Needless {
		_, remedy := avoidableWordsOf(r, n.Kind)
		list = append(list, Avoidable{n.Kind.Key(), n.Bytes, n.Allocations, r.Stacks.Site(n.Stack).String(), remedy,
			n.Peak})
	}
	return list
}

// AvoidableSentences say what the peak holds and need not, one for each kind.
func AvoidableSentences(r *analysis.Recording) []sheet.Sentence {
	var list []sheet.Sentence
	for _, n := range r.Peaks().Needless {
		what, remedy := avoidableWordsOf(r, n.Kind)
		site := r.Stacks.Site(n.Stack).String()
		by := ", most of it allocated at %s: "
		switch {
		case site == "":
			by, site = "%s: ", ""
		case n.Allocations == 1:
			by = ", allocated at %s: "
		}
		list = append(list, sheet.Sentencef("Alive at the peak and not needed there: %s in %s"+by+
			"%s. To avoid it, %s; the "+
			"peak would be %s.", phrase.Amount(n.Bytes), units.Plural(n.Allocations, "tensor",
			"tensors"), sheet.Name(site),
			what, remedy, phrase.Amount(n.Peak)))
	}
	return list
}

// writeAvoidable says what the peak holds and need not.
func writeAvoidable(s *sheet.Sheet, r *analysis.Recording) {
	list := AvoidableSentences(r)
	for _, sentence := range list {
		s.Add(sentence)
	}
	if len(list) > 1 {
		s.Say("With all of this together the peak would be %s.", phrase.Amount(r.Peaks().Peak))
	}
}
