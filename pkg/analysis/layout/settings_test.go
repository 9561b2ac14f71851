package layout_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

func TestSettingsOf(t *testing.T) {
	type leaf = snapshot.Setting
	divisions := func(from int, n int64) (s allocator.Settings) {
		for i := from; i < len(s.RoundUpPower2Divisions); i++ {
			s.RoundUpPower2Divisions[i] = n
		}
		return s
	}
	oneDivision := allocator.Settings{}
	oneDivision.RoundUpPower2Divisions[0] = 1
	tests := []struct {
		name    string
		leaves  []leaf
		want    allocator.Settings
		problem bool
	}{
		{"nothing", nil, allocator.Settings{}, false},
		{"the defaults, as torch writes them", []leaf{
			{Key: "PYTORCH_CUDA_ALLOC_CONF", Value: ""}, {Key: "expandable_segments", Value: "false"},
			{Key: "garbage_collection_threshold", Value: "0"},
			{Key: "max_split_size", Value: "-1"}, {Key: "roundup_power2_divisions.1", Value: "0"},
		}, allocator.Settings{}, false},
		{"keys alone", []leaf{
			{Key: "expandable_segments", Value: "true"}, {Key: "garbage_collection_threshold", Value: "0.8"},
			{Key: "max_split_size", Value: "134217728"},
		}, allocator.Settings{Expandable: true, GCThreshold: 0.8, MaxSplitSize: 128 * mib}, false},
		{"the text alone", []leaf{{Key: "PYTORCH_CUDA_ALLOC_CONF",
			Value: "max_split_size_mb:64,max_non_split_rounding_mb:30"}},
			allocator.Settings{MaxSplitSize: 64 * mib, MaxNonSplitRounding: 30 * mib}, false},
		{"keys overrule the text", []leaf{{Key: "PYTORCH_ALLOC_CONF", Value: "expandable_segments:True"},
			{Key: "expandable_segments", Value: "false"}},
			allocator.Settings{}, false},
		{"as they were when the file was written", []leaf{
			{Key: "PYTORCH_CUDA_ALLOC_CONF", Value: "garbage_collection_threshold:0.8"},
			{Key: "garbage_collection_threshold", Value: "0"},
		}, allocator.Settings{}, false},
		{"an impossible key leaves the text", []leaf{
			{Key: "PYTORCH_CUDA_ALLOC_CONF", Value: "garbage_collection_threshold:0.8"},
			{Key: "garbage_collection_threshold", Value: "1"},
		}, allocator.Settings{GCThreshold: 0.8}, false},
		{"divisions", []leaf{{Key: "roundup_power2_divisions.32768", Value: "8"},
			{Key: "roundup_power2_divisions.16384", Value: "8"}, {Key: "roundup_power2_divisions.3", Value: "4"}},
			divisions(14, 8), false},
		{"one division", []leaf{{Key: "roundup_power2_divisions.1", Value: "1"}}, oneDivision, false},
		{"an option of a later version leaves the others", []leaf{{Key: "PYTORCH_CUDA_ALLOC_CONF",
			Value: "brand_new:7,max_split_size_mb:256,roundup_power2_divisions:3,expandable_segments:True"}},
			allocator.Settings{Expandable: true, MaxSplitSize: 256 << 20}, true},
		{"a fraction is no setting of blocks", []leaf{{Key: "PYTORCH_ALLOC_CONF",
			Value: "per_process_memory_fraction:0.5,expandable_segments:True"}},
			allocator.Settings{Expandable: true}, false},
		{"nonsense", []leaf{
			{Key: "PYTORCH_CUDA_ALLOC_CONF", Value: "<script>"}, {Key: "expandable_segments", Value: "yes"},
			{Key: "garbage_collection_threshold", Value: "NaN"},
			{Key: "max_split_size", Value: "9e9"}, {Key: "roundup_power2_divisions.1", Value: "-4"},
			{Key: "roundup_power2_divisions.2", Value: "3"},
		}, allocator.Settings{}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := snapshot.NewComposer(snapshot.Format{})
			for _, x := range test.leaves {
				c.Setting(x.Key, x.Value)
			}
			got := layout.SettingsOf(c.Snapshot())
			if got.Settings != test.want || got.Known != (test.leaves != nil) ||
				(len(got.Skipped) > 0) != test.problem {
				t.Errorf("%+v, want %+v", got, test.want)
			}
			if fraction := 0.5; (got.MemoryFraction == fraction) != strings.Contains(got.Conf, "fraction") {
				t.Errorf("fraction %v of %q", got.MemoryFraction, got.Conf)
			}
			if rounds := test.name == "divisions"; got.Rounds() != rounds {
				t.Errorf("rounds to parts of powers of two: %v, want %v", got.Rounds(), rounds)
			}
		})
	}
}

