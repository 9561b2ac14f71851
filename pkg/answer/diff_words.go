package answer

import (
	"path"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// DiffLines counts the lines from which the recordings allocate memory.
type DiffLines struct {
	Both       int `json:"both"`
	Moved      int `json:"moved"` // of both: those with another number
	OnlyBefore int `json:"only_before"`
	OnlyAfter  int `json:"only_after"`
	// of the bytes with a stack, at the peaks, those of lines in both; 0 to 1
	Matched float64 `json:"matched_bytes_share"`
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

// stepCounts counts the steps of both recordings.
func (p *DiffPair) stepCounts() (counts DiffSteps) {
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
		if w, is := p.warnPredicted(side); is {
			list = append(list, w)
		}
		if r.Snapshot.Cut(r.Device.ID) {
			warn("T"+this[1:]+" was read in part.",
				"It holds at least what is shown, and a change may be what is missing.")
		} else if !r.Device.HasHistory() {
			warn("T"+this[1:]+" has no history.", "Its peak is what it holds at the end; it may have held more before.")
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
			warn(amount(bytes)+began, "By their sizes they are parameters or optimizer state that the "+
				sideWords[1-side]+" recorded, and count as those.")
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
	before, after := p.inputs[compare.Before].Snapshot, p.inputs[compare.After].Snapshot
	differ("torch versions", before.Writer(), after.Writer())
	differ("devices", p.label(compare.Before), p.label(compare.After))
	return list
}

// warnPredicted tells that a side is a run that was never made.
func (p *DiffPair) warnPredicted(side int) (Warning, bool) {
	source := p.recordings[side].Source
	w, is := warnPredicted(source)
	if is {
		w.Fact = "The " + sideWords[side] + " run was never made: it is predicted at " + units.Count(source.Origin.Predicted.X) +
			"."
	}
	return w, is
}

// label is the device of a side: "cuda:0".
func (p *DiffPair) label(side int) string {
	return p.inputs[side].Snapshot.DeviceLabel(p.Sides[side].Device.ID)
}
