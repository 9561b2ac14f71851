package oom

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Capacity is what is known about the memory of a device, in bytes. No file records it.
type Capacity struct {
	Given   int64 // by the user; 0 if not given, or if the recording proves more
	AtLeast int64 // proven by the recording

	// TooSmall is the capacity that the user gave, if the recording proves more; else 0.
	TooSmall int64
	// Card is the nominal size in GiB of the smallest common card with room for AtLeast,
	// and CardBytes what PyTorch reports for such a card. Both are 0 without an oom
	// event. They are a guess, and no verdict depends on them.
	Card      int
	CardBytes int64
}

// cards are common GPUs: the nominal GiB, the GiB that PyTorch reports, and their names,
// with the size if a card is sold in several. Reports for one entry differ by up to 0.3
// GiB; the largest is here.
var cards = []struct {
	nominal int
	total   float64
	names   []string
}{
	{6, 5.9, nil}, {6, 6, nil}, {8, 7.8, nil}, {8, 8, nil}, {11, 10.8, nil}, {12, 11.8, nil}, {12, 12, nil},
	{16, 14.8, []string{"T4"}}, {16, 15.8, []string{"V100-16GB"}}, {16, 16, nil},
	{24, 22.2, []string{"A10", "A10G", "L4"}}, {24, 23.7, []string{"RTX 3090", "RTX 4090"}}, {24, 24, nil},
	{32, 31.8, []string{"V100-32GB"}}, {40, 39.6, []string{"A100-40GB"}}, {48, 44.6, []string{"A40", "L40", "L40S"}},
	{48, 47.6, []string{"RTX A6000"}}, {80, 79.4, []string{"A100-80GB", "H100-80GB"}}, {96, 95.3, []string{"H20"}},
	{141, 139.9, []string{"H200"}}, {180, 178.5, []string{"B200"}}, {192, 192, []string{"MI300X"}},
}

// CapacityOf returns what is known about a device's memory. given is the user's figure; 0
// if there is none.
func CapacityOf(d *replay.Device, given int64) Capacity {
	c := Capacity{Given: given, AtLeast: d.Totals.ReservedPeakBytes}
	reserved, next, failed := d.Totals.ReservedBaselineBytes, 0, false
	for i, action := range d.Events.Action {
		if next < len(d.Reserved) && int(d.Reserved[next].Event) < i {
			reserved += d.Reserved[next].Delta
			next++
		}
		if action == snapshot.OOM {
			failed = true
			c.AtLeast = max(c.AtLeast, reserved+deviceFree(d.Events, i))
		}
	}
	if given > 0 && given < c.AtLeast {
		c.Given, c.TooSmall = 0, given
	}
	if !failed {
		return c
	}
	for _, card := range cards {
		if bytes := int64(card.total * (1 << 30)); bytes >= c.AtLeast {
			c.Card, c.CardBytes = card.nominal, bytes
			break
		}
	}
	return c
}

// GPU is a common card.
type GPU struct {
	Name  string
	Bytes int64 // what PyTorch reports as its memory, to about 0.3 GiB
}

// FindGPU finds a card by its name, including names as nvidia-smi writes them: H100,
// rtx4090, NVIDIA A100-SXM4-80GB.
func FindGPU(name string) (GPU, bool) {
	asked := cardName(name)
	var found []GPU
	for _, card := range cards {
		for _, name := range card.names {
			known := cardName(name)
			gpu := GPU{Name: name, Bytes: int64(card.total * (1 << 30))}
			if asked == known {
				return gpu, true
			}
			if size, more := strings.CutPrefix(known, asked); more && asked != "" &&
				strings.Trim(size, "0123456789") == "gb" {
				found = append(found, gpu)
			}
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return GPU{}, false
}

// GPUNames returns the names of all cards that [FindGPU] knows, by their memory.
func GPUNames() []string {
	var names []string
	for _, card := range cards {
		names = append(names, card.names...)
	}
	return names
}

// gpuWords are words in names of cards that do not identify the card.
var gpuWords = strings.NewReplacer("nvidia", "", "geforce", "", "tesla", "", "amd", "", "instinct", "", "rtx", "",
	"sxm2", "", "sxm3", "", "sxm4", "", "sxm5", "", "sxm", "", "pcie", "", "hbm3e", "", "hbm3", "", "hbm2e", "")

// cardName returns a name without such words and without punctuation: "a10080gb".
func cardName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, gpuWords.Replace(strings.ToLower(name)))
}
