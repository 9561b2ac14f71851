package layout

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Fragmentation is the cached memory of one state that is useless: it can neither be
// returned to the driver, because live blocks share its segment or its page, nor serve a
// typical large request, because each piece is too small.
type Fragmentation struct {
	State    int
	Bytes    int64 // the fragmentation
	Reserved int64
	Typical  int64 // bytes of a large request; only smaller pieces count
	Largest  int64 // bytes of the largest free piece

	// Other memory that is reserved but not requested.
	Cached     int64 // in no live block; includes Bytes
	Returnable int64 // part of Cached that emptying the cache would return
	Pending    int64 // in blocks that were freed but are still in use by another stream
	Rounding   int64 // excess of live blocks over their requests
}

// Grade is the word for an amount of fragmentation.
type Grade uint8

const (
	GradeLow  Grade = iota // under 5 % of reserved, or too little is reserved to judge
	GradeSome              // 5 to 15 %
	GradeHigh              // more than 15 %
)

// Key names the grade in files: "some".
func (g Grade) Key() string { return [...]string{"low", "some", "fragmented"}[g] }

// minReserved is how much must be reserved for the share to be meaningful: in a small
// program a few half-filled segments of 20 MiB are 15 %.
const minReserved = 1 << 30

// Measurable reports whether enough is reserved for the share to be meaningful.
func (f *Fragmentation) Measurable() bool { return f.Reserved >= minReserved }

// Share returns the fragmentation as a share of reserved memory, from 0 to 1.
func (f *Fragmentation) Share() float64 {
	if f.Reserved <= 0 {
		return 0
	}
	return float64(f.Bytes) / float64(f.Reserved)
}

// Grade is the word for the share.
func (f *Fragmentation) Grade() Grade {
	switch share := f.Share(); {
	case !f.Measurable() || share < 0.05:
		return GradeLow
	case share <= 0.15:
		return GradeSome
	}
	return GradeHigh
}

// mattersFrom is the share from which fragmentation is worth acting on. Healthy
// training with sequences of varying length stays below it in 99 of 100 runs;
// where requests fail because of fragmentation, it is a quarter or more.
const mattersFrom = 0.20

// Matters reports whether the fragmentation is more than varying sizes cause.
func (f *Fragmentation) Matters() bool {
	return f.Measurable() && f.Share() >= mattersFrom
}

// FragmentationOf measures a memory map. Typical is the size in bytes of a large
// request: [TypicalRequest], or the request that failed.
func FragmentationOf(l *Map, typical int64) Fragmentation {
	f := Fragmentation{
		State: l.State, Reserved: l.ReservedBytes, Typical: typical,
		Cached: l.FreeBytes(), Pending: l.PendingBytes, Rounding: l.ActiveBytes - l.RequestedBytes,
	}
	for i := range l.Segments {
		seg := &l.Segments[i]
		for _, x := range l.ExtentsOf(seg) {
			if x.Allocation != NoAllocation {
				continue
			}
			back := seg.returnable(x)
			f.Returnable += back
			f.Largest = max(f.Largest, x.Size)
			if x.Size < typical {
				f.Bytes += x.Size - back
			}
		}
	}
	return f
}

// defaultTypicalRequest is for recordings without large requests: the size of the
// segment that a request of 1 to 10 MiB gets.
const defaultTypicalRequest = 20 << 20

// TypicalRequest returns the size in bytes of a typical large request of a device: the
// 95th percentile of those above 1 MiB.
func TypicalRequest(e *snapshot.Events) int64 {
	var sizes []int64
	for i, action := range e.Action {
		if size := e.Size[i]; action == snapshot.Alloc && size > smallSize && size <= replay.MaxSize {
			sizes = append(sizes, size)
		}
	}
	if len(sizes) == 0 {
		return defaultTypicalRequest
	}
	slices.Sort(sizes)
	return sizes[(len(sizes)*95+99)/100-1]
}

// smallSegment is the size of a segment of small requests.
const smallSegment = 2 << 20

// MostlyIdle reports whether most of the reserved memory is in unused segments. They
// could not have served the later requests either, for which more was reserved.
func (f *Fragmentation) MostlyIdle() bool {
	return f.Measurable() && 2*f.Returnable >= f.Reserved
}

// MaxFragmentationSamples is how many states callers should measure at once: each
// needs a memory map.
const MaxFragmentationSamples = 200

// Fragmentations are the fragmentation of a device in its two most informative states.
type Fragmentations struct {
	AtPeak Fragmentation // in [ReservedPeakState]
	AtEnd  Fragmentation // in the last state
}

// FragmentationsAt measures states, each 0 to the number of events.
func (h *History) FragmentationsAt(states ...int) map[int]Fragmentation {
	typical, at := TypicalRequest(h.d.Events), make(map[int]Fragmentation, len(states))
	for l := range h.All(states...) {
		at[l.State] = FragmentationOf(l, typical)
	}
	return at
}

// Fragmentations measures the peak of reserved memory, by [ReservedPeakState], and the end.
func (h *History) Fragmentations() *Fragmentations {
	peak, end := ReservedPeakState(h.d), h.d.Events.Len()
	at := h.FragmentationsAt(peak, end)
	return &Fragmentations{AtPeak: at[peak], AtEnd: at[end]}
}

// ReservedPeakState returns the state in which fragmentation at the peak of reserved
// memory is measured: of the states in which reserved memory is at its highest, ignoring
// segments of small requests, the first one with the most active memory. A small request
// may need its segment at any moment of a pass, even when most large segments are idle:
// free memory at that moment has nothing to do with the peak.
func ReservedPeakState(d *replay.Device) int {
	bytes, peak := d.Totals.ReservedBaselineBytes, d.Totals.ReservedBaselineBytes
	from, to := 0, d.Events.Len() // states between two changes by more than a small segment
	since, open := 0, true        // the last such change, and whether the peak is after it
	for _, c := range d.Reserved {
		bytes += c.Delta
		if max(c.Delta, -c.Delta) > smallSegment {
			if open {
				to = int(c.Event)
			}
			since, open = int(c.Event)+1, false
		}
		if bytes > peak {
			peak, from, to, open = bytes, since, d.Events.Len(), true
		}
	}
	active := d.ActiveBytes()
	state := from
	for k := from; k <= to; k++ {
		if active[k] > active[state] {
			state = k
		}
	}
	return state
}
