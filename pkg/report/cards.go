package report

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/answer"
)

// Card is one of the four answers under the header.
type Card struct {
	Question string           `json:"question"`
	Mood     answer.Mood      `json:"mood"`
	Value    string           `json:"value"`
	Small    string           `json:"small"`
	Line     string           `json:"line"`
	Detail   string           `json:"detail"`   // a sentence, or ""
	Bar      []familyBytes    `json:"bar"`      // in the order of the legend
	Curve    []int64          `json:"curve"`    // the least active bytes of each step
	Evidence *answer.Evidence `json:"evidence"` // its allocation is an index into the payload; null: there is nothing to show
}

// familyBytes is what a family holds.
type familyBytes struct {
	Family int   `json:"family"` // index into Report.Families
	Bytes  int64 `json:"bytes"`
}

// setCards puts the four answers on the page.
func (view *Device) setCards(r *analysis.Recording, p *pile, predicted *answer.Prediction) {
	var answers []answer.Card
	answers, view.Failures = answer.Cards(r, predicted)
	view.Answers = make([]Card, len(answers))
	for i, a := range answers {
		view.Answers[i] = Card{
			Question: a.Question, Mood: a.Mood, Value: a.Value, Small: a.Small, Line: a.Line, Detail: a.Detail,
			Bar: newBar(a.Families), Curve: append([]int64{}, a.Curve...),
		}
		if a.Evidence.State != timeline.NoState {
			a.Evidence.Allocation = p.position(a.Evidence.Allocation)
			view.Answers[i].Evidence = &a.Evidence
		}
	}
}

// newBar has the families that hold something, in the order of the legend.
func newBar(held [families.Count]int64) []familyBytes {
	bar := []familyBytes{}
	for i, entry := range legend {
		if bytes := held[entry.family]; bytes > 0 {
			bar = append(bar, familyBytes{i, bytes})
		}
	}
	return bar
}
