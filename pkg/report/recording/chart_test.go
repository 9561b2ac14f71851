package recording

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

func TestChartOptions(t *testing.T) {
	options, err := chartOptions()
	if err != nil {
		t.Fatal(err)
	}
	again, err := chartOptions()
	if err != nil || !bytes.Equal(options, again) {
		t.Errorf("two runs differ (%v):\n%s\n%s", err, options, again)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, options, "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	testkit.Golden(t, "chart.json", pretty.Bytes())
}

// The options name exactly the functions that the viewer revives, and nothing
// in them is a place where code or a host could stand.
func TestChartOptionsAreInert(t *testing.T) {
	options, err := chartOptions()
	if err != nil {
		t.Fatal(err)
	}
	var functions []string
	for _, m := range regexp.MustCompile(`"__f__(.*?)__f__"`).FindAllSubmatch(options, -1) {
		functions = append(functions, string(m[1]))
	}
	slices.Sort(functions)
	if want := []string{"bytes", "minimap", "position", "timeline"}; !slices.Equal(functions, want) {
		t.Errorf("the options name the functions %q, want %q", functions, want)
	}
	for _, bad := range []string{"function", "=>", "http", "<", "null"} {
		if strings.Contains(string(options), bad) {
			t.Errorf("the options hold %q: %s", bad, options)
		}
	}
}
