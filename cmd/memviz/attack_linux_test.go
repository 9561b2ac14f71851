package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Limits of a command on a file of at most 2 MB, packed.
const (
	attackSize   = 2_000_000
	attackTime   = 5 * time.Second // of the processor
	attackMemory = 256 << 20
)

// TestAttack runs commands on small files that multiply the work: devices by
// segments, devices by stacks, and a name of megabytes in many frames.
func TestAttack(t *testing.T) {
	if testing.Short() {
		t.Skip("memory is measured, of which a program with the race detector takes several times as much")
	}
	const devices = 1024
	segment := func(c *snapshot.Composer, d snapshot.DeviceID, addr uint64) {
		c.Segment(snapshot.Segment{Device: d, Address: addr, TotalSize: 2 << 20},
			snapshot.Block{Address: addr, Size: 2 << 20})
	}
	for _, tt := range []struct {
		name     string
		compose  func(c *snapshot.Composer)
		commands []string
	}{
		{"devices by segments", func(c *snapshot.Composer) {
			for i := range 60 * devices {
				d, addr := snapshot.DeviceID(i%devices), 0x7f0000000000+uint64(i)<<21
				c.Event(d, snapshot.EventText{Action: snapshot.FreeCompleted, Addr: addr, Size: 512})
				segment(c, d, addr)
			}
		}, []string{"stats", "segments --format json", "whatif", "trace -q -o $out"}},
		{"devices by many segments", func(c *snapshot.Composer) {
			for i := range 300 * devices {
				segment(c, snapshot.DeviceID(i%devices), 0x7f0000000000+uint64(i)<<21)
			}
		}, []string{"stats", "leaks"}},
		{"devices by annotations", func(c *snapshot.Composer) {
			for i := range 60 * devices {
				c.Annotation(fmt.Sprint(i%1000), i%2 == 0, int64(1000+i))
				c.Event(snapshot.DeviceID(i%devices), snapshot.EventText{Action: snapshot.Alloc, Size: 512,
					Addr: 0x7f0000000000 + uint64(i)<<10, TimeMicros: int64(1000 + i)})
			}
		}, []string{"stats", "leaks", "trace -q -o $out"}},
		{"devices by annotations among events", func(c *snapshot.Composer) {
			start := c.Stack(snapshot.FrameText{File: "a", Name: "START"})
			for i := range 150 * devices {
				c.Event(snapshot.DeviceID(i%devices), snapshot.EventText{Action: snapshot.UserDefined, Stack: start,
					TimeMicros: int64(1000 + i)})
			}
		}, []string{"stats", "leaks", "trace -q -o $out"}},
		{"devices by stacks", func(c *snapshot.Composer) {
			for i := range 60 * devices {
				stack := c.Stack(snapshot.FrameText{File: fmt.Sprintf("/x/%d.py", i%89), Line: int32(i), Name: "f"})
				c.Event(snapshot.DeviceID(i%devices), snapshot.EventText{Action: snapshot.Alloc, Size: 512,
					Stack: stack,
					Addr:  0x7f0000000000 + uint64(i)<<10})
			}
		}, []string{"stats --format json", "leaks", "top", "trace -q -o $out"}},
		{"a name of 5 MiB in 20 frames", func(c *snapshot.Composer) {
			var frames []snapshot.FrameText
			for i := range 20 {
				frames = append(frames, snapshot.FrameText{File: "/x/a.py", Line: int32(i),
					Name: strings.Repeat("n", 5<<20)})
			}
			c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: 512, Size: 512, Stack: c.Stack(frames...)})
			c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: 1024, Size: 512})
		}, []string{"stats --format json", "top --by stack --format json", "events --format json", "trace -q -o $out"}},
	} {
		c := snapshot.NewComposer(snapshot.Format{HasPoolID: true, HasTime: strings.Contains(tt.name, "annotations"),
			HasAnnotations: strings.Contains(tt.name, "annotations")})
		tt.compose(c)
		dir := t.TempDir()
		path, out := filepath.Join(dir, "attack.pickle.gz"), filepath.Join(dir, "out.html")
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func(s *snapshot.Snapshot) {
			defer writer.Close()
			if err := snapshot.Write(writer, s, 4); err != nil {
				t.Error(err)
			}
		}(c.Snapshot())
		gzipped(t, path, reader)
		if info, err := os.Stat(path); err != nil || info.Size() > attackSize {
			t.Fatalf("%s: %v, %v", tt.name, info, err)
		}
		c = nil
		debug.FreeOSMemory() // a child's peak starts with the memory of this process
		for _, command := range tt.commands {
			command := exec.Command("memviz", append(strings.Fields(strings.ReplaceAll(command, "$out", out)), path)...)
			printed, err := command.Output()
			used := command.ProcessState.SysUsage().(*syscall.Rusage)
			took := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
			if peak := used.Maxrss << 10; err != nil || took > attackTime || peak > attackMemory {
				t.Errorf("%s, %v: %v, %v of the processor, %d MiB", tt.name, command.Args[1:], err, took, peak>>20)
			} else {
				t.Logf("%s, %v: %v, %d MiB", tt.name, command.Args[1:], took, peak>>20)
			}
			if page, err := os.ReadFile(out); strings.Contains(string(printed), strings.Repeat("n", 5000)) ||
				err == nil && len(page) > 20<<20 {
				t.Errorf("%s, %v: a long name is printed, or the page has %d bytes", tt.name, command.Args[1:],
					len(page))
			}
		}
	}
}
