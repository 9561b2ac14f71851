package whatif

import (
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/pkg/whatif"
	"github.com/memviz-go/memviz/pkg/whatif/measures"
)

// BestMeasures are the changes of the training that lower the peak of a recording most, as the
// page and memviz oom tell them.
type BestMeasures struct {
	*whatif.Run
	Limit whatif.Limit // that requests fail under
	// Lines are at most three measures, that which saves most first, and the cheapest
	// combination under which no request fails, where some do without any and it is none
	// of the three.
	Lines    []MeasureLine
	NextStep bool // all lines are about the step after the recorded one
	// Note says what holds for all lines; or, if there are none, why.
	Note     string
	Measured *measures.Findings
}

// MeasureLine is what one measure, or several together, would do.
type MeasureLine struct {
	Outcome    *measures.Outcome
	Name       string // in a few words
	Text       string // a sentence
	Assumption string // sentences on what has to be true, and where the peak is then
	sentence   sheet.Sentence
	Together   bool
}

// Key names the measures: "checkpoint", or several, joined with commas.
func (l *MeasureLine) Key() string { return measureKeys(l.Outcome.Measures) }

// PredictAll predicts for a recording what [Predict] does, and which changes of the training
// lower its peak most. There are no measures where none does, for recordings without a forward
// pass, and for those that the model does not reproduce.
func PredictAll(r *analysis.Recording) (*Prediction, *BestMeasures) {
	var run *whatif.Run
	prove := func() *whatif.Run {
		if run == nil {
			run = whatif.New(r)
		}
		return run
	}
	return predictSettings(r, prove), predictMeasures(r, prove)
}

func predictMeasures(r *analysis.Recording, prove func() *whatif.Run) *BestMeasures {
	if r.Device.ID == snapshot.Pinned || !r.Phases().Has(stacks.InForward) {
		return nil
	}
	if r.Device.Events.Len() > manyPredictedEvents {
		return &BestMeasures{Note: "What changes of the training would save is left to memviz whatif: the recording " +
			"has more than " + units.Count(manyPredictedEvents) + " events."}
	}
	run := prove()
	return bestMeasuresOf(r, run, run.Limit)
}

// Under predicts the measures on a device of a capacity in bytes, unless the recording shows
// how much memory there is, or the capacity is 0.
func (b *BestMeasures) Under(capacity int64) *BestMeasures {
	if b == nil || b.Run == nil {
		return b
	}
	limit := b.Run.Limit
	if limit.Bytes == 0 && capacity > 0 {
		limit = b.Run.Given(capacity)
	}
	if limit == b.Limit {
		return b
	}
	return bestMeasuresOf(b.Recording(), b.Run, limit)
}

func bestMeasuresOf(r *analysis.Recording, run *whatif.Run, limit whatif.Limit) *BestMeasures {
	b := &BestMeasures{Run: run, Limit: limit}
	if b.Measured = measures.Find(run, b.Limit); b.Measured == nil {
		return nil
	}
	b.NextStep = b.Measured.NextStep
	when := ""
	if b.NextStep {
		when = " in the next step"
	}
	for _, o := range mostSaving(b.Measured) {
		fits := ""
		switch o.Fits {
		case whatif.Fits:
			fits = ", and no request fails"
		case whatif.MayFit:
			fits = ", and perhaps no request fails"
		}
		b.add(r, o, sheet.Sentencef("Predicted with %s: %s active at the peak"+when+", instead of %s"+fits+".",
			measureName(r, b.Measured, o.Measures[0]), phrase.Amount(o.Active), phrase.Amount(b.Measured.Base.Active)))
	}
	told := func(o *measures.Outcome) bool {
		return slices.ContainsFunc(b.Lines,
			func(l MeasureLine) bool { return slices.Equal(l.Outcome.Measures, o.Measures) })
	}
	if o := b.Measured.Together; o != nil && !told(o) {
		b.add(r, o, enough(r, b.Measured, b.Limit))
		b.Lines[len(b.Lines)-1].Together = true
	}
	if len(b.Lines) == 0 {
		return nil
	}
	b.Note = "If nothing else changes. Each line is predicted on its own: what they save does not add up."
	if b.NextStep {
		b.Note = "The recording is of a first step. Predicted is the one after it, in which the optimizer's state is " +
			"there from the start and the gradients of the last step are gone. " + b.Note
	}
	return b
}

func (b *BestMeasures) add(r *analysis.Recording, o *measures.Outcome, text sheet.Sentence) {
	assumption := assumptionSentence(r, b.Measured, o).String()
	if gpus := gpusSentence(b.Measured, o.Measures); gpus != "" {
		assumption += " " + gpus
	}
	format, names := measureNames(r, b.Measured, o.Measures)
	b.Lines = append(b.Lines, MeasureLine{Outcome: o, Name: sheet.Sentencef(format, names...).String(),
		Text:       text.String(),
		Assumption: assumption, sentence: text})
}

// shownMeasures is how many measures stand beside a failed request, or a peak.
const shownMeasures = 3

// mostSaving are the measures that save most, without the rough ones. Of two ways to shard the
// same state it is the better one.
func mostSaving(m *measures.Findings) (list []*measures.Outcome) {
	sharded := false
	for i := range m.Rows {
		o := &m.Rows[i]
		shards := o.Measures[0].Shards()
		if len(list) == shownMeasures || o.Measures[0].Rough() || shards && sharded {
			continue
		}
		list, sharded = append(list, o), sharded || shards
	}
	return list
}

// enough says which measures are enough for a limit.
func enough(r *analysis.Recording, f *measures.Findings, limit whatif.Limit) sheet.Sentence {
	o := f.Together
	format, names := measureNames(r, f, o.Measures)
	word := "Enough"
	if o.Fits != whatif.Fits {
		word = "Perhaps enough"
	}
	return sheet.Sentencef(word+" for %s: "+format+". Predicted: %s active and about %s reserved.",
		slices.Concat([]any{phrase.Amount(limit.Bytes)}, names, []any{phrase.Amount(o.Active),
			phrase.Amount(o.Reserved)})...)
}

// assumptionSentence says what is assumed with measures, and where the peak is then.
func assumptionSentence(r *analysis.Recording, f *measures.Findings, o *measures.Outcome) (s sheet.Sentence) {
	var texts []string
	for _, m := range o.Measures {
		texts = append(texts, "With %s: "+strings.ReplaceAll(wordsOf(m, f).assumption, "%", "%%"))
		s.Args = append(s.Args, measureName(r, f, m))
	}
	if site := r.Stacks.Site(o.PeakStack).String(); site != "" {
		texts = append(texts, "Then at the peak: "+peakWords[o.PeakPhase]+"%s.")
		s.Args = append(s.Args, sheet.Name(site))
	}
	s.Format = strings.Join(texts, " ")
	return s
}

// WriteBest says which changes of the training lower the peak most, a line for each.
func WriteBest(s *sheet.Sheet, b *BestMeasures) {
	if b == nil {
		return
	}
	var shown []measures.Measure
	for _, line := range b.Lines {
		shown = append(shown, line.Outcome.Measures...)
		if !line.Together {
			line.sentence.Format = "→ " + line.sentence.Format
		}
		s.Add(line.sentence)
	}
	s.Note("%s", b.Note)
	if len(b.Lines) > 0 {
		if gpus := gpusSentence(b.Measured, shown); gpus != "" {
			s.Note("%s", gpus)
		}
		s.Note("memviz whatif says what these changes of the training assume.")
	}
}
