package layout

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Settings are the allocator's settings in the file: those in effect when it was written.
// Earlier changes are not recorded.
type Settings struct {
	allocator.Settings // defaults unless in the file

	Known bool   // the file has allocator settings; torch writes them from 2.3 on
	Conf  string // text of the environment variable; untrusted

	// ExpandableIgnored: the settings ask for expandable segments, and this device makes
	// none.
	ExpandableIgnored bool

	variable string // "" for PYTORCH_CUDA_ALLOC_CONF

	// Skipped lists the options of Conf that were not understood, and why. It quotes
	// Conf, so it is untrusted too.
	Skipped []string
	// MemoryFraction is the share of the device that Conf allows PyTorch; 0 if not set
	// there. No file records a call of set_per_process_memory_fraction.
	MemoryFraction float64
	// Reserves limit the address space of expandable segments, and so requests.
	Reserves []allocator.Reserve
}

// settingConf are the keys of the variable's text.
var settingConf = []string{"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", npuVariable, "PYTORCH_ALLOC_CONF"}

const npuVariable = "PYTORCH_NPU_ALLOC_CONF"

// maxSkipped bounds the options listed in Skipped.
const maxSkipped = 10

// npuBuild is how torch_npu differs from torch.
var npuBuild = allocator.Build{Padding: 32, Alignment: 16 << 10}

// SettingsOf reads allocator_settings: first the text of the variable, for settings
// without a key of their own, and then the keys, which are what the allocator parsed from
// it. Without settings in the file, its segments and events show whether segments were
// expandable.
func SettingsOf(s *snapshot.Snapshot) *Settings {
	t := &Settings{Known: len(s.Settings) > 0}
	switch s.Backend() {
	case snapshot.XPU:
		t.variable = "PYTORCH_ALLOC_CONF"
	case snapshot.NPU:
		t.variable, t.Build = npuVariable, npuBuild
	}
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
	return t
}

// Variable returns the environment variable that sets Conf on this kind of device.
func (t *Settings) Variable() string { return cmp.Or(t.variable, settingConf[0]) }

// Of returns the settings in effect on one device. On some, segments cannot be expandable
// whatever the settings say: there cudaMalloc makes every one. Settings of host memory are not
// read.
func (t *Settings) Of(s *snapshot.Snapshot, d *replay.Device) *Settings {
	if d.ID == snapshot.Pinned {
		return &Settings{variable: t.variable}
	}
	if !t.Expandable || !onlyMalloc(s, d) {
		return t
	}
	of := *t
	of.Expandable, of.ExpandableIgnored = false, true
	return &of
}

// onlyMalloc reports whether a device has segments, and none of them is expandable.
func onlyMalloc(s *snapshot.Snapshot, d *replay.Device) bool {
	segments := s.SegmentsOf(d.ID)
	if slices.ContainsFunc(segments, func(seg snapshot.Segment) bool { return seg.Expandable }) {
		return false
	}
	for _, c := range d.Reserved {
		switch d.Events.Action[c.Event] {
		case snapshot.SegmentMap, snapshot.SegmentUnmap:
			return false
		}
	}
	return len(segments) > 0 || len(d.Reserved) > 0
}

func (t *Settings) readConf(text string) {
	t.Conf = text
	settings, skipped := allocator.ReadSettings(text)
	t.Settings, t.Skipped = settings, nil
	for _, err := range skipped[:min(len(skipped), maxSkipped)] {
		t.Skipped = append(t.Skipped, err.Error())
	}
	t.Reserves = allocator.Reserves(text)
	t.MemoryFraction, _ = allocator.ParseFraction(allocator.Option(text, allocator.OptionFraction)) // 0 if there is none
}

// read takes one entry of allocator_settings and ignores impossible values.
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

// unsplitLimit returns by how many bytes a large block may exceed a rounded request,
// because the allocator does not split them off.
func (t *Settings) unsplitLimit(rounded int64) int64 {
	switch {
	case t.Expandable:
		return 0
	case t.MaxSplitSize <= 0 || rounded < t.MaxSplitSize:
		return smallSize
	}
	return t.NonSplitRounding()
}

// Rounds reports whether requests are rounded to fractions of powers of two.
func (t *Settings) Rounds() bool {
	for _, n := range t.RoundUpPower2Divisions {
		if n > 1 {
			return true
		}
	}
	return false
}

// MayExceedReserve reports whether a request may need more addresses than an expandable
// segment has, on a device with at least the given memory.
func (t *Settings) MayExceedReserve(size, memory int64) bool {
	return t.Expandable && slices.ContainsFunc(t.Reserves, func(r allocator.Reserve) bool {
		return size > r.Of(memory, t.PageSize(SizeClassOf(size)))
	})
}

// ReserveUnknown reports whether the address space of expandable segments is limited in a way
// that the file alone does not show, and that is not in SegmentReserve.
func (t *Settings) ReserveUnknown() bool {
	return t.Expandable && slices.ContainsFunc(t.Reserves, func(r allocator.Reserve) bool {
		return r.Class != "" || r.Bytes == 0
	})
}

// hasExpandable reports whether a snapshot has expandable segments.
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
