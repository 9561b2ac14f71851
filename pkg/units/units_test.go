package units

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"
	"testing/quick"
)

// TestWords holds the texts against testdata/words.json, which the viewer's
// test/format.test.js holds data/format.js against.
func TestWords(t *testing.T) {
	text, err := os.ReadFile("testdata/words.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string][][]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // numbers of more than 53 bits
	if err := d.Decode(&cases); err != nil {
		t.Fatal(err)
	}
	number := func(v any) int64 {
		n, err := v.(json.Number).Int64()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for what, write := range map[string]func(c []any) string{
		"bytes":    func(c []any) string { return Bytes(number(c[0])) },
		"change":   func(c []any) string { return Change(number(c[0])) },
		"count":    func(c []any) string { return Count(number(c[0])) },
		"plural":   func(c []any) string { return Plural(number(c[0]), c[1].(string), c[2].(string)) },
		"duration": func(c []any) string { return Duration(number(c[0])) },
		"share":    func(c []any) string { return Share(number(c[0]), number(c[1])) },
		"address": func(c []any) string {
			addr, err := strconv.ParseUint(c[0].(string), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return Address(addr)
		},
	} {
		if len(cases[what]) < 5 {
			t.Errorf("%d cases of %s", len(cases[what]), what)
		}
		for _, c := range cases[what] {
			if got, want := write(c), c[len(c)-1]; got != want {
				t.Errorf("%s of %v is %q, want %q", what, c[:len(c)-1], got, want)
			}
		}
		delete(cases, what)
	}
	if len(cases) > 0 {
		t.Errorf("cases that nothing reads: %v", cases)
	}
}

func TestParseBytes(t *testing.T) {
	for _, test := range []struct {
		text string
		want int64
	}{
		{"0", 0},
		{"4 B", 4},
		{"1,024", 1024},
		{"12 bytes", 12},
		{"6.5 GiB", 6.5 * GiB},
		{"6.5\u00a0GiB", 6.5 * GiB},
		{"512mib", 512 * MiB},
		{"16m", 16 * MiB},
		{" 2T ", 2 * TiB},
		{"+1 KiB", 1024},
		{"-1 KiB", -1024},
		{"−1 KiB", -1024},
		{"0.3 B", 0},
		{"9007199254740993", 9007199254740993}, // no float has this value
		{"7 EiB", 7 * EiB},
	} {
		if got, err := ParseBytes(test.text); err != nil || got != test.want {
			t.Errorf("ParseBytes(%q) = %d, %v, want %d", test.text, got, err, test.want)
		}
	}
}

func TestParseBytesRefuses(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", `"" is not a number of bytes: write it like "512 MiB"`},
		{"GiB", `"GiB" is not a number of bytes: write it like "512 MiB"`},
		{"1.2.3 GiB", `"1.2.3 GiB" is not a number of bytes: write it like "512 MiB"`},
		{"40GB", `"40GB" is not a number of bytes: write GiB, the binary unit`},
		{"3 cows", `"3 cows" is not a number of bytes: "cows" is not a unit`},
		{"8 EiB", `"8 EiB" is not a number of bytes: it is too large`},
		{"99999999999999999999", `"99999999999999999999" is not a number of bytes: it is too large`},
		{"--1", `"--1" is not a number of bytes: "-1" is not a unit`},
		{"NaN", `"NaN" is not a number of bytes: "NaN" is not a unit`},
	} {
		got, err := ParseBytes(test.text)
		if err == nil {
			t.Errorf("ParseBytes(%q) = %d, want an error", test.text, got)
		} else if err.Error() != test.want {
			t.Errorf("ParseBytes(%q): %q, want %q", test.text, err, test.want)
		}
	}
}

// What Bytes writes reads back within the half unit of its third digit.
func TestBytesRoundTrip(t *testing.T) {
	roundTrip := func(n int64, shift uint8) bool {
		n = n >> (shift % 64) / 2 // all magnitudes, and 8 EiB cannot be read back
		got, err := ParseBytes(Bytes(n))
		return err == nil && math.Abs(float64(got-n)) <= 0.005*math.Abs(float64(n))
	}
	if err := quick.Check(roundTrip, &quick.Config{MaxCount: 5000}); err != nil {
		t.Error(err)
	}
}

func TestFileSize(t *testing.T) {
	for _, test := range []struct {
		n    int64
		want string
	}{
		{0, "0 B"},
		{999, "999 B"},
		{1000, "1.00 kB"},
		{999_499, "999 kB"},
		{999_500, "1.00 MB"},
		{6_309_000, "6.31 MB"},
		{24 * MB, "24.0 MB"},
		{25 * MiB, "26.2 MB"},
		{-24 * MB, "−24.0 MB"},
		{math.MaxInt64, "9.22 EB"},
		{math.MinInt64, "−9.22 EB"},
	} {
		if got := FileSize(test.n); got != test.want {
			t.Errorf("FileSize(%d) = %q, want %q", test.n, got, test.want)
		}
	}
}

func TestParseFileSize(t *testing.T) {
	for _, test := range []struct {
		text string
		want int64
	}{
		{"24MB", 24 * MB},
		{"24 mb", 24 * MB},
		{"24M", 24 * MB},
		{"24 MiB", 24 * MiB},
		{"0.5 GB", 500 * MB},
		{"300k", 300_000},
		{"1,024", 1024},
		{"12 bytes", 12},
		{"9EB", 9_000_000_000_000_000_000},
	} {
		if got, err := ParseFileSize(test.text); err != nil || got != test.want {
			t.Errorf("ParseFileSize(%q) = %d, %v, want %d", test.text, got, err, test.want)
		}
	}
	for _, test := range []struct{ text, want string }{
		{"", `"" is not the size of a file: write it like "512 MiB"`},
		{"many", `"many" is not the size of a file: "many" is not a unit`},
		{"10EB", `"10EB" is not the size of a file: it is too large`},
	} {
		if got, err := ParseFileSize(test.text); err == nil || err.Error() != test.want {
			t.Errorf("ParseFileSize(%q) = %d, %v, want %q", test.text, got, err, test.want)
		}
	}
}

// What FileSize writes reads back within the half unit of its third digit.
func TestFileSizeRoundTrip(t *testing.T) {
	roundTrip := func(n int64, shift uint8) bool {
		n = n >> (shift % 64) / 2
		got, err := ParseFileSize(FileSize(n))
		return err == nil && math.Abs(float64(got-n)) <= 0.005*math.Abs(float64(n))
	}
	if err := quick.Check(roundTrip, &quick.Config{MaxCount: 5000}); err != nil {
		t.Error(err)
	}
}

func FuzzParseBytes(f *testing.F) {
	for _, seed := range []string{"6.53 GiB", "−1,024", "1e3", "\u00a0", "99999999999999999999E", ".", "40GB"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseBytes(text)
		if err != nil {
			return
		}
		if again, err := ParseBytes(Count(n)); err != nil || again != n {
			t.Errorf("%q is %d, but %q is %d, %v", text, n, Count(n), again, err)
		}
	})
}

// TestText: what words.json cannot hold, because the viewer has no such numbers,
// or no such text.
func TestText(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Bytes(math.MaxInt64), "8.00 EiB"},
		{Bytes(math.MinInt64), "−8.00 EiB"},
		{Count(int64(math.MinInt64)), "−9,223,372,036,854,775,808"},
		{Duration(math.MaxInt64), "2,562,047,788 h 1 min"},
		{Duration(math.MinInt64), "−2,562,047,788 h 1 min"},
		{ExactBytes(7013335044), "6.53 GiB (7,013,335,044 bytes)"},
		{ExactBytes(4), "4 bytes"},
		{NoBreak("6.53 GiB"), "6.53\u00a0GiB"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestAddress(t *testing.T) {
	read := func(addr uint64) bool {
		got, err := strconv.ParseUint(Address(addr), 0, 64)
		return err == nil && got == addr
	}
	if err := quick.Check(read, nil); err != nil {
		t.Error(err)
	}
}

func TestNatural(t *testing.T) {
	ordered := []string{"", "01", "1", "2", "10", "a", "a1", "a1b", "a2", "a10", "a10b2", "a10b10", "b"}
	for i, a := range ordered {
		for j, b := range ordered {
			got := Natural(a, b)
			if want := i - j; got < 0 != (want < 0) || got > 0 != (want > 0) {
				t.Errorf("%q and %q: %d", a, b, got)
			}
		}
	}
}
