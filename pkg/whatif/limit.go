package whatif

import (
	"math"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Limit is the memory available to PyTorch on the device.
type Limit struct {
	// Bytes is the limit that predictions are made with; 0: none is known.
	Bytes int64
	From  LimitSource
	// Below is set if Bytes is only a lower bound: the least amount, in bytes, that was
	// refused. The real limit is at least Bytes and less than Below.
	Below int64
	// Share is the part of the given capacity that per_process_memory_fraction allows PyTorch; 0: all of it.
	Share float64
	// Addresses: failed requests may have run out of addresses, which proves nothing about memory.
	Addresses bool
	// Moved: refused requests contradict each other, so memory use outside PyTorch must
	// have changed during the recording.
	Moved bool
}

// LimitSource is the evidence for a limit.
type LimitSource uint8

const (
	LimitUnknown LimitSource = iota // no request was refused
	LimitGiven                      // Question.Capacity
	LimitFailed                     // an oom event: reserved memory plus free memory of the device
	LimitRefused                    // requests for which cached memory was released
)

var limitKeys = [...]string{LimitUnknown: "unknown", LimitGiven: "given", LimitFailed: "oom", LimitRefused: "retries"}

// Key names the source in files: "oom".
func (s LimitSource) Key() string { return limitKeys[s] }

// Given returns the limit on a device of a capacity in bytes. A fraction that the recording
// exceeds was not in effect.
func (run *Run) Given(capacity int64) Limit {
	l := Limit{Bytes: capacity, From: LimitGiven}
	if f := run.settings.MemoryFraction; f > 0 && int64(f*float64(capacity)) >= run.ReservedPeak() {
		l.Bytes, l.Share = int64(f*float64(capacity)), f
	}
	return l
}

// fewGuesses: fewer retries than this do not prove a limit unless one is certain.
const fewGuesses = 3

// limitOf derives the limit from refused requests.
func limitOf(d *replay.Device, settings *layout.Settings, x *oom.Retries) Limit {
	most := d.Totals.ReservedPeakBytes
	least, exact, below, addresses := int64(math.MaxInt64), int64(0), x.Refused, false
	if !x.Certain() && len(x.List) < fewGuesses {
		below = math.MaxInt64
	}
	reserved, next := d.Totals.ReservedBaselineBytes, 0
	for i, action := range d.Events.Action {
		if next < len(d.Reserved) && int(d.Reserved[next].Event) < i {
			reserved += d.Reserved[next].Delta
			next++
		}
		if action != snapshot.OOM {
			continue
		}
		asked := oom.Asked(d.Events, replay.EventIndex(i), settings)
		free := d.Events.Addr[i]
		if free < uint64(asked) {
			exact = max(exact, reserved+int64(free))
			least = min(least, reserved+int64(free))
			continue
		}
		if settings.MayExceedReserve(oom.Requested(d.Events, replay.EventIndex(i)), reserved+int64(min(free, replay.MaxSize))) {
			addresses = true
			continue
		}
		below = min(below, reserved+asked) // the device had room, so it is the process's own limit
	}
	switch {
	case exact > 0:
		return Limit{Bytes: max(exact, most), From: LimitFailed, Moved: exact < most || exact-least > movedBy}
	case below == math.MaxInt64:
		return Limit{Addresses: addresses}
	case below <= most:
		return Limit{Moved: true}
	}
	return Limit{Bytes: most, From: LimitRefused, Below: below}
}

// movedBy is how many bytes two derived limits may differ and still count as the same.
const movedBy = 256 << 20
