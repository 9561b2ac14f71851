package pickle

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestSalvage reads handwritten pickles that are cut or broken.
func TestSalvage(t *testing.T) {
	for _, tt := range []struct{ name, data, want, reading string }{
		{"nothing", "\x80\x04", "", ""},
		{"a number", "\x80\x04K\x05", "", ""},
		{"an empty root", "\x80\x04}", "{}", ""},
		{"a key", "\x80\x04}(\x8c\x01a", "{}", "a"},
		{"a whole pair", "\x80\x04}(\x8c\x01aK\x05", `{"a": 5}`, ""},
		{"a list", "\x80\x04}(\x8c\x01a](K\x01K\x02", `{"a": [1, 2]}`, "a"},
		{"a list after a pair", "\x80\x04}(\x8c\x01aK\x05\x8c\x01b](K\x01", `{"a": 5, "b": [1]}`, "b"},
		{"a cut number in a list", "\x80\x04}(\x8c\x01a](K\x01M\x02", `{"a": [1]}`, "a"},
		{"a dict in a list", "\x80\x04}(\x8c\x01a](}(\x8c\x01xK\x01u}(\x8c\x01x", `{"a": [{"x": 1}]}`, "a"},
		{"a dict that has just begun", "\x80\x04}(\x8c\x01a](K\x01}", `{"a": [1]}`, "a"},
		{"a dict under a key", "\x80\x04}(\x8c\x01aK\x05\x8c\x01b}(\x8c\x01xK\x01", `{"a": 5}`, "b"},
		{"a list of one list", "\x80\x04}(\x8c\x01a]](K\x01K\x02", `{"a": [[1, 2]]}`, "a"},
		{"a list of one list of one dict", "\x80\x04}(\x8c\x01a]]}(\x8c\x01xK\x01u", `{"a": [[{"x": 1}]]}`, "a"},
		{"lists of lists", "\x80\x04}(\x8c\x01a](](K\x01e](K\x02", `{"a": [[1], [2]]}`, "a"},
		{"a list as root", "\x80\x04](K\x01K\x02", `[1, 2]`, ""},
		{"pairs set one by one", "\x80\x04}\x8c\x01aK\x05s\x8c\x01b](K\x01", `{"a": 5, "b": [1]}`, "b"},
		{"an unknown opcode", "\x80\x04}(\x8c\x01a](K\x01\xffK\x02eu.", `{"a": [1]}`, "a"},
		{"an opcode of the other way", "\x80\x04}(\x8c\x01a](K\x010K\x02eu.", `{"a": [1]}`, "a"},
		{"a memo entry that is not there", "\x80\x04}(\x8c\x01a](K\x01h\x07eu.", `{"a": [1]}`, "a"},
		{"too few marks", "\x80\x04}(\x8c\x01aK\x01ue.", `{"a": 1}`, ""},
		{"too deep", "\x80\x04}(\x8c\x01a](K\x01" + strings.Repeat("](", 300),
			`{"a": [1, ` + strings.Repeat("[", 254), "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Stream(strings.NewReader(tt.data), 0, keeper{}, Limits{}); err == nil {
				t.Fatal("nothing is wrong with it")
			}
			res, err := Salvage(strings.NewReader(tt.data), 0, keeper{}, Limits{})
			if err == nil || (res == nil) != (tt.want == "") {
				t.Fatalf("%v, %+v", err, res)
			}
			if res == nil {
				return
			}
			if got := dump(res.Heap, res.Root); !strings.HasPrefix(got, tt.want) || tt.name != "too deep" &&
				got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			reading := ""
			if res.Reading.Type() == String {
				reading = res.Heap.Strings[res.Reading.Index()]
			}
			if !res.Partial || reading != tt.reading || res.Bytes > int64(len(tt.data)) {
				t.Errorf("part %t, reading %q, want %q; %d of %d bytes", res.Partial, reading, tt.reading, res.Bytes,
					len(tt.data))
			}
		})
	}
}

// TestSalvageWhole: an intact pickle is not partial, and a forbidden one gives no
// result.
func TestSalvageWhole(t *testing.T) {
	data := encode(t, 4, everything)
	want, err := Stream(bytes.NewReader(data), 0, keeper{}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Salvage(bytes.NewReader(data), 0, keeper{}, Limits{})
	if err != nil || got.Partial || dump(got.Heap, got.Root) != dump(want.Heap, want.Root) || got.Bytes != want.Bytes {
		t.Errorf("%v, %+v", err, got)
	}
	for _, text := range []string{"", "hello", "<html>", "\x80\x06}("} {
		if res, err := Salvage(strings.NewReader(text), 0, keeper{}, Limits{}); err == nil || res != nil {
			t.Errorf("%q: %v, %+v", text, err, res)
		}
	}
}

// TestDamageBehindStop: a decompressor may detect damage only at the end of the file,
// by its checksum.
func TestDamageBehindStop(t *testing.T) {
	broken := errors.New("checksum")
	data := encode(t, 4, everything)
	r := &failing{Reader: bytes.NewReader(data), err: broken}
	if _, err := Stream(r, 0, keeper{}, Limits{}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// failing ends in an error in place of an EOF.
type failing struct {
	*bytes.Reader
	err error
}

func (f *failing) Read(b []byte) (int, error) {
	if f.Len() == 0 {
		return 0, f.err
	}
	return f.Reader.Read(b)
}
