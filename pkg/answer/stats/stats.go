// Package stats answers with the totals of a recording.
package stats

import (
	"sync"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/answer"
	oomanswer "github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Device are the totals of one device that has events or segments. Active
// bytes are requested bytes. State 0 is before the first event.
type Device struct {
	answer.Subject
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

	CapacityBytes  int64   `json:"capacity_bytes"` // as given; 0: not given, or less than was reserved
	Utilisation    float64 `json:"utilisation"`    // reserved_peak_bytes of the capacity, from 0; 0 without one
	AtReservedPeak Unused  `json:"at_reserved_peak"`
	AtEnd          Unused  `json:"at_end"`
	StepMethod     string  `json:"step_method"` // how steps were found, or none

	// AnnotationsLeftOut are starts and ends of annotations that were recorded for other
	// devices, and left out here because the file has too many for every device to have all.
	AnnotationsLeftOut int `json:"annotations_left_out,omitempty"`

	// LateEvents counts events of pinned host memory that the file has behind events that must have followed them.
	LateEvents int `json:"late_events,omitempty"`

	Windows       []Window          `json:"windows"`              // the steps and what follows the last one, or the stretches of --every
	Largest       []LargeAllocation `json:"largest"`              // live at the peak
	Avoidable     []Avoidable       `json:"avoidable"`            // live at the peak and not needed there, that which lowers it most first
	AvoidablePeak int64             `json:"avoidable_peak_bytes"` // the peak without all of it; peak_bytes where there is none
	FirstStep     int64             `json:"first_step_bytes"`     // optimizer state that the only recorded step makes after its pass, so that later passes hold it too; else 0
	NextStepPeak  int64             `json:"next_step_peak_bytes"` // of a pass with that state, or more; 0 without it
	Retries       []oomanswer.Retry `json:"retries"`              // requests that were served only after the cache was given back, in order
	AllocConf     string            `json:"alloc_conf"`           // PYTORCH_CUDA_ALLOC_CONF, or empty
	// AllocConfSkipped says which of its options memviz does not understand, and why.
	AllocConfSkipped []string `json:"alloc_conf_skipped"`
	// MemoryFraction is the share of the device, from 0 to 1, that AllocConf lets PyTorch have; left out where it
	// does not say. Of a capacity that was given, it is MemoryLimitBytes.
	MemoryFraction   float64 `json:"memory_fraction,omitempty"`
	MemoryLimitBytes int64   `json:"memory_limit_bytes,omitempty"`
	// HostSettings are those of pinned host memory; left out where the file has none, or says them of another device.
	HostSettings *HostSettings      `json:"host_settings,omitempty"`
	Advice       []oomanswer.Advice `json:"advice"`
	Summary      *Summary           `json:"summary,omitempty"` // with --summary
	Unread       *Unread            `json:"unread,omitempty"`  // left out when all of the file was understood
}

// Unread counts what was not understood, by name, in the whole file of the device.
type Unread struct {
	Keys    map[string]int `json:"keys"`    // that are not known, or key=value for values that are not: times seen
	Actions map[string]int `json:"actions"` // that are not known: events
	Fields  map[string]int `json:"fields"`  // whose value is of another type: times seen
	// LongTexts counts texts longer than 4 KiB, which were cut there.
	LongTexts int `json:"long_texts"`
}

// newUnread is nil for a file that was understood.
func newUnread(o *snapshot.Oddities) *Unread {
	if len(o.UnknownKeys)+len(o.UnknownActions)+len(o.WrongTypes)+o.LongText == 0 {
		return nil
	}
	printable := func(seen map[string]int) map[string]int {
		shown := map[string]int{}
		for text, n := range seen {
			shown[units.Printable(sheet.Name(text).Clipped())] += n
		}
		return shown
	}
	return &Unread{Keys: printable(o.UnknownKeys), Actions: printable(o.UnknownActions),
		Fields: printable(o.WrongTypes), LongTexts: o.LongText}
}

// Options are the options of Stats.
type Options struct {
	Every    Every // the zero Every: windows are steps
	Capacity int64 // of the device in bytes; 0: not known
	Rows     int   // shown of each table in text; JSON has all windows
	OneLine  bool  // for each device, for logs
	Summary  bool  // the table of torch.cuda.memory_summary(); in text in place of the rest
}

// Every is the length of a window in events or in microseconds; the other is 0.
type Every struct {
	Events int
	Micros int64
}

// Answer answers with the totals of snapshots, and whether they add up.
func Answer(in []answer.Input, o Options) *sheet.Sheet {
	s, _ := answer.PerDevice("stats", in, func(s *sheet.Sheet, in *answer.Input, r *analysis.Recording) (Device,
		error) {
		o, isPinned := o, r.Device.ID == snapshot.Pinned
		if isPinned {
			o.Capacity = 0 // it is of GPUs
		}
		stats := newDevice(in, r, o)
		if o.Summary && !isPinned {
			stats.Summary = newSummary(r)
		}
		if o.Summary && !o.OneLine && isPinned {
			answer.Title(s, in, r.Device, "is host memory")
			s.Say("torch.cuda.memory_summary() is about GPUs only.")
		} else if o.Summary && !o.OneLine {
			writeSummary(s, in, r, &stats)
		} else if o.OneLine {
			writeLine(s, in, r, &stats, o.Capacity)
		} else {
			write(s, in, r, &stats, o)
		}
		return stats, nil
	})
	return s
}

func newDevice(in *answer.Input, recording *analysis.Recording, o Options) Device {
	d := recording.Device
	t, r := &d.Totals, &d.Reconciliation
	stats := Device{
		Subject:                 answer.NewSubject(in, d),
		Torch:                   in.TorchVersion(),
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
		LateEvents:              in.Snapshot.Trace(d.ID).LateEvents,
		ReservedBaselineBytes:   t.ReservedBaselineBytes,
		ReservedPeakBytes:       t.ReservedPeakBytes,
		ReservedAtPeakBytes:     t.ReservedAtPeakBytes,
		ReservedFinalBytes:      t.ReservedFinalBytes,
		Segments:                r.Segments,
		LiveBlockRequestedBytes: r.LiveRequestedBytes,
		LiveBlockBytes:          r.LiveBlockBytes,
		OOMEvents:               t.OOMEvents,
		CapacityBytes:           oom.CapacityOf(recording.Device, o.Capacity).Given,
		Unread:                  newUnread(&in.Snapshot.Oddity),
	}
	if stats.CapacityBytes > 0 {
		stats.Utilisation = float64(t.ReservedPeakBytes) / float64(stats.CapacityBytes)
	}
	stats.analyse(in, recording, o)
	return stats
}

// analyse adds what needs the stacks and the segments.
func (stats *Device) analyse(in *answer.Input, r *analysis.Recording, o Options) {
	var fragmentation *layout.Fragmentations
	var wait sync.WaitGroup
	wait.Go(func() { fragmentation = r.Fragmentation() })
	stats.StepMethod = r.Steps().Method.Key()
	stats.AnnotationsLeftOut = timeline.AnnotationsLeftOut(r.Snapshot, r.Device)
	stats.Windows = windows(r, o.Every)
	stats.Largest = largest(r, o.Rows)
	stats.Avoidable, stats.AvoidablePeak = newAvoidable(r), r.Peaks().Peak
	if first := r.Peaks().First; first.Bytes > 0 {
		stats.FirstStep, stats.NextStepPeak = first.Bytes, first.NextPeak()
	}
	wait.Wait()
	stats.AtReservedPeak, stats.AtEnd = newUnused(&fragmentation.AtPeak), newUnused(&fragmentation.AtEnd)
	stats.Retries = oomanswer.Retries(r)
	stats.AllocConf, stats.AllocConfSkipped = r.Settings().Conf, append([]string{}, r.Settings().Skipped...)
	stats.MemoryFraction = r.Settings().MemoryFraction
	stats.MemoryLimitBytes = int64(stats.MemoryFraction * float64(stats.CapacityBytes))
	if saysHostSettings(in.Devices, r.Device.ID) {
		stats.HostSettings = hostSettingsOf(r.Snapshot, r.Source.Settings())
	}
	var predicted *whatif.Prediction
	if whatif.MayCure(&fragmentation.AtPeak) || r.Device.Totals.OOMEvents > 0 {
		predicted = whatif.Predict(r)
	}
	stats.Advice = []oomanswer.Advice{}
	// Blocks and segments that were not read may be in use, and MLX has no such settings.
	if !stats.Cut && !r.Snapshot.Format.MLX {
		stats.Advice = oomanswer.AdviceOn(oom.AdviseOn(&fragmentation.AtPeak, r.Settings()), r.Settings(),
			phrase.BackendOf(r.Snapshot),
			predicted)
	}
}

// Window is a range of states: a step, or what --every asks for.
type Window struct {
	Name      string `json:"name"` // of an annotated step, or empty
	Rest      bool   `json:"rest"` // it follows the last step that ends in the recording
	From      int    `json:"from"` // first state
	To        int    `json:"to"`   // last state
	PeakBytes int64  `json:"peak_bytes"`
	PeakState int    `json:"peak_state"`
	// Fragmentation in its last state; null without --every, and for more than 200
	// windows.
	FragmentationBytes *int64 `json:"fragmentation_bytes" jsonschema:"oneof_type=integer;null"`
}

func windows(r *analysis.Recording, every Every) []Window {
	steps := r.Steps()
	ranges := steps.Ranges()
	switch {
	case every.Events > 0:
		ranges = timeline.EveryEvents(r.Device, every.Events)
	case every.Micros > 0:
		ranges = timeline.EveryMicros(r.Device, every.Micros)
	}
	list := make([]Window, len(ranges))
	for i, p := range timeline.PeaksOf(r.Device, ranges) {
		list[i] = Window{From: p.From, To: p.To, PeakBytes: p.Bytes, PeakState: p.State}
		if every == (Every{}) {
			list[i].Name = r.Snapshot.String(steps.Steps[i].Name)
			list[i].Rest = i >= len(steps.Boundaries)
		}
	}
	if every != (Every{}) && len(list) <= layout.MaxFragmentationSamples {
		addFragmentation(r, list)
	}
	return list
}

func addFragmentation(r *analysis.Recording, list []Window) {
	states := make([]int, len(list))
	for i := range list {
		states[i] = list[i].To
	}
	at := r.Layouts().FragmentationsAt(states...)
	for i := range list {
		bytes := at[list[i].To].Bytes
		list[i].FragmentationBytes = &bytes
	}
}

// Unused is memory that is reserved but not requested, in one state.
type Unused struct {
	State              int     `json:"state"`
	CachedBytes        int64   `json:"cached_bytes"`        // in no live block
	ReturnableBytes    int64   `json:"returnable_bytes"`    // of those, what emptying the cache would give back; of private pools, once nothing uses them
	FragmentationBytes int64   `json:"fragmentation_bytes"` // of those, neither returnable nor of use for a typical large request
	FragmentationShare float64 `json:"fragmentation_share"` // of reserved, from 0 to 1
	FragmentationGrade string  `json:"fragmentation_grade"` // low, some or fragmented
	TypicalBytes       int64   `json:"typical_bytes"`       // a large request of this recording: smaller free pieces count as fragmentation
	LargestFreeBytes   int64   `json:"largest_free_bytes"`  // the largest free piece
	PendingBytes       int64   `json:"pending_bytes"`       // given up, and waiting for another stream
	RoundingBytes      int64   `json:"rounding_bytes"`      // what live blocks are larger than their requests
}

func newUnused(f *layout.Fragmentation) Unused {
	return Unused{
		State: f.State, CachedBytes: f.Cached, ReturnableBytes: f.Returnable, FragmentationBytes: f.Bytes,
		FragmentationShare: f.Share(), FragmentationGrade: f.Grade().Key(), TypicalBytes: f.Typical,
		LargestFreeBytes: f.Largest, PendingBytes: f.Pending, RoundingBytes: f.Rounding,
	}
}

// LargeAllocation is one of the largest allocations that are live at the peak.
type LargeAllocation struct {
	Bytes   int64    `json:"bytes"`
	Address string   `json:"address"`                                    // "" if a report without addresses was read
	Start   *int     `json:"start" jsonschema:"oneof_type=integer;null"` // the event that allocated it; null: before the recording
	Family  string   `json:"family"`                                     // what it is for: "gradient"
	Site    string   `json:"site"`                                       // file:line:function
	Stack   []string `json:"stack"`
}

func largest(r *analysis.Recording, n int) []LargeAllocation {
	list := []LargeAllocation{}
	for _, i := range holders.Largest(r.Device, r.Device.Totals.PeakState, n) {
		a := &r.Device.Allocations[i]
		large := LargeAllocation{
			Bytes: a.Size, Address: units.Address(a.Addr), Site: r.Stacks.Site(a.Stack).String(),
			Family: r.Families().Family(int(i)).Key(), Stack: phrase.StackLines(r.Snapshot, a.Stack),
		}
		if r.Origin.AddressesLost && !a.LiveAtEnd() {
			large.Address = ""
		}
		if a.Start != replay.None {
			start := int(a.Start)
			large.Start = &start
		}
		list = append(list, large)
	}
	return list
}
