package stats

import (
	"strconv"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/replay"
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

// hostUnits are the bytes that the settings of host memory count: those of torch 2.13 and later, and under the names
// that a fork gives them.
var hostUnits = map[string]int64{
	"max_round_threshold": 1, "max_cached_size": 1,
	"pinned_max_round_size_mb": units.MiB, "pinned_max_cached_size_mb": units.MiB,
}

// SettingText is the value of a setting for a reader: sizes of host memory in words, all else as it is written.
func SettingText(key, value string) string {
	n, err := strconv.ParseInt(value, 10, 64)
	unit := hostUnits[key]
	switch {
	case err != nil || unit == 0 || n < unlimited || n > (1<<62)/unit:
		return value
	case n == unlimited:
		return "unlimited"
	}
	return units.Bytes(n * unit)
}

// hostSettingsOf reads the settings from the keys of a file, and from the text of the environment variable. It is nil
// where none says anything.
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
		case "max_round_threshold", "pinned_max_round_size_mb":
			set(&h.MaxRoundBytes, item.Value, hostUnits[item.Key])
		case "max_cached_size", "pinned_max_cached_size_mb":
			set(&h.MaxCachedBytes, item.Value, hostUnits[item.Key])
		}
	}
	if !said {
		return nil
	}
	return &h
}

// saysHostSettings reports whether the answer about a device has the settings of host memory: the
// one about host memory, which is the last of the devices, else the first.
func saysHostSettings(devices []*replay.Device, device snapshot.DeviceID) bool {
	if devices[len(devices)-1].ID == snapshot.Pinned {
		return device == snapshot.Pinned
	}
	return device == devices[0].ID
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
		return what + " of up to " + phrase.Amount(bytes) + " are " + done
	}
	text := "Pinned host memory: " + upTo("requests", h.MaxRoundBytes, "rounded up to a power of two") + ", and " +
		upTo("freed blocks", h.MaxCachedBytes, "kept") + "."
	if h.ReserveBytes > 0 {
		text += " " + phrase.Amount(h.ReserveBytes) + " are taken at the first request, to make blocks of."
	}
	return text
}
