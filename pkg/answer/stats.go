package answer

import (
	"encoding/json"
	"io"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// StatsSchema names the meaning of the keys of [Stats]; a change of meaning is
// a new number.
const StatsSchema = "memviz.stats/1"

// Stats are the totals of snapshots and how far to trust them.
type Stats struct{ Files []FileStats }

// FileStats are the totals of one snapshot.
type FileStats struct {
	File    string // name
	Torch   string // a guess
	Devices []DeviceStats
}

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

	device   *replay.Device
	label    string
	verdict  Verdict
	warnings []Warning
}

// NewStats makes the totals of snapshots.
func NewStats(in []Input) *Stats {
	stats := &Stats{Files: make([]FileStats, len(in))}
	for i := range in {
		f := FileStats{
			File:    in[i].FileName(),
			Torch:   in[i].Snapshot.TorchVersion(),
			Devices: make([]DeviceStats, len(in[i].Devices)),
		}
		for j, d := range in[i].Devices {
			f.Devices[j] = newDeviceStats(in[i].Snapshot, d)
			f.Devices[j].File, f.Devices[j].Torch = f.File, f.Torch
		}
		stats.Files[i] = f
	}
	return stats
}

func newDeviceStats(s *snapshot.Snapshot, d *replay.Device) DeviceStats {
	t, r := &d.Totals, &d.Reconciliation
	return DeviceStats{
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
		device:                  d,
		label:                   s.DeviceLabel(d.ID),
		verdict:                 VerdictOn(d),
		warnings:                WarningsOn(s, d),
	}
}

// WriteJSON writes the totals as indented JSON: one entry for each device of
// each file.
func (s *Stats) WriteJSON(w io.Writer) error {
	answer := struct {
		Schema  string        `json:"schema"`
		Devices []DeviceStats `json:"devices"`
	}{StatsSchema, []DeviceStats{}}
	for _, f := range s.Files {
		answer.Devices = append(answer.Devices, f.Devices...)
	}
	text, err := json.MarshalIndent(answer, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
