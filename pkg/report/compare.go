package report

import (
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// compareSchema names this version of the JSON and payloads that a compare page has
// beside those of its report.
const compareSchema = "memviz.compare/1"

// comparison is what a compare page gets as JSON beside its report, of which file 0 is
// the one before and file 1 the one after. Slices are never nil.
type comparison struct {
	Schema string       `json:"schema"`
	Start  int          `json:"start"` // the pair that the page shows first: the GPU with the highest peak
	Pairs  []devicePair `json:"pairs"` // the devices that both files have
}

// devicePair is a device of each file, compared. Where a list has two items, the first is
// of the file before.
type devicePair struct {
	Devices [2]int `json:"devices"` // positions in the files' Devices
	Payload string `json:"payload"`

	Operators bool `json:"operators"` // both recordings have C++ frames, so operators are compared
	Different bool `json:"different"` // less than half of the bytes are from lines of both

	Runs    []comparedRun    `json:"runs"`    // empty where the phases of one are not known
	Steps   []comparedStep   `json:"steps"`   // empty where they are not paired
	Moments []comparedMoment `json:"moments"` // the peaks first, the end last

	// What is said of the pair, and of the pair with its files swapped.
	Answers  [2][]comparedAnswer `json:"answers"` // four
	Warnings [2][]answer.Warning `json:"warnings"`

	compared *compare.Comparison
	payloads [2]*devicePayload
}

// comparedAnswer is one of the four answers under the header.
type comparedAnswer struct {
	answer.DiffAnswer
	Group  int `json:"group"`  // the row that changed most, an index into the groups of the payload; -1: none
	Family int `json:"family"` // the family that changed most, an index into Report.Families; -1: none
}

// comparedRun is a stretch of a phase in both recordings, or in one.
type comparedRun struct {
	Phase  string     `json:"phase"`  // "forward"; "before" for the events before the first phase
	States [2]*[2]int `json:"states"` // the first and the last one; null on a side that lacks the run
	Step   int        `json:"step"`   // index in Steps; -1: none
}

// comparedStep is a step of both recordings, or of one.
type comparedStep struct {
	Label string  `json:"label"` // its number
	Has   [2]bool `json:"has"`
}

// comparedMoment is a state of each recording that is worth comparing.
type comparedMoment struct {
	Key    string `json:"key"` // "peak", "forward", "step:3", "end"
	States [2]int `json:"states"`
}

// EncodeCompare makes the page that compares two snapshots: a report of both with
// another frame, and what of them belongs together. It is an error if they have no
// device in common. program and progress are as in [Encode].
func EncodeCompare(program string, before, after answer.Input, progress func(done, events int64)) (*Document, error) {
	in := []answer.Input{before, after}
	pairs, err := answer.DiffPairs(&in[0], &in[1])
	if err != nil {
		return nil, err
	}
	swapped, err := answer.DiffPairs(&in[1], &in[0])
	if err != nil {
		return nil, err
	}
	d := encode(program, in, progress, false)
	d.comparison = &comparison{Schema: compareSchema}
	highest := int64(-1)
	for i, p := range pairs {
		k := slices.IndexFunc(swapped, func(s *answer.DiffPair) bool { return s.Sides[1].Device == p.Sides[0].Device })
		pair := d.newDevicePair(p, swapped[k])
		pair.Payload = "compare-" + strconv.Itoa(i)
		d.comparison.Pairs = append(d.comparison.Pairs, pair)
		d.page.Compared = append(d.page.Compared, newComparedSummary(p, before.FileName(), after.FileName(),
			d.report.Files[1].Devices[pair.Devices[1]].Label))
		peak := max(p.Sides[0].Device.Totals.PeakBytes, p.Sides[1].Device.Totals.PeakBytes)
		if p.Sides[0].Device.ID == snapshot.Pinned {
			peak = 0 // any GPU is more interesting
		}
		if peak > highest {
			d.comparison.Start, highest = i, peak
		}
	}
	d.page.shell = compareShell()
	d.page.Title = before.FileName() + " → " + after.FileName() + " · memviz"
	return d, nil
}

// Peaks are the peaks of active memory before and after, in bytes, of the pair that a
// compare page shows first. The last result is false for other pages.
func (d *Document) Peaks() (before, after int64, compared bool) {
	if d.comparison == nil {
		return 0, 0, false
	}
	sides := &d.comparison.Pairs[d.comparison.Start].compared.Sides
	return sides[compare.Before].Device.Totals.PeakBytes, sides[compare.After].Device.Totals.PeakBytes, true
}

func (d *Document) newDevicePair(c, swapped *answer.DiffPair) devicePair {
	p := devicePair{
		Operators: c.Lines.Operators, Different: c.DifferentPrograms(),
		Runs: []comparedRun{}, Steps: []comparedStep{}, Moments: []comparedMoment{},
		Answers:  [2][]comparedAnswer{answersOf(c, c.Lines), answersOf(swapped, turned(c.Lines))},
		Warnings: [2][]answer.Warning{c.Warnings(), swapped.Warnings()},
		compared: c.Comparison,
	}
	for side := range p.payloads {
		p.Devices[side] = slices.Index(d.in[side].Devices, c.Sides[side].Device)
		p.payloads[side] = d.files[side].devices[p.Devices[side]].(*devicePayload)
	}
	for i := range c.Runs {
		r := &c.Runs[i]
		p.Runs = append(p.Runs, comparedRun{r.Word(), rangesOf(r), r.Step})
	}
	for i := range c.Steps {
		s := &c.Steps[i]
		p.Steps = append(p.Steps, comparedStep{s.Label(), [2]bool{s.Index[0] >= 0, s.Index[1] >= 0}})
	}
	for _, m := range c.Moments {
		p.Moments = append(p.Moments, comparedMoment{m.Key, m.States})
	}
	return p
}

// answersOf are the answers of a pair; lines are those of the same pair whose groups the
// payload numbers.
func answersOf(p *answer.DiffPair, lines *compare.Lines) []comparedAnswer {
	var list []comparedAnswer
	for _, a := range p.Answers() {
		group, family := -1, -1
		for side, groups := range p.Lines.Of {
			if stack := slices.Index(groups, int32(a.Group)); a.Group >= 0 && stack >= 0 {
				group = int(lines.Of[side][stack])
			}
		}
		if a.Key == "row" && p.DifferentPrograms() {
			family = int(familyPlace[a.Family])
		}
		list = append(list, comparedAnswer{a, group, family})
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

// write writes the JSON and the payloads.
func (c *comparison) write(w io.Writer) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := writeJSON(w, "memviz-compare", text); err != nil {
		return err
	}
	for i := range c.Pairs {
		e := packed(c.Pairs[i].Payload, c.Pairs[i].writeColumns)
		if err := e.write(w); err != nil {
			return err
		}
	}
	return nil
}

// writeColumns writes the columns of a pair, in the order that the package comment
// gives. Stacks are numbered as in the payloads of the files, which may have lost some.
func (p *devicePair) writeColumns(c *columnWriter) {
	groups := p.compared.Lines.Groups
	c.column(len(groups), func(i int) uint64 { return oneIf(groups[i].Named) | oneIf(groups[i].IsLine)<<1 })
	for side, device := range p.payloads {
		of := p.groupsOf(side)
		c.column(len(of), func(i int) uint64 { return of[i] })
		earlier := p.compared.Earlier[side]
		position := make(map[int]uint64, device.len())
		if len(earlier) > 0 {
			for i := range device.len() {
				position[device.index(i)] = uint64(i)
			}
		}
		c.column(len(earlier), func(i int) uint64 { return position[earlier[i].Allocation] })
		c.column(len(earlier), func(i int) uint64 { return uint64(earlier[i].Group) })
		c.column(len(earlier), func(i int) uint64 { return uint64(familyPlace[earlier[i].Family]) })
	}
}

// groupsOf has 1 + the group of each stack in the payload of a side, and 0 for none.
func (p *devicePair) groupsOf(side int) []uint64 {
	stacks := p.payloads[side].stacks
	of := make([]uint64, len(stacks.stacks))
	for id, group := range p.compared.Lines.Of[side] {
		if group >= 0 {
			of[stacks.index[id]] = uint64(group) + 1
		}
	}
	return of
}
