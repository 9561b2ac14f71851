package oom

import (
	"math"
	"strconv"

	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// times is how many times another number one number is, to two digits at least.
func times(n, other int64) string {
	ratio := float64(n) / float64(other)
	if ratio < 9.95 {
		return strconv.FormatFloat(ratio, 'f', 1, 64)
	}
	return units.Count(int64(math.Round(ratio)))
}

func poolName(s *snapshot.Snapshot, id snapshot.PoolID) string {
	if id == 0 {
		return "default"
	}
	p := s.Pools[id]
	return "(" + units.Count(int64(p.A)) + "," + units.Count(int64(p.B)) + ")"
}

func sizeClassName(class snapshot.SizeClass) string {
	return [...]string{snapshot.SizeClassUnknown: "unknown", snapshot.SizeClassSmall: "small",
		snapshot.SizeClassLarge: "large"}[class]
}

// write says how the requests of a device failed.
func write(s *sheet.Sheet, f *Context, ooms []oom.Failure, views []Failure, best *whatif.BestMeasures, rows int) {
	if len(ooms) == 0 && !f.r.Device.HasHistory() {
		answer.Section(s, f.in, f.r.Device, "no history")
		s.Say("%s, so whether a request failed is not known.", trust.HoldsNoHistory(f.r))
		return
	} else if len(ooms) == 0 {
		headline := "no request failed while it was recorded"
		if f.in.Snapshot.Cut(f.r.Device.ID) {
			headline = "no request failed in the part of the file that was read"
		}
		answer.Section(s, f.in, f.r.Device, headline)
		s.SayIf(RetriesSentence(f.r))
		return
	}
	times := ""
	if len(ooms) > 1 {
		times = ", " + units.Count(len(ooms)) + " times"
	}
	answer.Section(s, f.in, f.r.Device, "ran out of memory"+times)
	WriteTooSmall(s, f.capacity.TooSmall, 0, f.capacity.AtLeast)
	for i := range ooms {
		o := &ooms[i]
		s.Add(f.Sentence(o))
		s.Put(oomTable(o))
		if len(o.Pools) > 1 {
			s.Put(poolTable(&views[i], rows))
		}
		s.Put(top.Table(f.r, f.holders(o), rows))
		WriteAdvice(s, views[i].Advice)
		if o.After.Unwound {
			s.Note("The file was written after the error unwound; the picture of the failure is state %s, not the end.",
				units.Count(o.State()))
		} else if o.After.WentOn {
			s.Note("The program went on after it.")
		}
	}
	whatif.WriteBest(s, best)
	s.SayIf(RetriesSentence(f.r))
	if f.r.Origin.Predicted == nil { // else the capacity was given, not seen
		f.guess(s, &ooms[len(ooms)-1])
	}
}

// WriteAdvice says what to change.
func WriteAdvice(s *sheet.Sheet, list []Advice) {
	for _, a := range list {
		s.Say("→ %s", a.Text)
	}
}

// WriteTooSmall says that a capacity was given which the recording refutes.
func WriteTooSmall(s *sheet.Sheet, given, taken, least int64) {
	if given > 0 && taken == 0 {
		s.Say("--capacity %s is ignored: the recording shows that the device has %s or more.",
			phrase.Amount(given), phrase.Amount(least))
	}
}

// guess says how much is used outside PyTorch if the device is a common card.
func (f *Context) guess(s *sheet.Sheet, last *oom.Failure) {
	c := f.capacity
	outside := c.CardBytes - last.Visible()
	if c.Given == 0 && outside > units.GiB && outside < last.Visible() { // else it is no card, but a share of one
		s.Note("PyTorch saw %s. If this is a %d GiB card, about %s is used outside PyTorch; pass --capacity to check.",
			phrase.Amount(last.Visible()), c.Card, phrase.Amount(outside))
	}
}

// Sentence says why a request failed, with the evidence in it.
func (f *Context) Sentence(o *oom.Failure) sheet.Sentence {
	text, args := verdicts[o.Verdict].evidence(f, o)
	if o.Larger() {
		text += " It is the largest request of this call site: %s times the largest of the %s before it, %s."
		args = append(args, times(o.Requested, o.LargestBefore), units.Count(o.Before), phrase.Amount(o.LargestBefore))
	}
	return sheet.Sentencef(text, append([]any{phrase.Amount(o.Requested), units.Count(o.State())}, args...)...)
}

func oomTable(o *oom.Failure) *sheet.Table {
	t := sheet.NewTable(sheet.Words(""), sheet.Figures(""), sheet.Words(""))
	row := func(what string, bytes int64, remark string) { t.Row(what, units.Bytes(bytes), remark) }
	row("requested", o.Requested, "a new segment for it takes "+units.Bytes(o.Needed))
	row("free on the device", o.DeviceFree, "")
	row("reserved", o.Reserved, "")
	row("in use", o.InUse, units.Share(o.Active, o.Reserved)+" of reserved, with rounding")
	if rounding := o.Active - o.InUse; rounding > 0 {
		row("rounding", rounding, "blocks larger than asked for")
	}
	if o.Pending > 0 {
		row("pending", o.Pending, "given up, waiting for another stream")
	}
	row("free where it counts", o.FreeSame, "largest piece "+units.Bytes(o.LargestSame))
	if o.FreeOther > 0 {
		row("free elsewhere", o.FreeOther, "other streams and pools; largest piece "+units.Bytes(o.LargestOther))
	}
	if o.CapacityGiven && o.Outside() > 0 {
		row("outside PyTorch", o.Outside(), "of the capacity you gave")
	}
	return t
}

func poolTable(view *Failure, rows int) *sheet.Table {
	t := sheet.NewTable(sheet.Figures("reserved"), sheet.Figures("active"), sheet.Figures("free"),
		sheet.Figures("largest"), sheet.Words("where"))
	t.Fill(len(view.Pools), rows, func(i int) {
		p := &view.Pools[i]
		where := p.SizeClass + " blocks"
		if p.Stream != 0 {
			where += ", stream " + units.Address(p.Stream)
		}
		if p.Pool != "default" {
			where += ", pool " + p.Pool
		}
		if p.Serves {
			where += " ←"
		}
		t.Row(units.Bytes(p.ReservedBytes), units.Bytes(p.ActiveBytes), units.Bytes(p.FreeBytes),
			units.Bytes(p.LargestFreeBytes), where)
	})
	return t
}
