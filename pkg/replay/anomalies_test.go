package replay

import (
	"regexp"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// TestAnomalyKinds: every kind is described, and denies what it says it denies.
func TestAnomalyKinds(t *testing.T) {
	key := regexp.MustCompile(`^[a-z]+(_[a-z]+)+$`)
	seen := map[string]bool{}
	for kind := range anomalyKinds {
		about := kind.Kind()
		if !key.MatchString(about.Key) || seen[about.Key] {
			t.Errorf("kind %d: the key is %q", kind, about.Key)
		}
		seen[about.Key] = true
		for _, words := range []string{about.One, about.Many} {
			if words == "" || seen[words] || strings.HasSuffix(words, ".") {
				t.Errorf("%s: the words are %q", about.Key, words)
			}
			seen[words] = true
		}
		d := Device{Events: &snapshot.Events{Action: make([]snapshot.Action, 2)},
			Reconciliation: Reconciliation{Segments: 1}}
		if !d.AddsUp() || d.Anomalies.Total() != 0 {
			t.Fatal("an empty device does not add up")
		}
		d.Anomalies[kind] = 2
		if d.AddsUp() == about.Denies || d.Anomalies.Total() != 2 {
			t.Errorf("%s: adds up is %t, the total is %d", about.Key, d.AddsUp(), d.Anomalies.Total())
		}
	}
	if text := ImpossibleSizes.Kind().Many; !strings.Contains(text,
		strings.Replace(units.Bytes(MaxSize), ".00", "", 1)) {
		t.Errorf("%q does not say the limit of %d bytes", text, MaxSize)
	}
}
