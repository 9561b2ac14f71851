package snapshot

import (
	"errors"
	"fmt"
	"io"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// Salvaged describes how much of a file could be read with Options.Salvage.
type Salvaged struct {
	At     int64    // where reading ended, in bytes of the unpacked pickle
	Events int      // events read, of all devices
	From   DeviceID // first device with missing events; NoDevice: no events are missing
	Err    error    // the error at that place

	// NoEnd: no device's final segments are known, because reading ended before they were
	// complete. Those of device From are never known.
	NoEnd bool
}

// NoDevice means no device.
const NoDevice DeviceID = -2

// EndKnown reports whether the final segments of a device are in the snapshot. They are
// if the whole file was read, unless its writer writes none.
func (s *Snapshot) EndKnown(device DeviceID) bool {
	if s.Format.MLX {
		return false
	}
	return s.Salvaged == nil || !s.Salvaged.NoEnd && s.Salvaged.From != device
}

// Cut reports whether events or segments of a device are missing because reading ended
// before them, so that its totals are lower bounds.
func (s *Snapshot) Cut(device DeviceID) bool {
	r := s.Salvaged
	// As an unsigned number, Pinned is greater than all GPUs, as its events come last in
	// the file.
	return r != nil && (r.NoEnd || r.Events == 0 || r.From != NoDevice && uint32(device) >= uint32(r.From))
}

// Damaged is the error for a file that is cut off, damaged or beyond a limit.
type Damaged struct {
	Events int // events read before the error, of all devices
	Err    error
}

func (d *Damaged) Error() string {
	return fmt.Sprintf("%v (%d events had been read)", d.Err, d.Events)
}

func (d *Damaged) Unwrap() error { return d.Err }

// damaged makes err a [*Damaged] if events had been read or the file is cut off.
func (b *builder) damaged(err error) error {
	truncated := errors.Is(err, pickle.ErrTruncated) || errors.Is(err, io.ErrUnexpectedEOF)
	if truncated || b.events.Len() > 0 && !errors.Is(err, pickle.ErrForbidden) && !errors.Is(err, pickle.ErrOtherWay) {
		return &Damaged{Events: b.events.Len(), Err: err}
	}
	return err
}

// salvaged returns the snapshot as read before err; nil if it has neither events nor
// segments.
func (b *builder) salvaged(res *pickle.Result, err error) *Snapshot {
	if res == nil || !res.Partial {
		return nil
	}
	s, finishErr := b.finish(res)
	if finishErr != nil || b.s.Salvaged.Events == 0 && len(s.Segments) == 0 {
		return nil
	}
	s.Salvaged.Err = err
	return s
}

// leaveOutEnd removes the segments of devices whose events are incomplete. Torch writes
// segments first, and they show the end of the recording, which those events do not
// reach.
func (b *builder) leaveOutEnd(res *pickle.Result) {
	s := b.s
	s.Salvaged = &Salvaged{At: res.Bytes, From: NoDevice}
	for i := range s.Traces {
		s.Salvaged.Events += s.Traces[i].Events.Len()
	}
	reading := b.keyOf(res.Heap, res.Reading)
	switch {
	case s.Format.BareList:
		return // the file has only segments
	case reading == keyDeviceTraces && len(s.Traces) > 0:
		s.Salvaged.From = s.Traces[len(s.Traces)-1].Device
	case reading == keyHostSegments, reading == keyHostTraces,
		len(s.SegmentsOf(Pinned)) > 0 && s.Events(Pinned).Len() == 0: // its events would follow
		s.Salvaged.From = Pinned
	case reading == keySegments, len(s.Segments) == 0:
		s.Salvaged.NoEnd = s.Salvaged.Events > 0
	}
	kept := s.Segments[:0]
	for _, seg := range s.Segments {
		if s.EndKnown(seg.Device) {
			kept = append(kept, seg)
		}
	}
	s.Segments = kept
}
