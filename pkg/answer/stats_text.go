package answer

import (
	"fmt"
	"io"
	"strings"

	"github.com/memviz-go/memviz/pkg/units"
)

// terminalWidth is what text for people is made to fit.
const terminalWidth = 80

// WriteText writes the totals for a person at a terminal.
func (s *Stats) WriteText(w io.Writer) error {
	var out textWriter
	for i := range s.Files {
		if i > 0 {
			out.line("")
		}
		f := &s.Files[i]
		out.line("%s  torch %s", f.File, f.Torch)
		for j := range f.Devices {
			out.line("")
			out.device(&f.Devices[j])
		}
		if len(f.Devices) == 0 {
			out.line("")
			out.line("No device has events or segments.")
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

type textWriter struct{ strings.Builder }

func (w *textWriter) line(format string, args ...any) {
	w.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

func (w *textWriter) device(d *DeviceStats) {
	mark := "!"
	if d.verdict.OK {
		mark = "✓"
	}
	w.line("%s  %s %s", d.label, mark, d.verdict.Text)
	if d.Events > 1 {
		w.line("  %s", sparkline(d.device.ActiveBytes(), terminalWidth-4))
	}
	w.line("")
	w.line("  %-11s %11s %11s %11s", "", "start", "highest", "end")
	w.line("  %-11s %11s %11s %11s   highest in state %s", "active",
		units.Bytes(d.BaselineBytes), units.Bytes(d.PeakBytes), units.Bytes(d.FinalBytes), units.Count(d.PeakState))
	w.line("  %-11s %11s %11s %11s   %s at the end", "reserved",
		units.Bytes(d.ReservedBaselineBytes), units.Bytes(d.ReservedPeakBytes), units.Bytes(d.ReservedFinalBytes),
		units.Plural(d.Segments, "segment", "segments"))
	w.line("")
	w.line("  %-11s %11s   %s", "events", units.Count(d.Events), d.span())
	w.line("  %-11s %11s   %s from before the recording, %s live at its end", "allocations",
		units.Count(d.Allocations), units.Count(d.device.PreExisting), units.Count(d.LiveAtEnd))
	if d.OOMEvents > 0 {
		w.line("  %-11s %11s   out of memory", "ooms", units.Count(d.OOMEvents))
	}
	w.line("")
	w.reconciliation(d)
	for _, warning := range d.warnings {
		if warning.Fact == doesNotAddUp {
			continue // the lines above say it
		}
		w.line("")
		w.paragraph(strings.TrimSpace(warning.Fact + " " + warning.Consequence))
		if warning.Code != "" {
			w.line("    %s", warning.Code)
		}
	}
}

func (d *DeviceStats) span() string {
	if times := d.device.Events.TimeMicros; len(times) > 1 {
		return "over " + units.Duration(d.device.Events.SpanMicros())
	}
	return ""
}

// reconciliation sets the end of the replay beside the final segments, and the
// events that need explaining beside what explains them.
func (w *textWriter) reconciliation(d *DeviceStats) {
	r := &d.device.Reconciliation
	w.line("  %-21s %17s %17s", "at the end", "replay", "allocator")
	compare := func(what string, replayed, allocator int64) {
		verdict := "agree"
		if replayed != allocator {
			verdict = units.Change(replayed - allocator)
			if what != "requested bytes" {
				verdict = strings.TrimSuffix(units.Change(replayed-allocator), " B")
			}
		}
		w.line("  %-21s %17s %17s   %s", what, units.Count(replayed), units.Count(allocator), verdict)
	}
	compare("requested bytes", d.FinalBytes, d.LiveBlockRequestedBytes)
	compare("live blocks", int64(d.LiveAtEnd), int64(r.LiveBlocks))
	w.line("  %-21s %17s %17s", "rounded bytes", "", units.Count(d.LiveBlockBytes))
	w.line("")
	explain := func(what string, n int, meaning string) {
		if n > 0 {
			w.line("  %-27s %11s   %s", what, units.Count(n), meaning)
		}
	}
	a := &d.device.Anomalies
	w.line("  %-27s %11s   %s", "frees without an alloc", units.Count(d.UnmatchedFrees), "allocated before the recording")
	w.line("  %-27s %11s   %s", "blocks without an alloc", units.Count(d.PreExistingBlocks), "likewise, and live at the end")
	explain("allocs at a used address", a.OverlappingAllocs, "the older one was ended there")
	explain("frees of freed memory", a.RepeatedFrees, "not explained")
	explain("frees of another size", a.SizeMismatches, "not explained")
	explain("blocks of another size", r.ChangedBlocks, "not explained")
	explain("allocs without a block", r.MissingBlocks, units.Bytes(r.MissingBlockBytes)+" not explained")
	explain("unknown actions", a.UnknownActions, "without effect")
	explain("impossible sizes", a.ImpossibleSizes, "counted as zero")
	explain("states below zero reserved", a.NegativeReserved, "segment events missing?")
	explain("states above reserved", r.ActiveAboveReserved, "segment events missing?")
	if r.HistoryCut {
		w.line("  %-27s %11s", "history", "cut")
	}
}

// paragraph writes a text with an indent, broken between words.
func (w *textWriter) paragraph(text string) {
	line := " "
	for _, word := range strings.Fields(text) {
		if len([]rune(line))+1+len([]rune(word)) > terminalWidth && line != " " {
			w.line("%s", line)
			line = " "
		}
		line += " " + word
	}
	w.line("%s", line)
}

// sparkline is the highest value in each of at most width columns, from zero up.
func sparkline(values []int64, width int) string {
	const levels = "▁▂▃▄▅▆▇█"
	bars := []rune(levels)
	var top int64 = 1
	for _, v := range values {
		top = max(top, v)
	}
	width = min(width, len(values))
	line := make([]rune, width)
	for column := range line {
		from, end := column*len(values)/width, (column+1)*len(values)/width
		var high int64
		for _, v := range values[from:end] {
			high = max(high, v)
		}
		line[column] = bars[int(float64(high)/float64(top)*float64(len(bars)-1)+0.5)]
	}
	return string(line)
}
