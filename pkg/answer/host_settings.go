package answer

import (
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// HostSettings are the settings of torch's allocator of pinned host memory that decide about sizes. Bytes are -1
// where there is no limit, which is the default.
type HostSettings struct {
	// MaxRoundBytes is the largest request that is rounded up to a power of two.
	MaxRoundBytes int64 `json:"max_round_bytes"`
	// MaxCachedBytes is the largest block that is kept after its free.
	MaxCachedBytes int64 `json:"max_cached_bytes"`
	// ReserveBytes is the host memory that torch takes at its first request, to make blocks of.
	ReserveBytes int64 `json:"reserve_bytes"` // 0: none
}

const unlimited = -1

// hostSettingsOf reads the settings from the keys that torch 2.13 and later write, under the names that a fork
// gives them, and from the text of the environment variable. It is nil where none says anything.
func hostSettingsOf(s *snapshot.Snapshot, settings *layout.Settings) *HostSettings {
	h, said := HostSettings{unlimited, unlimited, 0}, false
	set := func(to *int64, value string, unit int64) {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < unlimited || n > (1<<62)/unit {
			return
		}
		if said = true; n != unlimited {
			n *= unit
		}
		*to = n
	}
	set(&h.MaxRoundBytes, allocator.Option(settings.Conf, "pinned_max_round_threshold_mb"), units.MiB)
	set(&h.MaxCachedBytes, allocator.Option(settings.Conf, "pinned_max_cached_size_mb"), units.MiB)
	set(&h.ReserveBytes, allocator.Option(settings.Conf, "pinned_reserve_segment_size_mb"), units.MiB)
	for _, item := range s.Settings {
		switch item.Key {
		case "max_round_threshold":
			set(&h.MaxRoundBytes, item.Value, 1)
		case "max_cached_size":
			set(&h.MaxCachedBytes, item.Value, 1)
		case "pinned_max_round_size_mb":
			set(&h.MaxRoundBytes, item.Value, units.MiB)
		case "pinned_max_cached_size_mb":
			set(&h.MaxCachedBytes, item.Value, units.MiB)
		}
	}
	if !said {
		return nil
	}
	return &h
}

// saysHostSettings reports whether what is said of a device has the settings of host memory: that of host memory
// itself, else the first.
func saysHostSettings(s *snapshot.Snapshot, device snapshot.DeviceID) bool {
	devices := s.Devices()
	return device == devices[0] && !slices.Contains(devices, snapshot.Pinned) || device == snapshot.Pinned
}

// sentence says what the settings do.
func (h *HostSettings) sentence() string {
	upTo := func(what string, bytes int64, done string) string {
		switch bytes {
		case unlimited:
			return what + " of any size are " + done
		case 0:
			return what + " are not " + done
		}
		return what + " of up to " + amount(bytes) + " are " + done
	}
	text := "Pinned host memory: " + upTo("requests", h.MaxRoundBytes, "rounded up to a power of two") + ", and " +
		upTo("freed blocks", h.MaxCachedBytes, "kept") + "."
	if h.ReserveBytes > 0 {
		text += " " + amount(h.ReserveBytes) + " are taken at the first request, to make blocks of."
	}
	return text
}
