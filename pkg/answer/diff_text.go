package answer

import (
	"cmp"
	"strconv"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/units"
)

// diff writes how a device differs: the four answers, then families, then rows.
func (s *Sheet) diff(p *DiffPair, d *compare.Difference, view *DiffDevice, o DiffOptions) {
	before, after := p.inputs[compare.Before].FileName(), p.inputs[compare.After].FileName()
	s.heading("%s: active %s, reserved %s from %s to %s", p.label(compare.After), changed(view.ActiveDelta),
		changed(view.ReservedDelta), name(before), name(after))
	for i := range view.Answers {
		a := &view.Answers[i]
		s.say(a.Question+" "+a.value.format+": "+a.line.format+".%s", append(append(append([]any{}, a.value.args...),
			a.line.args...), withSpace(withUnits(a.Detail)))...)
	}
	for _, w := range view.Warnings {
		before, _ := p.warnPredicted(compare.Before)
		if after, _ := p.warnPredicted(compare.After); w == before || w == after {
			continue // it stands at the top of the answer
		}
		s.say("%s %s", w.Fact, w.Consequence)
	}
	states := [2]int{d.Before.State, d.After.State}
	s.say("%s: %s active in %s.", o.At.describe(states, p), withUnits(fromTo(d.Before.Bytes, d.After.Bytes)),
		countsFromTo(d.Before.LiveAllocations, d.After.LiveAllocations))
	s.sayIf(view.Steps.sentence())
	if !onlyUnknown(d) {
		s.put(diffFamilies(d))
	}
	switch {
	case len(d.Rows) == 0 && view.ReservedDelta != 0:
		s.say("No call site holds more or less; only what the allocator reserves for them differs.")
		return
	case len(d.Rows) == 0:
		s.say("No call site holds more or less.")
		return
	}
	s.put(diffTable(p, d, view, o))
	if d.UnchangedRows > 0 {
		s.note("%s more, with %s, did not change.", units.Plural(d.UnchangedRows, o.By.one(), o.By.many()),
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

// changed is a difference in a sentence, where 0 alone would read as an amount.
func changed(bytes int64) string {
	if bytes == 0 {
		return "±0"
	}
	return units.NoBreak(units.Change(bytes))
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

func diffFamilies(d *compare.Difference) *sheetTable {
	t := newTable(figures("change"), figures("before"), figures("after"),
		words("family"))
	for i := range d.Families {
		f := &d.Families[i]
		t.row(breaking(changed(f.Delta())), units.Bytes(f.Before), units.Bytes(f.After), f.Family.Label())
	}
	return t
}

// maxShownOperators bounds the operators that text has below a line.
const maxShownOperators = 4

func diffTable(p *DiffPair, d *compare.Difference, view *DiffDevice, o DiffOptions) *sheetTable {
	t := newTable(figures("change"), figures("before"), figures("after"),
		paths(o.By.title()))
	t.fill(len(view.Rows), o.Rows, func(i int) {
		row := &view.Rows[i]
		t.row(units.Change(row.DeltaBytes), units.Bytes(row.BeforeBytes), units.Bytes(row.AfterBytes),
			siteName(movedSite(&d.Rows[i], row.Site)))
		t.row("", "", "", row.What)
		if len(row.Operators) < 2 {
			return
		}
		for k := range min(len(row.Operators), maxShownOperators) {
			if o := &row.Operators[k]; o.DeltaBytes != 0 {
				t.row(units.Change(o.DeltaBytes), units.Bytes(o.BeforeBytes), units.Bytes(o.AfterBytes),
					name("· "+cmp.Or(o.Operator, noOperator)))
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

// siteName is a site as text.
func siteName(site string) any {
	if site == "" {
		return noStack
	}
	return name(site)
}
