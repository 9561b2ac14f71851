package answer

import (
	"fmt"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Section begins the section of a device with a remark.
func Section(s *sheet.Sheet, in *Input, d *replay.Device, remark string) {
	Title(s, in, d, remark)
	if d.Anomalies[replay.UnreadFields] > 0 {
		s.Say("Fields of this file cannot be read, and count as zero or are left out: memviz stats says which.")
	} else if d.Contradicted() && !d.Reconciliation.EndUnknown {
		s.Say("The replay of this recording " + trust.DoesNotAddUp + ": memviz stats says where.")
	}
}

// Title is the first two lines of a device's section.
func Title(s *sheet.Sheet, in *Input, d *replay.Device, remark string) {
	s.Heading("%s %s", in.Snapshot.DeviceLabel(d.ID), remark)
	s.Note("%s, %s", sheet.Name(in.FileName()), in.Writer())
}

// noDevices says that a snapshot holds no memory of a device.
func noDevices(s *sheet.Sheet, in *Input) {
	s.Without = append(s.Without, in.FileName())
	s.Heading("%s", sheet.Name(in.FileName()))
	s.Say("No device has events or segments. Nothing was allocated yet, or another process did it: dump the snapshot " +
		"in the process that allocates.")
}

// EachRecording calls ask for every device. Its error names the device.
func EachRecording(s *sheet.Sheet, in []Input, ask func(*Input, *analysis.Recording) error) error {
	for i := range in {
		if len(in[i].Recordings) == 0 {
			noDevices(s, &in[i])
		}
		for _, r := range in[i].Recordings {
			if err := ask(&in[i], r); err != nil {
				return fmt.Errorf("%s, %s: %w", in[i].FileName(), in[i].Snapshot.DeviceLabel(r.Device.ID), err)
			}
		}
	}
	return nil
}

// PerDevice is the answer of a command that has the same question for every
// device. ask writes the text to the sheet and returns the JSON.
func PerDevice[T any](command string, in []Input,
	ask func(s *sheet.Sheet, in *Input, r *analysis.Recording) (T, error)) (*sheet.Sheet, error) {
	value := NewDevices[T](command)
	s := &sheet.Sheet{Value: value}
	return s, EachRecording(s, in, func(in *Input, r *analysis.Recording) error {
		device, err := ask(s, in, r)
		value.Devices = append(value.Devices, device)
		return err
	})
}

// PerGPU is PerDevice without host memory, of which it says why there is no answer.
func PerGPU[T any](command, why string, in []Input,
	ask func(s *sheet.Sheet, in *Input, r *analysis.Recording) (T, error)) (*sheet.Sheet, error) {
	value := NewDevices[T](command)
	s := &sheet.Sheet{Value: value}
	return s, EachRecording(s, in, func(in *Input, r *analysis.Recording) error {
		if r.Device.ID == snapshot.Pinned {
			Title(s, in, r.Device, "is host memory")
			s.Say("%s", why)
			return nil
		}
		device, err := ask(s, in, r)
		value.Devices = append(value.Devices, device)
		return err
	})
}
