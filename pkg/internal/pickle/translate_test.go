package pickle

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// translatedFiles are pickles that Load reads.
func translatedFiles(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range []string{"story.protocol0.pickle", "story.protocol1.pickle", "story.cpp-tagged.pickle",
		"story.protocol4.pickle"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "snapshot", "testdata", "encodings", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	return files
}

// TestTranslate: a translated pickle has the same value as with Load, and every prefix of
// it is read without a crash, up to an offset within it.
func TestTranslate(t *testing.T) {
	for name, data := range translatedFiles(t) {
		want, err := Load(bytes.NewReader(data), keeper{}, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := SalvageOther(bytes.NewReader(data), keeper{}, Limits{})
		if err != nil || got.Partial || dump(got.Heap, got.Root) != dump(want.Heap, want.Root) {
			t.Fatalf("%s: %v\n%s\nwant\n%s", name, err, dump(got.Heap, got.Root), dump(want.Heap, want.Root))
		}
		if got.Bytes != want.Bytes || got.Protocol != want.Protocol {
			t.Errorf("%s: %d bytes of protocol %d, want %d of %d", name, got.Bytes, got.Protocol, want.Bytes,
				want.Protocol)
		}
		for cut := len(data) % 11; cut < len(data); cut += 11 {
			res, err := SalvageOther(bytes.NewReader(data[:cut]), keeper{}, Limits{})
			var located *Error
			if err == nil || errors.As(err, &located) && located.Offset > int64(cut) || res != nil &&
				res.Bytes > int64(cut) {
				t.Fatalf("%s, cut at %d: %v, %+v", name, cut, err, res)
			}
		}
	}
}

// TestTranslateByHand has small handwritten pickles of protocol 0, cut at the end.
func TestTranslateByHand(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"one by one", "(dp0\nVa\np1\nI5\nsVbcdefghijklmnop\np2\n(lp3\nI1\naL2L\naF0.5\na",
			`{"a": 5, "bcdefghijklmnop": [1, 2, 0.5]}`},
		{"a dict in a list", "(dp0\nVabcdefghijklmnopqrs\n(lp1\n(dp2\nVx\nI1\nsVy\nI00\nsa(dp3\nVx\nI2\ns",
			`{"abcdefghijklmnopqrs": [{"x": 1, "y": False}]}`},
		{"tuples", "(dp0\nVabcdefghijklmnopqrs\n(lp1\n(I1\nI2\ntp2\na(tag2\nag9\na",
			`{"abcdefghijklmnopqrs": [(1, 2), (), (1, 2)]}`},
		{"an address from 2^63 on", "(dp0\nVabcdefghijklmnopqrs\n(lp1\nI9223372036854775809\nasI",
			`{"abcdefghijklmnopqrs": [9223372036854775809]}`},
		{"tags",
			"\x80\x02ctorch.jit._pickle\nrestore_type_tag\n}(X\x01\x00\x00\x00actorch.jit._pickle\nrestore_type_tag\n](K\x01K\x02eX\x01\x00\x00\x00T\x86RX",
			`{"a": [1, 2]}`},
		{"ordered, protocol 0", "ccollections\nOrderedDict\np0\n(tRp1\nVa\n(lp2\ng0\n(tRp3\nVx\nI1\nsaI7\na",
			`{"a": [{"x": 1}, 7]}`},
		{"ordered, protocol 4",
			"\x80\x04\x8c\x0bcollections\x94\x8c\x0bOrderedDict\x94\x93\x94)R\x94(\x8c\x01a\x94]\x94(h\x02)R\x94\x8c\x01x\x94K\x01sh\x07K\x07K",
			`{"a": [{"x": 1}, "x", 7]}`},
	} {
		res, err := SalvageOther(strings.NewReader(tt.data), keeper{}, Limits{})
		if res == nil || !res.Partial {
			t.Errorf("%s: %v, %+v", tt.name, err, res)
		} else if got := dump(res.Heap, res.Root); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	long := "(dp0\nVabcdefghijklmnopqrs\n(lp1\nI7\na" + strings.Repeat("I8\na", 1000)
	res, err := SalvageOther(strings.NewReader(long), keeper{}, Limits{Memory: 10_000})
	if res == nil || !res.Partial || !errors.Is(err, ErrLimit) || res.Bytes > 1000 {
		t.Errorf("beyond a limit: %v, %+v", err, res)
	}
	for _, text := range []string{"", "hello", "(lp0\n", "\x80\x02cos\nsystem\n.", "(dp0\nVa\nI1\nscos\nsystem\n."} {
		if res, err := SalvageOther(strings.NewReader(text), keeper{}, Limits{}); err == nil || res != nil {
			t.Errorf("%q: %v, %+v", text, err, res)
		}
	}
}
