package answer

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testkit"
)

// newer is where make.py writes one snapshot for each thing that torch 2.12 to 2.14 and
// other programs write and that earlier torch did not.
const newer = "../snapshot/testdata/newer"

// TestNewer: what stats says of each of those snapshots.
func TestNewer(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(newer, "*.json"))
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d snapshots: %v", len(paths), err)
	}
	var want []string
	for _, path := range paths {
		base := filepath.Base(path)
		golden := filepath.Join("newer", strings.TrimSuffix(base, ".json")+".txt")
		want = append(want, filepath.Base(golden))
		t.Run(base, func(t *testing.T) {
			s, err := snapshot.Open(path)
			if err != nil {
				testkit.Golden(t, golden, []byte(strings.ReplaceAll(err.Error(), filepath.Dir(path)+"/", "")+"\n"))
				return
			}
			var text bytes.Buffer
			if err := Stats([]Input{NewInput(base, s)}, StatsOptions{Rows: 3}).Write(&text, Text, Look{}); err != nil {
				t.Fatal(err)
			}
			testkit.Golden(t, golden, text.Bytes())
		})
	}
	goldens, err := os.ReadDir("testdata/newer")
	if err != nil || !slices.EqualFunc(goldens, want, func(e os.DirEntry, name string) bool { return e.Name() == name }) {
		t.Errorf("goldens %v of the snapshots %v: %v", goldens, want, err)
	}
}

// TestNewerAddUp: all of them are true recordings, and nothing new in them makes memviz
// doubt that, except where the end or the beginning is missing.
func TestNewerAddUp(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(newer, "*.json"))
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d snapshots: %v", len(paths), err)
	}
	words := map[string]string{"mlx.json": unconfirmed, "overflowed.json": historyCut}
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
				want = addsUp
			}
			if v := VerdictOn(replay.Replay(s, device)); v.Text != want {
				t.Errorf("%s: %s, want %s: %s", path, v.Text, want, v.Why)
			}
		}
	}
}

// TestOfMLX: nothing that is said of a file of MLX speaks of torch, CUDA or settings, which
// it does not have.
func TestOfMLX(t *testing.T) {
	s, err := snapshot.Open(filepath.Join(newer, "mlx.json"))
	if err != nil {
		t.Fatal(err)
	}
	bare := *s // without stacks, which brings more advice
	bare.Traces = slices.Clone(s.Traces)
	bare.Traces[0].Events.Stack = make([]snapshot.StackID, s.Traces[0].Events.Len())
	for _, s := range []*snapshot.Snapshot{s, &bare} {
		in := []Input{NewInput("of.json", s)}
		sheets := []*Sheet{Stats(in, StatsOptions{Rows: 5})}
		add := func(sheet *Sheet, err error) {
			if err != nil {
				t.Fatal(err)
			}
			sheets = append(sheets, sheet)
		}
		add(Segments(in, Moment{}, 5))
		var text bytes.Buffer
		for _, sheet := range sheets {
			if err := sheet.Write(&text, Text, Look{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, w := range WarningsOn(s, in[0].Devices[0]) {
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
