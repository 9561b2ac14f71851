package layout

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Fragmentation is the cached memory of one state that is useless: it can neither
// go back to the driver, because live blocks share its segment or its page, nor
// serve a typical large request, because each piece is too small.
type Fragmentation struct {
	State    int
	Bytes    int64 // the fragmentation
	Reserved int64
	Typical  int64 // bytes of a large request; only smaller pieces count
	Largest  int64 // bytes of the largest free piece

	// Other memory that is reserved but not requested.
	Cached     int64 // in no live block; includes Bytes
	Returnable int64 // of Cached: what emptying the cache would give back
	Pending    int64 // in blocks that were freed but are still in use by another stream
	Rounding   int64 // by which live blocks are larger than their requests
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

// minReserved is what must be reserved for the share to mean anything: in a small
// program a few half-filled segments of 20 MiB are 15 %.
const minReserved = 1 << 30

// Measurable reports whether enough is reserved for the share to mean anything.
func (f *Fragmentation) Measurable() bool { return f.Reserved >= minReserved }

// Share is the fragmentation as a part of what is reserved, from 0 to 1.
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

// Matters reports whether the fragmentation is more than what varying sizes cause.
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

// TypicalRequest is a large request of a device in bytes: the 95th percentile of
// the recorded ones above 1 MiB.
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

// MostlyIdle reports whether most of the reserved memory is in unused segments. They
// could not serve the later requests either, for which more was reserved.
func (f *Fragmentation) MostlyIdle() bool {
	return f.Measurable() && 2*f.Returnable >= f.Reserved
}

// MaxFragmentationSamples is how many states callers should measure at once: each
// needs a memory map.
const MaxFragmentationSamples = 200

// Fragmentations are the fragmentation of a device at its two most telling states.
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

// Fragmentations measures the peak of reserved memory and the end.
func (h *History) Fragmentations() *Fragmentations {
	peak, end := ReservedPeakState(h.d), h.d.Events.Len()
	at := h.FragmentationsAt(peak, end)
	return &Fragmentations{AtPeak: at[peak], AtEnd: at[end]}
}

// ReservedPeakState is the first state in which reserved memory is at its highest,
// after the request that it grew for; the peak of active memory if reserved memory
// never changed.
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
