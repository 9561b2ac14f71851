package answer

import (
	"bufio"
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
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

// device begins the section of a device with a remark.
func (s *Sheet) device(in *Input, d *replay.Device, remark string) {
	s.title(in, d, remark)
	if d.Anomalies[replay.UnreadFields] > 0 {
		s.say("Fields of this file cannot be read, and count as zero or are left out: memviz stats says which.")
	} else if d.Contradicted() && !d.Reconciliation.EndUnknown {
		s.say("The replay of this recording " + doesNotAddUp + ": memviz stats says where.")
	}
}

// title is the first two lines of a device's section.
func (s *Sheet) title(in *Input, d *replay.Device, remark string) {
	s.heading("%s %s", in.Snapshot.DeviceLabel(d.ID), remark)
	s.note("%s, %s", name(in.FileName()), in.Snapshot.Writer())
}

// noDevices says that a snapshot holds no memory of a device.
func (s *Sheet) noDevices(in *Input) {
	s.without = append(s.without, in.FileName())
	s.heading("%s", name(in.FileName()))
	s.say("No device has events or segments. Nothing was allocated yet, or another process did it: dump the snapshot " +
		"in the process that allocates.")
}

// eachRecording calls ask for every device. Its error names the device.
func (s *Sheet) eachRecording(in []Input, ask func(*Input, *analysis.Recording) error) error {
	for i := range in {
		if len(in[i].Recordings) == 0 {
			s.noDevices(&in[i])
		}
		for _, r := range in[i].Recordings {
			if err := ask(&in[i], r); err != nil {
				return fmt.Errorf("%s, %s: %w", in[i].FileName(), in[i].Snapshot.DeviceLabel(r.Device.ID), err)
			}
		}
	}
	return nil
}

// schemas are the JSON Schemas of the answers. TestSchemas writes them from the Go
// types and their comments.
//
//go:embed schemas/*.json
var schemas embed.FS

// Schema is the JSON Schema of a command's answer, and whether there is one.
func Schema(command string) ([]byte, bool) {
	text, err := schemas.ReadFile("schemas/" + command + ".json")
	return text, err == nil
}

// Schemas are the commands whose answers have a JSON Schema.
func Schemas() []string {
	entries, _ := schemas.ReadDir("schemas")
	commands := make([]string, len(entries))
	for i, e := range entries {
		commands[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	return commands
}

// devices is the JSON of an answer with an entry for each device.
type devices[T any] struct {
	Schema string `json:"schema"` // a change of meaning is a new number
	Provenance
	Devices []T `json:"devices"`
}

// newDevices is an answer of a command whose list of devices is empty, not null.
func newDevices[T any](command string) *devices[T] {
	return &devices[T]{Schema: schemaName(command), Devices: []T{}}
}

// writeJSON writes one device after the other, because all of them in one text may take
// several times the memory of the snapshot.
func (d *devices[T]) writeJSON(w *bufio.Writer) error {
	var head bytes.Buffer
	if err := writeIndented(&head, devices[T]{d.Schema, d.Provenance, []T{}}, ""); err != nil {
		return err
	}
	const end = "]\n}"
	w.WriteString(strings.TrimSuffix(head.String(), end))
	separator := "\n    "
	for i := range d.Devices {
		w.WriteString(separator)
		if err := writeIndented(w, d.Devices[i], "    "); err != nil {
			return err
		}
		separator = ",\n    "
	}
	if len(d.Devices) > 0 {
		w.WriteString("\n  ")
	}
	_, err := w.WriteString(end + "\n")
	return err
}

func (d *devices[T]) figures() any { return d }

// schemaName names what the JSON of a command means. A change of meaning is a new
// number.
func schemaName(command string) string {
	if command == "ranks" {
		return "memviz.ranks/2"
	}
	return "memviz." + command + "/1"
}

// Subject says which device of which recording a JSON object is about.
type Subject struct {
	File   string `json:"file"`
	Device int    `json:"device"` // ordinal of a GPU; -1: pinned host memory, whose sizes are rounded
	Trust
}

// deviceName names a device where its snapshot is not at hand.
func deviceName(device int) string {
	if snapshot.DeviceID(device) == snapshot.Pinned {
		return "pinned"
	}
	return "device " + strconv.Itoa(device)
}

func newSubject(in *Input, d *replay.Device) Subject {
	return Subject{in.FileName(), int(d.ID), newTrust(d.AddsUp(), in.Snapshot.Cut(d.ID), d.Anomalies)}
}

// perDevice is the answer of a command that has the same question for every
// device. ask writes the text to the sheet and returns the JSON.
func perDevice[T any](command string, in []Input,
	ask func(s *Sheet, in *Input, r *analysis.Recording) (T, error)) (*Sheet, error) {
	value := newDevices[T](command)
	s := &Sheet{value: value}
	return s, s.eachRecording(in, func(in *Input, r *analysis.Recording) error {
		device, err := ask(s, in, r)
		value.Devices = append(value.Devices, device)
		return err
	})
}

// perGPU is perDevice without host memory, of which it says why there is no answer.
func perGPU[T any](command, why string, in []Input,
	ask func(s *Sheet, in *Input, r *analysis.Recording) (T, error)) (*Sheet, error) {
	value := newDevices[T](command)
	s := &Sheet{value: value}
	return s, s.eachRecording(in, func(in *Input, r *analysis.Recording) error {
		if r.Device.ID == snapshot.Pinned {
			s.title(in, r.Device, "is host memory")
			s.say("%s", why)
			return nil
		}
		device, err := ask(s, in, r)
		value.Devices = append(value.Devices, device)
		return err
	})
}

// stackLines are the frames of a stack, innermost first, as file:line:function.
func stackLines(s *snapshot.Snapshot, id snapshot.StackID) []string {
	frames := s.Stacks.Frames(id)
	lines := make([]string, len(frames))
	for i, f := range frames {
		frame := s.Frames[f]
		lines[i] = fmt.Sprintf("%s:%d:%s", s.String(frame.File), frame.Line, s.String(frame.Name))
	}
	return lines
}
