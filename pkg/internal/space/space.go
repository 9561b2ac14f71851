// Package space encodes in few bytes where the tensors of a device lie.
//
// Places, sizes and rooms are in units. A place counts over lanes in the order of their
// addresses, without the gaps between them, so it says nothing about an address but its
// order. A lane is a range of addresses that reservations shared at different times.
//
// The allocator takes the smallest free gap that is large enough, and among equals the
// one at the lowest address. Writer and reader run the same small model of it over the
// same events: gaps of each kind in a list by size and place. Only deviations from the
// model are written; see [Codes]. A gap of an expandable segment that ends where no
// page is mapped counts as large as it could grow, so others go first.
//
// No input can make the model take more than a bounded time for each allocation and
// reservation: scanning lists is paid from a budget.
//
// # Why a model
//
// The alternative is the best of ten codings that a few lines can decode: 0 where the
// last block of the size lay before, where the block before ends, or the number of a freed
// place of the rounded size, by age or by address; else the distance to the end of the
// block before. In base64 of DEFLATE, against the codes of the model:
//
//	                                      model    without   the report
//	1.77 million simulated tensors, 1 GB   2.3 KB   4,341 KB     6.1 MB
//	1.01 million                           1.3 KB   2,501 KB     3.7 MB
//	25,600                                 0.1 KB      54 KB     491 KB
//	278,000, 2,000 equal steps             0.4 KB     2.7 KB     829 KB
//	26 real recordings, and measures        26 KB       97 KB
//
// A simulated training has random sizes, so a place is not one of a few; a report of 1 GB
// was to stay below 8 MB. The viewer's model adds about 3 KB to each report.
package space

import (
	"cmp"
	"errors"
	"slices"
)

// Kind says which requests a reservation may serve: small or large requests of a stream
// from a pool.
type Kind struct {
	Pool, Stream uint32
	Small        bool
	Expandable   bool
}

// Reservation is memory obtained from the driver at once, and returned at once.
type Reservation struct {
	Start, Size uint32 // place and units
	Lane, Kind  int32  // indices
	Reserved    int32  // event; -1: before the recording
	Returned    int32  // event; the number of events: never
}

// Frame is the memory that tensors lie in.
type Frame struct {
	Unit  int64    // bytes
	Lanes []uint32 // units of each
	Kinds []Kind
	// Reservations are in the order of Reserved, then Start. They never overlap at any time.
	Reservations []Reservation
}

// Limits of the encoding.
const (
	MaxUnit   = 512       // bytes
	MaxPlaces = 1<<32 - 1 // units of all lanes
	smallSize = 1 << 20   // bytes of the largest block for small requests
	Outside   = 1<<32 - 1 // place of an allocation that lies in no gap
	budget    = 1 << 26   // steps in lists that are allowed,
	perItem   = 64        // plus these for each allocation and reservation
	maxRounds = 64        // expandable gaps that are compared by their possible size
	unmapped  = int64(1) << 40
)

// Tensors are the allocations of a device: pre-existing ones first, then the others by
// the events that made them.
type Tensors struct {
	Events, Count, PreExisting int

	Start func(i int) int // event, if it is not from before the recording
	End   func(i int) int // event; the number of events: never
	Size  func(i int) int64
	Pool  func(i int) uint32 // allocations of one pool, stream and size class tend to be of one kind
	// Stream is a number as in Kind.
	Stream func(i int) uint32
}

// Codes are the places of the allocations of a device.
type Codes struct {
	// Codes has a code for each allocation that was made in the recording:
	//
	//	0            where the model says
	//	1            the place is the next of Escapes
	//	2 + 2r + o   in gap r of those that are large enough, by size, then place; o = 1: not
	//	             at its start, and the next of Offsets says how many units from there
	Codes   []uint32
	Offsets []uint32
	// Escapes has a place for each pre-existing allocation, and for each with code 1.
	// 0: it lies in no gap; else 1 + the zigzag-coded difference to the previous escape
	// of the same requested size.
	Escapes []uint64
	// More lists the allocations with a block larger than the model's, by index.
	More []More
	// Rounded lists the sizes that are not rounded up to a multiple of 512 bytes, at least one.
	Rounded []Rounded
}

// More is an allocation with a block larger than the model's, and by how many units.
type More struct {
	Index int
	Units int64
}

// Rounded is a requested size and the size it is rounded up to.
type Rounded struct{ Requested, Bytes int64 }

// ErrContradiction: reservations and allocations contradict each other.
var ErrContradiction = errors.New("memory is returned that is not free, or reserved twice")

// errOverlap: reservations overlap in some state.
var errOverlap = errors.New("reservations overlap")

// errBudget: the model would take too long.
var errBudget = errors.New("too many gaps to look at")

// Round returns the size in bytes that a request is rounded up to by default.
func Round(requested int64) int64 {
	return max(MaxUnit, (requested+MaxUnit-1)/MaxUnit*MaxUnit)
}

func zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// sortByPlace sorts allocations by place, and in the same place by index.
func sortByPlace(order []int32, places []uint32) {
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(places[a], places[b]) })
}

// roomBelow returns how many units are free in a gap from a place on, up to the next of
// the other allocations.
func roomBelow(x gap, place uint32, others []int32, places []uint32) uint32 {
	end := x.end()
	if len(others) > 0 {
		end = min(end, places[others[0]])
	}
	return end - place
}
