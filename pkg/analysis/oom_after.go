package analysis

import (
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Aftermath is what the recording shows after a failure.
type Aftermath struct {
	Allocs, Frees int   // alloc events, and frees, up to the end
	ActiveThen    int64 // requested bytes, at the failure
	ActiveAtEnd   int64 // requested bytes, in the last state

	// Unwound: the file was written after the error had let go of much, so its
	// end is no picture of the failure.
	Unwound bool
	// WentOn: the program allocated again, so it survived the failure.
	WentOn bool
}

// findAftermath fills After of failures in the order of events.
func findAftermath(d *replay.Device, list []OOM) {
	allocs, frees, i := 0, 0, d.Events.Len()
	for n := len(list) - 1; n >= 0; n-- {
		for ; i > list[n].State(); i-- {
			switch d.Events.Action[i-1] {
			case snapshot.Alloc:
				allocs++
			case snapshot.Free, snapshot.FreeCompleted:
				frees++
			}
		}
		after := Aftermath{
			Allocs: allocs, Frees: frees,
			ActiveThen: d.ActiveBytes()[list[n].State()], ActiveAtEnd: d.Totals.FinalBytes,
		}
		// Cleaning up after an error allocates little; going on frees about as
		// often as it allocates.
		after.Unwound = frees > 0 && 10*allocs <= frees && after.ActiveAtEnd < after.ActiveThen/10*9
		after.WentOn = allocs > 0 && !after.Unwound
		list[n].After = after
	}
}
