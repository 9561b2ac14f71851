package report

import (
	"strconv"
	"time"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// New makes the view model of snapshots. program names the version of memviz
// that made the report.
func New(program string, in []Input) *Report {
	rules, _ := ruleTable(in)
	r := &Report{
		Schema:   Schema,
		Program:  program,
		Files:    make([]File, len(in)),
		Families: newFamilies(),
		Rules:    rules,
		Palette:  NewPalette(),
	}
	longest := -1
	for i := range in {
		r.Files[i] = newFile(&in[i], i)
		for j, d := range r.Files[i].Devices {
			if d.Events > longest {
				r.Start, longest = Start{File: i, Device: j}, d.Events
			}
		}
	}
	return r
}

func newFile(in *Input, number int) File {
	f := File{
		Name:    in.fileName(),
		Torch:   in.Snapshot.TorchVersion(),
		Streams: streamNames(in.Snapshot),
		Stacks:  "stacks-" + strconv.Itoa(number),
		Devices: make([]Device, len(in.Devices)),
	}
	for i, d := range in.Devices {
		f.Devices[i] = newDevice(in.Snapshot, d)
		f.Devices[i].Payload = "device-" + strconv.Itoa(number) + "-" + strconv.Itoa(i)
	}
	return f
}

// streamNames are the handles of all streams, the default stream first.
func streamNames(s *snapshot.Snapshot) []string {
	names := make([]string, max(len(s.Streams), 1))
	names[0] = units.Address(0)
	for i, handle := range s.Streams {
		names[i] = units.Address(handle)
	}
	return names
}

func newDevice(s *snapshot.Snapshot, d *replay.Device) Device {
	t := &d.Totals
	view := Device{
		Device:                int(d.ID),
		Label:                 deviceLabel(s, d.ID),
		Events:                d.Events.Len(),
		Allocations:           len(d.Allocations),
		PreExisting:           d.PreExisting,
		BaselineBytes:         t.BaselineBytes,
		PeakBytes:             t.PeakBytes,
		PeakState:             t.PeakState,
		FinalBytes:            t.FinalBytes,
		LiveAtEnd:             t.LiveAtEnd,
		ReservedBaselineBytes: t.ReservedBaselineBytes,
		ReservedPeakBytes:     t.ReservedPeakBytes,
		ReservedFinalBytes:    t.ReservedFinalBytes,
		OOMEvents:             t.OOMEvents,
		TimeStepMicros:        1,
		HasAddr:               true,
	}
	view.setTimes(d.Events.TimeMicros)
	view.setAddresses(d.Allocations)
	view.WithStack = withStack(d)
	view.Verdict = verdictOn(d)
	view.Warnings = warningsOn(s, d, view.WithStack)
	return view
}

// withStack counts the allocations whose allocation stack is known.
func withStack(d *replay.Device) int {
	n := 0
	for i := range d.Allocations {
		if d.Allocations[i].Stack != 0 {
			n++
		}
	}
	return n
}

// deviceLabel is how PyTorch writes the device.
func deviceLabel(s *snapshot.Snapshot, id snapshot.DeviceID) string {
	kind := "cuda:"
	if s.Format.PoolBeforeType {
		kind = "npu:"
	}
	return kind + strconv.Itoa(int(id))
}

func (view *Device) setTimes(micros []int64) {
	if len(micros) == 0 {
		return
	}
	view.HasTime = true
	first := time.UnixMicro(micros[0]).UTC()
	if year := first.Year(); year >= 1970 && year < 10_000 {
		view.FirstTime = first.Format("2006-01-02T15:04:05.000000Z")
	}
	view.SpanMicros = spanOf(micros)
}

// spanOf is how long after the first event the latest one came.
func spanOf(micros []int64) int64 {
	var span int64
	for _, t := range micros {
		span = max(span, sinceFirst(micros, t))
	}
	return span
}

// maxExact bounds a number whose difference to another such number JavaScript
// still holds exactly after zigzag coding.
const maxExact = 1<<51 - 1

// sinceFirst is a time in microseconds after the first event, at most maxExact
// away from it in either direction.
func sinceFirst(micros []int64, t int64) int64 {
	first := micros[0]
	span := t - first
	if overflow := (t >= first) != (span >= 0); overflow || span > maxExact || span < -maxExact {
		if t >= first {
			return maxExact
		}
		return -maxExact
	}
	return span
}

func (view *Device) setAddresses(allocations []replay.Allocation) {
	if len(allocations) == 0 {
		view.BaseAddr = units.Address(0)
		return
	}
	low, high := allocations[0].Addr, allocations[0].Addr
	for i := range allocations {
		low, high = min(low, allocations[i].Addr), max(high, allocations[i].Addr)
	}
	view.baseAddr = low
	view.BaseAddr = units.Address(low)
	view.WideAddr = high-low > maxExact
}
