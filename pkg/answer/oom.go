package answer

import (
	"fmt"
	"math"
	"strconv"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// OOMDevice are the requests of a device that failed.
type OOMDevice struct {
	Subject
	CapacityBytes      int64 `json:"capacity_bytes"`       // as given; 0: not given
	CapacityLeastBytes int64 `json:"capacity_least_bytes"` // what the recording proves that the device has
	// the smallest usual card with as much; a guess, which supports no verdict
	CardGuessBytes int64         `json:"card_guess_bytes"`
	OOMs           []OutOfMemory `json:"ooms"` // in order; several attempts of one request are one
	// requests that were served only after the cache was given back, in order
	Retries []Retry `json:"retries"`

	// changes of the training that lower the peak most, at most three; none without a proof of the
	// model
	Measures []MeasureOutcome `json:"best_measures"`
	// the cheapest of their combinations under which no request fails; null if there is none
	Together *MeasureOutcome `json:"measures_together" jsonschema:"nullable"`
}

// OutOfMemory is one request that failed, and the allocator when it did.
type OutOfMemory struct {
	State                 int   `json:"state"`
	Attempts              int   `json:"attempts"`
	RequestedBytes        int64 `json:"requested_bytes"`
	NeededBytes           int64 `json:"needed_bytes"` // of a new segment for it
	DeviceFreeBytes       int64 `json:"device_free_bytes"`
	ActiveBytes           int64 `json:"active_bytes"`         // in live blocks, rounded
	LiveRequestedBytes    int64 `json:"live_requested_bytes"` // what was asked for, of active_bytes
	ReservedBytes         int64 `json:"reserved_bytes"`
	PendingBytes          int64 `json:"pending_bytes"`            // given up, and waiting for another stream
	FreeBytes             int64 `json:"free_bytes"`               // cached where the request may be served
	LargestFreeBlockBytes int64 `json:"largest_free_block_bytes"` // of those
	FreeOtherBytes        int64 `json:"free_other_bytes"`         // cached on other streams or in other pools
	// used outside PyTorch's allocator, as far as the capacity is known
	OutsideBytes int64 `json:"outside_bytes"`
	// pressure, fragmented, other, outside or limit
	Verdict  string `json:"verdict"`
	Evidence string `json:"evidence"` // a sentence
	// RefusedBy is the option in the file that most likely refused the request, where the verdict is limit.
	RefusedBy           string        `json:"refused_by,omitempty"`
	Site                string        `json:"site"` // file:line:function that asked
	Stack               []string      `json:"stack"`
	EarlierRequests     int           `json:"earlier_requests"`      // with the same stack, which were served
	LargestEarlierBytes int64         `json:"largest_earlier_bytes"` // the largest of those, rounded
	Holders             []TopRow      `json:"holders"`               // who held what, the most bytes first
	Pools               []PoolFree    `json:"pools"`
	Advice              []AdviceGiven `json:"advice"`
	// the file was written after the error unwound: its end is no picture of the failure
	Unwound bool `json:"unwound"`
	WentOn  bool `json:"went_on"` // the program survived it
}

// PoolFree is the cached memory of one stream and size class of a pool.
type PoolFree struct {
	Stream           uint64 `json:"stream"` // handle; 0: the default stream
	Pool             string `json:"pool"`   // "default", or the two ids of a private pool
	SizeClass        string `json:"size_class"`
	Serves           bool   `json:"serves"` // the failed request
	Segments         int    `json:"segments"`
	ReservedBytes    int64  `json:"reserved_bytes"`
	ActiveBytes      int64  `json:"active_bytes"`
	FreeBytes        int64  `json:"free_bytes"`
	LargestFreeBytes int64  `json:"largest_free_bytes"`
}

// AdviceGiven is one thing to change.
type AdviceGiven struct {
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"` // that it is about; 0: it is not about bytes
	Fits  bool   `json:"fits"`  // by the numbers of the failure it would have been enough
	Text  string `json:"text"`
}

// OOMOptions are the options of OOM.
type OOMOptions struct {
	Capacity int64 // of the device in bytes; 0: not known
	Rows     int   // shown of each table in text; JSON has all
}

// OOM answers why requests failed.
func OOM(in []Input, o OOMOptions) (*Sheet, error) {
	const why = "Whether a request for it failed is not known: torch records none that fails."
	return perGPU("oom", why, in, func(s *Sheet, in *Input, r *analysis.Recording) (OOMDevice, error) {
		f, ooms := newOOMContext(in, r, o.Capacity), r.OOMs(o.Capacity)
		device := OOMDevice{
			Subject: newSubject(in, r.Device), CapacityBytes: f.capacity.Given,
			CapacityLeastBytes: f.capacity.AtLeast, CardGuessBytes: f.capacity.CardBytes,
			OOMs: make([]OutOfMemory, len(ooms)), Retries: newRetries(r), Measures: []MeasureOutcome{},
		}
		var predicted *Prediction
		var best *BestMeasures
		if len(ooms) > 0 {
			predicted, best = PredictAll(r)
		}
		for i := range ooms {
			device.OOMs[i] = f.outOfMemory(&ooms[i], predicted)
		}
		device.addMeasures(r, best)
		s.ooms(f, ooms, device.OOMs, best, o.Rows)
		return device, nil
	})
}

// oomContext is what sentences about the failed requests of a device need.
type oomContext struct {
	in       *Input
	r        *analysis.Recording
	capacity oom.Capacity
}

func newOOMContext(in *Input, r *analysis.Recording, capacity int64) *oomContext {
	return &oomContext{in, r, oom.CapacityOf(r.Device, capacity)}
}

func (f *oomContext) outOfMemory(o *oom.Failure, p *Prediction) OutOfMemory {
	view := OutOfMemory{
		State: o.State(), Attempts: o.Attempts, RequestedBytes: o.Requested, NeededBytes: o.Needed,
		DeviceFreeBytes: o.DeviceFree, ActiveBytes: o.Active, LiveRequestedBytes: o.InUse,
		ReservedBytes: o.Reserved, PendingBytes: o.Pending, FreeBytes: o.FreeSame,
		LargestFreeBlockBytes: o.LargestSame, FreeOtherBytes: o.FreeOther, OutsideBytes: o.Outside(),
		Verdict: o.Verdict.Key(), RefusedBy: refusedBy(o), Evidence: f.sentence(o).String(), Site: f.r.Stacks.Site(o.Stack).String(),
		Stack: stackLines(f.r.Snapshot, o.Stack), EarlierRequests: o.Before, LargestEarlierBytes: o.LargestBefore,
		Holders: newTopRows(f.r, f.holders(o)),
		Pools:   make([]PoolFree, len(o.Pools)), Advice: f.advice(o, p),
		Unwound: o.After.Unwound, WentOn: o.After.WentOn,
	}
	for i := range o.Pools {
		p := &o.Pools[i]
		view.Pools[i] = PoolFree{
			Stream: f.r.Snapshot.Streams[p.Stream], Pool: poolName(f.r.Snapshot, p.Pool),
			SizeClass: sizeClassName(p.SizeClass), Serves: p.Serves, Segments: p.Segments,
			ReservedBytes: p.Reserved, ActiveBytes: p.Active, FreeBytes: p.Free, LargestFreeBytes: p.Largest,
		}
	}
	return view
}

// times is how many times another number one number is, to two digits at least.
func times(n, other int64) string {
	ratio := float64(n) / float64(other)
	if ratio < 9.95 {
		return strconv.FormatFloat(ratio, 'f', 1, 64)
	}
	return units.Count(int64(math.Round(ratio)))
}

// advice is what to change about a failed request. A leak comes first: settings
// only put off what it does.
func (f *oomContext) advice(o *oom.Failure, p *Prediction) []AdviceGiven {
	given := adviceOf(o.Advise(f.r.Settings()), f.r.Settings(), backendOf(f.r.Snapshot), p)
	var bytes, perStep int64
	places := 0
	found := f.r.LeaksWithoutCycles()
	for i := range found.Leaks {
		if leak := &found.Leaks[i]; leak.Strong {
			places++
			bytes += leak.Bytes
			perStep += leak.PerStep
		}
	}
	if missing := o.WouldFit.Missing; places == 0 || bytes < o.Active/20 && (missing == 0 || bytes < missing) {
		return given
	}
	word := f.r.Steps().Method.Word
	text := fmt.Sprintf("First the leak: memory grows by %s each %s, at %s that memviz leaks names.", amount(perStep),
		word(1), units.Plural(places, "place", "places"))
	if p.cures() && p.Limit.Bytes > 0 && perStep > 0 {
		buys := "less than one more " + word(1)
		if n := int((p.Limit.Bytes - p.Best.ReservedPeak) / perStep); n > 0 {
			buys = "about " + units.Plural(n, "more "+word(1), "more "+word(2))
		}
		text += " A setting under which this request is served buys " + buys + "."
	}
	leak := AdviceGiven{Kind: "leak", Bytes: bytes, Fits: o.WouldFit.Missing > 0 &&
		bytes >= o.WouldFit.Missing, Text: text}
	return append([]AdviceGiven{leak}, given...)
}

// holders says what held memory at the failure.
func (f *oomContext) holders(o *oom.Failure) *holders.Holding {
	return f.r.Holders(o.State(), holders.Grouping{By: holders.BySite})
}

func poolName(s *snapshot.Snapshot, id snapshot.PoolID) string {
	if id == 0 {
		return "default"
	}
	p := s.Pools[id]
	return "(" + units.Count(int64(p.A)) + "," + units.Count(int64(p.B)) + ")"
}

func sizeClassName(class snapshot.SizeClass) string {
	return [...]string{snapshot.SizeClassUnknown: "unknown", snapshot.SizeClassSmall: "small",
		snapshot.SizeClassLarge: "large"}[class]
}

// ooms says how the requests of a device failed.
func (s *Sheet) ooms(f *oomContext, ooms []oom.Failure, views []OutOfMemory, best *BestMeasures, rows int) {
	if len(ooms) == 0 && !f.r.Device.HasHistory() {
		s.device(f.in, f.r.Device, "no history")
		s.say("%s, so whether a request failed is not known.", holdsNoHistory(f.r))
		return
	} else if len(ooms) == 0 {
		headline := "no request failed while it was recorded"
		if f.in.Snapshot.Cut(f.r.Device.ID) {
			headline = "no request failed in the part of the file that was read"
		}
		s.device(f.in, f.r.Device, headline)
		s.sayIf(retriesSentence(f.r))
		return
	}
	times := ""
	if len(ooms) > 1 {
		times = ", " + units.Count(len(ooms)) + " times"
	}
	s.device(f.in, f.r.Device, "ran out of memory"+times)
	s.tooSmall(f.capacity.TooSmall, 0, f.capacity.AtLeast)
	for i := range ooms {
		o := &ooms[i]
		s.add(f.sentence(o))
		s.put(oomTable(o))
		if len(o.Pools) > 1 {
			s.put(poolTable(&views[i], rows))
		}
		s.put(topTable(f.r, f.holders(o), rows))
		s.advice(views[i].Advice)
		if o.After.Unwound {
			s.note("The file was written after the error unwound; the picture of the failure is state %s, not the end.",
				units.Count(o.State()))
		} else if o.After.WentOn {
			s.note("The program went on after it.")
		}
	}
	s.bestMeasures(best)
	s.sayIf(retriesSentence(f.r))
	if f.r.Origin.Predicted == nil { // else the capacity was given, not seen
		f.guess(s, &ooms[len(ooms)-1])
	}
}

// advice says what to change.
func (s *Sheet) advice(list []AdviceGiven) {
	for _, a := range list {
		s.say("→ %s", a.Text)
	}
}

// tooSmall says that a capacity was given which the recording refutes.
func (s *Sheet) tooSmall(given, taken, least int64) {
	if given > 0 && taken == 0 {
		s.say("--capacity %s is ignored: the recording shows that the device has %s or more.",
			amount(given), amount(least))
	}
}

// guess says how much is used outside PyTorch if the device is a common card.
func (f *oomContext) guess(s *Sheet, last *oom.Failure) {
	c := f.capacity
	outside := c.CardBytes - last.Visible()
	if c.Given == 0 && outside > units.GiB && outside < last.Visible() { // else it is no card, but a share of one
		s.note("PyTorch saw %s. If this is a %d GiB card, about %s is used outside PyTorch; pass --capacity to check.",
			amount(last.Visible()), c.Card, amount(outside))
	}
}

// sentence says why a request failed, with the evidence in it.
func (f *oomContext) sentence(o *oom.Failure) sentence {
	text, args := verdicts[o.Verdict].evidence(f, o)
	if o.Larger() {
		text += " It is the largest request of this call site: %s times the largest of the %s before it, %s."
		args = append(args, times(o.Requested, o.LargestBefore), units.Count(o.Before), amount(o.LargestBefore))
	}
	return sentencef(text, append([]any{amount(o.Requested), units.Count(o.State())}, args...)...)
}

func oomTable(o *oom.Failure) *sheetTable {
	t := newTable(words(""), figures(""), words(""))
	row := func(what string, bytes int64, remark string) { t.row(what, units.Bytes(bytes), remark) }
	row("requested", o.Requested, "a new segment for it takes "+units.Bytes(o.Needed))
	row("free on the device", o.DeviceFree, "")
	row("reserved", o.Reserved, "")
	row("in use", o.InUse, units.Share(o.Active, o.Reserved)+" of reserved, with rounding")
	if rounding := o.Active - o.InUse; rounding > 0 {
		row("rounding", rounding, "blocks larger than asked for")
	}
	if o.Pending > 0 {
		row("pending", o.Pending, "given up, waiting for another stream")
	}
	row("free where it counts", o.FreeSame, "largest piece "+units.Bytes(o.LargestSame))
	if o.FreeOther > 0 {
		row("free elsewhere", o.FreeOther, "other streams and pools; largest piece "+units.Bytes(o.LargestOther))
	}
	if o.CapacityGiven && o.Outside() > 0 {
		row("outside PyTorch", o.Outside(), "of the capacity you gave")
	}
	return t
}

func poolTable(view *OutOfMemory, rows int) *sheetTable {
	t := newTable(figures("reserved"), figures("active"), figures("free"),
		figures("largest"), words("where"))
	t.fill(len(view.Pools), rows, func(i int) {
		p := &view.Pools[i]
		where := p.SizeClass + " blocks"
		if p.Stream != 0 {
			where += ", stream " + units.Address(p.Stream)
		}
		if p.Pool != "default" {
			where += ", pool " + p.Pool
		}
		if p.Serves {
			where += " ←"
		}
		t.row(units.Bytes(p.ReservedBytes), units.Bytes(p.ActiveBytes), units.Bytes(p.FreeBytes),
			units.Bytes(p.LargestFreeBytes), where)
	})
	return t
}
