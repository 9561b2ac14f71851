package snapshot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
	"github.com/memviz-go/memviz/pkg/units"
)

// TestLimitsAreDocumented holds the table of all limits for people against the
// limits, and sets each.
func TestLimitsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "limits.md"))
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
			want = "32 MiB plus twice what has been read"
		}
		if rows[b.Key] != want {
			t.Errorf("limits.md says %q of %s, which is %q", rows[b.Key], b.Key, want)
		}
		var set Limits
		if err := SetLimit(&set, b.Key+"=7"); err != nil || *b.Of(&set) != 7 {
			t.Errorf("%s=7: %v, %d", b.Key, err, *b.Of(&set))
		}
		if SetLimit(&set, b.Key+"=0") == nil || SetLimit(&set, b.Key) == nil {
			t.Errorf("%s can be set to nothing", b.Key)
		}
	}
	if len(rows) != len(LimitKeys()) {
		t.Errorf("limits.md has %d limits, there are %d", len(rows), len(LimitKeys()))
	}
}
