package report

import "github.com/memviz-go/memviz/pkg/answer"

// Measures are the changes of the training that lower the peak of a device most.
type Measures struct {
	Lines []Measure `json:"lines"` // none: too many events to predict them here
	Note  string    `json:"note"`  // what holds for all lines, or why there are none
	best  *answer.BestMeasures
}

// Measure is what one change of the training, or several together, would do.
type Measure struct {
	Key        string `json:"key"`        // "checkpoint", or several, joined with commas
	Text       string `json:"text"`       // a sentence
	Assumption string `json:"assumption"` // sentences: what has to be true, and where the peak is then
}

// newMeasures is nil where none are predicted.
func newMeasures(best *answer.BestMeasures) *Measures {
	if best == nil {
		return nil
	}
	view := &Measures{Lines: make([]Measure, len(best.Lines)), Note: best.Note, best: best}
	for i := range best.Lines {
		line := &best.Lines[i]
		view.Lines[i] = Measure{Key: line.Key(), Text: line.Text, Assumption: line.Assumption}
	}
	return view
}

// texts are the lines as text, and the note behind them.
func (m *Measures) texts() []string {
	if m == nil {
		return nil
	}
	var list []string
	for i := range m.Lines {
		list = append(list, m.Lines[i].Text)
	}
	return append(list, m.Note)
}
