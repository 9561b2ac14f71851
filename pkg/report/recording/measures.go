package recording

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer/whatif"
)

// Measures are the changes of the training that lower the peak of a device most.
type Measures struct {
	Lines []Measure `json:"lines"` // none: too many events to predict them here
	Note  string    `json:"note"`  // what holds for all lines, or why there are none
	// NextStep: the lines are about the step after the recorded one, which is a first step.
	NextStep bool                 `json:"next_step"`
	Best     *whatif.BestMeasures `json:"-"`
}

// Measure is what one change of the training, or several together, would do.
type Measure struct {
	Key        string `json:"key"`  // "checkpoint", or several, joined with commas
	Name       string `json:"name"` // in a few words
	Text       string `json:"text"` // a sentence
	Fit        string `json:"fit"`  // "fits", "may fit" or "does not fit" where a request fails without it; else ""
	ActivePeak int64  `json:"active_peak_bytes"`
	Assumption string `json:"assumption"` // sentences: what has to be true, and where the peak is then
	// Space is where the tensors would have been put, and which ones there would have been;
	// left out if that cannot be said.
	Space *PredictedSpace `json:"space,omitempty"`
}

// NewMeasures is nil where none are predicted.
func NewMeasures(best *whatif.BestMeasures) *Measures {
	if best == nil {
		return nil
	}
	view := &Measures{Lines: make([]Measure, len(best.Lines)), Note: best.Note, NextStep: best.NextStep, Best: best}
	for i := range best.Lines {
		line := &best.Lines[i]
		view.Lines[i] = Measure{
			Key: line.Key(), Name: line.Name, Text: line.Text, Fit: line.Outcome.Fits.String(),
			ActivePeak: line.Outcome.Active, Assumption: line.Assumption,
		}
	}
	return view
}

// Texts are the lines as text, and the note behind them.
func (m *Measures) Texts() []string {
	if m == nil {
		return nil
	}
	var list []string
	for i := range m.Lines {
		list = append(list, m.Lines[i].Text)
	}
	return append(list, m.Note)
}

// HasSpaces reports whether it is known of any measure where the tensors would have lain.
func (m *Measures) HasSpaces() bool {
	return m != nil && slices.ContainsFunc(m.Lines, func(line Measure) bool { return line.Space != nil })
}

// DropSpaces leaves out where the tensors would have lain.
func (m *Measures) DropSpaces() {
	if m == nil {
		return
	}
	for i := range m.Lines {
		m.Lines[i].Space = nil
	}
}

// maxMeasures bounds the lines of a report that is read.
const maxMeasures = 10

// check holds what was read against what the viewer relies on; placed: it is known where the
// tensors of the device lay.
func (m *Measures) check(device string, placed bool) error {
	if m == nil {
		return nil
	}
	if m.Lines == nil || len(m.Lines) > maxMeasures {
		return fmt.Errorf("device %s has %d measures", device, len(m.Lines))
	}
	for i := range m.Lines {
		s := m.Lines[i].Space
		if s == nil {
			continue
		}
		number, is := strings.CutPrefix(s.Payload, "measure-"+device+"-")
		if line, err := strconv.Atoi(number); !is || !placed || err != nil || line < 0 || line > i ||
			number != strconv.Itoa(line) {
			return fmt.Errorf("the space of a measure of device %s is called %.40q", device, s.Payload)
		}
	}
	return nil
}
