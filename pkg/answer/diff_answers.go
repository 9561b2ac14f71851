package answer

import (
	"path"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// DiffAnswer is one of the four answers that a comparison begins with. They are about
// the peaks, whichever moment the rest is about.
type DiffAnswer struct {
	Key      string `json:"key"` // peak, row, cache or program
	Question string `json:"question"`
	Value    string `json:"value"`  // in a few words
	Line     string `json:"line"`   // what it rests on
	Detail   string `json:"detail"` // a whole sentence, or empty

	// Group is the row that changed most, an index in compare.Lines.Groups, or -1; Family
	// is the family, where families are compared because the programs differ.
	Group  int             `json:"-"`
	Family families.Family `json:"-"`

	value, line sentence // names apart from other words
}

func newDiffAnswer(key, question string, value, line sentence) DiffAnswer {
	return DiffAnswer{Key: key, Question: question, Value: breaking(value.with(asText)), Line: breaking(line.with(asText)),
		Group: -1, value: value, line: line}
}

// breaking is a text with plain spaces where numbers must not be parted from their units.
func breaking(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }

// unnamed is a sentence without names.
func unnamed(text string) sentence { return sentence{"%s", []any{withUnits(text)}} }

// Answers are the four answers, in the order in which they are shown.
func (p *DiffPair) Answers() []DiffAnswer {
	return []DiffAnswer{p.peakAnswer(), p.rowAnswer(), p.cacheAnswer(), p.programAnswer()}
}

func (p *DiffPair) peakAnswer() DiffAnswer {
	a, b := &p.Sides[compare.Before].Device.Totals, &p.Sides[compare.After].Device.Totals
	line := fromTo(a.PeakBytes, b.PeakBytes)
	if when := p.peakPhases(); when != "" {
		line += "; " + when
	}
	return newDiffAnswer("peak", "Is the peak higher or lower?", unnamed(changed(b.PeakBytes-a.PeakBytes)), unnamed(line))
}

// peakPhases says in which phase each peak lies; "" where phases are not known.
func (p *DiffPair) peakPhases() string {
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

func (p *DiffPair) rowAnswer() DiffAnswer {
	const key, question = "row", "What changed most?"
	if p.DifferentPrograms() {
		return p.familyAnswer(key, question)
	}
	row := mostChanged(p.atPeaks.Rows)
	if row == nil {
		return newDiffAnswer(key, question, unnamed("Nothing"), unnamed("no call site holds more or less at the peaks"))
	}
	what := ChangeOf(row.Before.Amount, row.After.Amount)
	value := sentence{"%s %s", []any{name(row.Site.Function), changed(row.Delta())}}
	line := sentence{"%s: %s", []any{name(movedLine(&p.Lines.Groups[row.Group])), withUnits(what)}}
	switch {
	case !row.Named:
		value, line = unnamed(noStack+" "+units.Change(row.Delta())), unnamed(what)
	case row.Site.File == "":
		line = unnamed(what)
	}
	a := newDiffAnswer(key, question, value, line)
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

func (p *DiffPair) familyAnswer(key, question string) DiffAnswer {
	if len(p.atPeaks.Families) == 0 || p.atPeaks.Families[0].Delta() == 0 {
		return newDiffAnswer(key, question, unnamed("Nothing"), unnamed("no family holds more or less at the peaks"))
	}
	f := &p.atPeaks.Families[0]
	a := newDiffAnswer(key, question, unnamed(f.Family.Label()+" "+units.Change(f.Delta())),
		unnamed("by family, "+fromTo(f.Before, f.After)+"; call sites do not match"))
	a.Family = f.Family
	return a
}

func (p *DiffPair) cacheAnswer() DiffAnswer {
	const key, question = "cache", "Did the cache change?"
	for side := range p.Sides {
		if r := &p.Sides[side].Device.Reconciliation; r.Segments == 0 {
			return newDiffAnswer(key, question, unnamed("Unknown"), unnamed("the "+sideWords[side]+
				" recording lists no segments"))
		}
	}
	a, b := &p.Sides[compare.Before].Device.Totals, &p.Sides[compare.After].Device.Totals
	fa, fb := &p.recordings[compare.Before].Fragmentation().AtPeak, &p.recordings[compare.After].Fragmentation().AtPeak
	answer := newDiffAnswer(key, question, unnamed(changed(b.ReservedPeakBytes-a.ReservedPeakBytes)+" reserved"),
		unnamed(fromTo(a.ReservedPeakBytes, b.ReservedPeakBytes)+"; not in use then "+fromTo(fa.Cached, fb.Cached)))
	answer.Detail = "Fragmentation at the peaks of reserved memory: " + fromTo(fa.Bytes, fb.Bytes) + "."
	return answer
}

// sideWords name the two sides.
var sideWords = [2]string{"first", "second"}

// Shares from which two recordings are called the same program.
const (
	sameProgram   = 0.995
	mostlySame    = 0.5
	noStacksThere = "no byte at the peaks has a stack"
)

func (p *DiffPair) programAnswer() DiffAnswer {
	share, lines := p.MatchedShare(), p.lineCounts()
	value, line := "No", units.Share(p.MatchedBytes, p.StackBytes)+" of bytes are from lines in both"
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
	return newDiffAnswer("program", "Is it the same program?", unnamed(value), unnamed(line))
}

// DiffLines counts the lines from which the recordings allocate memory.
type DiffLines struct {
	Both       int     `json:"both"`
	Moved      int     `json:"moved"` // of both: those with another number
	OnlyBefore int     `json:"only_before"`
	OnlyAfter  int     `json:"only_after"`
	Matched    float64 `json:"matched_bytes_share"` // of the bytes with a stack, at the peaks, those of lines in both; 0 to 1
}

func (p *DiffPair) lineCounts() DiffLines {
	counts := DiffLines{Matched: p.MatchedShare()}
	for i := range p.Lines.Groups {
		g := &p.Lines.Groups[i]
		switch {
		case !g.Named:
		case g.Both():
			counts.Both++
			if g.Moved() {
				counts.Moved++
			}
		case g.Has[compare.Before]:
			counts.OnlyBefore++
		default:
			counts.OnlyAfter++
		}
	}
	return counts
}

// StepCounts counts the steps of both recordings.
func (p *DiffPair) StepCounts() (counts DiffSteps) {
	for i := range p.Steps {
		step := &p.Steps[i]
		switch {
		case !step.Ended:
		case step.Both():
			counts.Both++
		case step.Index[compare.Before] >= 0:
			counts.OnlyBefore++
		default:
			counts.OnlyAfter++
		}
	}
	if len(p.Steps) > 0 {
		counts.Word = p.Sides[compare.Before].Steps.Method.Word(1)
	}
	return counts
}

// sentence says how many steps stand alone: "10 steps only in after."; "" without any.
func (c *DiffSteps) sentence() string {
	var texts []string
	for _, side := range []struct {
		n    int
		word string
	}{{c.OnlyBefore, "before"}, {c.OnlyAfter, "after"}} {
		if side.n > 0 {
			texts = append(texts, units.Plural(side.n, c.Word, c.Word+"s")+" only in "+side.word)
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return strings.Join(texts, ", ") + "."
}

// ChangeOf says what kind of change a row is: "24 tensors, each 16.0 MiB → 256 MiB". It
// names a size only where all tensors of that side have it.
func ChangeOf(before, after compare.Amount) string {
	m, n := before.Allocations, after.Allocations
	equal := func(a *compare.Amount) bool { return a.Smallest == a.Largest }
	tensors := func(n int) string { return units.Plural(n, "tensor", "tensors") }
	alone := func(what string, a *compare.Amount) string {
		text := what + tensors(a.Allocations)
		if equal(a) {
			text += " of " + units.Bytes(a.Largest)
		}
		return text
	}
	switch {
	case m == 0 && n == 0:
		return "none"
	case m == 0:
		return alone("new: ", &after)
	case n == 0:
		return alone("gone: ", &before)
	}
	text := tensors(n)
	if m != n {
		text = units.Count(m) + " → " + text
	}
	same := before.Largest == after.Largest
	switch each := equal(&before) && equal(&after); {
	case each && same:
		return text + ", each " + units.Bytes(after.Largest)
	case each && m == n && n == 1:
		return text + ", " + units.Bytes(before.Largest) + " → " + units.Bytes(after.Largest)
	case each:
		return text + ", each " + units.Bytes(before.Largest) + " → " + units.Bytes(after.Largest)
	case same:
		return text + ", largest " + units.Bytes(after.Largest) + " in both"
	}
	return text + ", largest " + fromTo(before.Largest, after.Largest)
}

// fromTo is two numbers of bytes with an arrow: "8.48 → 22.5 GiB". A unit that both have
// is said once, and so is an amount that both have.
func fromTo(before, after int64) string {
	if before == after {
		return units.Bytes(after)
	}
	a, b := units.Bytes(before), units.Bytes(after)
	if number, unit, ok := strings.Cut(a, " "); ok && strings.HasSuffix(b, " "+unit) {
		a = number
	}
	return a + " → " + b
}

// movedLine is where a group's line stands: "model.py:101→104" where it moved.
func movedLine(g *compare.Group) string {
	site := g.Latest()
	text := path.Base(stacks.Slashed(site.File))
	if g.Moved() {
		return text + ":" + strconv.Itoa(g.Site[compare.Before].Line) + "→" + strconv.Itoa(site.Line)
	}
	if site.Line > 0 {
		text += ":" + strconv.Itoa(site.Line)
	}
	return text
}

// Warnings say what a reader of the comparison has to know, the gravest first.
func (p *DiffPair) Warnings() []Warning {
	list := []Warning{}
	warn := func(fact, consequence string) { list = append(list, Warning{Fact: fact, Consequence: consequence}) }
	if p.DifferentPrograms() {
		warn("These are different programs.", "Less than half of the bytes are from lines that both have, so families "+
			"are compared and call sites are only listed.")
	}
	for side, r := range p.recordings {
		this := "the " + sideWords[side] + " recording"
		if r.Snapshot.Cut(r.Device.ID) {
			warn("T"+this[1:]+" was read in part.", "It holds at least what is shown, and a change may be what is missing.")
		} else if end := &r.Device.Reconciliation; end.HistoryCut {
			warn("The history of "+this+" is cut.", "Its beginning is missing, which is not the same as zero: "+
				end.HistoryCutReason+".")
		}
	}
	if p.Lines.OneHasOperators {
		with := compare.Before
		if p.Sides[compare.After].Stacks.HasNative() {
			with = compare.After
		}
		warn("Only the "+sideWords[with]+" recording has C++ frames.", "So operators are not compared.")
	}
	for side, d := range []*replay.Device{p.recordings[compare.Before].Device, p.recordings[compare.After].Device} {
		began := " were there before the " + sideWords[side] + " recording began."
		if bytes := p.EarlierBytes(side); bytes > 0 {
			warn(amount(bytes)+began, "By their sizes they are parameters or optimizer state that the "+sideWords[1-side]+
				" recorded, and count as those.")
		}
		if own := p.resident[side]; own > 2*p.resident[1-side] && 100*own > d.Totals.PeakBytes {
			warn(amount(own)+began, "Nothing says what for, so families of that memory are not compared.")
		}
	}
	differ := func(what, a, b string) {
		if a != b {
			warn("The "+what+" differ.", "The first recording is of "+a+", the second of "+b+".")
		}
	}
	differ("torch versions", "torch "+p.inputs[compare.Before].Snapshot.TorchVersion(),
		"torch "+p.inputs[compare.After].Snapshot.TorchVersion())
	differ("devices", p.label(compare.Before), p.label(compare.After))
	return list
}

// label is the device of a side: "cuda:0".
func (p *DiffPair) label(side int) string {
	return p.inputs[side].Snapshot.DeviceLabel(p.Sides[side].Device.ID)
}
