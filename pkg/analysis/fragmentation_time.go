package analysis

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// MaxFragmentationSamples bounds the states of [FragmentationOverTime].
const MaxFragmentationSamples = 200

// Fragmentations are the fragmentation of a device when it matters most.
type Fragmentations struct {
	AtPeak Fragmentation // reserved memory is at its highest, see [ReservedPeakState]
	AtEnd  Fragmentation // the last state
}

// FragmentationsAt measures states, each 0 to the number of events.
func FragmentationsAt(r *Recording, states ...int) map[int]Fragmentation {
	typical, at := TypicalRequest(r), make(map[int]Fragmentation, len(states))
	for l := range Layouts(r, states...) {
		at[l.State] = FragmentationOf(l, typical)
	}
	return at
}

// FindFragmentation measures the peak of reserved memory and the end.
func FindFragmentation(r *Recording) *Fragmentations {
	peak, end := ReservedPeakState(r), r.Device.Events.Len()
	at := FragmentationsAt(r, peak, end)
	return &Fragmentations{AtPeak: at[peak], AtEnd: at[end]}
}

// ReservedPeakState is the first state in which reserved memory is at its
// highest and the request that made it grow, if recorded, is served; the peak of
// active memory if reserved memory never changed.
func ReservedPeakState(r *Recording) int {
	d := r.Device
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

// FragmentationOverTime measures the states in which the cache could not serve
// a request, or was emptied: before each run of segment events, and the end. Of
// many it takes [MaxFragmentationSamples], spread evenly over them, the last one included.
func FragmentationOverTime(r *Recording) []Fragmentation {
	d := r.Device
	var states []int
	for i, c := range d.Reserved {
		if i == 0 || d.Reserved[i-1].Event+1 < c.Event {
			states = append(states, int(c.Event))
		}
	}
	states = append(states, d.Events.Len())
	if n := len(states); n > MaxFragmentationSamples {
		kept := make([]int, MaxFragmentationSamples)
		for i := range kept {
			kept[i] = states[i*(n-1)/(len(kept)-1)]
		}
		states = kept
	}
	at, list := FragmentationsAt(r, states...), make([]Fragmentation, len(states))
	for i, state := range states {
		list[i] = at[state]
	}
	return list
}
