package answer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// Warning is one bar under the header: a bold fact, its plain consequence and,
// where one helps, the line of Python to copy.
type Warning struct {
	Fact        string `json:"fact"`
	Consequence string `json:"consequence"`
	Code        string `json:"code"`
}

// WarningsOn lists what a reader of a device's picture has to know, the gravest first.
func WarningsOn(s *snapshot.Snapshot, d *replay.Device) []Warning {
	list := []Warning{}
	for _, warn := range []func() (Warning, bool){
		func() (Warning, bool) { return warnSalvaged(s) },
		func() (Warning, bool) { return warnSum(d) },
		func() (Warning, bool) { return warnHistory(s, d) },
		func() (Warning, bool) { return warnCut(s, d) },
		func() (Warning, bool) { return warnSegments(d) },
		func() (Warning, bool) { return warnAnomaly(d, replay.ReopenedBlocks, reopenedConsequence) },
		func() (Warning, bool) { return warnAnomaly(d, replay.UnevenSegments, unevenConsequence) },
		func() (Warning, bool) { return warnStacks(s, d) },
		func() (Warning, bool) { return warnSkipped(d) },
		func() (Warning, bool) {
			return warnAnomaly(d, replay.UnknownActions, "The actions are "+quoted(s.Oddity.UnknownActions)+".")
		},
		func() (Warning, bool) { return warnWrongTypes(s) },
		func() (Warning, bool) { return warnUnknownKeys(s) },
		func() (Warning, bool) { return warnBadText(s) },
		func() (Warning, bool) { return warnClock(d) },
		func() (Warning, bool) { return warnHost(s) },
	} {
		if w, ok := warn(); ok {
			list = append(list, w)
		}
	}
	return list
}

func warnSum(d *replay.Device) (Warning, bool) {
	sentences := discrepancies(d)
	if len(sentences) == 0 {
		return Warning{}, false
	}
	return Warning{Fact: "The picture " + doesNotAddUp + ".", Consequence: strings.Join(sentences, " ")}, true
}

// warnHistory tells of a file without a history. One recorded with
// enabled="state" holds one event and the final state.
func warnHistory(s *snapshot.Snapshot, d *replay.Device) (Warning, bool) {
	w := Warning{
		Fact: "No history was recorded.",
		Consequence: "The file holds only the final state, so there is no timeline. To see when and where memory was " +
			"allocated, start recording first:",
		Code: recordCall(s, 0, ""),
	}
	switch d.Events.Len() {
	case 0:
		return w, true
	case 1:
		w.Fact = "Only one event was recorded."
		w.Consequence = `The rest is the final state, as a recording with enabled="state" leaves it. For a timeline, record every event:`
		w.Code = recordCall(s, 0, `enabled="all"`)
		return w, true
	}
	return Warning{}, false
}

func warnCut(s *snapshot.Snapshot, d *replay.Device) (Warning, bool) {
	if !d.Reconciliation.HistoryCut {
		return Warning{}, false
	}
	// Ten times the room, in a round number.
	room := 1_000_000
	for room < 10*d.Events.Len() {
		room *= 10
	}
	return Warning{
		Fact: "The oldest events are missing: " + d.Reconciliation.HistoryCutReason + ".",
		Consequence: fmt.Sprintf("%s with %s when the first event here was recorded. Keep more events:",
			units.Plural(d.PreExisting, "allocation was there", "allocations were there"),
			amount(d.Totals.BaselineBytes)),
		Code: recordCall(s, room, ""),
	}, true
}

func warnStacks(s *snapshot.Snapshot, d *replay.Device) (Warning, bool) {
	if d.WithStack() > 0 || len(d.Allocations) == 0 || d.Events.Len() <= 1 {
		return Warning{}, false
	}
	return Warning{
		Fact:        "No stacks were recorded.",
		Consequence: "Sizes and lifetimes are right, but nothing says which code allocated. Record with stacks:",
		Code:        recordCall(s, 0, `context="all"`),
	}, true
}

