package answer

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// oneLine says the totals of a device in one line. A capacity that the recording
// refutes is replaced by what it shows.
func (s *Sheet) oneLine(in *Input, r *analysis.Recording, stats *DeviceStats, capacity int64) {
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
	s.line("%s %s: peak %s%s, reserved %s%s%s, %s %s, %s, %s%s", name(stats.File), in.Snapshot.DeviceLabel(d.ID), least,
		units.Bytes(stats.PeakBytes), least, units.Bytes(stats.ReservedPeakBytes), of, end,
		units.Bytes(stats.FinalBytes),
		units.Plural(stats.Events, "event", "events"), ooms, VerdictOf(r).Text)
}

// stats says the totals of a device.
func (s *Sheet) stats(in *Input, r *analysis.Recording, stats *DeviceStats, o StatsOptions) {
	d := r.Device
	verdict := VerdictOf(r)
	sign := "! "
	if verdict.OK {
		sign = "✓ "
	}
	s.title(in, d, sign+verdict.Text)
	if stats.Events > 1 {
		s.add(curve(d.ActiveBytes()))
	}
	s.put(totals(d, stats))
	s.tooSmall(o.Capacity, stats.CapacityBytes, oom.CapacityOf(r.Device, 0).AtLeast)
	s.put(counts(r, stats))
	s.sayIf(retriesSentence(r))
	if !stats.Cut { // it is about the final segments
		s.put(unusedTable(stats))
	}
	s.put(windowTable(stats, r.Steps().Method, o))
	s.put(largestTable(stats))
	s.avoidable(r)
	if stats.AllocConf != "" {
		s.say("%s=%s", r.Settings().Variable(), name(stats.AllocConf))
		s.skipped(r.Settings())
		s.sayIf(stats.limitSentence())
	}
	if stats.HostSettings != nil {
		s.say("%s", stats.HostSettings.sentence())
	}
	s.advice(stats.Advice)
	if !d.Reconciliation.EndUnknown {
		s.put(reconciled(d, stats))
	}
	s.put(unopened(stats))
	s.warn(r)
}

func totals(d *replay.Device, stats *DeviceStats) *sheetTable {
	end, least := "end", ""
	if stats.Cut {
		end, least = "at the cut", "at least; "
	}
	t := newTable(words(""), figures("start"), figures("highest"), figures(end),
		words(""))
	row := func(what string, start, highest, end int64, remark string) {
		t.row(what, units.Bytes(start), units.Bytes(highest), units.Bytes(end), remark)
	}
	row("active", stats.BaselineBytes, stats.PeakBytes, stats.FinalBytes,
		least+"highest in state "+units.Count(stats.PeakState))
	atEnd := units.Plural(stats.Segments, "segment", "segments") + " at the end"
	if stats.Cut || d.Reconciliation.EndNotWritten {
		atEnd = "at least"
	}
	row("reserved", stats.ReservedBaselineBytes, stats.ReservedPeakBytes, stats.ReservedFinalBytes, atEnd)
	if stats.CapacityBytes > 0 {
		t.row("capacity", "", units.Bytes(stats.CapacityBytes), "",
			strings.Replace(least, ";", "", 1)+units.Share(stats.ReservedPeakBytes,
				stats.CapacityBytes)+" of it was reserved")
	}
	return t
}

func counts(r *analysis.Recording, stats *DeviceStats) *sheetTable {
	d := r.Device
	t := newTable(words(""), figures(""), words(""))
	span := ""
	if len(d.Events.TimeMicros) > 1 && !r.Snapshot.Redaction.Times {
		span = "over " + units.Duration(d.Events.SpanMicros())
	}
	t.row("events", units.Count(stats.Events), span)
	remark := units.Count(d.PreExisting) + " from before the recording, " + units.Count(stats.LiveAtEnd) +
		" live at its end"
	if stats.Cut { // the final segments would show more of them
		remark = units.Count(stats.LiveAtEnd) + " live at the cut"
		if d.PreExisting > 0 {
			remark = "at least " + units.Count(d.PreExisting) + " from before the recording, " + remark
		}
	}
	t.row("allocations", units.Count(stats.Allocations), remark)
	if stats.OOMEvents > 0 {
		t.row("ooms", units.Count(stats.OOMEvents), "out of memory")
	}
	if n := len(stats.Retries); n > 0 {
		t.row("retries", units.Count(n), "near out of memory: served after the cache was given back")
	}
	return t
}

