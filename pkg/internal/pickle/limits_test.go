package pickle

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestLimits exceeds every bound in each decoder that checks it. The error names the
// bound, and raising the bound by one is enough.
func TestLimits(t *testing.T) {
	everything := string(encode(t, 4, everything))
	texts := string(encode(t, 4, func(e *Encoder) {
		e.List(100, func(i int) { e.Text(strings.Repeat("x", 100) + fmt.Sprint(i)) })
	}))
	nested := "\x80\x02" + strings.Repeat("](", 12) + strings.Repeat("e", 12) + "."
	for _, tt := range []struct {
		key          string
		data         string
		limits, lift Limits
		stream, load bool // which decoders check it
	}{
		{"values", everything, Limits{Stack: 999}, Limits{Stack: 1020}, true, false},
		{"memo", everything, Limits{Memo: 12}, Limits{Memo: 13}, true, true},
		{"containers", everything, Limits{Objects: 5}, Limits{Objects: 10}, true, true},
		{"depth", nested, Limits{Depth: 11}, Limits{Depth: 12}, true, true},
		{"string", texts, Limits{StringBytes: 101}, Limits{StringBytes: 102}, true, true},
		{"input", texts, Limits{Input: int64(len(texts)) - 2}, Limits{Input: int64(len(texts))}, true, false},
		{"slow", texts, Limits{LoadBytes: int64(len(texts)) - 1}, Limits{LoadBytes: int64(len(texts))}, false, true},
		{"memory", texts, Limits{Memory: 10_000}, Limits{Memory: 100_000}, true, true},
	} {
		t.Run(tt.key, func(t *testing.T) {
			_, _, err1, err2 := both(t, []byte(tt.data), tt.limits)
			if tt.stream {
				requireOver(t, "stream", err1, tt.key)
			}
			if tt.load {
				requireOver(t, "load", err2, tt.key)
			}
			if _, _, err1, err2 = both(t, []byte(tt.data), tt.lift); err1 != nil || err2 != nil {
				t.Errorf("with %+v: %v, %v", tt.lift, err1, err2)
			}
		})
	}
}

func requireOver(t *testing.T, way string, err error, key string) {
	t.Helper()
	var located *Error
	if !errors.As(err, &located) || !errors.Is(err, ErrLimit) || located.Limit != key {
		t.Errorf("%s: %v does not name the limit %q", way, err, key)
	}
}

// TestBounds: every field of Limits has one name and, except for memory, whose default
// grows with the file, a default.
func TestBounds(t *testing.T) {
	seen := map[string]bool{}
	for i := range Bounds {
		b, l := &Bounds[i], Limits{}
		*b.Of(&l) = 7
		if l == (Limits{}) || seen[b.Key] || seen[fmt.Sprint(l)] || b.Means == "" {
			t.Errorf("%s: names no field of its own", b.Key)
		}
		seen[b.Key], seen[fmt.Sprint(l)] = true, true
		if filled := l.WithDefaults(); *b.Of(&filled) != 7 {
			t.Errorf("%s: the default takes the place of what was asked for", b.Key)
		}
		defaults := Limits{}.WithDefaults()
		if (*b.Of(&defaults) > 0) != (b.Key != keyMemory) {
			t.Errorf("%s: the default is %d", b.Key, *b.Of(&defaults))
		}
	}
	if fields := len(strings.Fields(fmt.Sprintf("%+v", Limits{}))); len(Bounds) != fields {
		t.Errorf("%d bounds for %d fields", len(Bounds), fields)
	}
}

// repeated is a pickle that repeats the same opcodes.
func repeated(begin, again string, times int) *strings.Reader {
	return strings.NewReader(begin + strings.Repeat(again, times) + ".")
}

// TestBombs: small opcodes that each ask for memory. The decoder refuses while it holds
// far less than the whole would take.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads some hundred megabytes")
	}
	const most = 200 << 20 // the floor, and twice what the largest has written by then
	for name, bomb := range map[string]*strings.Reader{
		"lists":       repeated("\x80\x04", "]", 20_000_000),
		"dicts":       repeated("\x80\x04", "}", 20_000_000),
		"memo":        repeated("\x80\x04]", "\x94", 40_000_000),
		"tuples":      repeated("\x80\x04)", "\x85", 20_000_000),
		"integers":    repeated("\x80\x04", "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f", 5_000_000),
		"floats":      repeated("\x80\x04", "G12345678", 10_000_000),
		"stored":      repeated("\x80\x04", "](NNe", 8_000_000),
		"nested":      repeated("\x80\x04", "]a", 8_000_000),
		"memo values": repeated("\x80\x04N\x94", "h\x00", 20_000_000),
	} {
		t.Run(name, func(t *testing.T) {
			d := newDecoder(bomb, 0, keeper{}, Limits{})
			_, err := d.decode()
			if err == nil || d.held() > most {
				t.Errorf("%v with %d bytes held", err, d.held())
			}
		})
	}
}