// warnSegments tells of a file without the allocator's own list of memory.
func warnSegments(d *replay.Device) (Warning, bool) {
	if d.Reconciliation.Segments > 0 || d.Reconciliation.EndUnknown || d.Events.Len() <= 1 || len(d.Allocations) == 0 {
		return Warning{}, false
	}
	return Warning{
		Fact:        "The file lists no segments.",
		Consequence: "Reserved memory is not known, and the end of the replay cannot be checked.",
	}, true
}

// warnAnomaly tells of anomalies of a kind, in the words of that kind.
func warnAnomaly(d *replay.Device, kind replay.Anomaly, consequence string) (Warning, bool) {
	if d.Anomalies[kind] == 0 {
		return Warning{}, false
	}
	return Warning{Fact: anomalySentence(d, kind), Consequence: consequence}, true
}

// What follows from anomalies that do not keep a device from adding up.
const (
	reopenedConsequence = "They are shown as live from before the recording, although other allocations had their " +
		"addresses for a time."
	unevenConsequence = "Their sizes or sums are not those of the blocks in them, as if the file had been changed. The " +
		"replay of events does not depend on it."
)

// warnSkipped tells of whole kinds of events that are missing, which recording
// with skip_actions leaves out.
func warnSkipped(d *replay.Device) (Warning, bool) {
	var events [256]int // by action
	for _, action := range d.Events.Action {
		events[action]++
	}
	requests, completions := events[snapshot.FreeRequested], events[snapshot.FreeCompleted]
	switch {
	case events[snapshot.Alloc] == 0 && requests+completions+events[snapshot.Free] > 1:
		return Warning{
			Fact:        "The recording holds no alloc events.",
			Consequence: "Every freed allocation looks as if it was there before the recording.",
		}, true
	case completions == 0 && requests > 1:
		return Warning{
			Fact:        "The recording holds no free_completed events.",
			Consequence: "Allocations are shown as ending where their free was requested.",
		}, true
	}
	return Warning{}, false
}

func warnWrongTypes(s *snapshot.Snapshot) (Warning, bool) {
	if len(s.Oddity.WrongTypes) == 0 {
		return Warning{}, false
	}
	return Warning{
		Fact:        "Parts of the file could not be read as expected.",
		Consequence: "They were left out: " + quoted(s.Oddity.WrongTypes) + ".",
	}, true
}

func warnUnknownKeys(s *snapshot.Snapshot) (Warning, bool) {
	if len(s.Oddity.UnknownKeys) == 0 {
		return Warning{}, false
	}
	return Warning{
		Fact:        "The file has keys that this version of memviz does not know.",
		Consequence: "They were left out: " + quoted(s.Oddity.UnknownKeys) + ".",
	}, true
}

// warnClock tells of times that run back. The order of events is that of the
// file, whatever their times say.
func warnClock(d *replay.Device) (Warning, bool) {
	n := 0
	for i := 1; i < len(d.Events.TimeMicros); i++ {
		if d.Events.TimeMicros[i] < d.Events.TimeMicros[i-1] {
			n++
		}
	}
	if n == 0 {
		return Warning{}, false
	}
	return Warning{
		Fact: "The clock runs backwards.",
		Consequence: units.Plural(n, "event has", "events have") +
			" an earlier time than the one before. Events are in the file's order, and a time may be below zero.",
	}, true
}

func warnBadText(s *snapshot.Snapshot) (Warning, bool) {
	n := s.Oddity.BadText
	if n == 0 {
		return Warning{}, false
	}
	return Warning{
		Fact:        units.Plural(n, "text in the file is not UTF-8.", "texts in the file are not UTF-8."),
		Consequence: "Names of files or functions show \uFFFD in place of what could not be read.",
	}, true
}

func warnHost(s *snapshot.Snapshot) (Warning, bool) {
	if !s.Format.HasHost {
		return Warning{}, false
	}
	return Warning{
		Fact:        "The file also holds pinned CPU memory.",
		Consequence: "It is left out here: every number is of the GPU.",
	}, true
}

// maxQuoted bounds how many names of a file go into a sentence, maxQuote how
// much of each.
const (
	maxQuoted = 5
	maxQuote  = 40
)

// quoted lists names that come from a file with how often each was seen.
func quoted(seen map[string]int) string {
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
		parts = append(parts, fmt.Sprintf("%q (%s)", string(text), units.Count(seen[name])))
	}
	return strings.Join(parts, ", ")
}
