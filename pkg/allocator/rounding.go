package allocator

import (
	"math/bits"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

const (
	kib = 1 << 10
	mib = 1 << 20
)

// Sizes in bytes, with the names they have in CUDACachingAllocator.cpp.
const (
	minBlockSize    = 512      // kMinBlockSize: every block size is a multiple of it
	smallSize       = 1 * mib  // kSmallSize: the largest block of a small pool
	smallBuffer     = 2 * mib  // kSmallBuffer: segment, and page, of a small pool
	largeBuffer     = 20 * mib // kLargeBuffer: segment for medium requests, and page, of a large pool
	minLargeAlloc   = 10 * mib // kMinLargeAlloc: from here on a request gets a segment of its own
	roundLarge      = 2 * mib  // kRoundLarge: the unit that such a segment is rounded up to
	maxLargeSegment = 1 << 30  // more than anyone sets large_segment_size_mb to
	maxRequest      = 1 << 60  // one_exa_bytes: larger requests are refused at once
)

// RoundSize returns the size in bytes of the block for a request (upstream round_size).
// It is a multiple of 512, except with [Build.OneDivisionKeepsSize].
func (s *Settings) RoundSize(requested int64) int64 {
	requested += s.Build.Padding
	if requested < minBlockSize {
		return minBlockSize
	}
	d := s.divisions(requested)
	switch {
	case d > 1 && requested/minBlockSize > d:
		return roundUpToDivision(requested, d)
	case d == 1 && s.Build.OneDivisionKeepsSize:
		return requested
	}
	return roundUp(requested, minBlockSize)
}

// SegmentSize returns the size in bytes of the segment requested from cudaMalloc for a
// rounded size (upstream get_allocation_size), by default.
func SegmentSize(rounded int64) int64 { return new(Settings).SegmentSize(rounded) }

// SegmentSize returns the size in bytes of the segment requested from cudaMalloc for a
// rounded size under these settings.
func (s *Settings) SegmentSize(rounded int64) int64 {
	switch {
	case rounded <= smallSize:
		return smallBuffer
	case rounded < minLargeAlloc:
		return s.largeSegment()
	}
	return roundUp(rounded, roundLarge)
}

// PageSize returns the size in bytes of the pages of expandable segments of a size class.
func (s *Settings) PageSize(class snapshot.SizeClass) int64 {
	if class == snapshot.SizeClassSmall {
		return smallBuffer
	}
	return s.largeSegment()
}

// divisions returns the number of steps between two powers of two that n is rounded to; 0
// or 1 means none.
func (s *Settings) divisions(n int64) int64 {
	interval := floorLog2(n) - floorLog2(mib)
	return s.RoundUpPower2Divisions[min(max(interval, 0), powerOfTwoIntervals-1)]
}

// roundUpToDivision rounds n up to a multiple of the largest power of two below
// it, cut into that many divisions.
func roundUpToDivision(n, divisions int64) int64 {
	floor := int64(1) << floorLog2(n)
	if n == floor {
		return n
	}
	return roundUp(n, floor>>floorLog2(divisions))
}

// roundUp rounds n up to a multiple of unit, a positive number.
func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

// roundDown rounds n down to a multiple of unit, a positive number.
func roundDown(n, unit int64) int64 { return n / unit * unit }

func floorLog2(n int64) int { return bits.Len64(uint64(n)) - 1 }
