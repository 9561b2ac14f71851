package allocator

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// powerOfTwoIntervals is the length of the table of divisions: one entry for
// each power of two from 1 MiB to 32 GiB (upstream kRoundUpPowerOfTwoIntervals).
const powerOfTwoIntervals = 16

// Settings are the options of PYTORCH_CUDA_ALLOC_CONF that decide where a block goes.
// The zero value is PyTorch's default. [ParseSettings] reads the variable's text.
type Settings struct {
	// Expandable makes segments grow by mapping pages: expandable_segments.
	Expandable bool

	// MaxSplitSize: blocks of this size in bytes or more are never split, and serve only
	// requests of this size or more: max_split_size_mb. 0 or less means no limit.
	MaxSplitSize int64

	// MaxNonSplitRounding is how many bytes larger than the request such a block
	// may be: max_non_split_rounding_mb. 0 means LargeSegmentSize.
	MaxNonSplitRounding int64

	// GCThreshold is the fraction of the allowed memory that may be reserved before
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
	// large_segment_size_mb, from torch 2.11 on. 0 means 20 MiB.
	LargeSegmentSize int64

	// RejectAtLimit: a request that exceeds the memory fraction fails at once, without
	// releasing cached memory first: throw_on_cudamalloc_oom, from torch 2.12 on.
	// It has no effect before [Allocator.SetMemoryFraction].
	RejectAtLimit bool

	// SegmentReserve is the address space of an expandable segment in bytes, which no request
	// may exceed: expandable_segments_reserve, if given as a size, not as a share of the
	// device's memory. 0 means an eighth more than the device has.
	SegmentReserve int64

	// Build is the version of the allocator itself; no option changes it.
	Build Build
}

// Build are the differences between versions of the allocator that change addresses. The
// zero value is torch 2.4 to 2.11 on CUDA.
type Build struct {
	// OneDivisionKeepsSize: one division of a power of two means that sizes above 512
	// bytes are not rounded at all, as up to torch 2.3; later it means no divisions.
	OneDivisionKeepsSize bool

	// Padding is how many bytes are added to a request before it is rounded: 32 in
	// torch_npu.
	Padding int64

	// Alignment is the alignment of the address of a block of 2 MiB or more in an
	// expandable segment, if that leaves room for the request: 16 KiB in torch_npu. 0
	// means any address.
	Alignment uint64
}

// splitLimit returns MaxSplitSize, or a size that no block reaches.
func (s *Settings) splitLimit() int64 {
	if s.MaxSplitSize <= 0 {
		return math.MaxInt64
	}
	return s.MaxSplitSize
}

// largeSegment returns LargeSegmentSize or its default.
func (s *Settings) largeSegment() int64 {
	if s.LargeSegmentSize == 0 {
		return largeBuffer
	}
	return s.LargeSegmentSize
}

// NonSplitRounding returns MaxNonSplitRounding in bytes, or its default.
func (s *Settings) NonSplitRounding() int64 {
	if s.MaxNonSplitRounding == 0 {
		return s.largeSegment()
	}
	return s.MaxNonSplitRounding
}

// ParseSettings reads the text of PYTORCH_CUDA_ALLOC_CONF, such as
// "expandable_segments:True,max_split_size_mb:128". Options that do not change where
// blocks go are accepted and ignored. The error names the invalid option.
func ParseSettings(conf string) (Settings, error) {
	s, skipped := ReadSettings(conf)
	if len(skipped) > 0 {
		return Settings{}, skipped[0]
	}
	return s, nil
}

// ReadSettings reads a text that some version of PyTorch has accepted, as far as
// this package understands it. An error names each option that it skipped.
func ReadSettings(conf string) (s Settings, skipped []error) {
	options := splitOptions(strings.ReplaceAll(conf, " ", ""))
	slices.SortStableFunc(options, func(a, b string) int { return readingRank(a) - readingRank(b) })
	for _, option := range options {
		name, value, found := strings.Cut(option, ":")
		if !found {
			skipped = append(skipped, fmt.Errorf("option %q has no value", option))
			continue
		}
		with := s
		if err := with.set(name, value); err != nil {
			skipped = append(skipped, fmt.Errorf("option %s: %w", name, err))
			continue
		}
		s = with
	}
	return s, skipped
}

// readingRank orders options as PyTorch reads them: the size of large segments first,
// because it is a lower bound for others.
func readingRank(option string) int {
	if strings.HasPrefix(option, optionLargeSegment+":") {
		return 0
	}
	return 1
}

// Option returns the last value of an option in the text of PYTORCH_CUDA_ALLOC_CONF; ""
// without it.
func Option(conf, option string) (value string) {
	for _, text := range splitOptions(strings.ReplaceAll(conf, " ", "")) {
		if name, v, _ := strings.Cut(text, ":"); name == option {
			value = v
		}
	}
	return value
}

// splitOptions splits at the commas that are not in brackets. Empty options are dropped.
func splitOptions(conf string) []string {
	depth := 0
	return strings.FieldsFunc(conf, func(r rune) bool {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		}
		return r == ',' && depth == 0
	})
}

// ErrUnknownOption means that PyTorch has no option of that name.
var ErrUnknownOption = errors.New("unknown")

// Options returns the names of the options that [ParseSettings] reads and that decide
// where a block goes.
func Options() []string {
	return []string{
		"expandable_segments", "max_split_size_mb", "max_non_split_rounding_mb", "garbage_collection_threshold",
		"roundup_power2_divisions", optionLargeSegment, "throw_on_cudamalloc_oom", OptionReserve,
	}
}

