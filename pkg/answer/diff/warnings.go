package diff

import (
	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// Warnings say what a reader of the comparison has to know, the gravest first.
func (p *Pair) Warnings() []trust.Warning {
	list := []trust.Warning{}
	warn := func(fact, consequence string) {
		list = append(list, trust.Warning{Fact: fact, Consequence: consequence})
	}
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
			warn(phrase.Amount(bytes)+began, "By their sizes they are parameters or optimizer state that the "+
				sideWords[1-side]+" recorded, and count as those.")
		}
		if own := p.resident[side]; own > 2*p.resident[1-side] && 100*own > d.Totals.PeakBytes {
			warn(phrase.Amount(own)+began, "Nothing says what for, so families of that memory are not compared.")
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

// Predicted tells that a side is a run that was never made.
func (p *Pair) warnPredicted(side int) (trust.Warning, bool) {
	source := p.recordings[side].Source
	w, is := trust.Predicted(source)
	if is {
		w.Fact = "The " + sideWords[side] + " run was never made: it is predicted at " +
			units.Count(source.Origin.Predicted.X) +
			"."
	}
	return w, is
}

// label is the device of a side: "cuda:0".
func (p *Pair) label(side int) string {
	return p.inputs[side].Snapshot.DeviceLabel(p.Sides[side].Device.ID)
}
