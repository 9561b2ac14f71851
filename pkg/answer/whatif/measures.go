package whatif

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/pkg/whatif"
	"github.com/memviz-go/memviz/pkg/whatif/measures"
)

// MeasuresBase is the recorded training, served again from an empty cache as with the
// measures, to which they compare.
type MeasuresBase struct {
	ActivePeakBytes   int64 `json:"active_peak_bytes"`
	ReservedPeakBytes int64 `json:"reserved_peak_bytes"`
	FailedRequests    int   `json:"failed_requests"`
	// the recording is of a first step: all measures are for the one after it
	NextStep    bool `json:"next_step"`
	GPUs        int  `json:"gpus"` // over which zero1, zero2 and zero3 share
	GPUsAssumed bool `json:"gpus_assumed"`
}

// MeasureOutcome is what a change of the training would do, or several together.
type MeasureOutcome struct {
	Key        string `json:"key"` // checkpoint, 8bit_optimizer and so on; several are joined with commas
	Assumption string `json:"assumption"`
	// nothing, time, numerics or gpus
	Cost            string `json:"cost"`
	ActivePeakBytes int64  `json:"active_peak_bytes"` // predicted
	// less, if tensors as large as a weight grow with the batch, too
	ActivePeakLeastBytes int64 `json:"active_peak_least_bytes"`
	// predicted; null where it is not
	ReservedPeakBytes *int64 `json:"reserved_peak_bytes" jsonschema:"oneof_type=integer;null"`
	// that goes with active_peak_least_bytes
	ReservedPeakLeastBytes *int64 `json:"reserved_peak_least_bytes" jsonschema:"oneof_type=integer;null"`
	// by how much reserved_peak_bytes may be off; 0 where it is null
	ReservedPercent int `json:"reserved_percent"`
	// active_peak_bytes is a guide: other code would make other tensors
	About bool `json:"about"`
	// active_peak_bytes is too low by what the measure itself needs
	AtLeast bool `json:"at_least"`
	// of the active peak; negative if it grows
	SavedBytes int64 `json:"saved_bytes"`
	// predicted under the limit; null where reserved_peak_bytes is
	FailedRequests *int `json:"failed_requests" jsonschema:"oneof_type=integer;null"`
	// no request fails under the limit, even if reserved_percent more is reserved; null where
	// reserved_peak_bytes is, or nothing fails without the measure
	Fits *bool `json:"fits" jsonschema:"oneof_type=boolean;null"`
	// it fits, or would if reserved_percent less is reserved; null where fits is
	MayFit *bool `json:"may_fit" jsonschema:"oneof_type=boolean;null"`
	// load, forward, backward or optimizer: where the peak is then; "" if it is before all of them
	PeakPhase string `json:"peak_phase"`
	// file:line:function of the request that makes it; "" if it is older than the recording
	PeakSite string `json:"peak_site"`
}

// measureWording is what a measure is, what it assumes and what it costs. {gpus} stands for
// a number of them.
type measureWording struct{ what, assumption, cost string }

