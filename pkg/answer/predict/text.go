package predict

import (
	"fmt"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/pkg/whatif"
	"github.com/memviz-go/memviz/pkg/whatif/predict"
)

// write says what is predicted for a device.
func write(s *sheet.Sheet, x *prediction) {
	s.Heading("%s predicted at other sizes", x.in[0].Snapshot.DeviceLabel(x.Given[0].Run.Recording().Device.ID))
	var files []string
	for i := range x.in {
		files = append(files, fmt.Sprintf("%d=%s", x.in[i].X, x.in[i].FileName()))
	}
	s.Note("%s, %s", sheet.Name(strings.Join(files, " ")), x.in[0].Writer())
	if x.Refused != nil && !x.Possible() {
		s.Say("Nothing is predicted. %s", x.Refused.Sentence)
		if x.Refused.Forcible {
			s.Note("--force predicts all the same, with bounds.")
		}
		return
	}
	if x.Refused != nil {
		s.Say("Predicted because --force was given. %s", x.Refused.Sentence)
	}
	s.Say("%s", alignedSentence(x))
	s.SayIf(checksSentence(x))
	s.Say("%s", reservedSentence(x))
	s.Put(x.table())
	s.SayIf(x.nextStepSentence())
	s.SayIf(x.squareSentence())
	s.SayIf(x.largestSentence())
	for _, text := range x.view.Limits {
		s.Note("%s", text)
	}
}

// alignedSentence is what the predicted sizes rest on.
func alignedSentence(x *prediction) string {
	b := &x.Bytes[len(x.Bytes)-1]
	var kinds []string
	for kind, bytes := range b.ByKind {
		if bytes > 0 {
			kinds = append(kinds, units.Share(bytes, b.Requested)+" "+lawWords[kind])
		}
	}
	of := "Of their requests"
	if x.LastStep {
		of = "Of the requests of their last complete steps"
	}
	by := "stacks"
	if x.ByFunction {
		by = "functions on their stacks; lines differ"
	}
	return fmt.Sprintf("%s, %s align by the %s. Of the bytes, %s follow a law that the recordings prove. At %s, %s.",
		of,
		percent(x.Aligned), by, percent(x.EvidentShare()), units.Count(x.Given[len(x.Given)-1].X), strings.Join(kinds,
			", "))
}

var lawWords = [...]string{
	predict.Unknown: "follow none", predict.Constant: "are constant", predict.Linear: "grow with x",
	predict.Square: "grow with the square of x", predict.Padded: "grow with x, padded",
	predict.PaddedSquare: "grow with the square of x, padded",
	predict.Shifted:      "grow with x and a little more or less", predict.Affine: "grow as a + b x",
}

// percent is a share, rounded down, so that 100 % means all.
func percent(share float64) string { return units.Share(int64(share*1e6), 1e6) }

