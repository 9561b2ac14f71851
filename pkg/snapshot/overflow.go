package snapshot

import (
	"strconv"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// overflows reads trace_alloc_overflowed: a truth for all
// devices, a list by device, or a dict of devices. A count means yes unless it
// is 0.
func (b *builder) overflows(h *pickle.Heap, v pickle.Value) {
	set := func(device int) {
		if device >= 0 && device < len(b.s.Traces) {
			b.s.Traces[device].Overflowed = true
		}
	}
	c, ok := h.Container(v)
	items := h.Items(v)
	switch {
	case !ok && isTrue(h, v):
		for device := range b.s.Traces {
			set(device)
		}
	case ok && c.Kind == pickle.Dict:
		for p := 0; p < len(items); p += 2 {
			if device, err := strconv.Atoi(scalar(h, items[p])); err == nil && isTrue(h, items[p+1]) {
				set(device)
			}
		}
	default:
		for device, item := range items {
			if isTrue(h, item) {
				set(device)
			}
		}
	}
}

// isTrue reports whether a value is true or a number other than 0.
func isTrue(h *pickle.Heap, v pickle.Value) bool {
	truth, _ := v.Truth()
	i, _ := h.Int64(v)
	return truth || i != 0
}

// valueOf is what a dict has under a key, the last of several; None without one.
func valueOf(b *builder, h *pickle.Heap, d pickle.Value, k key) (v pickle.Value) {
	if c, ok := h.Container(d); !ok || c.Kind != pickle.Dict {
		return v
	}
	pairs := h.Items(d)
	for p := 0; p < len(pairs); p += 2 {
		if b.keyOf(h, pairs[p]) == k {
			v = pairs[p+1]
		}
	}
	return v
}