var measureWords = map[measures.Measure]measureWording{
	measures.SetToNone: {"gradients gone before the forward pass",
		"optimizer.zero_grad(set_to_none=True) comes right after optimizer.step(), and nothing else holds the " +
			"gradients.",
		"nothing"},
	measures.DropOutputs: {"outputs gone with their step",
		"del, or a function of its own, drops the outputs of a step before the next one begins.", "nothing"},
	measures.StopLeak: {"no leak",
		"Nothing keeps what grows, according to memviz leaks, beyond its step.", "nothing"},
	measures.Fused: {"optimizer with fused=True",
		"The fused kernels of the same optimizer need no temporaries; parameters have to be of a floating-point type.",
		"nothing"},
	measures.NoForeach: {"optimizer with foreach=False",
		"The optimizer works on one parameter at a time, which takes longer.", "time"},
	measures.Checkpoint: {"%s checkpointed",
		"Each call keeps its output only; backward makes the call again just before it needs what was dropped.",
		"time"},
	measures.EightBit: {"8-bit optimizer",
		"The state has elements of 4 bytes now. Tensors of it of 16 KiB or more then take a quarter, and 1/64 for " +
			"scales.",
		"numerics"},
	measures.LossInParts: {fmt.Sprintf("loss in %d parts", measures.LossParts),
		fmt.Sprintf("The last layer and the cross-entropy loss work on one part in %d of the tokens at a time, "+
			"forward and backward, and nothing else reads the logits.", measures.LossParts), "time"},
	measures.ShardOptimizer: {"optimizer state over {gpus} GPUs",
		"The state is not sharded yet. It is cut evenly over {gpus} GPUs, as in the first stage of ZeRO, and so are " +
			"the temporaries of the optimizer; what communication takes is not counted.", "gpus"},
	measures.ShardTensors: {"optimizer state over {gpus} GPUs by whole tensors",
		"The state is not sharded yet. That of each parameter is on one of {gpus} GPUs, as with " +
			"ZeroRedundancyOptimizer: the largest goes to the GPU that has least, one after another. These are the " +
			"peaks of the fullest one; what communication takes is not counted.", "gpus"},
	measures.ShardGradients: {"optimizer state and gradients over {gpus} GPUs",
		"As in the second stage of ZeRO. Buffers of the communication are not counted.", "gpus"},
	measures.ShardWeights: {"all parameters over {gpus} GPUs",
		"As in the third stage of ZeRO, optimizer state and gradients with them, and the parameters of two blocks in " +
			"place at a time. Buffers of the communication are not counted.", "gpus"},
	measures.HostOptimizer: {"optimizer state on the host",
		"The optimizer works on the host; buffers of the transfers are not counted.", "time"},
	measures.Accumulate: {"half the batch twice a step",
		"Inputs, activations and outputs are half as large. Gradients of the first half stay while those of the " +
			"second are added to them.", "time"},
	measures.HalfBatch: {"half the batch",
		"Inputs, activations and outputs are half as large. It is another training.", "numerics"},
}

// wordsOf are the words for a measure.
func wordsOf(m measures.Measure, f *measures.Findings) measureWording {
	words := measureWords[m]
	gpus := units.Count(f.GPUs)
	words.what = strings.ReplaceAll(words.what, "{gpus}", gpus)
	words.assumption = strings.ReplaceAll(words.assumption, "{gpus}", gpus)
	return words
}

// gpusSentence says that the number of GPUs is assumed, if any of some measures needs it.
func gpusSentence(f *measures.Findings, list []measures.Measure) string {
	if !f.GPUsAssumed || !slices.ContainsFunc(list, measures.Measure.Shards) {
		return ""
	}
	return units.Plural(f.GPUs, "GPU is", "GPUs are") + " assumed, for no recording shows how many there are; memviz " +
		"whatif --gpus takes another number."
}

// measureName is the measure in a few words: a text, or a name where it has a line of the
// program.
func measureName(r *analysis.Recording, f *measures.Findings, m measures.Measure) any {
	what := wordsOf(m, f).what
	if m != measures.Checkpoint {
		return what
	}
	b := &r.Modules().Blocks[0]
	return sheet.Name(fmt.Sprintf(what, "each of "+units.Plural(len(b.Largest().Calls), "call", "calls")+" at "+
		top.ShortModule(r.Stacks.Frame(b.Caller).String())))
}

// measureNames are some measures, to stand in a sentence: a format and its arguments.
func measureNames(r *analysis.Recording, f *measures.Findings, list []measures.Measure) (format string,
	names []any) {
	for _, m := range list {
		names = append(names, measureName(r, f, m))
	}
	return strings.TrimSuffix(strings.Repeat("%s, ", len(list)), ", "), names
}

// peakWords name phases where a peak is in one.
var peakWords = map[stacks.Activity]string{stacks.InLoading: "loading, ", stacks.InForward: "the forward pass, ",
	stacks.InBackward: "the backward pass, ", stacks.InOptimizer: "the optimizer, "}

func (d *Device) addMeasures(r *analysis.Recording, m *measures.Findings) {
	d.MeasuresBase = &MeasuresBase{m.Base.Active, m.Base.Reserved, m.Base.Failed, m.NextStep, m.GPUs, m.GPUsAssumed}
	for i := range m.Rows {
		d.Measures = append(d.Measures, NewMeasureOutcome(r, m, &m.Rows[i]))
	}
	for _, useless := range m.Useless {
		d.UselessMeasures = append(d.UselessMeasures, useless.Key())
	}
	if m.Together != nil {
		together := NewMeasureOutcome(r, m, m.Together)
		d.MeasuresTogether = &together
	}
}

