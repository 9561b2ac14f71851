package timeline

import (
	"reflect"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/internal/tapes"
	"github.com/memviz-go/memviz/pkg/replay"
)

// TestPeaks sums the live allocations of every state of every stretch.
func TestPeaks(t *testing.T) {
	d := deviceOf(tapes.Random(1, 200))
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
	d := deviceOf(tapes.Random(2, 10))
	want := []Range{{0, 4}, {4, 8}, {8, 10}}
	if got := EveryEvents(d, 4); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := EveryEvents(deviceOf(tapes.New()), 4); got != nil {
		t.Errorf("a trace without events has stretches %v", got)
	}
}

func TestEveryMicros(t *testing.T) {
	tape := tapes.Timed()
	for _, gap := range []int64{0, 3, 4, 60} { // events at 1, 5, 10, 71
		tape.Now += gap
		tape.Alloc(tapes.Loop, 1)
	}
	want := []Range{{0, 2}, {2, 3}, {3, 4}}
	if got := EveryMicros(deviceOf(tape), 5); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := EveryMicros(deviceOf(tapes.Random(1, 10)), 1<<62); len(got) != 1 {
		t.Errorf("one long window became %v", got)
	}
	if got := EveryMicros(deviceOf(tapes.New()), 5); got != nil {
		t.Errorf("a trace without times has windows %v", got)
	}
}

func deviceOf(t *tapes.Tape) *replay.Device {
	_, d := t.Replay()
	return d
}
