package analysis

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// MaxFragmentationSamples bounds the states that are worth measuring in one go: each
// is a memory map.
const MaxFragmentationSamples = 200

// Fragmentations are the fragmentation of a device when it matters most.
type Fragmentations struct {
	AtPeak Fragmentation // reserved memory is at its highest, see [ReservedPeakState]
	AtEnd  Fragmentation // the last state
}

// FragmentationsAt measures states, each 0 to the number of events.
func (h *LayoutHistory) FragmentationsAt(states ...int) map[int]Fragmentation {
	typical, at := TypicalRequest(h.d.Events), make(map[int]Fragmentation, len(states))
	for l := range h.All(states...) {
		at[l.State] = FragmentationOf(l, typical)
	}
	return at
}

// Fragmentations measures the peak of reserved memory and the end.
func (h *LayoutHistory) Fragmentations() *Fragmentations {
	peak, end := ReservedPeakState(h.d), h.d.Events.Len()
	at := h.FragmentationsAt(peak, end)
	return &Fragmentations{AtPeak: at[peak], AtEnd: at[end]}
}

// ReservedPeakState is the first state in which reserved memory is at its
// highest and the request that made it grow, if recorded, is served; the peak of
// active memory if reserved memory never changed.
func ReservedPeakState(d *replay.Device) int {
	if len(d.Reserved) == 0 {
		return d.Totals.PeakState
	}
	bytes, peak, state := d.Totals.ReservedBaselineBytes, d.Totals.ReservedBaselineBytes, 0
	next := int(d.Reserved[0].Event) // the state before reserved memory changes again
	for i, c := range d.Reserved {
		if bytes += c.Delta; bytes <= peak {
			continue
		}
		peak, state, next = bytes, int(c.Event)+1, d.Events.Len()
		if i+1 < len(d.Reserved) {
			next = int(d.Reserved[i+1].Event)
		}
	}
	if state == 0 {
		return 0 // it never grew beyond what it was
	}
	if at := slices.Index(d.Events.Action[state:next], snapshot.Alloc); at >= 0 {
		return state + at + 1
	}
	return state
}