func NewMeasureOutcome(r *analysis.Recording, m *measures.Findings, o *measures.Outcome) MeasureOutcome {
	x := MeasureOutcome{
		ActivePeakBytes: o.Active, ActivePeakLeastBytes: o.ActiveLeast, SavedBytes: m.Base.Active - o.Active,
		PeakPhase: o.PeakPhase.PhaseName(), PeakSite: r.Stacks.Site(o.PeakStack).String(),
	}
	switch o.Precision() {
	case measures.About:
		x.About = true
	case measures.AtLeast:
		x.AtLeast = true
	default:
		x.ReservedPeakBytes, x.ReservedPeakLeastBytes = &o.Reserved, &o.ReservedLeast
		x.ReservedPercent, x.FailedRequests = measures.ReservedPercent, &o.Failed
		if o.Fits != whatif.FitNotKnown {
			x.Fits, x.MayFit = new(o.Fits == whatif.Fits), new(o.Fits != whatif.DoesNotFit)
		}
	}
	var assumptions, costs []string
	for _, measure := range o.Measures {
		words := wordsOf(measure, m)
		assumptions, costs = append(assumptions, words.assumption), append(costs, words.cost)
	}
	x.Key, x.Assumption, x.Cost = measureKeys(o.Measures), strings.Join(assumptions, " "), strings.Join(costs, ",")
	return x
}

// measureKeys name measures: "fused,checkpoint".
func measureKeys(list []measures.Measure) string {
	var keys []string
	for _, m := range list {
		keys = append(keys, m.Key())
	}
	return strings.Join(keys, ",")
}

// fitsWords answer whether something fits.
var fitsWords = map[whatif.Fit]string{whatif.Fits: "yes", whatif.MayFit: "maybe", whatif.DoesNotFit: "no"}

// writeMeasures says what changes of the training would do.
func writeMeasures(s *sheet.Sheet, r *analysis.Recording, study *whatif.Study, m *measures.Findings) {
	if len(m.Rows) == 0 && len(m.Useless) == 0 {
		return
	}
	of := "the same requests"
	if m.NextStep {
		of = "the step after the recorded one, which is a first step: the optimizer's state is there from the start, " +
			"the gradients of the last step are gone"
	}
	s.Say("What changes of the training would do, predicted with the recorded settings from an empty cache, for %s: ",
		of)
	columns := []sheet.Column{sheet.Figures("active"), sheet.Figures("reserved, about"), sheet.Words("peak in")}
	if m.Base.Failed > 0 {
		columns = append(columns, sheet.Words("fits"))
	}
	t := sheet.NewTable(append(columns, sheet.Words("measure"))...)
	row := func(o *measures.Outcome, what any) {
		active, reserved := byteRange(o.ActiveLeast, o.Active), byteRange(o.ReservedLeast, o.Reserved)
		switch o.Precision() {
		case measures.About:
			active, reserved = "about "+active, ""
		case measures.AtLeast:
			active, reserved = "at least "+active, ""
		}
		cells := []any{active, reserved, o.PeakPhase.PhaseName()}
		if m.Base.Failed > 0 {
			cells = append(cells, fitsWords[o.Fits])
		}
		t.Row(append(cells, what)...)
	}
	row(&m.Base, "none")
	for i := range m.Rows {
		row(&m.Rows[i], measureName(r, m, m.Rows[i].Measures[0]))
	}
	s.Put(t)
	writeTogether(s, r, study, m)
	for i := range m.Rows {
		s.NoteOf(assumptionSentence(r, m, &m.Rows[i]))
	}
	if len(m.Useless) > 0 {
		format, names := measureNames(r, m, m.Useless)
		s.Note("Would not help: "+format+".", names...)
	}
	var all []measures.Measure
	for i := range m.Rows {
		all = append(all, m.Rows[i].Measures...)
	}
	if text := gpusSentence(m, all); text != "" {
		s.Note("%s", text)
	}
	s.Note("If nothing else changes. Reserved memory is predicted within about %s %%: where a request falls in the "+
		"cache decides how that is cut. Each row is served again, so rows do not add up.",
		units.Count(measures.ReservedPercent))
}

// writeTogether says which measures are enough.
func writeTogether(s *sheet.Sheet, r *analysis.Recording, study *whatif.Study, m *measures.Findings) {
	switch {
	case m.Together != nil:
		s.Add(enough(r, m, study.Limit))
	case m.Hopeless:
		s.Say("All of these together are not enough for %s.", phrase.Amount(study.Limit.Bytes))
	}
}

// byteRange is bytes, or two of them where they differ.
func byteRange(x, y int64) string {
	least, most := units.Bytes(min(x, y)), units.Bytes(max(x, y))
	if least == most {
		return most
	}
	return least + " to " + most
}
