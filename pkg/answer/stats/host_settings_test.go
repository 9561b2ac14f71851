package stats

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// TestSettingText: sizes of host memory in words, and nothing else.
func TestSettingText(t *testing.T) {
	for setting, want := range map[string]string{
		"max_round_threshold=67108864": "64.0 MiB", "max_cached_size=-1": "unlimited", "max_cached_size=0": "0",
		"pinned_max_round_size_mb=64": "64.0 MiB", "pinned_max_cached_size_mb=128": "128 MiB", "max_split_size=-1": "-1",
		"max_cached_size=-2": "-2", "max_cached_size=": "", "pinned_max_cached_size_mb=9223372036854775807": "9223372036854775807",
	} {
		key, value, _ := strings.Cut(setting, "=")
		if got := SettingText(key, value); got != want {
			t.Errorf("%s: %q, want %q", setting, got, want)
		}
	}
}

// TestHostSettings reads the settings of pinned memory under all of their names. What a file says in a key counts
// more than the text that the key was made of.
func TestHostSettings(t *testing.T) {
	for _, test := range []struct {
		settings string // key=value, separated by blanks
		want     *HostSettings
		sentence string
	}{
		{"max_split_size=-1", nil, ""},
		{"max_round_threshold=67108864 max_cached_size=-1", &HostSettings{64 << 20, -1, 0},
			"requests of up to 64.0 MiB are rounded up to a power of two, and freed blocks of any size are kept."},
		{"max_round_threshold=-1 max_cached_size=0", &HostSettings{-1, 0, 0},
			"requests of any size are rounded up to a power of two, and freed blocks are not kept."},
		{"pinned_max_round_size_mb=64 pinned_max_cached_size_mb=128", &HostSettings{64 << 20, 128 << 20, 0},
			"requests of up to 64.0 MiB are rounded up to a power of two, and freed blocks of up to 128 MiB are kept."},
		{"PYTORCH_CUDA_ALLOC_CONF=pinned_max_round_threshold_mb:64,pinned_reserve_segment_size_mb:256",
			&HostSettings{64 << 20, -1, 256 << 20}, "requests of up to 64.0 MiB are rounded up to a power of two, and freed " +
				"blocks of any size are kept. 256 MiB are taken at the first request, to make blocks of."},
		{"PYTORCH_CUDA_ALLOC_CONF=pinned_max_cached_size_mb:64 max_cached_size=1048576", &HostSettings{-1, 1 << 20, 0},
			"requests of any size are rounded up to a power of two, and freed blocks of up to 1.00 MiB are kept."},
		{"max_cached_size=many max_round_threshold=-2", nil, ""},
		{"pinned_max_cached_size_mb=9223372036854775807", nil, ""},
	} {
		c := snapshot.NewComposer(snapshot.Format{HasSettings: true})
		for _, item := range strings.Fields(test.settings) {
			key, value, _ := strings.Cut(item, "=")
			c.Setting(key, value)
		}
		s := c.Snapshot()
		got := hostSettingsOf(s, layout.SettingsOf(s))
		if got == nil || test.want == nil {
			if got != test.want {
				t.Errorf("%s: %+v, want %+v", test.settings, got, test.want)
			}
			continue
		}
		if *got != *test.want {
			t.Errorf("%s: %+v, want %+v", test.settings, *got, *test.want)
		}
		if text := answertest.WithSpaces(got.sentence()); text != "Pinned host memory: "+test.sentence {
			t.Errorf("%s: %s", test.settings, text)
		}
	}
}
