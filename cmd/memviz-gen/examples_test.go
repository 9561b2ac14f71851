package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestExamples generates every story again and compares it with the committed
// snapshots, without the gzip around them: compressors may differ. Where torch
// itself has recorded a story there is nothing to compare.
func TestExamples(t *testing.T) {
	for i := range stories {
		story := &stories[i]
		folder := filepath.Join("..", "..", "examples", story.name)
		if _, err := os.Stat(filepath.Join(folder, "torch_says.json")); err == nil {
			continue
		}
		for j := range story.takes {
			k := &story.takes[j]
			t.Run(story.name+"/"+k.name(),
				func(t *testing.T) { compareTake(t, story, k, filepath.Join(folder, k.name())) })
		}
	}
}

func compareTake(t *testing.T, story *story, k *take, path string) {
	s, err := story.record(k, 1)
	if err != nil {
		t.Fatal(err)
	}
	if *testkit.Update {
		if err := writeFile(path, func(w io.Writer) error { return k.write(w, s) }); err != nil {
			t.Fatal(err)
		}
	}
	var want bytes.Buffer
	if err := k.write(&want, s); err != nil {
		t.Fatal(err)
	}
	if got := gunzip(t, path); !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s has %d bytes, the story now gives %d different ones; run make examples", path, len(got), want.Len())
	}
}

func gunzip(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if filepath.Ext(path) != ".gz" {
		data, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestStoriesAddUp: what the allocator's model emits is consistent, whatever the
// seed, and runs out of memory where it should.
func TestStoriesAddUp(t *testing.T) {
	for i := range stories {
		story := &stories[i]
		for j := range story.takes {
			for seed := range uint64(3) {
				s, err := story.record(&story.takes[j], seed)
				if err != nil {
					t.Fatalf("%s: %v", story.name, err)
				}
				d := replay.Replay(s, 0)
				if !d.AddsUp() {
					t.Errorf("%s, seed %d: %+v %+v", story.name, seed, d.Anomalies, d.Reconciliation)
				}
				dies := story.name == "out-of-memory" || story.name == "one-rank-dies" && j == 2
				if d.Events.Len() == 0 || d.Totals.OOMEvents > 0 != dies {
					t.Errorf("%s, seed %d: %d events, %d of them out of memory", story.name, seed, d.Events.Len(),
						d.Totals.OOMEvents)
				}
			}
		}
	}
}

func TestUnknownStory(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.pickle")
	if err := run([]string{"memviz-gen", "-o", out, "no-such-story"}, io.Discard); err == nil {
		t.Error("a story that does not exist was generated")
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a failed run left a file")
	}
}

// TestTakes makes the files of a story with two.
func TestTakes(t *testing.T) {
	make := func(args ...string) (int, error) {
		path := filepath.Join(t.TempDir(), "x.pickle")
		if err := run(append([]string{"memviz-gen", "-o", path}, args...), io.Discard); err != nil {
			return 0, err
		}
		s, err := snapshot.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		return s.Traces[0].Events.Len(), nil
	}
	first, err := make("ten-steps")
	if err != nil {
		t.Fatal(err)
	}
	before, err := make("--take", "before.pickle.gz", "ten-steps")
	if err != nil || before != first {
		t.Errorf("the first file has %d events, before.pickle.gz %d (%v)", first, before, err)
	}
	after, err := make("--take", "after.pickle.gz", "ten-steps")
	if err != nil || after <= before {
		t.Errorf("%d events before and %d after (%v)", before, after, err)
	}
	if _, err := make("--take", "later", "ten-steps"); err == nil || !strings.Contains(err.Error(), `no file "later"`) {
		t.Errorf("got %v, want an error that names the file", err)
	}
}

// TestScriptFrames: a line is found by its text, in the function around it, and only
// if there is one such line.
func TestScriptFrames(t *testing.T) {
	s := script{}
	s.add("train.py", "import x\n\ndef f(a):\n    if a:\n        g()  # why\n    g(1)\n    g(1)\n\nf(2)")
	for text, want := range map[string]string{"g()": "train.py:5:f", "f(2)": "train.py:9:<module>", "g(1)": "",
		"h()": ""} {
		got := ""
		if f, err := s.frame(text); err == nil {
			got = fmt.Sprintf("%s:%d:%s", f.File, f.Line, f.Name)
		}
		if got != want {
			t.Errorf("%s is at %q, want %q", text, got, want)
		}
	}
}

func TestOptionsBehindStory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.pickle")
	err := run([]string{"memviz-gen", "-o", path, "adversarial", "--events", "10"}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), `"--events"`) {
		t.Errorf("got %v, want an error that names --events", err)
	}
}

// generated is the snapshot that memviz-gen writes with args.
func generated(t *testing.T, args ...string) *snapshot.Snapshot {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.pickle")
	if err := run(append([]string{"memviz-gen", "-o", path}, args...), io.Discard); err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestProtocols writes one story in every protocol; all must read the same.
func TestProtocols(t *testing.T) {
	var events []int
	for _, protocol := range []string{"2", "3", "4", "5"} {
		s := generated(t, "--protocol", protocol, "training-loop")
		events = append(events, s.Traces[0].Events.Len())
	}
	for _, n := range events {
		if n != events[0] || n == 0 {
			t.Errorf("events by protocol: %v", events)
		}
	}
}

// TestShapes makes each shape twice: it has the requested events and live tensors,
// adds up, and is the same for the same seed.
func TestShapes(t *testing.T) {
	for _, shape := range shapes {
		var pickles [2]bytes.Buffer
		for i := range pickles {
			s, err := shape.make(5, 20_000, 3_000)
			if err != nil {
				t.Fatal(err)
			}
			d := replay.Replay(s, 0)
			if n := d.Events.Len(); n < 20_000 || n > 30_000 { // whole forward passes
				t.Errorf("%s has %d events", shape.name, n)
			}
			if n := len(d.Live(nil, d.Totals.PeakState)); n < 2_900 || n > 3_100 {
				t.Errorf("%s has %d live tensors at its peak", shape.name, n)
			}
			if !d.AddsUp() {
				t.Errorf("%s: %+v %+v", shape.name, d.Anomalies, d.Reconciliation)
			}
			if err := snapshot.Write(&pickles[i], s, 4); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(pickles[0].Bytes(), pickles[1].Bytes()) {
			t.Errorf("%s differs from one time to the next", shape.name)
		}
	}
}
