package trust

import (
	"fmt"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// RecordFunction is the function of Python that starts recording; "" for files that torch
// did not write.
func RecordFunction(s *snapshot.Snapshot) string {
	if module := phrase.BackendOf(s).Module; module != "" {
		return module + ".memory._record_memory_history"
	}
	return ""
}

// RecordMore is how many steps tell growth from getting ready, and from a cache that
// fills.
const RecordMore = 8

// More advises to record so many steps or more; of a file that was read in part, that
// the rest of it may hold them.
func More(r *analysis.Recording, n int) string {
	if r.Snapshot.Cut(r.Device.ID) {
		return "Only a part of the file could be read: the whole one may hold more of them."
	}
	return "Record " + units.Count(n) + " or more."
}

// PrintsHow says which snippet records what a sentence before it asks for, as the end of that
// sentence. Snippets call torch, so there is none for a file that torch did not write.
func PrintsHow(r *analysis.Recording, snippet string) string {
	if r.Snapshot.Format.MLX {
		return ""
	}
	return ": memviz snippet " + snippet + " prints how"
}

// HoldsNoHistory says why a device without events cannot be judged, as the beginning of
// a sentence.
func HoldsNoHistory(r *analysis.Recording) string {
	if r.Snapshot.Cut(r.Device.ID) {
		return "The part of the file that was read holds no history of events"
	}
	return "The file holds no history of events"
}

// legacyRoom is how many events torch 2.0 is to keep, whose default is 1.
const legacyRoom = 100_000

// Call is the call that starts recording in the version of torch that wrote
// the file, with room for so many events (0: the default) or with an argument of
// torch 2.1 and later. In torch 2.0, stacks and events must both be asked for.
func Call(s *snapshot.Snapshot, d *replay.Device, room int, argument string) string {
	call := RecordFunction(s)
	switch {
	case strings.HasPrefix(s.TorchVersion(), "2.0"):
		if room == 0 {
			room = legacyRoom
		}
		return fmt.Sprintf("%s(True, trace_alloc_max_entries=%d, trace_alloc_record_context=True)", call, room)
	case room > 0:
		argument = fmt.Sprintf("max_entries=%d", room)
	}
	if d.ID == snapshot.Pinned {
		argument = strings.TrimPrefix(argument+", record_pinned_host_memory=True", ", ")
	}
	return fmt.Sprintf("%s(%s)", call, argument)
}
