package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestAttackPredict predicts from pairs of small files that multiply the work: sequences of
// stacks that share next to nothing in order, sizes that are all different, extreme sizes
// and labels, many devices.
func TestAttackPredict(t *testing.T) {
	if testing.Short() {
		t.Skip("memory is measured, of which a program with the race detector takes several times as much")
	}
	const top, base = 1 << 40, uint64(0x7f0000000000)
	line := func(c *snapshot.Composer, n int) snapshot.StackID {
		return c.Stack(snapshot.FrameText{File: "/x/a.py", Line: int32(n), Name: fmt.Sprint("f", n)})
	}
	pass := func(c *snapshot.Composer, d snapshot.DeviceID, stack snapshot.StackID, size int64) {
		c.Event(d, snapshot.EventText{Action: snapshot.Alloc, Addr: base, Size: size, Stack: stack})
		c.Event(d, snapshot.EventText{Action: snapshot.FreeCompleted, Addr: base, Size: size})
	}
	for _, tt := range []struct {
		name    string
		compose func(c *snapshot.Composer, file int)
		x       [2]int64
		flags   string
		says    string
	}{
		{"stacks in another order", func(c *snapshot.Composer, file int) {
			rng := rand.New(rand.NewPCG(uint64(file), 1))
			for range 50_000 {
				pass(c, 0, line(c, rng.IntN(50)), 512)
			}
		}, [2]int64{100, 200}, "--at 400 --force", "two different programs"},
		{"requests that are served many times", func(c *snapshot.Composer, file int) {
			// The model reproduces this: one segment, and a request at a time.
			c.Event(0, snapshot.EventText{Action: snapshot.SegmentAlloc, Addr: base, Size: 2 << 20})
			for i := range 100_000 {
				pass(c, 0, line(c, i%50), int64(512*(i%50+1)*(file+1)))
			}
			c.Segment(snapshot.Segment{Address: base, TotalSize: 2 << 20}, snapshot.Block{Address: base, Size: 2 << 20})
		}, [2]int64{100, 200}, "--at 1099511627776 --largest --capacity 80GiB", "predicted to fit"},
		{"sizes that are all different", func(c *snapshot.Composer, file int) {
			for i := range 100_000 {
				pass(c, 0, line(c, i%50), int64(i+1)*int64(512+i%7*file))
			}
		}, [2]int64{100, 200}, "--at 1,7,400,1099511627776 --force", "predicted"},
		{"sizes at the end of numbers", func(c *snapshot.Composer, file int) {
			for i := range 10_000 {
				pass(c, 0, line(c, i%50), int64(1)<<(40+i%22)<<file)
			}
		}, [2]int64{1, 2}, "--at 1099511627776 --force --largest --capacity 80GiB", "predicted at other sizes"},
		{"labels at the end of numbers", func(c *snapshot.Composer, file int) {
			for i := range 10_000 {
				pass(c, 0, line(c, i%50), 512)
			}
		}, [2]int64{top - 1, top}, "--at 1,1099511627776 --force --largest --capacity 80GiB", "same size"},
		{"devices", func(c *snapshot.Composer, file int) {
			for i := range 20 * 1024 {
				pass(c, snapshot.DeviceID(i%1024), line(c, i%50), int64(512*(file+1)))
			}
		}, [2]int64{100, 200}, "--at 400 --format json", `"device": 1023`},
		{"no request", func(c *snapshot.Composer, file int) {
			c.Event(0, snapshot.EventText{Action: snapshot.FreeCompleted, Addr: base, Size: 512})
		}, [2]int64{100, 200}, "--at 400 --force", "no request for memory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			args := append([]string{"predict"}, strings.Fields(tt.flags)...)
			for file, x := range tt.x {
				path := filepath.Join(dir, fmt.Sprintf("%d.pickle", file))
				c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
				tt.compose(c, file)
				f, err := os.Create(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := snapshot.Write(f, c.Snapshot(), 4); err != nil {
					t.Fatal(err)
				}
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
				args = append(args, fmt.Sprintf("%d=%s", x, path))
			}
			debug.FreeOSMemory() // a child's peak starts with the memory of this process
			for _, more := range [][]string{nil, {"-o", filepath.Join(dir, "predicted.html")}} {
				if more != nil && strings.Contains(tt.flags, ",") {
					continue // a page is of one size
				}
				command := exec.Command("memviz", append(args, more...)...)
				printed, err := command.CombinedOutput()
				used := command.ProcessState.SysUsage().(*syscall.Rusage)
				took := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
				if peak := used.Maxrss << 10; err != nil || took > 2*attackTime || peak > 2*attackMemory {
					t.Errorf("%v: %v, %v of the processor, %d MiB", command.Args[1:], err, took, peak>>20)
				} else {
					t.Logf("%v: %v, %d MiB", command.Args[1:], took, peak>>20)
				}
				if text := strings.Join(strings.Fields(string(printed)), " "); !strings.Contains(text, tt.says) {
					t.Errorf("%v does not say %q: %.2000s", command.Args[1:], tt.says, printed)
				}
			}
		})
	}
}
