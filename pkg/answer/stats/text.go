package stats

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/answer"
	oomanswer "github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// writeLine says the totals of a device in one line. A capacity that the recording
// refutes is replaced by what it shows.
func writeLine(s *sheet.Sheet, in *answer.Input, r *analysis.Recording, stats *Device, capacity int64) {
	d := r.Device
	ooms, of, least, end := "", "", "", "end"
	if stats.Cut {
		least, end = "at least ", "at the cut at least"
	}
	switch {
	case stats.CapacityBytes > 0:
		of = " of " + units.Bytes(stats.CapacityBytes) + " (" +
			units.Share(stats.ReservedPeakBytes, stats.CapacityBytes) + ")"
	case capacity > 0:
		of = " of at least " + units.Bytes(oom.CapacityOf(d, 0).AtLeast)
	}
	if stats.OOMEvents > 0 {
		ooms = units.Plural(stats.OOMEvents, "OOM, ", "OOMs, ")
	}
	s.Line("%s %s: peak %s%s, reserved %s%s%s, %s %s, %s, %s%s", sheet.Name(stats.File),
		in.Snapshot.DeviceLabel(d.ID), least,
		units.Bytes(stats.PeakBytes), least, units.Bytes(stats.ReservedPeakBytes), of, end,
		units.Bytes(stats.FinalBytes),
		units.Plural(stats.Events, "event", "events"), ooms, trust.VerdictOf(r).Text)
}

// write says the totals of a device.
func write(s *sheet.Sheet, in *answer.Input, r *analysis.Recording, stats *Device, o Options) {
	d := r.Device
	verdict := trust.VerdictOf(r)
	sign := "! "
	if verdict.OK {
		sign = "✓ "
	}
	answer.Title(s, in, d, sign+verdict.Text)
	if stats.Events > 1 {
		s.Add(sheet.Curve(d.ActiveBytes()))
	}
	s.Put(totals(d, stats))
	oomanswer.WriteTooSmall(s, o.Capacity, stats.CapacityBytes, oom.CapacityOf(r.Device, 0).AtLeast)
	s.Put(counts(r, stats))
	s.SayIf(oomanswer.RetriesSentence(r))
	if !stats.Cut { // it is about the final segments
		s.Put(unusedTable(stats))
	}
	s.Put(windowTable(stats, r.Steps().Method, o))
	s.Put(largestTable(stats))
	writeAvoidable(s, r)
	if stats.AllocConf != "" {
		s.Say("%s=%s", r.Settings().Variable(), sheet.Name(stats.AllocConf))
		whatif.WriteSkipped(s, r.Settings())
		s.SayIf(stats.limitSentence())
	}
	if stats.HostSettings != nil {
		s.Say("%s", stats.HostSettings.sentence())
	}
	oomanswer.WriteAdvice(s, stats.Advice)
	if !d.Reconciliation.EndUnknown {
		s.Put(reconciled(d, stats))
	}
	s.Put(unopened(stats))
	trust.WriteWarnings(s, r)
}

func totals(d *replay.Device, stats *Device) *sheet.Table {
	end, least := "end", ""
	if stats.Cut {
		end, least = "at the cut", "at least; "
	}
	t := sheet.NewTable(sheet.Words(""), sheet.Figures("start"), sheet.Figures("highest"), sheet.Figures(end),
		sheet.Words(""))
	row := func(what string, start, highest, end int64, remark string) {
		t.Row(what, units.Bytes(start), units.Bytes(highest), units.Bytes(end), remark)
	}
	row("active", stats.BaselineBytes, stats.PeakBytes, stats.FinalBytes,
		least+"highest in state "+units.Count(stats.PeakState))
	atEnd := units.Plural(stats.Segments, "segment", "segments") + " at the end"
	if stats.Cut || d.Reconciliation.EndNotWritten {
		atEnd = "at least"
	}
	row("reserved", stats.ReservedBaselineBytes, stats.ReservedPeakBytes, stats.ReservedFinalBytes, atEnd)
	if stats.CapacityBytes > 0 {
		t.Row("capacity", "", units.Bytes(stats.CapacityBytes), "",
			strings.Replace(least, ";", "", 1)+units.Share(stats.ReservedPeakBytes,
				stats.CapacityBytes)+" of it was reserved")
	}
	return t
}

func counts(r *analysis.Recording, stats *Device) *sheet.Table {
	d := r.Device
	t := sheet.NewTable(sheet.Words(""), sheet.Figures(""), sheet.Words(""))
	span := ""
	if len(d.Events.TimeMicros) > 1 && !r.Snapshot.Redaction.Times {
		span = "over " + units.Duration(d.Events.SpanMicros())
	}
	t.Row("events", units.Count(stats.Events), span)
	remark := units.Count(d.PreExisting) + " from before the recording, " + units.Count(stats.LiveAtEnd) +
		" live at its end"
	if stats.Cut { // the final segments would show more of them
		remark = units.Count(stats.LiveAtEnd) + " live at the cut"
		if d.PreExisting > 0 {
			remark = "at least " + units.Count(d.PreExisting) + " from before the recording, " + remark
		}
	}
	t.Row("allocations", units.Count(stats.Allocations), remark)
	if stats.OOMEvents > 0 {
		t.Row("ooms", units.Count(stats.OOMEvents), "out of memory")
	}
	if n := len(stats.Retries); n > 0 {
		t.Row("retries", units.Count(n), "near out of memory: served after the cache was given back")
	}
	return t
}

