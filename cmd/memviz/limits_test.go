package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/pickle"
	"github.com/memviz-go/memviz/pkg/units"
)

// TestLimitsAreDocumented holds the README's table against the limits.
func TestLimitsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, " | "); len(cells) == 3 && strings.HasPrefix(line, "| `") {
			rows[strings.Trim(cells[0], "| `")] = strings.Trim(cells[2], "| \n")
		}
	}
	limits := pickle.Limits{}.WithDefaults()
	for i := range pickle.Bounds {
		b := &pickle.Bounds[i]
		want := units.Count(*b.Of(&limits))
		if b.Bytes {
			want = strings.ReplaceAll(units.Bytes(*b.Of(&limits)), ".0 ", " ")
		}
		if b.Key == "memory" {
			want = "32 MiB and twice what has been read"
		}
		if rows[b.Key] != want {
			t.Errorf("README.md says %q of %s, which is %q", rows[b.Key], b.Key, want)
		}
	}
}
