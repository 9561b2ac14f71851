package allocator

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// ParseSettings reads the text of PYTORCH_CUDA_ALLOC_CONF, such as
// "expandable_segments:True,max_split_size_mb:128". Options that do not change where
// blocks go are accepted and ignored. The error names the option that is wrong.
func ParseSettings(conf string) (Settings, error) {
	var s Settings
	for _, option := range splitOptions(strings.ReplaceAll(conf, " ", "")) {
		name, value, found := strings.Cut(option, ":")
		if !found {
			return Settings{}, fmt.Errorf("option %q has no value", option)
		}
		if err := s.set(name, value); err != nil {
			return Settings{}, fmt.Errorf("option %s: %w", name, err)
		}
	}
	return s, nil
}

// splitOptions cuts at the commas that are not in brackets. Empty options do not count.
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

// ErrUnknownOption says that PyTorch has no option of that name.
var ErrUnknownOption = errors.New("unknown")

// Options are the names of the options that [ParseSettings] reads and that
// decide where a block goes.
func Options() []string {
	return []string{
		"expandable_segments", "max_split_size_mb", "max_non_split_rounding_mb", "garbage_collection_threshold",
		"roundup_power2_divisions", "large_segment_size_mb",
	}
}

func (s *Settings) set(name, value string) (err error) {
	switch name {
	case "expandable_segments":
		s.Expandable, err = parseBool(value)
	case "max_split_size_mb":
		s.MaxSplitSize, err = parseOversizeMiB(value)
	case "max_non_split_rounding_mb":
		s.MaxNonSplitRounding, err = parseOversizeMiB(value)
	case "garbage_collection_threshold":
		s.GCThreshold, err = parseThreshold(value)
	case "roundup_power2_divisions":
		s.RoundUpPower2Divisions, err = parseDivisions(value)
	case "large_segment_size_mb":
		s.LargeSegmentSize, err = parseLargeSegment(value)
	case "backend":
		if value != "native" {
			err = fmt.Errorf("%q is not the native allocator", value)
		}
	case "release_lock_on_cudamalloc", "graph_capture_record_stream_reuse",
		"pinned_use_cuda_host_register", "pinned_num_register_threads", "pinned_use_background_threads":
		// about locks, captures of later versions and host memory
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

// parseOversizeMiB reads a number of MiB above 20 as bytes.
func parseOversizeMiB(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", value)
	}
	if n <= largeBuffer/mib {
		return 0, fmt.Errorf("%d MiB is not more than %d", n, largeBuffer/mib)
	}
	return min(n, maxRequest/mib) * mib, nil
}

// parseLargeSegment reads a number of MiB, at least that of a small segment, as bytes.
func parseLargeSegment(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", value)
	}
	if n < minLargeAlloc/mib || n > maxLargeSegment/mib || n%2 != 0 {
		return 0, fmt.Errorf("%d MiB is not an even number from %d to %d", n, minLargeAlloc/mib, maxLargeSegment/mib)
	}
	return n * mib, nil
}

func parseThreshold(value string) (float64, error) {
	t, err := strconv.ParseFloat(value, 64)
	if err != nil || !(t > 0 && t < 1) {
		return 0, fmt.Errorf("%q is not a number between 0 and 1", value)
	}
	return t, nil
}

// parseDivisions reads one number for all sizes, or a list such as
// [256:1,512:2,1024:4,>:8] whose keys are powers of two in MiB. The first key's
// value also serves smaller sizes; that of ">" the key before it and larger sizes.
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
