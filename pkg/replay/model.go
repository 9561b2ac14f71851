// Package replay turns the events of a device into allocations and says what
// the allocator held at any moment.
//
// It indexes states, not only events: state k is the allocator before event k,
// so state 0 is before the first event and state n, with n events, after the
// last. An allocation has a start event and an end event and is live in state
// k if Start < k <= End.
package replay

import "github.com/memviz-go/memviz/pkg/snapshot"

// EventIndex is a position in one device's trace.
type EventIndex int32

// None stands for an event that the trace does not hold: the start of an
// allocation from before the recording, the end of one that is live at its end.
const None EventIndex = -1

// Allocation is one tenancy of an address by one tensor storage.
type Allocation struct {
	Addr  uint64
	Size  int64      // requested bytes
	Start EventIndex // its alloc event; None: pre-existing
	End   EventIndex // the event that ended it; None: live at end
	// FreeRequested is the event in which the user gave it up; None when that
	// is not recorded. Between it and End the allocation is pending.
	FreeRequested EventIndex

	Stack     snapshot.StackID // who allocated it; 0 when unknown
	FreeStack snapshot.StackID // the stack of its free event; 0 when unknown or never freed
	Stream    snapshot.StreamID
	Version   int32 // n-th use of its address in this recording, from 0
	From      Source
}

// Source is the evidence that an allocation existed.
type Source uint8

const (
	FromAlloc Source = iota // an alloc event
	FromFree                // only a free event: pre-existing, size is the free's
	FromBlock               // only a live block of the final segments: pre-existing and live at end
)

// PreExisting reports whether the allocation was there before the recording.
func (a *Allocation) PreExisting() bool { return a.Start == None }

// LiveAtEnd reports whether the allocation outlives the recording. That is not the word leak.
func (a *Allocation) LiveAtEnd() bool { return a.End == None }

// LiveIn reports whether the allocation is live in state k.
func (a *Allocation) LiveIn(k int) bool {
	return int(a.Start) < k && (a.End == None || k <= int(a.End))
}

// PendingAtEnd reports whether the user gave the allocation up and the
// allocator still waits for another stream when the recording ends.
func (a *Allocation) PendingAtEnd() bool { return a.End == None && a.FreeRequested != None }

// ReservedChange is one segment event: Delta bytes from state Event+1 on.
type ReservedChange struct {
	Event EventIndex
	Delta int64
}

// Device is the replayed history of one device.
type Device struct {
	ID     snapshot.DeviceID
	Events *snapshot.Events

	// Allocations are in pile order, bottom first: pre-existing ones, then by Start.
	Allocations []Allocation
	PreExisting int // how many of them are pre-existing

	Reserved []ReservedChange // in order of events
	Totals   Totals

	Anomalies      Anomalies
	Reconciliation Reconciliation

	active []int64 // bytes by state
}

// States is the number of states, one more than the events.
func (d *Device) States() int { return d.Events.Len() + 1 }

// Totals are the sums of a device over its states. Bytes are requested bytes
// where they are called active and segment bytes where they are called reserved.
type Totals struct {
	BaselineBytes int64 // active in state 0
	PeakBytes     int64 // active, over all states
	PeakState     int   // first state that has PeakBytes
	FinalBytes    int64 // active in the last state
	LiveAtEnd     int   // allocations

	ReservedBaselineBytes int64 // state 0
	ReservedPeakBytes     int64
	ReservedFinalBytes    int64 // sum of the final segments; with EndUnknown, what all three are at least

	OOMEvents      int
	SnapshotEvents int
}

// Anomalies counts the events that the rules of replay cannot explain.
type Anomalies struct {
	OverlappingAllocs int // an alloc at an address still open; the older allocation ends there
	RepeatedFrees     int // a free at an address whose last use in the trace had already ended
	SizeMismatches    int // a free whose size is not that of its alloc
	UnknownActions    int // events whose action has no rule
	ImpossibleSizes   int // sizes below zero or above 4 TiB, counted as zero
	NegativeReserved  int // segment events, and state 0, after which the reserved curve is below zero: each step of it is counted once, not each state
}

// Total is the number of anomalies of every kind.
func (a *Anomalies) Total() int {
	return a.OverlappingAllocs + a.RepeatedFrees + a.SizeMismatches + a.UnknownActions + a.ImpossibleSizes +
		a.NegativeReserved
}

// Reconciliation compares the end of the replay with the final segments, which
// the allocator wrote down independently of the events.
type Reconciliation struct {
	UnmatchedFrees      int // frees without an alloc: normal when recording began late
	PreExistingBlocks   int // live final blocks that the trace did not open
	ReopenedBlocks      int // of those, at an address that the trace had freed: allocated behind its back
	MissingBlocks       int // allocations open at the end that are no live final block
	ChangedBlocks       int // allocations open at the end whose final block has another requested size
	MissingBlockBytes   int64
	LiveBlocks          int   // live final blocks
	LiveRequestedBytes  int64 // their requested bytes
	LiveBlockBytes      int64 // their rounded bytes
	Segments            int
	UnevenSegments      int    // final segments that their blocks do not tile, or whose own sums are not those of their blocks
	HistoryCut          bool   // the ring buffer overflowed, or looks as if it had
	HistoryCutReason    string // why HistoryCut was concluded, in words
	HasEvents           bool
	EndUnknown          bool // the final segments were not read (snapshot.Salvaged): nothing at the end could be compared
	ActiveAboveReserved int  // states in which active exceeds reserved: impossible in a true picture
}

// AddsUp reports whether the replay ends exactly in the final segments and no
// event was left unexplained. Where the end is not known, that cannot be said.
func (d *Device) AddsUp() bool {
	r := &d.Reconciliation
	return !r.EndUnknown && d.Anomalies.Total() == 0 && r.MissingBlocks == 0 && r.ChangedBlocks == 0 &&
		r.ActiveAboveReserved == 0 && d.Totals.FinalBytes == r.LiveRequestedBytes
}

// WithStack counts the allocations whose allocation stack is known.
func (d *Device) WithStack() int {
	n := 0
	for i := range d.Allocations {
		if d.Allocations[i].Stack != 0 {
			n++
		}
	}
	return n
}
