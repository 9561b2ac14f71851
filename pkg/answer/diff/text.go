package diff

import (
	"cmp"
	"strconv"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/units"
)

// write writes how a device differs: the four answers, then families, then rows.
func write(s *sheet.Sheet, p *Pair, d *compare.Difference, view *Device, o Options) {
	before, after := p.inputs[compare.Before].FileName(), p.inputs[compare.After].FileName()
	s.Heading("%s: active %s, reserved %s from %s to %s", p.label(compare.After), phrase.Changed(view.ActiveDelta),
		phrase.Changed(view.ReservedDelta), sheet.Name(before), sheet.Name(after))
	for i := range view.Answers {
		a := &view.Answers[i]
		s.Say(a.Question+" "+a.value.Format+": "+a.line.Format+".%s", append(append(append([]any{}, a.value.Args...),
			a.line.Args...), withSpace(sheet.WithUnits(a.Detail)))...)
	}
	for _, w := range view.Warnings {
		before, _ := p.warnPredicted(compare.Before)
		if after, _ := p.warnPredicted(compare.After); w == before || w == after {
			continue // it stands at the top of the answer
		}
		s.Say("%s %s", w.Fact, w.Consequence)
	}
	states := [2]int{d.Before.State, d.After.State}
	s.Say("%s: %s active in %s.", o.At.describe(states, p), sheet.WithUnits(fromTo(d.Before.Bytes, d.After.Bytes)),
		countsFromTo(d.Before.LiveAllocations, d.After.LiveAllocations))
	s.SayIf(view.Steps.sentence())
	if !onlyUnknown(d) {
		s.Put(familyTable(d))
	}
	switch {
	case len(d.Rows) == 0 && view.ReservedDelta != 0:
		s.Say("No call site holds more or less; only what the allocator reserves for them differs.")
		return
	case len(d.Rows) == 0:
		s.Say("No call site holds more or less.")
		return
	}
	s.Put(table(p, d, view, o))
	if d.UnchangedRows > 0 {
		s.Note("%s more, with %s, did not change.", units.Plural(d.UnchangedRows, o.By.one(), o.By.many()),
			units.Bytes(d.UnchangedBytes))
	}
}

// withSpace is a sentence that follows another.
func withSpace(sentence string) string {
	if sentence == "" {
		return ""
	}
	return " " + sentence
}

// countsFromTo is how many tensors there are on both sides.
func countsFromTo(before, after int) string {
	text := units.Plural(after, "tensor", "tensors")
	if before != after {
		text = units.Count(before) + " → " + text
	}
	return text
}

// inStates names a state of each side.
func inStates(before, after int) string {
	return "in state " + units.Count(before) + " before and " + units.Count(after) + " after"
}

// onlyUnknown reports whether it is known of no memory what it is for.
func onlyUnknown(d *compare.Difference) bool {
	return len(d.Families) == 1 && d.Families[0].Family == families.Unknown
}

func familyTable(d *compare.Difference) *sheet.Table {
	t := sheet.NewTable(sheet.Figures("change"), sheet.Figures("before"), sheet.Figures("after"),
		sheet.Words("family"))
	for i := range d.Families {
		f := &d.Families[i]
		t.Row(breaking(phrase.Changed(f.Delta())), units.Bytes(f.Before), units.Bytes(f.After), f.Family.Label())
	}
	return t
}

// maxShownOperators bounds the operators that text has below a line.
const maxShownOperators = 4

func table(p *Pair, d *compare.Difference, view *Device, o Options) *sheet.Table {
	t := sheet.NewTable(sheet.Figures("change"), sheet.Figures("before"), sheet.Figures("after"),
		sheet.Paths(o.By.title()))
	t.Fill(len(view.Rows), o.Rows, func(i int) {
		row := &view.Rows[i]
		t.Row(units.Change(row.DeltaBytes), units.Bytes(row.BeforeBytes), units.Bytes(row.AfterBytes),
			phrase.SiteName(movedSite(&d.Rows[i], row.Site)))
		t.Row("", "", "", row.What)
		if len(row.Operators) < 2 {
			return
		}
		for k := range min(len(row.Operators), maxShownOperators) {
			if o := &row.Operators[k]; o.DeltaBytes != 0 {
				t.Row(units.Change(o.DeltaBytes), units.Bytes(o.BeforeBytes), units.Bytes(o.AfterBytes),
					sheet.Name("· "+cmp.Or(o.Operator, phrase.NoOperator)))
			}
		}
	})
	return t
}

// movedSite is the site of a row with both of its lines if it moved:
// "model.py:101→104:forward".
func movedSite(row *compare.DiffRow, site string) string {
	before, after := row.Before.Line, row.After.Line
	if before == 0 || after == 0 || before == after {
		return site
	}
	return row.Site.File + ":" + strconv.Itoa(before) + "→" + strconv.Itoa(after) + ":" + row.Site.Function
}
