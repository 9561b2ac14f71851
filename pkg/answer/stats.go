package answer

import (
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// StatsSchema names the meaning of the keys of DeviceStats; a change of meaning
// is a new number.
const StatsSchema = "memviz.stats/1"

// DeviceStats are the totals of one device that has events or segments. Active
// bytes are requested bytes; states count from 0, before the first event.
type DeviceStats struct {
	File                    string `json:"file"`
	Torch                   string `json:"torch"` // a guess
	Device                  int    `json:"device"`
	Events                  int    `json:"events"`
	Allocations             int    `json:"allocations"`
	UnmatchedFrees          int    `json:"unmatched_frees"`
	PreExistingBlocks       int    `json:"preexisting_blocks"` // final blocks that the trace did not open
	OverlappingAllocs       int    `json:"overlapping_allocs"`
	BaselineBytes           int64  `json:"baseline_bytes"` // active in state 0
	PeakBytes               int64  `json:"peak_bytes"`
	PeakState               int    `json:"peak_state"` // the first that has peak_bytes
	FinalBytes              int64  `json:"final_bytes"`
	LiveAtEnd               int    `json:"live_at_end"` // allocations
	ReservedBaselineBytes   int64  `json:"reserved_baseline_bytes"`
	ReservedPeakBytes       int64  `json:"reserved_peak_bytes"`
	ReservedFinalBytes      int64  `json:"reserved_final_bytes"`
	Segments                int    `json:"segments"`
	LiveBlockRequestedBytes int64  `json:"live_block_requested_bytes"`
	LiveBlockBytes          int64  `json:"live_block_bytes"` // rounded, as the allocator counts
	OOMEvents               int    `json:"oom_events"`
}

// Stats are the totals of snapshots, and whether they add up.
func Stats(in []Input) *Sheet {
	value := newDevices[DeviceStats](StatsSchema)
	s := &Sheet{}
	for i := range in {
		for _, d := range in[i].Devices {
			stats := newDeviceStats(&in[i], d)
			value.Devices = append(value.Devices, stats)
			s.stats(&in[i], d, &stats)
		}
		if len(in[i].Devices) == 0 {
			s.heading("%s", name(in[i].FileName()))
			s.say("No device has events or segments.")
		}
	}
	s.value = value
	return s
}

func newDeviceStats(in *Input, d *replay.Device) DeviceStats {
	t, r := &d.Totals, &d.Reconciliation
	return DeviceStats{
		File:                    in.FileName(),
		Torch:                   in.Snapshot.TorchVersion(),
		Device:                  int(d.ID),
		Events:                  d.Events.Len(),
		Allocations:             len(d.Allocations),
		UnmatchedFrees:          r.UnmatchedFrees,
		PreExistingBlocks:       r.PreExistingBlocks,
		OverlappingAllocs:       d.Anomalies.OverlappingAllocs,
		BaselineBytes:           t.BaselineBytes,
		PeakBytes:               t.PeakBytes,
		PeakState:               t.PeakState,
		FinalBytes:              t.FinalBytes,
		LiveAtEnd:               t.LiveAtEnd,
		ReservedBaselineBytes:   t.ReservedBaselineBytes,
		ReservedPeakBytes:       t.ReservedPeakBytes,
		ReservedFinalBytes:      t.ReservedFinalBytes,
		Segments:                r.Segments,
		LiveBlockRequestedBytes: r.LiveRequestedBytes,
		LiveBlockBytes:          r.LiveBlockBytes,
		OOMEvents:               t.OOMEvents,
	}
}

// stats puts the totals of a device into words.
func (s *Sheet) stats(in *Input, d *replay.Device, stats *DeviceStats) {
	verdict := VerdictOn(d)
	mark := "!"
	if verdict.OK {
		mark = "✓"
	}
	s.device(in, d, mark+" "+verdict.Text)
	if stats.Events > 1 {
		s.add(curve(d.ActiveBytes()))
	}
	s.put(totals(d, stats))
	s.put(counts(d, stats))
	s.put(reconciled(d, stats))
	s.put(unexplained(d, stats))
	s.warn(in.Snapshot, d)
}

func totals(d *replay.Device, stats *DeviceStats) *sheetTable {
	t := newTable(column{"", words}, column{"start", figures}, column{"highest", figures}, column{"end", figures}, column{"", words})
	row := func(what string, start, highest, end int64, remark string) {
		t.row(what, units.Bytes(start), units.Bytes(highest), units.Bytes(end), remark)
	}
	row("active", stats.BaselineBytes, stats.PeakBytes, stats.FinalBytes, "highest in state "+units.Count(stats.PeakState))
	row("reserved", stats.ReservedBaselineBytes, stats.ReservedPeakBytes, stats.ReservedFinalBytes,
		units.Plural(stats.Segments, "segment", "segments")+" at the end")
	return t
}

func counts(d *replay.Device, stats *DeviceStats) *sheetTable {
	t := newTable(column{"", words}, column{"", figures}, column{"", words})
	span := ""
	if len(d.Events.TimeMicros) > 1 {
		span = "over " + units.Duration(d.Events.SpanMicros())
	}
	t.row("events", units.Count(stats.Events), span)
	t.row("allocations", units.Count(stats.Allocations),
		units.Count(d.PreExisting)+" from before the recording, "+units.Count(stats.LiveAtEnd)+" live at its end")
	if stats.OOMEvents > 0 {
		t.row("ooms", units.Count(stats.OOMEvents), "out of memory")
	}
	return t
}

// reconciled sets the end of the replay beside the final segments.
func reconciled(d *replay.Device, stats *DeviceStats) *sheetTable {
	t := newTable(column{"at the end", words}, column{"replay", figures}, column{"allocator", figures}, column{"", words})
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

// signed is a count with its sign.
func signed(n int64) string {
	if n > 0 {
		return "+" + units.Count(n)
	}
	return units.Count(n)
}

// unexplained are the events and blocks that need explaining, beside what
// explains them.
func unexplained(d *replay.Device, stats *DeviceStats) *sheetTable {
	t := newTable(column{"", words}, column{"", figures}, column{"", words})
	explain := func(what string, n int, meaning string) {
		if n > 0 {
			t.row(what, units.Count(n), meaning)
		}
	}
	r, a := &d.Reconciliation, &d.Anomalies
	t.row("frees without an alloc", units.Count(stats.UnmatchedFrees), "allocated before the recording")
	t.row("blocks without an alloc", units.Count(stats.PreExistingBlocks), "likewise, and live at the end")
	explain("allocs at a used address", a.OverlappingAllocs, "the older one was ended there")
	explain("frees of freed memory", a.RepeatedFrees, "not explained")
	explain("frees of another size", a.SizeMismatches, "not explained")
	explain("blocks of another size", r.ChangedBlocks, "not explained")
	explain("allocs without a block", r.MissingBlocks, units.Bytes(r.MissingBlockBytes)+" not explained")
	explain("unknown actions", a.UnknownActions, "without effect")
	explain("impossible sizes", a.ImpossibleSizes, "counted as zero")
	explain("states below zero reserved", a.NegativeReserved, "segment events missing?")
	explain("states above reserved", r.ActiveAboveReserved, "segment events missing?")
	return t
}

// warn adds what a reader of a device's numbers has to know. That they do not
// add up is said by the numbers.
func (s *Sheet) warn(snap *snapshot.Snapshot, d *replay.Device) {
	for _, w := range WarningsOn(snap, d) {
		if w.Fact == doesNotAddUp {
			continue
		}
		s.say("%s %s", w.Fact, w.Consequence)
		if w.Code != "" {
			s.code(w.Code)
		}
	}
}
