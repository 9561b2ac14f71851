package answer

import (
	"fmt"
	"strings"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// Verdict is the mark in the header that says whether the picture can be trusted.
type Verdict struct {
	OK   bool   `json:"ok"`
	Text string `json:"text"` // "adds up", "no history", "history cut", "part of a file", "does not add up"
	Why  string `json:"why"`  // a sentence or two
}

// VerdictOn says whether the picture of a device can be trusted. The replay and
// the final segments are two accounts of the same memory; agreement is the proof.
func VerdictOn(d *replay.Device) Verdict {
	r := &d.Reconciliation
	state := fmt.Sprintf("%s in %s", amount(r.LiveRequestedBytes), units.Plural(r.LiveBlocks, "block", "blocks"))
	switch {
	case r.EndUnknown:
		return Verdict{Text: "part of a file",
			Why: strings.Join(append([]string{endUnknown}, discrepancies(d)...), " ")}
	case !d.AddsUp():
		return Verdict{Text: "does not add up", Why: strings.Join(discrepancies(d), " ")}
	case d.Events.Len() <= 1:
		return Verdict{Text: "no history", Why: "The file holds only the final state, " + state + "."}
	case r.HistoryCut:
		return Verdict{Text: "history cut", Why: "The replay ends exactly in the allocator's own list of blocks, " +
			state + ", but the recording does not reach back to its beginning: " + r.HistoryCutReason + "."}
	}
	return Verdict{OK: true, Text: "adds up", Why: "The replay ends exactly in the allocator's own list of blocks, " +
		state + ", and every event is explained. " + preExistingSentence(d)}
}

// endUnknown is the reason why nothing is compared at the end.
const endUnknown = "The file was read in part, and the end state is missing."

// amount is a number of bytes inside a sentence.
func amount(n int64) string { return units.NoBreak(units.Bytes(n)) }

func preExistingSentence(d *replay.Device) string {
	if d.PreExisting == 0 {
		return "Nothing was allocated before the recording."
	}
	return fmt.Sprintf("%s from before the recording, with %s.",
		units.Plural(d.PreExisting, "allocation is", "allocations are"), amount(d.Totals.BaselineBytes))
}

// discrepancies are the sentences on what the rules of replay cannot explain
// and where its end differs from the final segments. There is one for
// everything that [replay.Device.AddsUp] looks at.
func discrepancies(d *replay.Device) []string {
	r, a := &d.Reconciliation, &d.Anomalies
	var list []string
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if !r.EndUnknown && d.Totals.FinalBytes != r.LiveRequestedBytes {
		say("The replay ends with %s bytes active, the allocator's own list of blocks has %s: %s.",
			units.Count(d.Totals.FinalBytes), units.Count(r.LiveRequestedBytes),
			units.NoBreak(units.Change(d.Totals.FinalBytes-r.LiveRequestedBytes)))
	}
	if n := r.MissingBlocks; n > 0 {
		say("%s never freed, yet not in that list: %s.", units.Plural(n, "allocation was", "allocations were"),
			amount(r.MissingBlockBytes))
	}
	if n := r.ChangedBlocks; n > 0 {
		say("%s another size there.", units.Plural(n, "allocation has", "allocations have"))
	}
	if n := a.OverlappingAllocs; n > 0 {
		say("%s at an address still in use; the older allocation was ended there.",
			units.Plural(n, "allocation began", "allocations began"))
	}
	if n := a.RepeatedFrees; n > 0 {
		say("%s memory that was free already.", units.Plural(n, "free returned", "frees returned"))
	}
	if n := a.SizeMismatches; n > 0 {
		say("%s another size than the allocation.", units.Plural(n, "free has", "frees have"))
	}
	if n := a.UnknownActions; n > 0 {
		say("%s an action without a rule and left memory as it was.", units.Plural(n, "event has", "events have"))
	}
	if n := a.ImpossibleSizes; n > 0 {
		say("%s below zero or above 4 TiB and counted as zero.", units.Plural(n, "size was", "sizes were"))
	}
	if n := a.NegativeReserved; n > 0 {
		say("Reserved memory falls below zero %s: segment events seem to be missing.", units.Plural(n, "time", "times"))
	}
	if n := r.ActiveAboveReserved; n > 0 {
		say("More memory is active than reserved in %s: segment events seem to be missing.",
			units.Plural(n, "state", "states"))
	}
	return list
}
