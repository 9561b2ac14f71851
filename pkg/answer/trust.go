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
	Text string `json:"text"` // one of the words below
	Why  string `json:"why"`  // a sentence or two
}

// The words of the verdict. Nothing else says them: the page gets them in its
// JSON, and sentences are made of them.
const (
	addsUp       = "adds up"
	doesNotAddUp = "does not add up"
	noHistory    = "no history"
	historyCut   = "history cut"
	partOfFile   = "part of a file"
)

// VerdictOn says whether the picture of a device can be trusted. The replay and
// the final segments are two accounts of the same memory; agreement is the proof.
func VerdictOn(d *replay.Device) Verdict {
	r := &d.Reconciliation
	state := fmt.Sprintf("%s in %s", amount(r.LiveRequestedBytes), units.Plural(r.LiveBlocks, "block", "blocks"))
	switch {
	case r.EndUnknown:
		return Verdict{Text: partOfFile,
			Why: strings.Join(append([]string{endUnknown}, discrepancies(d)...), " ")}
	case !d.AddsUp():
		return Verdict{Text: doesNotAddUp, Why: strings.Join(discrepancies(d), " ")}
	case d.Events.Len() <= 1:
		return Verdict{Text: noHistory, Why: "The file holds only the final state, " + state + "."}
	case r.HistoryCut:
		return Verdict{Text: historyCut, Why: "The replay ends exactly in the allocator's own list of blocks, " +
			state + ", but the recording does not reach back to its beginning: " + r.HistoryCutReason + "."}
	}
	return Verdict{OK: true, Text: addsUp, Why: "The replay ends exactly in the allocator's own list of blocks, " +
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

// discrepancies are the sentences on the anomalies that keep a device from
// adding up.
func discrepancies(d *replay.Device) []string {
	var list []string
	for i, n := range d.Anomalies {
		if kind := replay.Anomaly(i); n > 0 && kind.Kind().Denies {
			list = append(list, anomalySentence(d, kind))
		}
	}
	return list
}

// anomalySentence says how often a device has an anomaly.
func anomalySentence(d *replay.Device, kind replay.Anomaly) string {
	about, r := kind.Kind(), &d.Reconciliation
	text := units.Plural(d.Anomalies[kind], about.One, about.Many)
	switch kind {
	case replay.UnequalEnd:
		text = fmt.Sprintf("The replay ends with %s bytes active, the allocator's own list of blocks has %s: %s",
			units.Count(d.Totals.FinalBytes), units.Count(r.LiveRequestedBytes),
			units.NoBreak(units.Change(d.Totals.FinalBytes-r.LiveRequestedBytes)))
	case replay.MissingBlocks:
		text += ": " + amount(r.MissingBlockBytes)
	}
	return text + "."
}
