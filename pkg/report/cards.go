package report

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/answer"
)

// Card is one of the four answers under the header.
type Card struct {
	Question string      `json:"question"`
	Mood     answer.Mood `json:"mood"`
	Value    string      `json:"value"`
	Small    string      `json:"small"`
	Line     string      `json:"line"`
	Detail   string      `json:"detail"` // a sentence, or ""
	Bar      []Part      `json:"bar"`    // in the order of the legend
	Curve    []int64     `json:"curve"`  // lowest totals, from left to right
	Evidence *Evidence   `json:"evidence"`
}

// Part is what a family holds.
type Part struct {
	Family int   `json:"family"` // index into Report.Families
	Bytes  int64 `json:"bytes"`
}

// Evidence is what the page shows of an answer; null where there is nothing.
type Evidence struct {
	From       int `json:"from"` // states; from == to: the whole recording
	To         int `json:"to"`
	State      int `json:"state"`
	Allocation int `json:"allocation"` // its place in the payload; -1: none
}

// Failure is what the page says beside the numbers of a request that failed.
type Failure struct {
	State     int    `json:"state"`
	FreeBytes *int64 `json:"free_bytes,omitempty"` // in the cache where the request may be served; reports of old do not say it
	Diagnosis string `json:"diagnosis"`
	Evidence  string `json:"evidence"`
	Try       string `json:"try"`
}

// setCards puts the four answers on the page.
func (view *Device) setCards(r *analysis.Recording, p *pile, predicted *answer.Prediction) {
	answers, failures := answer.Cards(r, predicted)
	view.Failures = make([]Failure, len(failures))
	for i, f := range failures {
		view.Failures[i] = Failure{f.State, &f.Free, f.Diagnosis, f.Evidence, f.Try}
	}
	view.Answers = make([]Card, len(answers))
	for i, a := range answers {
		view.Answers[i] = Card{
			Question: a.Question, Mood: a.Mood, Value: a.Value, Small: a.Small, Line: a.Line, Detail: a.Detail,
			Bar: newBar(a.Families), Curve: append([]int64{}, a.Curve...),
		}
		if a.Evidence.State != timeline.NoState {
			view.Answers[i].Evidence = &Evidence{
				From: a.Evidence.From, To: a.Evidence.To, State: a.Evidence.State,
				Allocation: p.place(a.Evidence.Allocation),
			}
		}
	}
}

// newBar are the families that hold something, in the order of the legend.
func newBar(families [families.Count]int64) []Part {
	bar := []Part{}
	for i, entry := range legend {
		if bytes := families[entry.family]; bytes > 0 {
			bar = append(bar, Part{i, bytes})
		}
	}
	return bar
}
