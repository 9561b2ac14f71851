package analysis

import (
	"math"
	"slices"
	"sort"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// clock finds the state of a device at a time. It is nil for a trace without times.
type clock struct {
	micros []int64 // by event, ascending
}

func newClock(e *snapshot.Events) *clock {
	if e.Len() == 0 || len(e.TimeMicros) != e.Len() {
		return nil
	}
	micros := e.TimeMicros
	if !slices.IsSorted(micros) { // threads may record a little out of order
		micros = slices.Clone(micros)
		for i := 1; i < len(micros); i++ {
			micros[i] = max(micros[i], micros[i-1])
		}
	}
	return &clock{micros}
}

// state is the state after the last event at or before a time, which is also
// the index of the first event later than it.
func (c *clock) state(micros int64) int {
	return sort.Search(len(c.micros), func(i int) bool { return c.micros[i] > micros })
}

// never is later than every event.
const never replay.EventIndex = math.MaxInt32

// freedAt is when the user gave an allocation up, or never.
func freedAt(a *replay.Allocation) replay.EventIndex {
	switch {
	case a.FreeRequested != replay.None:
		return a.FreeRequested
	case a.End != replay.None:
		return a.End
	}
	return never
}
