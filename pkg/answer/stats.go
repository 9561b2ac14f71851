package answer

import (
	"sync"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
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
	Subject
	Torch                   string `json:"torch"` // a guess
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
	ReservedAtPeakBytes     int64  `json:"reserved_at_peak_bytes"` // in peak_state; less peak_bytes it is what was reserved but not requested
	ReservedFinalBytes      int64  `json:"reserved_final_bytes"`
	Segments                int    `json:"segments"`
	LiveBlockRequestedBytes int64  `json:"live_block_requested_bytes"`
	LiveBlockBytes          int64  `json:"live_block_bytes"` // rounded, as the allocator counts
	OOMEvents               int    `json:"oom_events"`

	CapacityBytes  int64             `json:"capacity_bytes"` // as given; 0: not given, or less than was reserved
	Utilisation    float64           `json:"utilisation"`    // reserved_peak_bytes of the capacity, from 0; 0 without one
	AtReservedPeak Unused            `json:"at_reserved_peak"`
	AtEnd          Unused            `json:"at_end"`
	StepMethod     string            `json:"step_method"` // how steps were found, or none
	Windows        []Window          `json:"windows"`     // the steps and what follows the last one, or the stretches of --every
	Largest        []LargeAllocation `json:"largest"`     // live at the peak
	AllocConf      string            `json:"alloc_conf"`  // PYTORCH_CUDA_ALLOC_CONF, or empty
	Advice         []AdviceGiven     `json:"advice"`
	Unread         *Unread           `json:"unread,omitempty"` // what of the file was not understood; left out when all was
}

// Unread counts what of a file was not understood, by name. It is of the whole
// file, not of one device.
type Unread struct {
	Keys    map[string]int `json:"keys"`    // that are not known: times seen
	Actions map[string]int `json:"actions"` // that are not known: events
	Fields  map[string]int `json:"fields"`  // whose value is of another type: times seen
}

// newUnread is nil for a file that was understood.
func newUnread(o *snapshot.Oddities) *Unread {
	if len(o.UnknownKeys)+len(o.UnknownActions)+len(o.WrongTypes) == 0 {
		return nil
	}
	printable := func(seen map[string]int) map[string]int {
		shown := map[string]int{}
		for text, n := range seen {
			shown[units.Printable(name(text).clipped())] += n
		}
		return shown
	}
	return &Unread{Keys: printable(o.UnknownKeys), Actions: printable(o.UnknownActions),
		Fields: printable(o.WrongTypes)}
}

// StatsOptions are what a person asked of Stats.
type StatsOptions struct {
	Every    Every // zero: windows are steps
	Capacity int64 // of the device in bytes; 0: not known
	Rows     int   // shown to people; programs get all windows
	OneLine  bool
}

// Every is the length of a window: events or microseconds, the other is 0.
type Every struct {
	Events int
	Micros int64
}

// Stats are the totals of snapshots, and whether they add up.
func Stats(in []Input, o StatsOptions) *Sheet {
	value := newDevices[DeviceStats](StatsSchema)
	s := &Sheet{value: value}
	for i := range in {
		for _, r := range in[i].Recordings {
			stats := newDeviceStats(&in[i], r, o)
			value.Devices = append(value.Devices, stats)
			if o.OneLine {
				s.oneLine(&in[i], r.Device, &stats)
			} else {
				s.stats(&in[i], r, &stats, o)
			}
		}
		if len(in[i].Recordings) == 0 {
			s.nothing(&in[i])
		}
	}
	return s
}

// oneLine is for logs.
func (s *Sheet) oneLine(in *Input, d *replay.Device, stats *DeviceStats) {
	ooms := ""
	if stats.OOMEvents > 0 {
		ooms = units.Plural(stats.OOMEvents, "OOM, ", "OOMs, ")
	}
	s.line("%s %s: peak %s, reserved %s, end %s, %s, %s%s", name(stats.File), in.Snapshot.DeviceLabel(d.ID),
		units.Bytes(stats.PeakBytes), units.Bytes(stats.ReservedPeakBytes), units.Bytes(stats.FinalBytes),
		units.Plural(stats.Events, "event", "events"), ooms, VerdictOn(d).Text)
}

func newDeviceStats(in *Input, recording *analysis.Recording, o StatsOptions) DeviceStats {
	d := recording.Device
	t, r := &d.Totals, &d.Reconciliation
	stats := DeviceStats{
		Subject:                 newSubject(in, d),
		Torch:                   in.Snapshot.TorchVersion(),
		Events:                  d.Events.Len(),
		Allocations:             len(d.Allocations),
		UnmatchedFrees:          r.UnmatchedFrees,
		PreExistingBlocks:       r.PreExistingBlocks,
		OverlappingAllocs:       d.Anomalies[replay.OverlappingAllocs],
		BaselineBytes:           t.BaselineBytes,
		PeakBytes:               t.PeakBytes,
		PeakState:               t.PeakState,
		FinalBytes:              t.FinalBytes,
		LiveAtEnd:               t.LiveAtEnd,
		ReservedBaselineBytes:   t.ReservedBaselineBytes,
		ReservedPeakBytes:       t.ReservedPeakBytes,
		ReservedAtPeakBytes:     t.ReservedAtPeakBytes,
		ReservedFinalBytes:      t.ReservedFinalBytes,
		Segments:                r.Segments,
		LiveBlockRequestedBytes: r.LiveRequestedBytes,
		LiveBlockBytes:          r.LiveBlockBytes,
		OOMEvents:               t.OOMEvents,
		CapacityBytes:           oom.CapacityOf(recording.Device, o.Capacity).Given,
		Advice:                  []AdviceGiven{},
		Unread:                  newUnread(&in.Snapshot.Oddity),
	}
	if stats.CapacityBytes > 0 {
		stats.Utilisation = float64(t.ReservedPeakBytes) / float64(stats.CapacityBytes)
	}
	stats.more(recording, o)
	return stats
}

