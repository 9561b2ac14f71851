package compare

import (
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/report/frame"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Both is two devices compared, and the same with the files swapped.
type Both struct{ Pair, swapped *diff.Pair }

// Pairs compares the devices that two files have in common; it is an error if they
// have none.
func Pairs(in []answer.Input) ([]Both, error) {
	pairs, err := diff.Pairs(&in[0], &in[1])
	if err != nil {
		return nil, err
	}
	swapped, err := diff.Pairs(&in[1], &in[0])
	if err != nil {
		return nil, err
	}
	list := make([]Both, len(pairs))
	for i, p := range pairs {
		k := slices.IndexFunc(swapped, func(s *diff.Pair) bool { return s.Sides[1].Device == p.Sides[0].Device })
		list[i] = Both{p, swapped[k]}
	}
	return list, nil
}

// New compares two files that a report holds.
func New(pairs []Both, in []answer.Input, files [2]*codec.File) *Comparison {
	c := &Comparison{Schema: schema}
	highest := int64(-1)
	for i, both := range pairs {
		pair := newPairModel(both.Pair, both.swapped, in, files)
		pair.Payload = "compare-" + strconv.Itoa(i)
		c.Pairs = append(c.Pairs, pair)
		sides := &both.Pair.Sides
		peak := max(sides[0].Device.Totals.PeakBytes, sides[1].Device.Totals.PeakBytes)
		if sides[0].Device.ID == snapshot.Pinned {
			peak = 0 // any GPU is more interesting
		}
		if peak > highest {
			c.Start, highest = i, peak
		}
	}
	return c
}

// Peaks are the peaks of active memory of the pair that the page shows first, in bytes.
func (c *Comparison) Peaks() (before, after int64) {
	sides := &c.Pairs[c.Start].compared.Sides
	return sides[compare.Before].Device.Totals.PeakBytes, sides[compare.After].Device.Totals.PeakBytes
}

func newPairModel(c, swapped *diff.Pair, in []answer.Input, files [2]*codec.File) pairModel {
	p := pairModel{
		Operators: c.Lines.Operators, Different: c.DifferentPrograms(),
		Runs: []runModel{}, Steps: []stepModel{}, Moments: c.Moments,
		Answers:  [2][]Answer{answersOf(c, c.Lines), answersOf(swapped, turned(c.Lines))},
		Warnings: [2][]trust.Warning{c.Warnings(), swapped.Warnings()},
		compared: c.Comparison,
	}
	for side := range p.Devices {
		p.Devices[side] = slices.Index(in[side].Devices, c.Sides[side].Device)
	}
	p.columns = codec.NewPair(c.Comparison, files, p.Devices)
	for i := range c.Runs {
		r := &c.Runs[i]
		p.Runs = append(p.Runs, runModel{r.Word(), rangesOf(r), r.Step})
	}
	for i := range c.Steps {
		s := &c.Steps[i]
		p.Steps = append(p.Steps, stepModel{s.Label(), [2]bool{s.Index[0] >= 0, s.Index[1] >= 0}})
	}
	return p
}

// answersOf are the answers of a pair; lines are those of the same pair whose groups the
// payload numbers.
func answersOf(p *diff.Pair, lines *compare.Lines) []Answer {
	var list []Answer
	for _, a := range p.Answers() {
		group, family := -1, -1
		for side, groups := range p.Lines.Of {
			if stack := slices.Index(groups, int32(a.Group)); a.Group >= 0 && stack >= 0 {
				group = int(lines.Of[side][stack])
			}
		}
		if a.Key == "row" && p.DifferentPrograms() {
			family = int(recording.FamilyPlace[a.Family])
		}
		list = append(list, Answer{a, group, family})
	}
	return list
}

// turned are lines with the sides swapped and the same groups.
func turned(lines *compare.Lines) *compare.Lines {
	return &compare.Lines{Of: [2][]int32{lines.Of[1], lines.Of[0]}}
}

func rangesOf(r *compare.Run) (states [2]*[2]int) {
	for side, has := range r.Has {
		if has {
			states[side] = &[2]int{r.States[side].From, r.States[side].To}
		}
	}
	return states
}

// Write writes the JSON and the payloads.
func (c *Comparison) Write(w io.Writer) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := frame.WriteJSON(w, "memviz-compare", text); err != nil {
		return err
	}
	for i := range c.Pairs {
		if err := c.Pairs[i].columns.Write(w, c.Pairs[i].Payload); err != nil {
			return err
		}
	}
	return nil
}