func unusedTable(stats *DeviceStats) *sheetTable {
	peak, end := &stats.AtReservedPeak, &stats.AtEnd
	t := newTable(words("reserved, not requested"), figures("at reserved peak"),
		figures("at end"),
		words(""))
	row := func(what string, peak, end int64, remark string) {
		if peak > 0 || end > 0 {
			t.row(what, units.Bytes(peak), units.Bytes(end), remark)
		}
	}
	row("cached", peak.CachedBytes, end.CachedBytes, units.Bytes(end.ReturnableBytes)+" returnable at end")
	row("fragmentation", peak.FragmentationBytes, end.FragmentationBytes, peak.FragmentationGrade+" then, "+
		end.FragmentationGrade+" at end")
	row("pending", peak.PendingBytes, end.PendingBytes, "waiting for "+pendingUser(snapshot.DeviceID(stats.Device)))
	row("rounding", peak.RoundingBytes, end.RoundingBytes, "blocks beyond requests")
	return t
}

func windowTable(stats *DeviceStats, method steps.Method, o StatsOptions) *sheetTable {
	what := method.Word(1)
	if o.Every != (Every{}) {
		what = "window"
	}
	remarks := names("")
	if o.Every != (Every{}) {
		remarks = figures("fragmentation")
	}
	t := newTable(figures(what), figures("peak"), figures("in state"), words("states"), remarks)
	if len(stats.Windows) < 2 {
		return t
	}
	t.fill(len(stats.Windows), o.Rows, func(i int) {
		w := &stats.Windows[i]
		number, remark := units.Count(i+1), any(name(w.Name))
		if w.Rest {
			number = "rest"
		}
		if w.FragmentationBytes != nil {
			remark = units.Bytes(*w.FragmentationBytes)
		}
		t.row(number, units.Bytes(w.PeakBytes), units.Count(w.PeakState), units.Count(w.From)+" to "+units.Count(w.To),
			remark)
	})
	return t
}

func largestTable(stats *DeviceStats) *sheetTable {
	t := newTable(figures("largest at the peak"), figures("event"), paths("site"))
	for i := range stats.Largest {
		a := &stats.Largest[i]
		event := "earlier"
		if a.Start != nil {
			event = units.Count(*a.Start)
		}
		t.row(units.Bytes(a.Bytes), event, siteName(a.Site))
	}
	return t
}

// reconciled compares the end of the replay with the final segments.
func reconciled(d *replay.Device, stats *DeviceStats) *sheetTable {
	t := newTable(words("at the end"), figures("replay"), figures("allocator"),
		words(""))
	compare := func(what string, replayed, allocator int64, change func(int64) string) {
		verdict := "agree"
		if replayed != allocator {
			verdict = change(replayed - allocator)
		}
		t.row(what, units.Count(replayed), units.Count(allocator), verdict)
	}
	compare("requested bytes", stats.FinalBytes, stats.LiveBlockRequestedBytes, units.Change)
	compare("live blocks", int64(stats.LiveAtEnd), int64(d.Reconciliation.LiveBlocks), signed)
	t.row("rounded bytes", "", units.Count(stats.LiveBlockBytes), "")
	return t
}

// skipped names the options of the allocator that memviz does not understand.
func (s *Sheet) skipped(settings *layout.Settings) {
	for _, problem := range settings.Skipped {
		s.note("Skipped %s: what it changes is left out of account.", name(problem))
	}
}

// limitSentence says how much of the device PyTorch may have, or nothing.
func (stats *DeviceStats) limitSentence() string {
	switch {
	case stats.MemoryLimitBytes > 0:
		return "per_process_memory_fraction lets PyTorch have " + amount(stats.MemoryLimitBytes) + " of the " +
			amount(stats.CapacityBytes) + " you gave as capacity."
	case stats.MemoryFraction > 0:
		return "per_process_memory_fraction lets PyTorch have " + share(stats.MemoryFraction) + " of the device, " +
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
func unopened(stats *DeviceStats) *sheetTable {
	t := newTable(words(""), figures(""), words(""))
	t.row("frees without an alloc", units.Count(stats.UnmatchedFrees), "allocated before the recording")
	t.row("blocks without an alloc", units.Count(stats.PreExistingBlocks), "allocated before the recording, still live")
	return t
}

// warn adds the warnings about a device, except those that [Sheet.Salvaged] and
// [Sheet.Predicted] add.
func (s *Sheet) warn(r *analysis.Recording) {
	for _, w := range WarningsOf(r) {
		if salvaged, ok := warnSalvaged(r.Snapshot); ok && w == salvaged {
			continue
		}
		if predicted, ok := warnPredicted(r.Source); ok && w == predicted {
			continue
		}
		s.say("%s %s", w.Fact, w.Consequence)
		if w.Code != "" {
			s.code(w.Code)
		}
	}
}
