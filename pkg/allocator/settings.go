package allocator

import "math"

// powerOfTwoIntervals is the length of the table of divisions: one entry for
// each power of two from 1 MiB to 32 GiB (upstream kRoundUpPowerOfTwoIntervals).
const powerOfTwoIntervals = 16

// Settings are the options of PYTORCH_CUDA_ALLOC_CONF that decide where a block goes.
// The zero value is PyTorch's default. [ParseSettings] reads the variable's text.
type Settings struct {
	// Expandable makes segments grow by mapping pages: expandable_segments.
	Expandable bool

	// MaxSplitSize is the size in bytes from which blocks are never split,
	// and serve only requests of that size: max_split_size_mb. 0 or less means no limit.
	MaxSplitSize int64

	// MaxNonSplitRounding is how many bytes larger than the request such a block
	// may be: max_non_split_rounding_mb. 0 means 20 MiB.
	MaxNonSplitRounding int64

	// GCThreshold is the part of the allowed memory that may be reserved before
	// blocks long unused are released: garbage_collection_threshold. 0 means never.
	// It has no effect before [Allocator.SetMemoryFraction].
	GCThreshold float64

	// RoundUpPower2Divisions is the number of steps between two powers of two
	// that requests are rounded to, by size: entry i is for 2^i MiB up to
	// 2^(i+1) MiB, the first one also for less and the last one also for more:
	// roundup_power2_divisions. 0 and 1 mean no such rounding; other values are powers of two.
	RoundUpPower2Divisions [powerOfTwoIntervals]int64

	// LargeSegmentSize is the size in bytes of the segments for requests from 1 to
	// 10 MiB, and of the pages of large expandable segments:
	// large_segment_size_mb, from torch 2.10 on. 0 means 20 MiB.
	LargeSegmentSize int64

	// Build is what no option changes: how the allocator itself was built.
	Build Build
}

// Build is where versions of the allocator differ in the addresses they hand
// out. The zero value is torch 2.4 to 2.11 on CUDA.
type Build struct {
	// OneDivisionKeepsSize: up to torch 2.3, one division of a power of two did not
	// mean none, but that sizes above 512 bytes are not rounded at all.
	OneDivisionKeepsSize bool

	// Padding is how many bytes are added to a request before it is rounded: 32 in
	// torch_npu.
	Padding int64

	// Alignment is what the address of a block of 2 MiB or more in an expandable
	// segment is a multiple of, if that leaves room for the request: 16 KiB in
	// torch_npu. 0 means any address.
	Alignment uint64
}

// splitLimit is MaxSplitSize, or a size that no block reaches.
func (s *Settings) splitLimit() int64 {
	if s.MaxSplitSize <= 0 {
		return math.MaxInt64
	}
	return s.MaxSplitSize
}

// largeSegment is LargeSegmentSize or its default.
func (s *Settings) largeSegment() int64 {
	if s.LargeSegmentSize == 0 {
		return largeBuffer
	}
	return s.LargeSegmentSize
}

// nonSplitRounding is MaxNonSplitRounding or its default.
func (s *Settings) nonSplitRounding() int64 {
	if s.MaxNonSplitRounding == 0 {
		return largeBuffer
	}
	return s.MaxNonSplitRounding
}
