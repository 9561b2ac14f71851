package allocator

import (
	"strings"
	"testing"
)

func mustParse(t *testing.T, conf string) Settings {
	t.Helper()
	s, err := ParseSettings(conf)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParseSettings(t *testing.T) {
	tests := []struct {
		conf string
		want Settings
	}{
		{"", Settings{}},
		{"expandable_segments:False", Settings{}},
		{"backend:native, expandable_segments : True,", Settings{Expandable: true}},
		{"max_split_size_mb:128,garbage_collection_threshold:0.8", Settings{MaxSplitSize: 128 * mib, GCThreshold: 0.8}},
		{"max_split_size_mb:21,max_non_split_rounding_mb:40",
			Settings{MaxSplitSize: 21 * mib, MaxNonSplitRounding: 40 * mib}},
		{"max_split_size_mb:9223372036854775807", Settings{MaxSplitSize: maxRequest}},
		{"release_lock_on_cudamalloc:True,release_lock_on_hipmalloc:True", Settings{}},
		{"max_split_size_mb:20", Settings{MaxSplitSize: 20 * mib}},
		{"max_split_size_mb:12,large_segment_size_mb:12",
			Settings{MaxSplitSize: 12 * mib, LargeSegmentSize: 12 * mib}},
		{"large_segment_size_mb:25", Settings{LargeSegmentSize: 25 * mib}},
		{"throw_on_cudamalloc_oom:True,per_process_memory_fraction:0.5", Settings{RejectAtLimit: true}},
		{"throw_on_npumalloc_oom:True", Settings{RejectAtLimit: true}},
		{"expandable_segments_reserve_by_class:[serving:0.25,loading:40G],expandable_segments:True",
			Settings{Expandable: true}},
		{"expandable_segments_reserve:40G,pinned_use_hip_host_register:True,pinned_max_round_threshold_mb:64," +
			"pinned_max_cached_size_mb:1024,pinned_reserve_segment_size_mb:128,pinned_free_catch_all:True",
			Settings{SegmentReserve: 40 << 30}},
		{"expandable_segments_reserve:0.5", Settings{}},
		{"roundup_power2_divisions:4",
			Settings{RoundUpPower2Divisions: [16]int64{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}}},
		{"roundup_power2_divisions:[256:1,512:2,1024:4,>:8],expandable_segments:True", Settings{
			Expandable:             true,
			RoundUpPower2Divisions: [16]int64{1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 8, 8, 8, 8, 8, 8},
		}},
		{"roundup_power2_divisions:[1:4,64:8]", Settings{RoundUpPower2Divisions: [16]int64{0: 4, 6: 8}}},
		{"roundup_power2_divisions:[4:2,1073741824:16]", Settings{RoundUpPower2Divisions: [16]int64{2, 2, 2, 15: 16}}},
		{"roundup_power2_divisions:[>:2]",
			Settings{RoundUpPower2Divisions: [16]int64{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}}},
	}
	for _, test := range tests {
		got, err := ParseSettings(test.conf)
		if err != nil || got != test.want {
			t.Errorf("ParseSettings(%q) = %+v, %v, want %+v", test.conf, got, err, test.want)
		}
	}
}

func TestParseSettingsErrors(t *testing.T) {
	tests := []struct{ conf, want string }{
		{"expandable_segments", "has no value"},
		{"expandable_segments:true", "neither True nor False"},
		{"max_split_size_mb:19", "less than 20"},
		{"max_split_size_mb:20,large_segment_size_mb:40", "less than 40"},
		{"large_segment_size_mb:10", "above 10"},
		{"throw_on_cudamalloc_oom:1", "neither True nor False"},
		{"max_split_size_mb:many", "not a number"},
		{"max_non_split_rounding_mb:-1", "less than 20"},
		{"garbage_collection_threshold:1", "between 0 and 1"},
		{"garbage_collection_threshold:NaN", "between 0 and 1"},
		{"roundup_power2_divisions:3", "not a power of two"},
		{"roundup_power2_divisions:", "not a power of two"},
		{"roundup_power2_divisions:[256:1", "has no ]"},
		{"roundup_power2_divisions:[256]", "not a power of two"},
		{"roundup_power2_divisions:[3:2]", "not a power of two"},
		{"roundup_power2_divisions:[256:-2]", "not a power of two"},
		{"backend:cudaMallocAsync", "not the native allocator"},
		{"expandable:True", "option expandable: unknown"},
	}
	for _, test := range tests {
		_, err := ParseSettings(test.conf)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("ParseSettings(%q): error %v, want one with %q", test.conf, err, test.want)
		}
	}
}

// FuzzParseSettings checks that no text makes settings that the allocator cannot work with.
func FuzzParseSettings(f *testing.F) {
	f.Add("max_split_size_mb:128,garbage_collection_threshold:0.8,expandable_segments:True")
	f.Add("roundup_power2_divisions:[256:1,512:2,1024:4,>:8],max_non_split_rounding_mb:40")
	f.Add("roundup_power2_divisions:[1073741824:1073741824]")
	f.Add("[[],:]:,backend:native")
	f.Add("max_split_size_mb:12,large_segment_size_mb:12,throw_on_cudamalloc_oom:True")
	f.Fuzz(func(t *testing.T, conf string) {
		s, err := ParseSettings(conf)
		if err != nil && s != (Settings{}) {
			t.Fatalf("%+v although %v", s, err)
		}
		a := newRecorder(t, s, 1<<30)
		a.SetMemoryFraction(1)
		for _, requested := range []int64{1, 3000, 3*mib + 1, 33*mib - 1, 600*mib + 1} {
			if rounded := s.RoundSize(requested); rounded < requested || rounded%minBlockSize != 0 ||
				rounded > 2*requested+minBlockSize {
				t.Fatalf("%+v rounds %d to %d", s, requested, rounded)
			}
			addr, err := a.Alloc(requested, 0)
			if err == nil {
				a.free(addr)
			}
			checkInvariants(t, a.Allocator)
		}
	})
}
