package diff

import (
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/units"
)

// Headline is one of the four answers that a comparison begins with. They are about
// the peaks, whichever moment the rest is about.
type Headline struct {
	Key      string `json:"key"` // peak, row, cache or program
	Question string `json:"question"`
	Value    string `json:"value"`  // in a few words
	Line     string `json:"line"`   // what it rests on
	Detail   string `json:"detail"` // a whole sentence, or empty

	// Group is the row that changed most, an index in compare.Lines.Groups, or -1; Family
	// is the family, where families are compared because the programs differ.
	Group  int             `json:"-"`
	Family families.Family `json:"-"`

	value, line sheet.Sentence // names apart from other words
}

func newHeadline(key, question string, value, line sheet.Sentence) Headline {
	return Headline{Key: key, Question: question, Value: breaking(value.String()),
		Line: breaking(line.String()), Group: -1, value: value, line: line}
}

// breaking is a text with plain spaces where numbers must not be parted from their units.
func breaking(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }

// unnamed is a sentence without names.
func unnamed(text string) sheet.Sentence { return sheet.Sentencef("%s", sheet.WithUnits(text)) }

// Answers are the four answers, in the order in which they are shown.
func (p *Pair) Answers() []Headline {
	return []Headline{p.peakAnswer(), p.rowAnswer(), p.cacheAnswer(), p.programAnswer()}
}

func (p *Pair) peakAnswer() Headline {
	a, b := &p.Sides[compare.Before].Device.Totals, &p.Sides[compare.After].Device.Totals
	line := fromTo(a.PeakBytes, b.PeakBytes)
	if when := p.peakPhases(); when != "" {
		line += "; " + when
	}
	change := phrase.Changed(b.PeakBytes - a.PeakBytes)
	return newHeadline("peak", "Is the peak higher or lower?", unnamed(change), unnamed(line))
}

// peakPhases says in which phase each peak lies; "" where phases are not known.
func (p *Pair) peakPhases() string {
	var runs [2]*compare.Run
	for side := range runs {
		peak := p.Sides[side].Device.Totals.PeakState
		for i := range p.Runs {
			if r := &p.Runs[i]; r.Has[side] && r.States[side].From <= peak && peak <= r.States[side].To {
				runs[side] = r
			}
		}
	}
	a, b := runs[compare.Before], runs[compare.After]
	switch {
	case a == nil || b == nil:
		return ""
	case a.Phase != b.Phase:
		return "before " + within(a) + ", after " + within(b) + ": not the same moment"
	case a.Step != b.Step:
		return "both " + within(a) + ", but not in the same step"
	}
	return "both " + within(a)
}

// within says in which phase something is.
func within(r *compare.Run) string {
	if r.Phase == stacks.NoActivity {
		return "ahead of the first phase"
	}
	return "in " + r.Word()
}

func (p *Pair) rowAnswer() Headline {
	const key, question = "row", "What changed most?"
	if p.DifferentPrograms() {
		return p.familyAnswer(key, question)
	}
	row := mostChanged(p.atPeaks.Rows)
	if row == nil {
		return newHeadline(key, question, unnamed("Nothing"), unnamed("no call site holds more or less at the peaks"))
	}
	what := ChangeOf(row.Before.Amount, row.After.Amount)
	value := sheet.Sentencef("%s %s", sheet.Name(row.Site.Function), phrase.Changed(row.Delta()))
	line := sheet.Sentencef("%s: %s", sheet.Name(movedLine(&p.Lines.Groups[row.Group])), sheet.WithUnits(what))
	switch {
	case !row.Named:
		value, line = unnamed(phrase.NoStack+" "+units.Change(row.Delta())), unnamed(what)
	case row.Site.File == "":
		line = unnamed(what)
	}
	a := newHeadline(key, question, value, line)
	a.Group = row.Group
	return a
}

