package answer

import (
	"fmt"
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// legacyRoom is how many events torch 2.0 should keep. Its default is 1.
const legacyRoom = 100_000

// recordCall is the call that turns recording on in the torch that wrote the
// file, with an argument as torch 2.1 and later take it, or with room for so
// many events. In torch 2.0 the call had other arguments, which record stacks
// and events only when asked for both.
func recordCall(s *snapshot.Snapshot, room int, argument string) string {
	call := "torch.cuda.memory._record_memory_history"
	switch {
	case strings.HasPrefix(s.TorchVersion(), "2.0"):
		if room == 0 {
			room = legacyRoom
		}
		return fmt.Sprintf("%s(True, trace_alloc_max_entries=%d, trace_alloc_record_context=True)", call, room)
	case room > 0:
		argument = fmt.Sprintf("max_entries=%d", room)
	}
	return fmt.Sprintf("%s(%s)", call, argument)
}
