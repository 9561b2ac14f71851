package holders_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

// foldedLines writes what flamegraph.pl would be given.
func foldedLines(stacks iter.Seq2[[]string, int64]) []string {
	var lines []string
	for path, bytes := range stacks {
		lines = append(lines, strings.Join(path, ";")+" "+strconv.FormatInt(bytes, 10))
	}
	return lines
}

func foldedTape() *testsnap.Tape {
	tape := testsnap.NewTape()
	deep := "at::_ops::mm::call(x)\n/home/me/model.py|attend\n_PyEval_EvalFrameDefault\n" + testsnap.Loop +
		"\n__libc_start_main_impl"
	tape.Alloc(deep, 30)
	tape.Alloc(deep, 12)
	tape.Alloc("", 5)
	x := tape.Alloc(testsnap.Loop, 7)
	tape.Emit(snapshot.FreeRequested, x, testsnap.Loop)
	tape.Emit(snapshot.FreeCompleted, x, testsnap.Loop)
	tape.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: 512, Size: 1, Stream: 9,
		Stack: tape.Stack(testsnap.Frames("x;y.py|a\nb")...)})
	return tape
}

func TestFoldedActive(t *testing.T) {
	r := recorded.Tape(foldedTape())
	const mm = "stream_0;active_allocated;train.py:4:main;model.py:2:attend;??:1:at::_ops::mm::call(x) 42"
	const none = "stream_0;active_allocated;<non-python> 5"
	tests := []struct {
		state int
		want  []string
	}{
		{0, nil},
		{3, []string{none, mm}},
		{4, []string{none, mm, "stream_0;active_allocated;train.py:1:main 7"}},
		{5, []string{none, mm, "stream_0;active_pending_free;train.py:1:main 7"}},
		{7, []string{none, mm, "stream_9;active_allocated;??:2:b;x:y.py:1:a 1"}},
	}
	for _, test := range tests {
		if got := foldedLines(holders.FoldedActive(r.Stacks, r.Device, test.state)); !slices.Equal(got, test.want) {
			t.Errorf("state %d:\n%s\nwant\n%s", test.state, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
	}
}

func TestFoldedSegments(t *testing.T) {
	tape := testsnap.NewTape()
	stack := tape.Stack(testsnap.Frames("a.py|f")...)
	tape.Segment(snapshot.Segment{Address: 4096, TotalSize: 2048},
		snapshot.Block{Address: 4096, Size: 512, RequestedSize: 500, Stack: stack, State: snapshot.ActiveAllocated},
		snapshot.Block{Address: 4608, Size: 512, RequestedSize: 512, State: snapshot.ActivePendingFree},
		snapshot.Block{Address: 5120, Size: 1024, RequestedSize: 77, Stack: stack})
	tape.Segment(snapshot.Segment{Address: 8192, TotalSize: 512}, // nothing was requested of its block
		snapshot.Block{Address: 8192, Size: 200, Stack: stack, State: snapshot.ActiveAllocated})
	tape.Segment(snapshot.Segment{Address: 1 << 20, TotalSize: 512, Device: 1},
		snapshot.Block{Address: 1 << 20, Size: 512})
	r := recorded.Tape(tape)
	got := foldedLines(holders.FoldedSegments(r.Stacks, r.Device))
	want := []string{
		"stream_0;seg_4096;active_allocated;a.py:1:f 500",
		"stream_0;seg_4096;active_allocated;<gaps> 12",
		"stream_0;seg_4096;active_pending_free;<non-python> 512",
		"stream_0;seg_4096;inactive 1024",
		"stream_0;seg_8192;active_allocated;<gaps> 200",
		"stream_0;seg_8192;<unlisted> 312",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFoldedStops leaves both listings at their first path.
func TestFoldedStops(t *testing.T) {
	r := recorded.Tape(foldedTape())
	for range holders.FoldedActive(r.Stacks, r.Device, 4) {
		break
	}
	tape := testsnap.NewTape()
	tape.Block(512, testsnap.Loop)
	for range holders.FoldedSegments(r.Stacks, r.Device) {
		break
	}
}

// TestFoldedAddsUp sums random recordings: live bytes in every state, and the
// bytes of all blocks.
func TestFoldedAddsUp(t *testing.T) {
	sum := func(stacks iter.Seq2[[]string, int64]) (bytes int64) {
		for path, b := range stacks {
			if b <= 0 {
				t.Errorf("%s has %d bytes", path, b)
			}
			bytes += b
		}
		return bytes
	}
	for seed := range uint64(100) {
		r := recorded.Random(rand.New(rand.NewPCG(seed, 11)))
		for state, active := range r.Device.ActiveBytes() {
			if got := sum(holders.FoldedActive(r.Stacks, r.Device, state)); got != active {
				t.Fatalf("seed %d, state %d: %d bytes, active are %d", seed, state, got, active)
			}
		}
		want := r.Device.Totals.ReservedFinalBytes
		if got := sum(holders.FoldedSegments(r.Stacks, r.Device)); got != want {
			t.Fatalf("seed %d: %d bytes in segments, reserved are %d", seed, got, want)
		}
	}
}

// foldedLine is what flamegraph.pl takes for a line: a stack and a number.
var foldedLine = regexp.MustCompile(`^[^\n\r]+ \d+$`)

// TestFoldedRecordings checks real files: every line is one, and the bytes are
// those of the totals.
func TestFoldedRecordings(t *testing.T) {
	for _, file := range []string{"train_medium_annotated_torch210.pickle", "train_small_torch210.pickle",
		"state_only_torch21.pickle", "legacy_history_torch20.pickle", "forward_growing_torch25.pickle"} {
		t.Run(file, func(t *testing.T) {
			r := recorded.File(t, file)
			totals := &r.Device.Totals
			for name, test := range map[string]struct {
				stacks iter.Seq2[[]string, int64]
				bytes  int64
			}{
				"peak":     {holders.FoldedActive(r.Stacks, r.Device, totals.PeakState), totals.PeakBytes},
				"segments": {holders.FoldedSegments(r.Stacks, r.Device), totals.ReservedFinalBytes},
			} {
				var sum int64
				for path, bytes := range test.stacks {
					if line := fmt.Sprint(strings.Join(path, ";"), " ", bytes); !foldedLine.MatchString(line) ||
						bytes <= 0 {
						t.Errorf("%s: %q", name, line)
					}
					sum += bytes
				}
				if sum != test.bytes {
					t.Errorf("%s: %d bytes, want %d", name, sum, test.bytes)
				}
			}
		})
	}
}

func TestFoldedName(t *testing.T) {
	tests := []struct{ name, want string }{
		{"a.py:3:f", "a.py:3:f"},
		{"lambda; exec", "lambda: exec"},
		{"two\nlines\r\x1b[31m", "two\uFFFDlines\uFFFD\uFFFD[31m"},
		{"naïve", "naïve"},
		{"bad\xff", "bad\uFFFD"},
	}
	for _, test := range tests {
		if got := holders.FoldedName(test.name); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.name, got, test.want)
		}
	}
}
