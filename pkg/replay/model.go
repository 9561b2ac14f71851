// Package replay turns the events of a device into allocations and reconstructs what the
// allocator held at any moment.
//
// It indexes states, not only events: state k is the allocator before event k,
// so state 0 is before the first event and state n, with n events, after the
// last. An allocation has a start event and an end event and is live in state
// k if Start < k <= End.
package replay

import "github.com/memviz-go/memviz/pkg/snapshot"

// EventIndex is a position in one device's trace.
type EventIndex int32

// None marks an event that the trace does not hold: the start of an
// allocation from before the recording, the end of one that is live at its end.
const None EventIndex = -1

// Allocation is one tenancy of an address by one tensor storage.
type Allocation struct {
	Addr  uint64
	Size  int64      // requested bytes
	Start EventIndex // its alloc event; None: pre-existing
	End   EventIndex // the event that ended it; None: live at end
	// FreeRequested is the event in which the program freed it; None when that is not
	// recorded. Between it and End the allocation is pending.
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

// LiveAtEnd reports whether the allocation outlives the recording, which does not make it a
// leak.
func (a *Allocation) LiveAtEnd() bool { return a.End == None }

// LiveIn reports whether the allocation is live in state k.
func (a *Allocation) LiveIn(k int) bool {
	return int(a.Start) < k && (a.End == None || k <= int(a.End))
}

// PendingAtEnd reports whether the program freed the allocation and the allocator still
// waits for another stream when the recording ends.
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

// Totals are the sums of a device over its states. Active bytes are requested bytes;
// reserved bytes are bytes of segments.
type Totals struct {
	BaselineBytes int64 `json:"baseline_bytes"` // active in state 0
	PeakBytes     int64 `json:"peak_bytes"`     // active, over all states
	PeakState     int   `json:"peak_state"`     // first state that has PeakBytes
	FinalBytes    int64 `json:"final_bytes"`    // active in the last state
	LiveAtEnd     int   `json:"live_at_end"`    // allocations

	ReservedBaselineBytes int64 `json:"reserved_baseline_bytes"` // state 0
	ReservedPeakBytes     int64 `json:"reserved_peak_bytes"`
	ReservedAtPeakBytes   int64 `json:"reserved_at_peak_bytes"` // in PeakState
	ReservedFinalBytes    int64 `json:"reserved_final_bytes"`   // sum of the final segments; with EndUnknown, all three are lower bounds

	OOMEvents      int `json:"oom_events"`
	SnapshotEvents int `json:"-"`
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
