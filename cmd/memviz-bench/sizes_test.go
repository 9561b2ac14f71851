package main

import "testing"

func TestParseMegabytes(t *testing.T) {
	for text, want := range map[string]int{"10": 10, "10MB": 10, "500mb": 500, "1GB": 1000, "3gb": 3000, "": 0, "MB": 0,
		"-1": 0, "0": 0, "1TB": 0, "99GB": 0} {
		got, err := parseMegabytes(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q is %d (%v), want %d", text, got, err, want)
		}
	}
	for mb, want := range map[int]string{10: "10 MB", 1000: "1 GB", 1500: "1500 MB"} {
		if got := nameMegabytes(mb); got != want {
			t.Errorf("%d MB is %q, want %q", mb, got, want)
		}
	}
}

func TestParseScene(t *testing.T) {
	for text, want := range map[string]int{"20k": 20_000, "1M": 1_000_000, "77": 77, adversarial: 1_000_000, "": 0,
		"k": 0, "-5": 0, "50M": 0, "1G": 0} {
		got, err := parseScene(text)
		if got.allocations != want || (err == nil) != (want > 0) {
			t.Errorf("%q is %+v (%v), want %d allocations", text, got, err, want)
		}
		if err == nil && (got.name != text || got.live < 1 || got.shape == "") {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

func TestParseAll(t *testing.T) {
	usual := []string{"1GB"}
	if got, err := parseAll(nil, usual, parseMegabytes); err != nil || len(got) != 1 || got[0] != 1000 {
		t.Errorf("nothing asked gives %v (%v)", got, err)
	}
	if got, err := parseAll([]string{"2", "3"}, usual, parseMegabytes); err != nil || len(got) != 2 || got[1] != 3 {
		t.Errorf("2 and 3 give %v (%v)", got, err)
	}
	if _, err := parseAll([]string{"2", "x"}, usual, parseMegabytes); err == nil {
		t.Error("x is a size")
	}
}
