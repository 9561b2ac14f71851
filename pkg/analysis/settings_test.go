package analysis

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
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
		{"divisions", []leaf{{Key: "roundup_power2_divisions.32768", Value: "8"},
			{Key: "roundup_power2_divisions.16384", Value: "8"}, {Key: "roundup_power2_divisions.3", Value: "4"}},
			divisions(14, 8), false},
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
			got := SettingsOf(c.Snapshot())
			if got.Settings != test.want || got.Known != (test.leaves != nil) ||
				(got.ConfProblem != "") != test.problem {
				t.Errorf("%+v, want %+v", got, test.want)
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
		if s := SettingsOf(c.Snapshot()); !s.Expandable || s.Known {
			t.Errorf("%s: %+v", name, s)
		}
	}
	npu := SettingsOf(snapshot.NewComposer(snapshot.Format{PoolBeforeType: true}).Snapshot())
	if got := npu.BlockSize(1 << 20); got != 1<<20+512 {
		t.Errorf("torch_npu rounds 1 MiB to %d bytes", got)
	}
}

func TestAdvice(t *testing.T) {
	off, on := &Settings{}, &Settings{Settings: allocator.Settings{Expandable: true}}
	rounding := &Settings{}
	rounding.RoundUpPower2Divisions[5] = 4
	fraction := &Settings{Settings: allocator.Settings{GCThreshold: 0.8}}
	tests := []struct {
		name     string
		oom      OOM
		settings *Settings
		want     []AdviceKind
	}{
		{"pressure", OOM{Requested: 2 * gib, Active: 15 * gib, Reserved: 16 * gib, WouldFit: WouldFit{Never: true}},
			off, []AdviceKind{AdviseLess}},
		{"fragmented", OOM{Verdict: OOMFragmented, WouldFit: WouldFit{WithExpandable: true, MaxSplit: 64 * mib}}, off,
			[]AdviceKind{AdviseExpandable, AdviseMaxSplit}},
		{"fragmented in pieces smaller than a page", OOM{Verdict: OOMFragmented}, off, nil},
		{"fragmented although expandable", OOM{Verdict: OOMFragmented}, on, nil},
		{"limit", OOM{Verdict: OOMLimit, WouldFit: WouldFit{Never: true}}, off, []AdviceKind{AdviseFraction}},
		{"outside", OOM{Verdict: OOMOutside, WouldFit: WouldFit{Never: true}}, off,
			[]AdviceKind{AdviseOutside, AdviseLess}},
		{"other", OOM{Verdict: OOMOther}, off, []AdviceKind{AdviseStream}},
		{"rounding took what was missing", OOM{
			Active: 10 * gib, WouldFit: WouldFit{Never: true, Missing: gib},
			Fragmentation: Fragmentation{Rounding: 2 * gib},
		}, rounding, []AdviceKind{AdviseLessRounding, AdviseLess}},
		{"rounding took less", OOM{
			Active: 10 * gib, WouldFit: WouldFit{Never: true, Missing: 3 * gib},
			Fragmentation: Fragmentation{Rounding: 2 * gib},
		}, rounding, []AdviceKind{AdviseLess}},
	}
	for _, test := range tests {
		checkAdvice(t, test.name, test.oom.Advise(test.settings), test.want)
	}
	states := []struct {
		name     string
		f        Fragmentation
		settings *Settings
		want     []AdviceKind
	}{
		{"nothing to improve", Fragmentation{Reserved: 10 * gib}, off, nil},
		{"fragmentation", Fragmentation{Reserved: 10 * gib, Bytes: 2 * gib}, off, []AdviceKind{AdviseExpandable}},
		{"fragmentation within pages", Fragmentation{Reserved: 10 * gib, Bytes: 2 * gib}, on, nil},
		{"rounding", Fragmentation{Reserved: 10 * gib, Rounding: gib}, rounding, []AdviceKind{AdviseLessRounding}},
		{"idle memory", Fragmentation{Reserved: 10 * gib, Returnable: 2 * gib}, off, []AdviceKind{AdviseThreshold}},
		{"mostly idle memory", Fragmentation{Reserved: 10 * gib, Returnable: 6 * gib}, off,
			[]AdviceKind{AdviseExpandable, AdviseThreshold}},
		{"mostly idle although expandable", Fragmentation{Reserved: 10 * gib, Returnable: 6 * gib}, on, nil},
		{"a threshold", Fragmentation{Reserved: 10 * gib, Returnable: 2 * gib}, fraction,
			[]AdviceKind{AdviseThresholdIdle}},
		{"a small program", Fragmentation{Reserved: 100 * mib, Bytes: 50 * mib, Returnable: 20 * mib}, off, nil},
	}
	for _, test := range states {
		checkAdvice(t, test.name, AdviseOn(&test.f, test.settings), test.want)
	}
}

func checkAdvice(t *testing.T, name string, got []Advice, want []AdviceKind) {
	t.Helper()
	same := len(got) == len(want)
	for i := range got {
		same = same && got[i].Kind == want[i]
	}
	if !same {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}
