package layout

import (
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Settings are the allocator's settings as the file gives them: those in force
// when it was written, which says nothing of changes before.
type Settings struct {
	allocator.Settings // what decides where a block goes; the defaults for what the file does not say

	Known bool   // the file has allocator settings; torch writes them from 2.3 on
	Conf  string // text of PYTORCH_CUDA_ALLOC_CONF, or of the newer PYTORCH_ALLOC_CONF

	// ConfProblem is why Conf cannot be read, as [allocator.ParseSettings] says
	// it; "" when it can. It quotes Conf, so it is untrusted too.
	ConfProblem string
}

// settingConf are the keys under which the variable's text is written.
var settingConf = []string{"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}

// npuBuild is how torch_npu differs from torch.
var npuBuild = allocator.Build{Padding: 32, Alignment: 16 << 10}

// SettingsOf reads allocator_settings. The text of the variable comes first and
// gives what has no key of its own; the keys overrule it, because they are what
// the allocator made of it. A file without settings shows by its segments and
// events whether they were expandable.
func SettingsOf(s *snapshot.Snapshot) *Settings {
	t := &Settings{Known: len(s.Settings) > 0}
	for _, item := range s.Settings {
		for _, key := range settingConf {
			if item.Key == key && item.Value != "" {
				t.readConf(item.Value)
			}
		}
	}
	expandable := false
	for _, item := range s.Settings {
		if item.Key == "expandable_segments" {
			expandable = true
		}
		t.read(item)
	}
	if !expandable && t.Conf == "" {
		t.Expandable = hasExpandable(s)
	}
	if s.Format.PoolBeforeType && !s.Format.HasSettings {
		t.Build = npuBuild
	}
	return t
}

func (t *Settings) readConf(text string) {
	t.Conf = text
	settings, err := allocator.ParseSettings(text)
	if err != nil {
		t.ConfProblem = err.Error()
		return
	}
	t.Settings = settings
}

// read takes a leaf of allocator_settings; a value that cannot be is passed over.
func (t *Settings) read(item snapshot.Setting) {
	switch item.Key {
	case "expandable_segments":
		if on, err := strconv.ParseBool(item.Value); err == nil {
			t.Expandable = on
		}
	case "max_split_size":
		if n, err := strconv.ParseInt(item.Value, 10, 64); err == nil {
			t.MaxSplitSize = max(n, 0) // -1 is off
		}
	case "garbage_collection_threshold":
		if x, err := strconv.ParseFloat(item.Value, 64); err == nil && x >= 0 && x < 1 {
			t.GCThreshold = x
		}
	default:
		if bound, is := strings.CutPrefix(item.Key, "roundup_power2_divisions."); is {
			t.readDivisions(bound, item.Value)
		}
	}
}

// readDivisions takes an entry of the table of roundup_power2_divisions, whose
// keys are powers of two in MiB.
func (t *Settings) readDivisions(bound, value string) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 || n&(n-1) != 0 {
		return
	}
	for i := range t.RoundUpPower2Divisions {
		if bound == strconv.Itoa(1<<i) {
			t.RoundUpPower2Divisions[i] = n
		}
	}
}

// BlockSize is the size that a request is rounded to.
func (t *Settings) BlockSize(requested int64) int64 { return t.RoundSize(requested) }

// nonSplitRounding is how much larger than its request a block may be that
// max_split_size keeps whole, unless max_non_split_rounding_mb says otherwise.
const nonSplitRounding = 20 << 20

// UnsplitLimit is how many bytes more than a rounded request a large block may
// have, because the allocator does not split them off.
func (t *Settings) UnsplitLimit(rounded int64) int64 {
	switch {
	case t.Expandable:
		return 0
	case t.MaxSplitSize <= 0 || rounded < t.MaxSplitSize:
		return smallSize
	case t.MaxNonSplitRounding > 0:
		return t.MaxNonSplitRounding
	}
	return nonSplitRounding
}

// Rounds reports whether requests are rounded to parts of powers of two.
func (t *Settings) Rounds() bool {
	for _, n := range t.RoundUpPower2Divisions {
		if n > 1 {
			return true
		}
	}
	return false
}

// hasExpandable reports whether a file shows expandable segments.
func hasExpandable(s *snapshot.Snapshot) bool {
	for i := range s.Segments {
		if s.Segments[i].Expandable {
			return true
		}
	}
	for i := range s.Traces {
		for _, action := range s.Traces[i].Events.Action {
			if action == snapshot.SegmentMap || action == snapshot.SegmentUnmap {
				return true
			}
		}
	}
	return false
}
