package snapshot

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// encodings is where make.py writes one story in every encoding.
const encodings = "testdata/encodings"

// TestEncodings demands one snapshot of all files that tell the story, from a
// file and from a pipe.
func TestEncodings(t *testing.T) {
	if *testkit.Update {
		writeZstd(t)
	}
	paths, err := filepath.Glob(filepath.Join(encodings, "story.*"))
	if err != nil || len(paths) < 18 {
		t.Fatalf("only %d files tell the story: %v", len(paths), err)
	}
	first, err := Open(filepath.Join(encodings, "story.protocol4.pickle"))
	if err != nil {
		t.Fatal(err)
	}
	want := Format{HasPoolID: true, HasTime: true, HasSettings: true, HasAnnotations: true, HasCompileContext: true,
		HasUserMetadata: true,
		HasEventPool:    true, HasTraces: true, HasForwardFrames: true, HasHost: true}
	testkit.GoldenFile(t, filepath.Join("testdata", "story.txt"), []byte(describe(first)))
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := describe(s), describe(first); got != want {
				t.Errorf("it tells\n%s\nwant\n%s", got, want)
			}
			if !reflect.DeepEqual(s.Oddity, first.Oddity) {
				t.Errorf("oddities %+v, want %+v", s.Oddity, first.Oddity)
			}
			format := s.Format
			if format.Protocol, format.Way = 0, ""; format != want {
				t.Errorf("format %+v, want %+v", format, want)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			piped, err := ReadPipe(bytes.NewBuffer(data), Options{})
			if err != nil || !reflect.DeepEqual(piped, s) {
				t.Errorf("a pipe gives something else (%v)", err)
			}
		})
	}
	for key, times := range map[string]int{"nobody_knows": 1, "wave": 1} {
		if first.Oddity.UnknownKeys[key] != times {
			t.Errorf("the key %s is unknown %d times", key, first.Oddity.UnknownKeys[key])
		}
	}
	if len(first.Oddity.WrongTypes) > 0 || first.Oddity.BadText > 0 || first.Oddity.UnknownActions["defragment"] != 1 {
		t.Errorf("oddities %+v", first.Oddity)
	}
}

// writeZstd writes what Python's standard library cannot pack.
func writeZstd(t *testing.T) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(encodings, "story.protocol4.pickle"))
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(encodings, "story.pickle.zst"), z.EncodeAll(data, nil), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestMadeByScript: the committed files are those that make.py writes.
// What deflate makes of them differs between builds of Python.
func TestMadeByScript(t *testing.T) {
	for _, folder := range []string{encodings, "testdata/newer"} {
		t.Run(filepath.Base(folder), func(t *testing.T) { madeByScript(t, folder) })
	}
}

func madeByScript(t *testing.T, folder string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on this machine")
	}
	dir := t.TempDir()
	scripts, err := filepath.Glob(filepath.Join(folder, "*.py"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts: %v", len(scripts), err)
	}
	for _, path := range scripts {
		script, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), script, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(python, filepath.Join(dir, "make.py")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	made, err := filepath.Glob(filepath.Join(dir, "*.*"))
	if err != nil || len(made) < 20 {
		t.Fatalf("it made %d files: %v", len(made), err)
	}
	for _, path := range made {
		name := filepath.Base(path)
		got, err1 := os.ReadFile(path)
		want, err2 := os.ReadFile(filepath.Join(folder, name))
		if err1 != nil || err2 != nil {
			t.Errorf("%s: %v, %v", name, err1, err2)
		} else if deflated := strings.HasSuffix(name, ".gz") || strings.Contains(name, "deflated"); !deflated &&
			!bytes.Equal(got, want) {
			t.Errorf("%s is not what make.py writes; run it and look at the change", name)
		}
	}
}

// TestProducers reads what others than CUDA's allocator wrote.
func TestProducers(t *testing.T) {
	for _, tt := range []struct {
		file, torch, label string
		devices            []DeviceID
		events, segments   int
		block              Block // the first, without its stack
	}{
		{"segments.pickle", "2.1 or later", "cuda:0", []DeviceID{0, 1}, 0, 2,
			Block{Address: 0x7f0000000000, Size: 1024, RequestedSize: 1000}},
		{"segments.pt", "2.1 or later", "cuda:0", []DeviceID{0, 1}, 0, 2,
			Block{Address: 0x7f0000000000, Size: 1024, RequestedSize: 1000}},
		{"segments.json", "2.1 or later", "cuda:0", []DeviceID{0, 1}, 0, 2,
			Block{Address: 0x7f0000000000, Size: 1024, RequestedSize: 1000}},
		{"torch20.pickle", "2.0 or earlier", "cuda:0", []DeviceID{0}, 1, 1,
			Block{Address: 1 << 30, Size: 1024, RequestedSize: 700, State: ActiveAllocated}},
		{"npu.pickle", "2.1 or later (torch_npu)", "npu:0", []DeviceID{0}, 1, 1,
			Block{Address: 0x12c0c0000000, Size: 512, RequestedSize: 32, State: ActiveAllocated}},
		{"xpu.pickle", "2.11 or later (XPU)", "xpu:0", []DeviceID{0}, 1, 1,
			Block{Address: 18446720620317114368, Size: 2 << 20, RequestedSize: 500, State: ActiveAllocated}},
		{"rocm.pickle", "2.8 or 2.9", "cuda:0", []DeviceID{0}, 1, 1,
			Block{Address: 1 << 40, Size: 2 << 20, RequestedSize: 500, State: ActiveAllocated}},
		{"profile.html", "unknown (made from a profile)", "cuda:0", []DeviceID{1}, 4, 1,
			Block{Address: 4096, Size: 500, RequestedSize: 500, State: ActiveAllocated}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			s, err := Open(filepath.Join(encodings, tt.file))
			if err != nil {
				t.Fatal(err)
			}
			if got := s.TorchVersion(); got != tt.torch || s.DeviceLabel(0) != tt.label {
				t.Errorf("torch %s on %s, want %s on %s", got, s.DeviceLabel(0), tt.torch, tt.label)
			}
			events := 0
			for i := range s.Traces {
				events += s.Traces[i].Events.Len()
			}
			if !slices.Equal(s.Devices(), tt.devices) || events != tt.events || len(s.Segments) != tt.segments {
				t.Errorf("devices %v, %d events, %d segments; want %v, %d, %d", s.Devices(), events, len(s.Segments),
					tt.devices, tt.events, tt.segments)
			}
			block := s.Blocks[0]
			if block.Stack = 0; block != tt.block {
				t.Errorf("block %+v, want %+v", block, tt.block)
			}
			if n := len(s.Oddity.WrongTypes) + len(s.Oddity.UnknownKeys) + len(s.Oddity.UnknownActions); n > 0 {
				t.Errorf("oddities %+v", s.Oddity)
			}
		})
	}
}