func unusedTable(stats *Device) *sheet.Table {
	peak, end := &stats.AtReservedPeak, &stats.AtEnd
	t := sheet.NewTable(sheet.Words("reserved, not requested"), sheet.Figures("at reserved peak"),
		sheet.Figures("at end"),
		sheet.Words(""))
	row := func(what string, peak, end int64, remark string) {
		if peak > 0 || end > 0 {
			t.Row(what, units.Bytes(peak), units.Bytes(end), remark)
		}
	}
	row("cached", peak.CachedBytes, end.CachedBytes, units.Bytes(end.ReturnableBytes)+" returnable at end")
	row("fragmentation", peak.FragmentationBytes, end.FragmentationBytes, peak.FragmentationGrade+" then, "+
		end.FragmentationGrade+" at end")
	row("pending", peak.PendingBytes, end.PendingBytes,
		"waiting for "+phrase.PendingUser(snapshot.DeviceID(stats.Device)))
	row("rounding", peak.RoundingBytes, end.RoundingBytes, "blocks beyond requests")
	return t
}

func windowTable(stats *Device, method steps.Method, o Options) *sheet.Table {
	what := method.Word(1)
	if o.Every != (Every{}) {
		what = "window"
	}
	remarks := sheet.Names("")
	if o.Every != (Every{}) {
		remarks = sheet.Figures("fragmentation")
	}
	t := sheet.NewTable(sheet.Figures(what), sheet.Figures("peak"), sheet.Figures("in state"), sheet.Words("states"),
		remarks)
	if len(stats.Windows) < 2 {
		return t
	}
	t.Fill(len(stats.Windows), o.Rows, func(i int) {
		w := &stats.Windows[i]
		number, remark := units.Count(i+1), any(sheet.Name(w.Name))
		if w.Rest {
			number = "rest"
		}
		if w.FragmentationBytes != nil {
			remark = units.Bytes(*w.FragmentationBytes)
		}
		t.Row(number, units.Bytes(w.PeakBytes), units.Count(w.PeakState), units.Count(w.From)+" to "+units.Count(w.To),
			remark)
	})
	return t
}

func largestTable(stats *Device) *sheet.Table {
	t := sheet.NewTable(sheet.Figures("largest at the peak"), sheet.Figures("event"), sheet.Paths("site"))
	for i := range stats.Largest {
		a := &stats.Largest[i]
		event := "earlier"
		if a.Start != nil {
			event = units.Count(*a.Start)
		}
		t.Row(units.Bytes(a.Bytes), event, phrase.SiteName(a.Site))
	}
	return t
}

// reconciled compares the end of the replay with the final segments.
func reconciled(d *replay.Device, stats *Device) *sheet.Table {
	t := sheet.NewTable(sheet.Words("at the end"), sheet.Figures("replay"), sheet.Figures("allocator"),
		sheet.Words(""))
	compare := func(what string, replayed, allocator int64, change func(int64) string) {
		verdict := "agree"
		if replayed != allocator {
			verdict = change(replayed - allocator)
		}
		t.Row(what, units.Count(replayed), units.Count(allocator), verdict)
	}
	compare("requested bytes", stats.FinalBytes, stats.LiveBlockRequestedBytes, units.Change)
	compare("live blocks", int64(stats.LiveAtEnd), int64(d.Reconciliation.LiveBlocks), signed)
	t.Row("rounded bytes", "", units.Count(stats.LiveBlockBytes), "")
	return t
}

// limitSentence says how much of the device PyTorch may have, or nothing.
func (stats *Device) limitSentence() string {
	switch {
	case stats.MemoryLimitBytes > 0:
		return "per_process_memory_fraction lets PyTorch have " + phrase.Amount(stats.MemoryLimitBytes) + " of the " +
			phrase.Amount(stats.CapacityBytes) + " you gave as capacity."
	case stats.MemoryFraction > 0:
		return "per_process_memory_fraction lets PyTorch have " + phrase.Share(stats.MemoryFraction) +
			" of the device, " +
			"whose memory is not in the file; pass --capacity to see how much that is."
	}
	return ""
}

// signed is a count with its sign.
func signed(n int64) string {
	if n > 0 {
		return "+" + units.Count(n)
	}
	return units.Count(n)
}

// unopened counts the frees and blocks whose alloc is not in the recording.
func unopened(stats *Device) *sheet.Table {
	t := sheet.NewTable(sheet.Words(""), sheet.Figures(""), sheet.Words(""))
	t.Row("frees without an alloc", units.Count(stats.UnmatchedFrees), "allocated before the recording")
	t.Row("blocks without an alloc", units.Count(stats.PreExistingBlocks), "allocated before the recording, still live")
	return t
}