// checksSentence is how well each recording is predicted from the others.
func checksSentence(x *prediction) string {
	var parts []string
	for _, c := range x.view.Proof.Checks {
		switch {
		case c.Refused != "":
			parts = append(parts, fmt.Sprintf("%d: refused", c.X))
		case c.ReservedPeak == nil:
			parts = append(parts, fmt.Sprintf("%d: active %s", c.X, off(c.ActivePeak, c.RecordedActivePeak)))
		default:
			parts = append(parts, fmt.Sprintf("%d: active %s, reserved %s", c.X, off(c.ActivePeak,
				c.RecordedActivePeak),
				off(*c.ReservedPeak, c.RecordedReservedPeak)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Each recording predicted from the others: " + strings.Join(parts, "; ") + "."
}

// off is by how much a prediction differs from what was recorded.
func off(predicted, recorded int64) string {
	if predicted == recorded {
		return "exact"
	}
	return fmt.Sprintf("%+.2f %%", 100*float64(predicted-recorded)/float64(max(recorded, 1)))
}

// reservedSentence is what predictions of reserved memory rest on, or why there are none.
func reservedSentence(x *prediction) string {
	for i, g := range x.Given {
		if !g.Run.Proof.Holds() {
			return fmt.Sprintf("Reserved memory is not predicted: the model of PyTorch's allocator does not reproduce "+
				"%s (memviz whatif says where).", x.in[i].FileName())
		}
	}
	var differ []string
	for i := range x.Colds {
		c := &x.Colds[i]
		if !c.Near() {
			return fmt.Sprintf("Reserved memory is not predicted: served from an empty cache, the requests of %s "+
				"reserve %s, and %s were reserved; the cache that was there before decides too much.",
				x.in[i].FileName(),
				units.Bytes(c.Served), units.Bytes(c.Recorded))
		}
		if c.Served != c.Recorded {
			differ = append(differ, fmt.Sprintf("%s at %s", off(c.Served, c.Recorded), units.Count(x.Given[i].X)))
		}
	}
	text := "The model of PyTorch's allocator reproduces every recording. Served from an empty cache, they reserve " +
		"what was recorded"
	if len(differ) > 0 {
		text += ", but for " + strings.Join(differ, ", ")
	}
	return text + "."
}

func (x *prediction) table() *sheet.Table {
	columns := []sheet.Column{sheet.Figures("x"), sheet.Figures("active"), sheet.Figures("reserved"),
		sheet.Words("spread")}
	if x.FirstStep {
		columns = append(columns, sheet.Words("next step, active"))
	}
	on := ""
	if x.o.Capacity > 0 {
		on = "with " + units.Bytes(x.o.Capacity)
	}
	t := sheet.NewTable(append(columns, sheet.Words(on))...)
	add := func(at int64, active, reserved, between, next, remark string) {
		cells := []any{units.Count(at), active, reserved, between}
		if x.FirstStep {
			cells = append(cells, next)
		}
		t.Row(append(cells, remark)...)
	}
	for _, f := range x.view.Proof.Recordings {
		reserved := ""
		if f.ReservedPeak > 0 { // else the file has no segments
			reserved = units.Bytes(f.ReservedPeak)
		}
		add(f.X, units.Bytes(f.ActivePeak), reserved, "", "", "recorded")
	}
	for i := range x.rows {
		p := &x.rows[i]
		reserved, between, next := "", "", ""
		if r := p.Reserved; r != nil {
			reserved, between = units.Bytes(r.Peak), rangeOf(r.Low, r.High)
		}
		if n := p.NextStep; n != nil {
			next = rangeOf(n.Active.Low, n.Active.High)
		}
		remark := "predicted"
		if p.Fits != whatif.FitNotKnown {
			remark += ", " + p.Fits.String()
		}
		add(p.X, units.Bytes(p.ActivePeak), reserved, between, next, remark)
	}
	return t
}

// rangeOf is a range of bytes.
func rangeOf(low, high int64) string {
	a, b := units.Bytes(low), units.Bytes(high)
	if a == b {
		return a
	}
	return a + " to " + b
}

func (x *prediction) largestSentence() string {
	v := x.view.Largest
	switch {
	case !x.o.Largest:
		return ""
	case v == nil:
		return "The largest x that fits is not known, because reserved memory is not predicted."
	case v.X == 0:
		return fmt.Sprintf("Not even %s fits %s: a request of %s fails%s.", units.Count(v.MultipleOf),
			units.Bytes(x.o.Capacity), units.Bytes(v.FailedBytes), atSite(v.FailedSite))
	}
	multiple := ""
	if v.MultipleOf > 1 {
		multiple = " multiple of " + units.Count(v.MultipleOf)
	}
	spare := "nothing"
	if v.Margin > 0 {
		spare = units.Bytes(v.Margin)
	}
	largest := func(at int64) string {
		return fmt.Sprintf("The largest%s predicted to fit %s is %s", multiple, units.Bytes(x.o.Capacity),
			units.Count(at))
	}
	const spread = "the spread of reserved memory"
	text := ""
	switch {
	case x.Refused != nil:
		text = fmt.Sprintf("The largest%s that may fit %s is %s, with %s to spare; the recordings are refused, so "+
			"that none is sure to.", multiple, units.Bytes(x.o.Capacity), units.Count(v.X), spare)
	case v.WithSpread == v.X:
		text = largest(v.X) + ", with " + spare + " to spare, and also with " + spread + " left free."
	case v.WithSpread == 0:
		text = "None is predicted to fit " + units.Bytes(x.o.Capacity) + " with " + spread + " left free. But for " +
			"the spread, the largest" + multiple + " is " + units.Count(v.X) + ", with " + spare + " to spare."
	default:
		text = largest(v.WithSpread) + ", with " + spread + " left free. But for the spread it is " +
			units.Count(v.X) + ", with " + spare + " to spare."
	}
	if v.FailsAt > 0 {
		text += fmt.Sprintf(" At %s a request of %s fails%s.", units.Count(v.FailsAt), units.Bytes(v.FailedBytes),
			atSite(v.FailedSite))
	}
	if v.FitsAgainAt > 0 {
		text += fmt.Sprintf(" %s would fit again, as the cache is cut in another way there.",
			units.Count(v.FitsAgainAt))
	}
	return text
}

// nextStepSentence is about what both steps reserve where a first step was recorded.
func (x *prediction) nextStepSentence() string {
	var parts []string
	for i := range x.rows {
		if n := x.rows[i].NextStep; n != nil && n.Reserved != nil {
			parts = append(parts, rangeOf(n.Reserved.Low, n.Reserved.High)+" at "+units.Count(x.rows[i].X))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	fits := ""
	if x.o.Capacity > 0 {
		fits = " Whether a size fits is told of both steps."
	}
	return "With the step after the first, reserved memory is predicted to reach " + strings.Join(parts, ", ") + "." +
		fits
}

// squareSentence is about what grows with the square of x, at the largest x at which that
// is worth a word.
func (x *prediction) squareSentence() string {
	var p *predict.Prediction
	for i := range x.rows {
		if r := &x.rows[i]; 100*r.SquareBytes >= r.ActivePeak && (p == nil || r.X > p.X) {
			p = r
		}
	}
	if p == nil {
		return ""
	}
	return fmt.Sprintf("At %s, %s of what is live at the peak grow with the square of x, as the scores do that "+
		"attention keeps for backward. Attention that keeps none is predicted to peak at about %s of active memory.",
		units.Count(p.X), units.Bytes(p.SquareBytes), units.Bytes(p.WithoutSquare))
}

func atSite(site string) string {
	if site == "" {
		return ""
	}
	return ", at " + units.Printable(site)
}

// limits are what the recordings cannot tell, and how it was treated.
func (x *prediction) limits() []string {
	list := []string{"All of this holds if nothing else changes: that the program takes another kernel, data type or " +
		"padding at another size is in no recording."}
	if x.FirstStep {
		list = append(list, "The recordings are of a first step, in which the optimizer makes its state, so they "+
			"understate the run. The step after it needs the least if gradients are dropped before its forward pass, "+
			"the most if they live until backward.")
	}
	common, odd := x.Common(), []string{}
	for i := range x.rows {
		p := &x.rows[i]
		if common > 1 && p.X%common != 0 {
			odd = append(odd, units.Count(p.X))
		}
		const live, notProved = " of what is live at the peak follow ", "a law that the recordings do not prove"
		follow := ""
		switch unknown, unproved := units.Bytes(p.UnknownBytes), units.Bytes(p.UnprovedBytes); {
		case p.UnknownBytes > 0 && p.UnprovedBytes > 0:
			follow = unknown + live + "no law, and " + unproved + " " + notProved
		case p.UnknownBytes > 0:
			follow = unknown + live + "no law"
		case p.UnprovedBytes > 0:
			follow = unproved + live + notProved
		}
		if follow != "" {
			list = append(list, fmt.Sprintf("At %s, %s, so active is predicted between %s and %s.",
				units.Count(p.X), follow, units.Bytes(p.Active.Low), units.Bytes(p.Active.High)))
		}
	}
	if len(odd) > 0 {
		list = append(list, fmt.Sprintf("All recorded sizes are multiples of %s; not so %s. If the program pads to "+
			"such multiples, the recordings do not show it, and more is needed there than predicted.",
			units.Count(common), strings.Join(odd, " and ")))
	}
	for i := range x.Colds {
		if n := x.Colds[i].Leftover; n > 0 {
			list = append(list,
				fmt.Sprintf("In %s, %s were cached before the recording and never used; they do not count.",
					x.in[i].FileName(), units.Bytes(n)))
		}
	}
	for i := range x.Bytes {
		if n := x.Bytes[i].Carried; n > 0 {
			list = append(list, fmt.Sprintf("When %s begins, %s are live that the other recordings do not have; they "+
				"are taken over as they are.", x.in[i].FileName(), units.Bytes(n)))
		}
	}
	if x.o.Capacity > 0 {
		list = append(list, "The "+phrase.BackendOf(x.in[0].Snapshot).Context+" is in no recording, and is not counted.")
	}
	return list
}