// more fills what takes a look at the stacks and the segments.
func (stats *DeviceStats) more(r *analysis.Recording, o StatsOptions) {
	var fragmentation *layout.Fragmentations
	var wait sync.WaitGroup
	wait.Go(func() { fragmentation = r.Fragmentation() })
	stats.StepMethod = r.Steps().Method.Key()
	stats.Windows = windows(r, o.Every)
	stats.Largest = largest(r, o.Rows)
	wait.Wait()
	stats.AtReservedPeak, stats.AtEnd = newUnused(&fragmentation.AtPeak), newUnused(&fragmentation.AtEnd)
	settings := r.Settings()
	stats.AllocConf = settings.Conf
	for _, a := range oom.AdviseOn(&fragmentation.AtPeak, settings) {
		stats.Advice = append(stats.Advice,
			AdviceGiven{Kind: a.Kind.Key(), Bytes: a.Bytes, Fits: a.Fits, Text: adviceSentence(a)})
	}
	if mayCure(&fragmentation.AtPeak) {
		stats.Advice = append(stats.Advice, predictedAdvice(Predict(r))...)
	}
}

// moreStats puts that into words.
func (s *Sheet) moreStats(stats *DeviceStats, o StatsOptions) {
	s.put(unusedTable(stats))
	s.put(windowTable(stats, o))
	s.put(largestTable(stats))
	if stats.AllocConf != "" {
		s.say("PYTORCH_CUDA_ALLOC_CONF=%s", name(stats.AllocConf))
	}
	for _, a := range stats.Advice {
		s.say("→ %s", a.Text)
	}
}

// stats puts the totals of a device into words.
func (s *Sheet) stats(in *Input, r *analysis.Recording, stats *DeviceStats, o StatsOptions) {
	d := r.Device
	verdict := VerdictOn(d)
	mark := "!"
	if verdict.OK {
		mark = "✓"
	}
	s.title(in, d, mark+" "+verdict.Text)
	if stats.Events > 1 {
		s.add(curve(d.ActiveBytes()))
	}
	s.put(totals(d, stats))
	s.tooSmall(o.Capacity, stats.CapacityBytes, oom.CapacityOf(r.Device, 0).AtLeast)
	s.put(counts(r, stats))
	s.moreStats(stats, o)
	if !d.Reconciliation.EndUnknown {
		s.put(reconciled(d, stats))
	}
	s.put(unopened(stats))
	s.warn(in.Snapshot, d)
}

func totals(d *replay.Device, stats *DeviceStats) *sheetTable {
	t := newTable(column{"", words}, column{"start", figures}, column{"highest", figures}, column{"end", figures},
		column{"", words})
	row := func(what string, start, highest, end int64, remark string) {
		t.row(what, units.Bytes(start), units.Bytes(highest), units.Bytes(end), remark)
	}
	row("active", stats.BaselineBytes, stats.PeakBytes, stats.FinalBytes,
		"highest in state "+units.Count(stats.PeakState))
	atEnd := units.Plural(stats.Segments, "segment", "segments") + " at the end"
	if d.Reconciliation.EndUnknown {
		atEnd = "at least"
	}
	row("reserved", stats.ReservedBaselineBytes, stats.ReservedPeakBytes, stats.ReservedFinalBytes, atEnd)
	if stats.CapacityBytes > 0 {
		t.row("capacity", "", units.Bytes(stats.CapacityBytes), "",
			units.Share(stats.ReservedPeakBytes, stats.CapacityBytes)+" of it was reserved")
	}
	return t
}

func counts(r *analysis.Recording, stats *DeviceStats) *sheetTable {
	d := r.Device
	t := newTable(column{"", words}, column{"", figures}, column{"", words})
	span := ""
	if len(d.Events.TimeMicros) > 1 && !r.Snapshot.Redaction.Times {
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
	t := newTable(column{"at the end", words}, column{"replay", figures}, column{"allocator", figures},
		column{"", words})
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

// unopened counts the frees and blocks whose alloc is not in the recording, with
// what explains them.
func unopened(stats *DeviceStats) *sheetTable {
	t := newTable(column{"", words}, column{"", figures}, column{"", words})
	t.row("frees without an alloc", units.Count(stats.UnmatchedFrees), "allocated before the recording")
	t.row("blocks without an alloc", units.Count(stats.PreExistingBlocks), "allocated before the recording, still live")
	return t
}

// warn adds what a reader of a device's numbers has to know, without the warning
// that [Sheet.Salvaged] gives.
func (s *Sheet) warn(snap *snapshot.Snapshot, d *replay.Device) {
	for _, w := range WarningsOn(snap, d) {
		if salvaged, ok := warnSalvaged(snap); ok && w == salvaged {
			continue
		}
		s.say("%s %s", w.Fact, w.Consequence)
		if w.Code != "" {
			s.code(w.Code)
		}
	}
}
