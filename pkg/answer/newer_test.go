package answer_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// newerAsked are the commands that show what is new in each snapshot.
var newerAsked = map[string][]string{
	"annotate":               {"top --by annotation", "events"},
	"divisions":              {"segments", "whatif"},
	"event_pools":            {"top --by pool"},
	"forward_frames":         {"stats"},
	"fraction":               {"stats", "stats --capacity"},
	"fraction_and_threshold": {"stats"},
	"future":                 {"stats"},
	"future_values":          {"stats", "segments"},
	"graph_pools":            {"stats", "segments", "top --by pool"},
	"hip_async":              {"stats"},
	"host_cached_size":       {"stats", "events"},
	"host_not_recorded":      {"stats"},
	"host_only":              {"stats", "oom"},
	"host_pools":             {"segments", "top --by pool"},
	"host_swapped":           {"stats"},
	"internal_metadata":      {"top --by metadata", "events"},
	"large_pages":            {"segments", "whatif"},
	"large_segments":         {"segments", "whatif"},
	"metadata_dict":          {"top --by metadata", "top --by metadata --key stage", "events"},
	"mlx":                    {"stats", "top --by family"},
	"mlx_categories":         {"stats", "top --by family"},
	"no_split":               {"segments", "whatif"},
	"non_split_rounding":     {"whatif"},
	"npu":                    {"stats"},
	"npu_native":             {"stats"},
	"npu_settings":           {"stats"},
	"odd_large_segments":     {"segments", "whatif"},
	"overflowed":             {"stats"},
	"pinned_options":         {"stats"},
	"reserve":                {"stats"},
	"reserve_by_class":       {"oom", "oom --capacity", "whatif"},
	"reserve_too_small":      {"oom", "whatif"},
	"rocm":                   {"stats", "events"},
	"settings_213":           {"stats"},
	"settings_of_a_fork":     {"stats"},
	"skip_actions":           {"stats"},
	"throw_on_oom":           {"stats", "oom", "oom --capacity", "whatif"},
	"xpu":                    {"stats"},
}

// newerCapacity is what the commands with --capacity say that the device has.
const newerCapacity = 16 << 30

// TestNewer: what is said of each of those snapshots.
func TestNewer(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(answertest.Newer(t), "*.json"))
	if err != nil || len(paths) < 30 {
		t.Fatalf("%d snapshots: %v", len(paths), err)
	}
	var want []string
	for _, path := range paths {
		base := filepath.Base(path)
		name := strings.TrimSuffix(base, ".json")
		want = append(want, name+".txt")
		t.Run(name, func(t *testing.T) {
			golden := filepath.Join("newer", name+".txt")
			s, err := snapshot.Open(path)
			if err != nil {
				testkit.Golden(t, golden, []byte(strings.ReplaceAll(err.Error(), filepath.Dir(path)+"/", "")+"\n"))
				return
			}
			if len(newerAsked[name]) == 0 {
				t.Fatal("nothing is asked about it")
			}
			var text bytes.Buffer
			for _, command := range newerAsked[name] {
				text.WriteString("$ memviz " + command + " " + base + "\n")
				said, err := askNewer(answer.NewInput(base, s), command)
				if err == nil {
					err = said.Write(&text, sheet.Text, sheet.Look{})
				}
				if err != nil {
					t.Fatalf("%s: %v", command, err)
				}
				text.WriteByte('\n')
			}
			testkit.Golden(t, golden, bytes.TrimSuffix(text.Bytes(), []byte("\n")))
		})
	}
	goldens, err := os.ReadDir("testdata/newer")
	if err != nil || !slices.EqualFunc(goldens, want, func(e os.DirEntry,
		name string) bool {
		return e.Name() == name
	}) {
		t.Errorf("goldens %v of the snapshots %v: %v", goldens, want, err)
	}
}

// askNewer runs a command of newerAsked.
func askNewer(in answer.Input, command string) (*sheet.Sheet, error) {
	what, option, _ := strings.Cut(command, " ")
	capacity := int64(0)
	if option == "--capacity" {
		capacity = newerCapacity
	}
	list := []answer.Input{in}
	switch what {
	case "events":
		return events.Answer(list, events.Options{})
	case "oom":
		return oom.Answer(list, oom.Options{Capacity: capacity, Rows: 5})
	case "segments":
		return segments.Answer(list, answer.End, 10)
	case "top":
		words := strings.Fields(option)
		by, known := holders.ParseBy(words[1])
		if !known {
			return nil, fmt.Errorf("no grouping %s", words[1])
		}
		o := top.Options{Grouping: holders.Grouping{By: by}, Rows: 10}
		if len(words) > 2 {
			o.Grouping.Key = words[3]
		}
		return top.Answer(list, o)
	case "whatif":
		return whatif.Answer(list, whatif.Options{Capacity: capacity})
	}
	return stats.Answer(list, stats.Options{Rows: 3, Capacity: capacity}), nil
}

// TestNewerAddUp: all of them are true recordings, and nothing new in them makes memviz
// doubt that, except where the end or the beginning is missing.
func TestNewerAddUp(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(answertest.Newer(t), "*.json"))
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d snapshots: %v", len(paths), err)
	}
	words := map[string]string{"mlx.json": "not confirmed",
		"mlx_categories.json": "not confirmed", "overflowed.json": "history cut"}
	for _, path := range paths {
		s, err := snapshot.Open(path)
		if filepath.Base(path) == "accelerator_without_support.json" {
			if err == nil {
				t.Errorf("%s is read", path)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, device := range s.Devices() {
			want := words[filepath.Base(path)]
			if want == "" {
				want = "adds up"
			}
			if v := trust.VerdictOn(replay.Replay(s, device)); v.Text != want {
				t.Errorf("%s: %s, want %s: %s", path, v.Text, want, v.Why)
			}
		}
	}
}

// TestOfMLX: nothing that is said of a file of MLX speaks of torch, CUDA or settings, which
// it does not have.
func TestOfMLX(t *testing.T) {
	s, err := snapshot.Open(filepath.Join(answertest.Newer(t), "mlx.json"))
	if err != nil {
		t.Fatal(err)
	}
	bare := *s // without stacks, which brings more advice
	bare.Traces = slices.Clone(s.Traces)
	bare.Traces[0].Events.Stack = make([]snapshot.StackID, s.Traces[0].Events.Len())
	for _, s := range []*snapshot.Snapshot{s, &bare} {
		in := []answer.Input{answer.NewInput("of.json", s)}
		sheets := []*sheet.Sheet{stats.Answer(in, stats.Options{Rows: 5})}
		add := func(said *sheet.Sheet, err error) {
			if err != nil {
				t.Fatal(err)
			}
			sheets = append(sheets, said)
		}
		add(segments.Answer(in, answer.Moment{}, 5))
		var text bytes.Buffer
		for _, said := range sheets {
			if err := said.Write(&text, sheet.Text, sheet.Look{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, w := range trust.WarningsOn(s, in[0].Devices[0]) {
			text.WriteString(w.Fact + " " + w.Consequence + " " + w.Code + "\n")
		}
		for _, word := range []string{"torch", "cuda", "expandable", "_conf"} {
			if strings.Contains(strings.ToLower(text.String()), word) {
				t.Errorf("%q in\n%s", word, &text)
			}
		}
		if !strings.Contains(text.String(), "cannot be checked") || !strings.Contains(text.String(), "MLX") {
			t.Errorf("nothing says that MLX wrote it, or that the end cannot be checked:\n%s", &text)
		}
	}
}
