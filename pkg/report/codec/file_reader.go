package codec

import (
	"errors"

	"github.com/memviz-go/memviz/pkg/report/recording"
)

// ReadFile reads the payloads of one file.
func ReadFile(r *recording.Report, number int, payloads *Payloads) (*File, []*recording.Curve, error) {
	view := &r.Files[number]
	unpack := func(id string, read func(raw []byte) error) error {
		p, ok := payloads.packed[id]
		if !ok {
			return recording.Damaged(id, errors.New("it is missing, the file may have been cut"))
		}
		raw, err := payloads.inflate(p)
		if err == nil {
			err = read(raw)
		}
		if err != nil {
			return recording.Damaged(id, err)
		}
		return nil
	}
	f := &File{view: view, unpacked: true}
	err := unpack(view.Stacks, func(raw []byte) (err error) { f.saved, err = readStacks(raw); return err })
	var curves []*recording.Curve
	for j := range view.Devices {
		var d *deviceReader
		if err == nil {
			err = unpack(view.Devices[j].Payload, func(raw []byte) (err error) {
				d, err = readDevice(raw, r, view, &view.Devices[j], f.saved)
				return err
			})
		}
		if err == nil {
			err = unpack(view.Devices[j].Lanes.Payload, func(raw []byte) (err error) {
				names, err := d.readLanes(raw)
				f.laneNames = append(f.laneNames, names...)
				return err
			})
		}
		if err == nil && view.Devices[j].Space != nil {
			if err = unpack(view.Devices[j].Space.Payload, d.readSpace); err == nil {
				err = unpack(view.Devices[j].Space.Addresses, d.readSpaceAddresses)
			}
		}
		if err == nil && view.Devices[j].HasPredictedSpace() {
			err = unpack(view.Devices[j].Predicted.Space.Payload, d.readPredictedSpace)
		}
		if err == nil && view.Devices[j].Measures.HasSpaces() {
			d.measured = map[string]*spaceReader{}
			for _, line := range view.Devices[j].Measures.Lines {
				if s := line.Space; s != nil && err == nil && d.measured[s.Payload] == nil {
					err = unpack(s.Payload, func(raw []byte) (err error) {
						d.measured[s.Payload], err = d.readMeasure(raw, s.Unit)
						return err
					})
				}
			}
		}
		if err != nil {
			return nil, nil, err
		}
		f.devices = append(f.devices, d)
		curves = append(curves, d.curve())
	}
	if err != nil {
		return nil, nil, err
	}
	if view.Snapshot != "" {
		err = unpack(view.Snapshot, func(raw []byte) (err error) {
			f.rest, err = (&columnSet{raw: raw, wide: true}).split(snapshotColumns(len(f.devices), view.Categories))
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	f.setElements()
	return f, curves, nil
}
