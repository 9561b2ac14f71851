package answer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
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
	unconfirmed  = "not confirmed"
	notReadable  = "not all of it readable"
	partOfFile   = "part of a file"
)

// VerdictOn says whether the picture of a device can be trusted. The replay and
// the final segments are two accounts of the same memory; agreement is the proof.
func VerdictOn(d *replay.Device) Verdict {
	r := &d.Reconciliation
	state := fmt.Sprintf("%s in %s", amount(r.LiveRequestedBytes), units.Plural(r.LiveBlocks, "block", "blocks"))
	switch {
	case r.EndUnknown && !r.EndNotWritten:
		return Verdict{Text: partOfFile,
			Why: strings.Join(append([]string{endUnknown}, discrepancies(d)...), " ")}
	case d.Anomalies[replay.UnreadFields] > 0:
		return Verdict{Text: notReadable, Why: strings.Join(discrepancies(d), " ")}
	case d.Contradicted():
		return Verdict{Text: doesNotAddUp, Why: strings.Join(discrepancies(d), " ")}
	case !d.HasHistory():
		return Verdict{Text: noHistory, Why: "The file holds only the final state, " + state + "."}
	case r.EndNotWritten:
		return Verdict{Text: unconfirmed, Why: endNotWritten + " " + cannotBeChecked}
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
	if w, is := warnPredicted(r.Source); is && v.OK {
		return Verdict{Text: "predicted", Why: w.Fact + " " + w.Consequence}
	}
	return v
}

// warnPredicted is the warning that a run was simulated, and what it rests on.
func warnPredicted(s *analysis.Source) (Warning, bool) {
	p := s.Origin.Predicted
	if p == nil {
		return Warning{}, false
	}
	w := Warning{
		Fact: "This run was never made: it is predicted at " + units.Count(p.X) + ".",
		Consequence: "Sizes follow from recordings at other sizes; order, lifetimes, stacks and times are as recorded " +
			"at " + units.Count(p.Base) + ". It holds if nothing else changes.",
	}
	if p.NextStep {
		w.Consequence += " The recordings are of a first step, which understates the run. So the step after it " +
			"follows behind, with the gradients of the first alive until its backward pass: the most that it needs."
	}
	return w, true
}

// Said of a file without segments.
const (
	noSegments      = "The file lists no segments."
	nothingConfirms = "Reserved memory is not known, and the end of the replay cannot be checked."
)

// Said of a file whose writer lists no memory at the end.
const (
	endNotWritten   = "The program that wrote this file does not list the memory that is held at the end."
	cannotBeChecked = "The end of the replay cannot be checked, and reserved memory is at least what is shown."
)

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

// Warning is one bar under the header of the page: a fact, what follows from it
// and, where it helps, a line of Python to copy.
type Warning struct {
	Fact        string `json:"fact"`
	Consequence string `json:"consequence"`
	Code        string `json:"code"`
}

// WarningsOn lists what a reader of a device's numbers has to know, the gravest
// first.
func WarningsOn(s *snapshot.Snapshot, d *replay.Device) []Warning {
	list := []Warning{}
	warn := func(fact, consequence string) { list = append(list, Warning{Fact: fact, Consequence: consequence}) }
	anomaly := func(kind replay.Anomaly, consequence string) {
		if d.Anomalies[kind] > 0 {
			warn(anomalySentence(d, kind), consequence)
		}
	}
	if w, ok := warnSalvaged(s); ok {
		list = append(list, w)
	}
	if sentences := discrepancies(d); len(sentences) > 0 {
		warn("The picture "+doesNotAddUp+".", strings.Join(sentences, " "))
	}
	noTimeline, r, o := !d.HasHistory(), &d.Reconciliation, &s.Oddity
	if len(o.WrongTypes) > 0 {
		warn("Parts of the file could not be read as expected.", "They were left out: "+quoted(o.WrongTypes)+".")
	}
	list = append(list, historyWarnings(s, d)...)
	if r.EndNotWritten {
		warn(endNotWritten, cannotBeChecked)
	}
	if r.Segments == 0 && !r.EndUnknown && !noTimeline && len(d.Allocations) > 0 {
		warn(noSegments, nothingConfirms)
	}
	anomaly(replay.ReopenedBlocks, "They are shown as live from before the recording, although other allocations had "+
		"their addresses for a time.")
	anomaly(replay.UnevenSegments, "Their sizes or sums are not those of the blocks in them, as if the file had been "+
		"changed. The replay of events does not depend on it.")
	if d.WithStack() == 0 && len(d.Allocations) > 0 && !noTimeline {
		list = append(list, Warning{
			Fact:        "No stacks were recorded.",
			Consequence: "Sizes and lifetimes are right, but nothing says which code allocated.",
		}.remedy(s, "Record with stacks:", recordCall(s, d, 0, `context="all"`)))
	}
	list = append(list, skippedWarnings(d)...)
	anomaly(replay.UnknownActions, "Not known to this version of memviz: "+quoted(o.UnknownActions)+".")
	if len(o.UnknownKeys) > 0 {
		warn("The file has keys or values that this version of memviz does not know.",
			"They were left out: "+quoted(o.UnknownKeys)+".")
	}
	if n := o.BadText; n > 0 {
		warn(units.Plural(n, "text in the file is not UTF-8.", "texts in the file are not UTF-8."),
			"Names of files or functions show \uFFFD in place of what could not be read.")
	}
	if n := o.LongText; n > 0 {
		warn(units.Plural(n, "text in the file is longer than ", "texts in the file are longer than ")+
			units.Bytes(snapshot.MaxText)+".", "What is behind that was left out.")
	}
	if n := timeline.AnnotationsLeftOut(s, d); n > 0 {
		warn("The file has too many annotations for each device to show those of all.", units.Plural(n, "start or end",
			"starts and ends")+" recorded for other devices were left out here, so steps may be missing.")
	}
	if w, ok := warnClock(d); ok {
		list = append(list, w)
	}
	if d.ID == snapshot.Pinned {
		warn("These are rounded sizes.", "Torch does not record how much host memory was asked for. It rounds most "+
			"requests up to a power of two.")
		if n := s.Trace(d.ID).LateEvents; n > 0 {
			warn(units.Plural(n, "free was recorded late.", "frees were recorded late."), "Threads record host memory at "+
				"the same time, so an event may stand in the file behind one that it must come before. Memviz has moved "+
				"these in front of the next use of their memory.")
		}
	}
	return list
}

// historyWarnings say that events are missing: all of them, or the oldest. A file
// recorded with enabled="state" holds one event and the final state.
func historyWarnings(s *snapshot.Snapshot, d *replay.Device) []Warning {
	n := d.Events.Len()
	switch {
	case n <= 1 && s.Cut(d.ID):
		return nil // the rest of the file may hold more; another warning says that it was cut
	case n == 0:
		return []Warning{{
			Fact: "No history was recorded.",
			Consequence: "The file holds only the final state, so there is no timeline. To see when and where memory " +
				"was allocated, start recording first:",
			Code: recordCall(s, d, 0, ""),
		}}
	case n == 1:
		return []Warning{{
			Fact: "Only one event was recorded.",
			Consequence: `The rest is the final state, as a recording with enabled="state" leaves it. For a timeline, ` +
				"record every event:",
			Code: recordCall(s, d, 0, `enabled="all"`),
		}}
	case !d.Reconciliation.HistoryCut:
		return nil
	}
	room := 1_000_000 // a power of ten, at least ten times the events
	for room < 10*n {
		room *= 10
	}
	live := "Nothing was live when the first event here was recorded."
	if d.PreExisting > 0 {
		live = fmt.Sprintf("%s live when the first event here was recorded, with %s.",
			units.Plural(d.PreExisting, "allocation was", "allocations were"), amount(d.Totals.BaselineBytes))
	}
	return []Warning{Warning{
		Fact:        "The oldest events are missing: " + d.Reconciliation.HistoryCutReason + ".",
		Consequence: live,
	}.remedy(s, "Keep more events:", recordCall(s, d, room, ""))}
}

// remedy adds to the consequence what to do, and a line of Python that does it. Where
// torch did not write the file there is no such line.
func (w Warning) remedy(s *snapshot.Snapshot, what, code string) Warning {
	if !s.Format.MLX {
		w.Consequence, w.Code = w.Consequence+" "+what, code
	}
	return w
}

// skippedWarnings say that all events of some action are missing, as after
// recording with skip_actions.
func skippedWarnings(d *replay.Device) []Warning {
	var events [256]int // by action
	for _, action := range d.Events.Action {
		events[action]++
	}
	requests, completions := events[snapshot.FreeRequested], events[snapshot.FreeCompleted]
	switch {
	case d.ID == snapshot.Pinned: // of which none are skipped
	case events[snapshot.Alloc] == 0 && requests+completions+events[snapshot.Free] > 1:
		return []Warning{{
			Fact:        "The recording holds no alloc events.",
			Consequence: "Every freed allocation looks as if it was there before the recording.",
		}}
	case requests+completions+events[snapshot.Free] == 0 && d.Anomalies[replay.OverlappingAllocs] > 0:
		return []Warning{{
			Fact:        "The recording holds no frees.",
			Consequence: "Each allocation is shown as live until another one has its address.",
		}}
	case completions == 0 && requests > 1:
		return []Warning{{
			Fact:        "The recording holds no free_completed events.",
			Consequence: "Allocations are shown as ending where their free was requested.",
		}}
	}
	return nil
}

// warnClock tells of times that run backwards. Events are in the order of the
// file, whatever their times say.
func warnClock(d *replay.Device) (Warning, bool) {
	n := 0
	for i := 1; i < len(d.Events.TimeMicros); i++ {
		if d.Events.TimeMicros[i] < d.Events.TimeMicros[i-1] {
			n++
		}
	}
	return Warning{
		Fact: "The clock runs backwards.",
		Consequence: units.Plural(n, "event has", "events have") +
			" an earlier time than the one before. Events are in the file's order, and a time may be below zero.",
	}, n > 0
}

// Bounds on what a sentence quotes of a file: names, and characters of each.
const (
	maxQuoted = 5
	maxQuote  = 40
)

// quoted lists names of a file, each with how often it was seen.
func quoted(seen map[string]int) string {
	return quotedNames(seen, func(n int) string { return " (" + units.Count(n) + ")" })
}

// quotedNames lists names of a file, each with what is to be said of it.
func quotedNames[T any](seen map[string]T, say func(T) string) string {
	names := slices.Sorted(maps.Keys(seen))
	var parts []string
	for i, name := range names {
		if i == maxQuoted {
			parts = append(parts, fmt.Sprintf("and %d more", len(names)-i))
			break
		}
		text := []rune(strings.ToValidUTF8(name, "\uFFFD"))
		if len(text) > maxQuote {
			text = append(text[:maxQuote], '…')
		}
		parts = append(parts, fmt.Sprintf("%q", string(text))+say(seen[name]))
	}
	return strings.Join(parts, ", ")
}

// legacyRoom is how many events torch 2.0 is to keep, whose default is 1.
const legacyRoom = 100_000

// recordCall is the call that starts recording in the version of torch that wrote
// the file, with room for so many events (0: the default) or with an argument of
// torch 2.1 and later. In torch 2.0, stacks and events must both be asked for.
func recordCall(s *snapshot.Snapshot, d *replay.Device, room int, argument string) string {
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

// Trust says in JSON whether the numbers of a device can be trusted.
type Trust struct {
	// the replay ends exactly in the final segments, and nothing in the file
	// contradicts it. False, too, where that cannot be known: without a history,
	// without final segments and their events, or if the file was read in part.
	AddsUp    bool      `json:"adds_up"`
	Cut       bool      `json:"cut,omitempty"` // the file was read in part: totals are lower bounds, and states and sites are of what was read
	Anomalies Anomalies `json:"anomalies"`     // what a true recording does not have
}

// Anomalies counts anomalies by the key of their kind, and all of them as "total".
type Anomalies map[string]int

func newTrust(addsUp, cut bool, counts replay.Anomalies) Trust {
	t := Trust{addsUp, cut, Anomalies{"total": counts.Total()}}
	for kind, n := range counts {
		t.Anomalies[replay.Anomaly(kind).Kind().Key] = n
	}
	return t
}

// and is the trust in a comparison of two devices.
func (t Trust) and(other Trust) Trust {
	both := Trust{t.AddsUp && other.AddsUp, t.Cut || other.Cut, maps.Clone(t.Anomalies)}
	for key, n := range other.Anomalies {
		both.Anomalies[key] += n
	}
	return both
}
