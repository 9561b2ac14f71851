package timeline

import (
	"reflect"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// TestPeaks sums the live allocations of every state of every stretch.
func TestPeaks(t *testing.T) {
	d := deviceOf(testsnap.RandomTape(1, 200))
	for _, n := range []int{1, 7, 50, 200, 1 << 40} {
		for _, got := range PeaksOf(d, EveryEvents(d, n)) {
			want := Peak{Range: got.Range, State: -1}
			for k := got.From; k <= got.To; k++ {
				var bytes int64
				for _, i := range d.Live(nil, k) {
					bytes += d.Allocations[i].Size
				}
				if want.State < 0 || bytes > want.Bytes {
					want.State, want.Bytes = k, bytes
				}
			}
			if got != want {
				t.Errorf("every %d events: %+v, want %+v", n, got, want)
			}
		}
	}
}

func TestEveryEvents(t *testing.T) {
	d := deviceOf(testsnap.RandomTape(2, 10))
	want := []Range{{0, 4}, {4, 8}, {8, 10}}
	if got := EveryEvents(d, 4); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := EveryEvents(deviceOf(testsnap.NewTape()), 4); got != nil {
		t.Errorf("a trace without events has stretches %v", got)
	}
}

func TestEveryMicros(t *testing.T) {
	tape := testsnap.TimedTape()
	for _, gap := range []int64{0, 3, 4, 60} { // events at 1, 5, 10, 71
		tape.Now += gap
		tape.Alloc(testsnap.Loop, 1)
	}
	want := []Range{{0, 2}, {2, 3}, {3, 4}}
	if got := EveryMicros(deviceOf(tape), 5); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := EveryMicros(deviceOf(testsnap.RandomTape(1, 10)), 1<<62); len(got) != 1 {
		t.Errorf("one long window became %v", got)
	}
	if got := EveryMicros(deviceOf(testsnap.NewTape()), 5); got != nil {
		t.Errorf("a trace without times has windows %v", got)
	}
}

func TestPreviousPeak(t *testing.T) {
	tests := []struct {
		name   string
		active []int64 // from state 0
		state  int
		want   int
	}{
		{"nothing", []int64{0}, 0, NoState},
		{"only up", []int64{0, 1, 2, 3}, 3, NoState},
		{"on the way down", []int64{0, 9, 5, 3}, 3, 1},
		{"top itself", []int64{0, 9, 0, 9, 0}, 3, 1},
		{"end of a step", []int64{0, 9, 0, 9, 0}, 4, 3},
		{"climbing again", []int64{0, 9, 0, 9, 0, 2}, 5, 3},
		{"small dents are no hills", []int64{0, 9, 0, 4, 3, 9, 0, 5, 4, 6}, 9, 5},
		{"loading is no hill", []int64{0, 100, 103, 100, 103}, 4, 2},
		{"a fall of less than 1 %", []int64{0, 1000, 991, 1000}, 3, NoState},
		{"first of equals", []int64{0, 9, 9, 0, 1}, 4, 1},
		{"later states do not count", []int64{0, 9, 0, 9, 0, 900, 0}, 4, 3},
		{"a fall of exactly 1 %", []int64{0, 1000, 990, 1000}, 3, 1},
		{"half of an odd fall is rounded up", []int64{0, 9, 0, 5, 1, 5, 0}, 6, 3}, // 5 of 9 is a hill, 4 is not
		{"a state before the first", []int64{0, 9, 0}, -5, NoState},
		{"a dent in a valley", []int64{0, 10, 4, 6, 2}, 4, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := curve(test.active)
			if !slices.Equal(d.ActiveBytes(), test.active) {
				t.Fatalf("the curve is %v", d.ActiveBytes())
			}
			if got := PreviousPeak(d, test.state); got != test.want {
				t.Errorf("state %d, want %d", got, test.want)
			}
		})
	}
}

// curve is a device with given active bytes, of which the first must be 0. It
// has one address, where every allocation ends the one before.
func curve(active []int64) *replay.Device {
	tape := testsnap.NewTape()
	for _, bytes := range active[1:] {
		tape.Emit(snapshot.Alloc, testsnap.Tensor{Addr: 512, Size: bytes}, testsnap.Loop)
	}
	_, d := tape.Replay()
	return d
}

func TestPeakBetween(t *testing.T) {
	d := curve([]int64{0, 9, 0, 9, 4, 5})
	for _, test := range []struct{ from, to, want int }{
		{0, 5, 1}, {2, 5, 3}, {4, 5, 5}, {4, 4, 4}, {-3, 99, 1}, {5, 4, NoState}, {6, 9, NoState},
	} {
		if got := PeakBetween(d, test.from, test.to); got != test.want {
			t.Errorf("%d to %d: state %d, want %d", test.from, test.to, got, test.want)
		}
	}
}

func TestFreedAt(t *testing.T) {
	for _, test := range []struct{ requested, end, want replay.EventIndex }{
		{3, 5, 3}, // another stream still used the block
		{replay.None, 5, 5},
		{3, replay.None, 3}, // the recording ends before the completion
		{replay.None, replay.None, Never},
	} {
		if got := FreedAt(&replay.Allocation{FreeRequested: test.requested, End: test.end}); got != test.want {
			t.Errorf("requested in %d, ended in %d: freed in %d, want %d", test.requested, test.end, got, test.want)
		}
	}
}

func deviceOf(t *testsnap.Tape) *replay.Device {
	_, d := t.Replay()
	return d
}
