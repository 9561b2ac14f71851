package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// FirstStep says that the peak of a first step is not that of the next ones.
func FirstStep(r *analysis.Recording) (w Warning, is bool) {
	first := r.Peaks().First
	if first.Bytes == 0 {
		return w, false
	}
	advice := "To see it, train for a few steps before recording starts, or record more of them" +
		PrintsHow(r, "steps") + "."
	if r.Snapshot.Cut(r.Device.ID) {
		advice = More(r, 0)
	}
	return Warning{
		Fact: "A first step: the next ones hold " + phrase.Amount(first.Bytes) +
			" of optimizer state more during the pass.",
		Consequence: "With it the pass peaks at about " + phrase.Amount(first.NextPeak()) + ", or more. " + advice,
	}, true
}

// WarningsOf are those of [WarningsOn], and what the recording itself does not show.
func WarningsOf(r *analysis.Recording) []Warning {
	list := WarningsOn(r.Snapshot, r.Device)
	if w, is := Predicted(r.Source); is {
		list = slices.Insert(list, 0, w)
	}
	if w, is := FirstStep(r); is {
		list = append(list, w)
	}
	return list
}

// WriteWarnings adds the warnings about a device, except those that [Sheet.Salvaged] and
// [Sheet.Predicted] add.
func WriteWarnings(s *sheet.Sheet, r *analysis.Recording) {
	for _, w := range WarningsOf(r) {
		if salvaged, ok := Salvaged(r.Snapshot); ok && w == salvaged {
			continue
		}
		if predicted, ok := Predicted(r.Source); ok && w == predicted {
			continue
		}
		s.Say("%s %s", w.Fact, w.Consequence)
		if w.Code != "" {
			s.Code(w.Code)
		}
	}
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
	if w, ok := Salvaged(s); ok {
		list = append(list, w)
	}
	if sentences := discrepancies(d); len(sentences) > 0 {
		warn("The picture "+DoesNotAddUp+".", strings.Join(sentences, " "))
	}
	noTimeline, r, o := !d.HasHistory(), &d.Reconciliation, &s.Oddity
	if len(o.WrongTypes) > 0 {
		warn("Parts of the file could not be read as expected.", "They were left out: "+phrase.Quoted(o.WrongTypes)+".")
	}
	list = append(list, historyWarnings(s, d)...)
	if r.EndNotWritten {
		warn(EndNotWritten, cannotBeChecked)
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
		}.remedy(s, "Record with stacks:", Call(s, d, 0, `context="all"`)))
	}
	list = append(list, skippedWarnings(d)...)
	anomaly(replay.UnknownActions, "Not known to this version of memviz: "+phrase.Quoted(o.UnknownActions)+".")
	if len(o.UnknownKeys) > 0 {
		warn("The file has keys or values that this version of memviz does not know.",
			"They were left out: "+phrase.Quoted(o.UnknownKeys)+".")
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
	if w, ok := Clock(d); ok {
		list = append(list, w)
	}
	if d.ID == snapshot.Pinned {
		warn("These are rounded sizes.", "Torch does not record how much host memory was asked for. It rounds most "+
			"requests up to a power of two.")
		if n := s.Trace(d.ID).LateEvents; n > 0 {
			warn(units.Plural(n, "free was recorded late.", "frees were recorded late."),
				"Threads record host memory at "+
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
			Code: Call(s, d, 0, ""),
		}}
	case n == 1:
		return []Warning{{
			Fact: "Only one event was recorded.",
			Consequence: `The rest is the final state, as a recording with enabled="state" leaves it. For a timeline, ` +
				"record every event:",
			Code: Call(s, d, 0, `enabled="all"`),
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
			units.Plural(d.PreExisting, "allocation was", "allocations were"), phrase.Amount(d.Totals.BaselineBytes))
	}
	return []Warning{Warning{
		Fact:        "The oldest events are missing: " + d.Reconciliation.HistoryCutReason + ".",
		Consequence: live,
	}.remedy(s, "Keep more events:", Call(s, d, room, ""))}
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

// Clock tells of times that run backwards. Events are in the order of the
// file, whatever their times say.
func Clock(d *replay.Device) (Warning, bool) {
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
