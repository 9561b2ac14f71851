package whatif

import (
	"math"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Limit is how much memory PyTorch may have on the device, in bytes.
type Limit struct {
	// Bytes is the limit that predictions respect; 0: none is known.
	Bytes int64
	From  LimitSource
	// Below is what was refused where Bytes is only proved from below: the limit is
	// less than that. 0 if the limit is exact or unknown.
	Below int64
	// Moved: the recording contradicts itself, so memory outside PyTorch must have
	// come or gone while it ran.
	Moved bool
}

// LimitSource is where a limit is known from.
type LimitSource uint8

const (
	LimitUnknown LimitSource = iota // nothing was refused
	LimitGiven                      // by a person
	LimitFailed                     // an oom event: what was reserved, and free on the device
	LimitRefused                    // requests that gave cached memory back to be served
)

var limitKeys = [...]string{LimitUnknown: "unknown", LimitGiven: "given", LimitFailed: "oom", LimitRefused: "retries"}

// Key names the source in files: "oom".
func (s LimitSource) Key() string { return limitKeys[s] }

func (s LimitSource) String() string { return s.Key() }

// fewGuesses retries are too few to prove a limit, if no stack shows one.
const fewGuesses = 3

// limitOf is the limit that refused requests prove.
func limitOf(d *replay.Device, settings *layout.Settings, x *oom.Retries) Limit {
	most := d.Totals.ReservedPeakBytes
	least, exact, below := int64(math.MaxInt64), int64(0), x.Refused
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
		if free := d.Events.Addr[i]; free < uint64(asked) {
			exact = max(exact, reserved+int64(free))
			least = min(least, reserved+int64(free))
			continue
		}
		below = min(below, reserved+asked) // the device had room: a limit of the process
	}
	switch {
	case exact > 0:
		return Limit{Bytes: max(exact, most), From: LimitFailed, Moved: exact < most || exact-least > movedBy}
	case below == math.MaxInt64:
		return Limit{}
	case below <= most:
		return Limit{Moved: true}
	}
	return Limit{Bytes: most, From: LimitRefused, Below: below}
}

// movedBy is how far limits differ that are not the same.
const movedBy = 256 << 20
