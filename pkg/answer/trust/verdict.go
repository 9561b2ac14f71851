// Package trust says whether the numbers of a recording can be trusted: a verdict, warnings, and how
// to record what is missing.
package trust

import (
	"fmt"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
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
	DoesNotAddUp = "does not add up"
	noHistory    = "no history"
	historyCut   = "history cut"
	unconfirmed  = "not confirmed"
	notReadable  = "not all of it readable"
	partOfFile   = "part of a file"
)

// VerdictOn says whether the picture of a device can be trusted. The replay and
// the final segments are two accounts of the same memory; agreement is the proof.
func VerdictOn(d *replay.Device) Verdict {
	r := &d.Reconciliation
	state := fmt.Sprintf("%s in %s", phrase.Amount(r.LiveRequestedBytes), units.Plural(r.LiveBlocks, "block", "blocks"))
	switch {
	case r.EndUnknown && !r.EndNotWritten:
		return Verdict{Text: partOfFile,
			Why: strings.Join(append([]string{endUnknown}, discrepancies(d)...), " ")}
	case d.Anomalies[replay.UnreadFields] > 0:
		return Verdict{Text: notReadable, Why: strings.Join(discrepancies(d), " ")}
	case d.Contradicted():
		return Verdict{Text: DoesNotAddUp, Why: strings.Join(discrepancies(d), " ")}
	case !d.HasHistory():
		return Verdict{Text: noHistory, Why: "The file holds only the final state, " + state + "."}
	case r.EndNotWritten:
		return Verdict{Text: unconfirmed, Why: EndNotWritten + " " + cannotBeChecked}
	case d.Unconfirmed():
		return Verdict{Text: unconfirmed, Why: noSegments + " " + nothingConfirms}
	case r.HistoryCut:
		return Verdict{Text: historyCut, Why: "The replay ends exactly in the allocator's own list of blocks, " +
			state + ", but the recording does not reach back to its beginning: " + r.HistoryCutReason + "."}
	}
	return Verdict{OK: true, Text: addsUp, Why: "The replay ends exactly in the allocator's own list of blocks, " +
		state + ", and nothing in the file contradicts it. " + preExistingSentence(d)}
}

// VerdictOf is that of [VerdictOn], but for a run that was never made.
func VerdictOf(r *analysis.Recording) Verdict {
	v := VerdictOn(r.Device)
	if w, is := Predicted(r.Source); is && v.OK {
		return Verdict{Text: "predicted", Why: w.Fact + " " + w.Consequence}
	}
	return v
}

// Said of a file without segments.
const (
	noSegments      = "The file lists no segments."
	nothingConfirms = "Reserved memory is not known, and the end of the replay cannot be checked."
)

// Said of a file whose writer lists no memory at the end.
const (
	EndNotWritten   = "The program that wrote this file does not list the memory that is held at the end."
	cannotBeChecked = "The end of the replay cannot be checked, and reserved memory is at least what is shown."
)

// endUnknown is the reason why nothing is compared at the end.
const endUnknown = "The file was read in part, and the end state is missing."

func preExistingSentence(d *replay.Device) string {
	if d.PreExisting == 0 {
		return "Nothing was allocated before the recording."
	}
	return fmt.Sprintf("%s from before the recording, with %s.",
		units.Plural(d.PreExisting, "allocation is", "allocations are"), phrase.Amount(d.Totals.BaselineBytes))
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
		text += ": " + phrase.Amount(r.MissingBlockBytes)
	}
	return text + "."
}