// TestSettingsUnknown takes what a file without settings shows.
func TestSettingsUnknown(t *testing.T) {
	mapped := snapshot.NewComposer(snapshot.Format{})
	mapped.Event(0, snapshot.EventText{Action: snapshot.SegmentMap, Addr: 1 << 30, Size: 20 * mib})
	held := snapshot.NewComposer(snapshot.Format{})
	held.Segment(snapshot.Segment{Address: 1 << 30, TotalSize: 20 * mib, Expandable: true})
	for name, c := range map[string]*snapshot.Composer{"map event": mapped, "segment": held} {
		if s := layout.SettingsOf(c.Snapshot()); !s.Expandable || s.Known {
			t.Errorf("%s: %+v", name, s)
		}
	}
	// The key says what holds; another key says nothing about it.
	for key, want := range map[string]bool{"expandable_segments": false, "max_split_size": true} {
		c := snapshot.NewComposer(snapshot.Format{})
		c.Segment(snapshot.Segment{Address: 1 << 30, TotalSize: 20 * mib, Expandable: true})
		c.Setting(key, "0")
		if s := layout.SettingsOf(c.Snapshot()); s.Expandable != want {
			t.Errorf("an expandable segment, and %s is 0: expandable %v, want %v", key, s.Expandable, want)
		}
	}
	npu := layout.SettingsOf(snapshot.NewComposer(snapshot.Format{PoolBeforeType: true}).Snapshot())
	if got := npu.RoundSize(1 << 20); got != 1<<20+512 {
		t.Errorf("torch_npu rounds 1 MiB to %d bytes", got)
	}
}

// TestReserves: what an expandable segment may reserve, as torch's own tests have it for a device of 100 GiB.
func TestReserves(t *testing.T) {
	const gib = 1 << 30
	for conf, want := range map[string]map[string]int64{
		"expandable_segments_reserve:0.5":   {"": 50 * gib},
		"expandable_segments_reserve:40G":   {"": 40 * gib},
		"expandable_segments_reserve:1.5g":  {"": gib * 3 / 2},
		"expandable_segments_reserve:1e20G": {"": 1 << 60},
		"expandable_segments_reserve:0.9, expandable_segments_reserve_by_class:[serving:0.25, ads_sparse:8G]": {
			"": 90 * gib, "serving": 25 * gib, "ads_sparse": 8 * gib},
		"expandable_segments_reserve_by_class:[serving:0.25,bad:12X]": {"serving": 25 * gib},
		"expandable_segments_reserve:abc":                             {},
		"expandable_segments_reserve:G":                               {},
		"expandable_segments_reserve:4GG":                             {},
		"expandable_segments_reserve:-1":                              {},
		"expandable_segments_reserve:0":                               {},
		"expandable_segments_reserve:inf":                             {},
		"expandable_segments:True":                                    {},
	} {
		c := snapshot.NewComposer(snapshot.Format{})
		c.Setting("PYTORCH_CUDA_ALLOC_CONF", conf)
		settings := layout.SettingsOf(c.Snapshot())
		got := map[string]int64{}
		for _, r := range settings.Reserves {
			got[r.Class] = r.Of(100*gib, 1)
		}
		if !maps.Equal(got, want) || len(settings.Skipped) > 0 {
			t.Errorf("%s: %v, want %v; skipped %v", conf, got, want, settings.Skipped)
		}
	}
}
