package pickle

import (
	"runtime/debug"
	"sync"
)

// boxingPercent is how much a heap of boxed values may grow before the collector
// looks at it again. A program that holds columns does well with less, but each
// boxed value is a pointer to follow, and hardly any is garbage before the end.
const boxingPercent = 30

// boxing is who boxes values just now.
var boxing struct {
	sync.Mutex
	callers int
	before  int // the percentage without any
}

// startBoxing gives the collector less to do until the function that it returns
// is called. It leaves alone a collector that runs no more often.
func startBoxing() (stop func()) {
	boxing.Lock()
	defer boxing.Unlock()
	if boxing.callers++; boxing.callers == 1 {
		boxing.before = debug.SetGCPercent(boxingPercent)
		if boxing.before < 0 || boxing.before > boxingPercent {
			debug.SetGCPercent(boxing.before)
		}
	}
	return stopBoxing
}

func stopBoxing() {
	boxing.Lock()
	defer boxing.Unlock()
	if boxing.callers--; boxing.callers == 0 {
		debug.SetGCPercent(boxing.before)
	}
}
