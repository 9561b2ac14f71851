package whatif

import (
	"fmt"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// WriteSkipped names the options of the allocator that memviz does not understand.
func WriteSkipped(s *sheet.Sheet, settings *layout.Settings) {
	for _, problem := range settings.Skipped {
		s.Note("Skipped %s: what it changes is left out of account.", sheet.Name(problem))
	}
}

// proofSentence says how far the model reproduces a recording.
func proofSentence(p *whatif.Proof) string {
	addresses := units.Count(p.Addresses) + " of " + units.Plural(p.AddressesOf, "address", "addresses")
	calls := "the recording has no driver calls"
	switch {
	case p.DriverCalls < p.DriverCallsOf:
		calls = units.Count(p.DriverCalls) + " of " + units.Plural(p.DriverCallsOf, "driver call", "driver calls")
	case p.DriverCallsOf > 0:
		calls = "all " + units.Plural(p.DriverCallsOf, "driver call", "driver calls")
		if p.DriverCallsOf == 1 {
			calls = "the one driver call"
		}
	}
	switch {
	case !p.Holds():
		if p.DriverCallsOf == 0 {
			return "Not reproduced: under its own settings the model gives " + addresses + "."
		}
		return "Not reproduced: under its own settings the model gives " + addresses + " and " + calls + "."
	case p.DriverCallsOf == 0:
		return "Under its own settings the model reproduces " + addresses + "; " + calls + "."
	}
	return "Under its own settings the model reproduces " + addresses + " and " + calls + " of the recording."
}

// departureSentence says where the model first does something else, and what.
func departureSentence(d *whatif.Departure) string {
	at := "First departure, before the first event: "
	if d.Event != replay.None {
		at = "First departure, in state " + units.Count(int(d.Event)) + ": "
	} else if d.Cause == whatif.CauseEnd {
		at = "First departure, at the end: "
	}
	switch d.Cause {
	case whatif.CauseNoRequest:
		return "No request of the recording was served, so there is nothing to replay."
	case whatif.CauseStart:
		return at + "the state that the recording starts from cannot be rebuilt; the events, undone from the final " +
			"segments, do not fit them."
	case whatif.CauseAddress:
		return at + fmt.Sprintf("the model serves a request of %s at %s, the recording at %s.",
			phrase.Amount(d.Model.Size),
			units.Address(d.Model.Addr), units.Address(d.Recorded.Addr))
	case whatif.CauseRefused:
		return at + "the model has no memory for a request of " + phrase.Amount(d.Recorded.Size) + " that was served."
	case whatif.CauseServed:
		return at + "the model serves a request of " + phrase.Amount(d.Model.Size) + " that failed."
	case whatif.CauseNoCall:
		return at + "the model calls the driver, the recording does not: " + callWords(d.Model) + "."
	case whatif.CauseMissing:
		return at + "the recording calls the driver, the model does not: " + callWords(d.Recorded) + "."
	case whatif.CauseOtherCall:
		return at + "the driver calls differ: " + callWords(d.Recorded) + " in the recording, " + callWords(d.Model) +
			" by the model."
	case whatif.CauseUnknown:
		return at + phrase.Amount(d.Recorded.Size) + " are freed at " + units.Address(d.Recorded.Addr) +
			", where the model holds nothing."
	case whatif.CauseImpossible:
		return at + callWords(d.Recorded) + ", where memory is held already, or none can be."
	}
	return at + "the final segments have " + callWords(d.Recorded) + ", the model has " + callWords(d.Model) + "."
}

// callWords is a call of the driver, or a block at the end.
func callWords(c whatif.Call) string {
	if c == (whatif.Call{}) {
		return "nothing"
	}
	what := map[snapshot.Action]string{
		snapshot.SegmentAlloc: "segment_alloc", snapshot.SegmentFree: "segment_free",
		snapshot.SegmentMap:   "segment_map",
		snapshot.SegmentUnmap: "segment_unmap", snapshot.Alloc: "a live block", snapshot.Free: "free memory",
	}[c.Action]
	if c.Size == 0 {
		return what
	} else if c.Addr == 0 {
		return what + " of " + phrase.Amount(c.Size)
	}
	return what + " of " + phrase.Amount(c.Size) + " at " + units.Address(c.Addr)
}

// reasonSentence says what in the file explains a departure.
func reasonSentence(r whatif.Reason) string {
	switch r {
	case whatif.ReasonForeign:
		return "PyTorch's native allocator does not hand out such addresses or sizes: another allocator made " +
			"this recording, or it was written by hand."
	case whatif.ReasonMissing:
		return "Events are missing: what was recorded does not explain the final segments (memviz stats says where)."
	case whatif.ReasonGarbage:
		return "Likely reason: garbage_collection_threshold works on the memory that PyTorch may have, and no file " +
			"says how much that is: it has neither the memory of the device nor " +
			"calls of set_per_process_memory_fraction."
	case whatif.ReasonPools:
		return "Likely reason: there are private pools (CUDA graphs, MemPool), and before torch 2.12 events do not " +
			"say which pool they are about."
	case whatif.ReasonUnsplit:
		return "Possible reason: it is about a private pool, and the blocks of a MemPool made with no_split are " +
			"never split, which no file says."
	case whatif.ReasonChanged:
		return "Likely reason: the settings were changed during the run, as segments were made in another way than " +
			"they say; the file has the last ones only."
	case whatif.ReasonSettings:
		return "Likely reason: the file does not say the allocator's settings, and the defaults are assumed."
	}
	return "Nothing in the file explains it."
}

// BestSentence says which setting is best, or that none is better.
func BestSentence(x *whatif.Study) string {
	if x.Best == nil {
		switch {
		case len(x.Outcomes) == 0:
			return "There was no other setting to try."
		case x.Reference.Fails() && x.Hopeless():
			setting := "setting of the allocator"
			if x.Recording().Settings().MemoryFraction > 0 {
				setting = "other setting than per_process_memory_fraction"
			}
			return "No " + setting + " could have served every request within " + phrase.Amount(x.Limit.Bytes) +
				": live and requested memory together are more."
		case x.Reference.Fails():
			return noneWould(x, "have served every recorded request")
		}
		return noneWould(x, "have needed noticeably less")
	}
	reserved := phrase.Amount(x.Best.ReservedPeak) + " reserved at the peak"
	text := "Predicted under " + settingWords(x.Best.Setting.Conf) + ": "
	if x.Reference.Fails() {
		text += "every recorded request would have been served, with " + reserved
	} else {
		text += reserved + ", instead of " + phrase.Amount(x.Reference.ReservedPeak)
	}
	if x.Best.Least != x.Best.Most {
		text += fmt.Sprintf(" (%s to %s, depending on where the driver puts memory)", phrase.Amount(x.Best.Least),
			phrase.Amount(x.Best.Most))
	}
	text += "."
	if x.Reference.Fails() {
		text += " What the program would have asked for then is not in the file."
	}
	return text
}

// noneWould says that no setting that was tried would do something, and names the
// settings if they are few.
func noneWould(x *whatif.Study, do string) string {
	list := make([]string, len(x.Outcomes))
	for i := range x.Outcomes {
		list[i] = settingWords(x.Outcomes[i].Setting.Conf)
	}
	subject := "None of these settings"
	switch n := len(list); {
	case x.Assumes():
		subject = "None of these settings that needs no assumed limit"
	case n == 1:
		return list[0] + " would not " + do + "."
	case n <= 3:
		subject = "None of " + strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return subject + " would " + do + "."
}

func settingWords(conf string) string {
	if conf == "" {
		return "the defaults"
	}
	return strings.ReplaceAll(conf, ",", ", ") // so that it can be broken
}

// unknowns are what a recording cannot tell, and how it was treated.
func unknowns(x *whatif.Study) []string {
	list := []string{limitSentence(x)}
	if n, live, cached := x.PreExisting(); n > 0 {
		list = append(list, fmt.Sprintf("From before the recording there were %s with %s, and %s of cached memory. "+
			"What was live is laid out again under each setting, in the order of addresses, because its own order is "+
			"not recorded; the cache begins empty. %s", units.Plural(n, "allocation",
			"allocations"), phrase.Amount(live),
			phrase.Amount(cached), laidOutAgain(x)))
	} else if cached > 0 {
		list = append(list, fmt.Sprintf("From before the recording there were %s of cached memory, and nothing was "+
			"live. The cache begins empty. %s", phrase.Amount(cached), laidOutAgain(x)))
	}
	if x.Recording().Settings().ReserveUnknown() {
		list = append(list, "Expandable segments may have fewer addresses than is assumed here: what the settings say is a "+
			"share of the device's memory, or of a class of streams that no file names.")
	}
	if x.Waits() {
		list = append(list, "A block that another stream uses becomes free where it did in the recording.")
	}
	if x.EmptyCaches > 0 {
		list = append(list, "empty_cache is called where the recording has it, "+
			units.Plural(x.EmptyCaches, "time", "times")+".")
	}
	return append(list, "Assumes identical requests: code that looks at free memory or catches an error would "+
		"behave differently. Time is not predicted; driver calls cost some.")
}

// laidOutAgain says how far the peak of the recorded setting is from the recorded one when the
// start is laid out again.
func laidOutAgain(x *whatif.Study) string {
	predicted, recorded := x.Reference.ReservedPeak, x.ReservedPeak()
	if x.Reference.TooMuch {
		return "What was live does not fit into " + phrase.Amount(x.Limit.Bytes) + "."
	}
	if units.Bytes(predicted) == units.Bytes(recorded) {
		return "So the recorded setting peaks at " + phrase.Amount(recorded) + ", as it was recorded."
	}
	return "So the recorded setting peaks at " + phrase.Amount(predicted) + " instead of " + phrase.Amount(recorded) +
		": expect errors of " + phrase.Amount(max(predicted-recorded, recorded-predicted)) + "."
}

// limitSentence says how much memory predictions have.
func limitSentence(x *whatif.Study) string {
	l := x.Limit
	const outside = " Memory used outside PyTorch is assumed to be the same."
	switch l.From {
	case whatif.LimitGiven:
		if l.Share > 0 {
			return "Memory: " + phrase.Amount(l.Bytes) + ", the " + phrase.Share(l.Share) +
				" that per_process_memory_fraction " +
				"lets PyTorch have of what was given." + outside
		}
		return "Memory: " + phrase.Amount(l.Bytes) + ", as given, all of it for PyTorch's allocator; a " +
			phrase.BackendOf(x.Recording().Snapshot).Context + " and " +
			"other users of the device take some of a card."
	case whatif.LimitFailed:
		text := "Memory: " + phrase.Amount(l.Bytes) + ", which the failed request shows."
		if l.Moved {
			return text + " Memory outside PyTorch came or went during the recording; the most that PyTorch " +
				"had is assumed."
		}
		return text + outside
	case whatif.LimitRefused:
		return fmt.Sprintf("Memory: %s, which PyTorch had; it was refused %s. The limit lies between them, and the "+
			"lower one is assumed.", phrase.Amount(l.Bytes), phrase.Amount(l.Below)) + outside
	}
	why := "no request was refused"
	switch {
	case l.Moved:
		why = "refused requests contradict each other"
	case l.Addresses:
		why = "expandable_segments_reserve may have refused what failed"
	}
	if x.Assumes() {
		return "Memory: not known, because " + why + ". garbage_collection_threshold works on a share of it, so its " +
			"rows assume the recorded peak of " + phrase.Amount(x.ReservedPeak()) +
			" and advise nothing; in the others no " +
			"request fails. Give it with --capacity."
	}
	return "Memory: not known, because " + why + ", so no request fails here; give it with --capacity."
}