// otherOptions are options that do not change where a block goes: they are about locks,
// captures, the address space of expandable segments, and pinned host memory.
var otherOptions = map[string]bool{
	"release_lock_on_cudamalloc": true, "release_lock_on_hipmalloc": true, "graph_capture_record_stream_reuse": true,
	optionReserveByClass:            true,
	"pinned_use_cuda_host_register": true, "pinned_use_hip_host_register": true, "pinned_num_register_threads": true,
	"pinned_use_background_threads": true, "pinned_reserve_segment_size_mb": true, "pinned_free_catch_all": true,
	"pinned_max_round_threshold_mb": true, "pinned_max_cached_size_mb": true,
	"pinned_max_round_size_mb": true, // the name in builds before torch 2.13

	// torch_npu
	"pin_memory_expandable_segments": true, "multi_stream_lazy_reclaim": true,
}

// RejectOptions are the names of the option for Settings.RejectAtLimit: torch's on CUDA and on ROCm, torch_npu's.
var RejectOptions = [...]string{"throw_on_cudamalloc_oom", "throw_on_hipmalloc_oom", "throw_on_npumalloc_oom"}

const optionLargeSegment = "large_segment_size_mb"

func (s *Settings) set(name, value string) (err error) {
	if otherOptions[name] {
		return nil
	}
	switch name {
	case "expandable_segments":
		s.Expandable, err = parseBool(value)
	case "max_split_size_mb":
		s.MaxSplitSize, err = s.parseOversizeMiB(value)
	case "max_non_split_rounding_mb":
		s.MaxNonSplitRounding, err = s.parseOversizeMiB(value)
	case "garbage_collection_threshold":
		s.GCThreshold, err = parseThreshold(value)
	case "roundup_power2_divisions":
		s.RoundUpPower2Divisions, err = parseDivisions(value)
	case optionLargeSegment:
		s.LargeSegmentSize, err = parseLargeSegment(value)
	case OptionReserve:
		if r, ok := parseReserve(value); ok { // torch ignores what it does not understand
			s.SegmentReserve = r.Bytes
		}
	case RejectOptions[0], RejectOptions[1], RejectOptions[2]:
		s.RejectAtLimit, err = parseBool(value)
	case "backend":
		if value != "native" {
			err = fmt.Errorf("%q is not the native allocator", value)
		}
	case OptionFraction:
		_, err = ParseFraction(value) // a limit, which belongs to the device
	default:
		err = ErrUnknownOption
	}
	return err
}

func parseBool(value string) (bool, error) {
	switch value {
	case "True":
		return true, nil
	case "False":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither True nor False", value)
}

// parseOversizeMiB reads a number of MiB, at least a large segment's, as bytes.
func (s *Settings) parseOversizeMiB(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", value)
	}
	if least := s.largeSegment() / mib; n < least {
		return 0, fmt.Errorf("%d MiB is less than %d", n, least)
	}
	return min(n, maxRequest/mib) * mib, nil
}

// parseLargeSegment reads a number of MiB, more than the largest request it serves, as bytes.
func parseLargeSegment(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", value)
	}
	if n <= minLargeAlloc/mib || n > maxLargeSegment/mib {
		return 0, fmt.Errorf("%d MiB is not above %d and up to %d", n, minLargeAlloc/mib, maxLargeSegment/mib)
	}
	return n * mib, nil
}

// OptionFraction is the option that does the same as
// torch.cuda.set_per_process_memory_fraction, from torch 2.10 on.
const OptionFraction = "per_process_memory_fraction"

// ParseFraction reads a share of the memory of a device, more than 0 and at most 1.
func ParseFraction(value string) (float64, error) {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || !(f > 0 && f <= 1) {
		return 0, fmt.Errorf("%q is not a share of 1", value)
	}
	return f, nil
}

func parseThreshold(value string) (float64, error) {
	t, err := strconv.ParseFloat(value, 64)
	if err != nil || !(t > 0 && t < 1) {
		return 0, fmt.Errorf("%q is not a number between 0 and 1", value)
	}
	return t, nil
}

// parseDivisions reads one number for all sizes, or a list such as
// [256:1,512:2,1024:4,>:8] whose keys are powers of two in MiB. The first key's value
// also serves smaller sizes; the value of ">" the key before it and larger sizes. Newer
// torch leaves the key before it unchanged: its files have the resulting table, which is
// read after the text.
func parseDivisions(value string) (table [powerOfTwoIntervals]int64, err error) {
	list, isList := strings.CutPrefix(value, "[")
	if !isList {
		n, err := parseDivision(value)
		fill(table[:], n)
		return table, err
	}
	list, closed := strings.CutSuffix(list, "]")
	if !closed {
		return table, fmt.Errorf("%q has no ]", value)
	}
	first, last := true, 0
	for item := range strings.SplitSeq(list, ",") {
		bound, division, _ := strings.Cut(item, ":")
		n, err := parseDivision(division)
		if err != nil {
			return table, err
		}
		if bound == ">" {
			fill(table[last:], n)
			continue
		}
		interval, err := parsePowerOfTwo(bound)
		if err != nil {
			return table, err
		}
		last = min(floorLog2(interval), powerOfTwoIntervals-1)
		table[last] = n
		if first {
			fill(table[:last], n)
			first = false
		}
	}
	return table, nil
}

// parseDivision reads 0 or a power of two.
func parseDivision(value string) (int64, error) {
	if value == "0" {
		return 0, nil
	}
	return parsePowerOfTwo(value)
}

func parsePowerOfTwo(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil || n <= 0 || bits.OnesCount64(uint64(n)) != 1 {
		return 0, fmt.Errorf("%q is not a power of two", value)
	}
	return n, nil
}

func fill(entries []int64, n int64) {
	for i := range entries {
		entries[i] = n
	}
}
