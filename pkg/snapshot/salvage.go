package snapshot

import (
	"errors"
	"fmt"
	"io"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// Salvaged says that a snapshot is the part of a file that could be read, because
// Options.Salvage was set.
type Salvaged struct {
	At     int64    // where reading ended, in bytes of the unpacked pickle
	Events int      // that were read, of all devices
	From   DeviceID // of this device and those after it, not all events were read; NoDevice: of each
	Err    error    // what is wrong there

	// NoEnd: the final segments are not known of any device, because reading
	// ended before they were complete. Those of From never are.
	NoEnd bool
}

// NoDevice stands for none.
const NoDevice DeviceID = -1

// EndKnown reports whether the final segments of a device are in the snapshot,
// as a file that was read whole has them.
func (s *Snapshot) EndKnown(device DeviceID) bool {
	return s.Salvaged == nil || !s.Salvaged.NoEnd && s.Salvaged.From != device
}

// Damaged says how far a file could be read that is cut, damaged or beyond a
// limit.
type Damaged struct {
	Events int // that were read before, of all devices
	Err    error
}

func (d *Damaged) Error() string {
	return fmt.Sprintf("%v (%d events had been read)", d.Err, d.Events)
}

func (d *Damaged) Unwrap() error { return d.Err }

// damaged says how far reading had come when it failed, if it had begun.
func (b *builder) damaged(err error) error {
	truncated := errors.Is(err, pickle.ErrTruncated) || errors.Is(err, io.ErrUnexpectedEOF)
	if truncated || b.events.Len() > 0 && !errors.Is(err, pickle.ErrForbidden) && !errors.Is(err, pickle.ErrOtherWay) {
		return &Damaged{Events: b.events.Len(), Err: err}
	}
	return err
}

// salvaged is the snapshot of what was read before err; nil if that is nothing.
func (b *builder) salvaged(res *pickle.Result, err error) *Snapshot {
	if res == nil || !res.Partial {
		return nil
	}
	s, finishErr := b.finish(res)
	if finishErr != nil || b.s.Salvaged.Events == 0 && len(s.Segments) == 0 {
		return nil
	}
	s.Salvaged.Err = err
	s.Format.Way = wayStream
	return s
}

// leaveOutEnd takes out of a cut snapshot the segments that do not belong to the
// moment in which its events end. Torch writes them first: they are of the last
// moment, which the events of the device that was being read do not reach.
func (b *builder) leaveOutEnd(res *pickle.Result) {
	s := b.s
	s.Salvaged = &Salvaged{At: res.Bytes, From: NoDevice}
	for i := range s.Traces {
		s.Salvaged.Events += s.Traces[i].Events.Len()
	}
	reading := b.keyOf(res.Heap, res.Reading)
	switch {
	case s.Format.BareList:
		return // segments are all there is
	case reading == keyDeviceTraces && len(s.Traces) > 0:
		s.Salvaged.From = s.Traces[len(s.Traces)-1].Device
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
