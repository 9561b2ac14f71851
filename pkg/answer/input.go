package answer

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Input is one snapshot with everything that a report says about it.
type Input struct {
	*analysis.Source
	Name       string // of the file, as it is to be shown
	Devices    []*replay.Device
	Recordings []*analysis.Recording // of the devices, in their order
}

// NewInput replays every device of a snapshot that has events or segments.
func NewInput(name string, s *snapshot.Snapshot) Input {
	in := Input{Name: name, Source: analysis.NewSource(s)}
	for _, id := range s.Devices() {
		d := replay.Replay(s, id)
		in.Devices = append(in.Devices, d)
		in.Recordings = append(in.Recordings, analysis.NewRecording(in.Source, d))
	}
	return in
}

// NewInputFrom is NewInput for a snapshot that was not recorded as it is. A person's own rules
// that its origin has must be of this snapshot.
func NewInputFrom(name string, s *snapshot.Snapshot, origin analysis.Origin) (Input, error) {
	in := NewInput(name, s)
	in.Origin = origin
	for _, d := range in.Devices {
		origin.Correct(d)
	}
	if origin.Decisions == nil {
		return in, nil
	}
	return in, in.OverrideAgain(origin.Decisions)
}

// Only drops all devices but one, and reports whether the snapshot has that one.
func (in *Input) Only(id snapshot.DeviceID) bool {
	in.Devices = slices.DeleteFunc(in.Devices, func(d *replay.Device) bool { return d.ID != id })
	in.Recordings = slices.DeleteFunc(in.Recordings, func(r *analysis.Recording) bool { return r.Device.ID != id })
	return len(in.Devices) > 0
}

// FileName is the name without the characters that a terminal might obey.
func (in *Input) FileName() string { return units.Printable(in.Name) }

// Subject says which device of which recording a JSON object is about.
type Subject struct {
	File   string `json:"file"`
	Device int    `json:"device"` // ordinal of a GPU; -1: pinned host memory, whose sizes are rounded
	trust.Trust
}

func NewSubject(in *Input, d *replay.Device) Subject {
	return Subject{in.FileName(), int(d.ID), trust.New(d.AddsUp(), in.Snapshot.Cut(d.ID), d.Anomalies)}
}