// mostChanged is the first row. What has no stack is many things, and does not stand for
// the change while a row with a name holds a tenth of it.
func mostChanged(rows []compare.DiffRow) *compare.DiffRow {
	if len(rows) == 0 {
		return nil
	}
	first := &rows[0]
	for i := range rows {
		if row := &rows[i]; row.Named && 10*magnitude(row.Delta()) >= magnitude(first.Delta()) {
			return row
		}
	}
	return first
}

func magnitude(bytes int64) int64 { return max(bytes, -bytes) }

func (p *Pair) familyAnswer(key, question string) Headline {
	if len(p.atPeaks.Families) == 0 || p.atPeaks.Families[0].Delta() == 0 {
		return newHeadline(key, question, unnamed("Nothing"), unnamed("no family holds more or less at the peaks"))
	}
	f := &p.atPeaks.Families[0]
	a := newHeadline(key, question, unnamed(f.Family.Label()+" "+units.Change(f.Delta())),
		unnamed("by family, "+fromTo(f.Before, f.After)+"; call sites do not match"))
	a.Family = f.Family
	return a
}

func (p *Pair) cacheAnswer() Headline {
	const key, question = "cache", "Did the cache change?"
	for side := range p.Sides {
		if r := &p.Sides[side].Device.Reconciliation; r.Segments == 0 {
			return newHeadline(key, question, unnamed("Unknown"), unnamed("the "+sideWords[side]+
				" recording lists no segments"))
		}
	}
	a, b := &p.Sides[compare.Before].Device.Totals, &p.Sides[compare.After].Device.Totals
	line := fromTo(a.ReservedPeakBytes, b.ReservedPeakBytes)
	fa, fb := p.fragmentation(compare.Before), p.fragmentation(compare.After)
	if fa != nil && fb != nil {
		line += "; not in use then " + fromTo(fa.Cached, fb.Cached)
	}
	change := phrase.Changed(b.ReservedPeakBytes-a.ReservedPeakBytes) + " reserved"
	answer := newHeadline(key, question, unnamed(change), unnamed(line))
	if fa == nil || fb == nil {
		answer.Detail = "How much of it was in use is not known: a report has no addresses."
		return answer
	}
	answer.Detail = "Fragmentation at the peaks of reserved memory: " + fromTo(fa.Bytes, fb.Bytes) + "."
	return answer
}

// fragmentation is that of a side at the peak of reserved memory; nil if the addresses
// that it takes are not known.
func (p *Pair) fragmentation(side int) *layout.Fragmentation {
	r := p.recordings[side]
	if r.Origin.AddressesLost || r.Device.Reconciliation.Segments == 0 {
		return nil
	}
	return &r.Fragmentation().AtPeak
}

// sideWords name the two sides.
var sideWords = [2]string{"first", "second"}

// Shares from which two recordings are called the same program.
const (
	sameProgram   = 0.995
	mostlySame    = 0.5
	noStacksThere = "no byte at the peaks has a stack"
)

// wholePercent is a share rounded down, so that it agrees with the word beside it.
func wholePercent(share float64) string {
	if share > 0 && share < 0.01 {
		return "<1 %"
	}
	return strconv.Itoa(int(100*share+1e-9)) + " %"
}

func (p *Pair) programAnswer() Headline {
	share, lines := p.MatchedShare(), p.lineCounts()
	value, line := "No", wholePercent(share)+" of bytes are from lines in both"
	switch {
	case p.StackBytes == 0:
		value, line = "Unknown", noStacksThere
	case share >= sameProgram:
		value = "Yes"
	case share >= mostlySame:
		value = "Mostly"
	}
	if p.StackBytes > 0 && p.MatchedBytes == p.StackBytes {
		line = "every byte with a stack has its line in both"
	}
	if n := lines.Both + lines.OnlyBefore + lines.OnlyAfter; n > 0 {
		line += "; " + units.Plural(lines.Both, "line", "lines") + " in both"
		if lines.Moved > 0 {
			line += ", " + units.Count(lines.Moved) + " of them moved"
		}
		line += "; " + units.Count(lines.OnlyBefore) + " only before, " + units.Count(lines.OnlyAfter) + " only after"
	}
	return newHeadline("program", "Is it the same program?", unnamed(value), unnamed(line))
}
