package answer

import (
	"sync"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// Unused is reserved memory that is not asked for, in one state.
type Unused struct {
	State              int     `json:"state"`
	CachedBytes        int64   `json:"cached_bytes"`        // in no live block
	ReturnableBytes    int64   `json:"returnable_bytes"`    // of those, what emptying the cache would give back
	FragmentationBytes int64   `json:"fragmentation_bytes"` // of those, neither returnable nor of use for a typical large request
	FragmentationShare float64 `json:"fragmentation_share"` // of reserved, from 0 to 1
	FragmentationGrade string  `json:"fragmentation_grade"` // low, some or fragmented
	TypicalBytes       int64   `json:"typical_bytes"`       // a large request of this recording: smaller free pieces count as fragmentation
	LargestFreeBytes   int64   `json:"largest_free_bytes"`  // the largest free piece
	PendingBytes       int64   `json:"pending_bytes"`       // given up, and waiting for another stream
	RoundingBytes      int64   `json:"rounding_bytes"`      // what live blocks are larger than their requests
}

// Window is a stretch of the recording: a step, or so many events or so much time.
type Window struct {
	Name      string `json:"name"` // of an annotated step, or empty
	From      int    `json:"from"` // first state
	To        int    `json:"to"`   // last state
	PeakBytes int64  `json:"peak_bytes"`
	PeakState int    `json:"peak_state"`
	// Fragmentation of its last state; null unless windows were asked for, and at
	// most 200 of them.
	FragmentationBytes *int64 `json:"fragmentation_bytes" jsonschema:"oneof_type=integer;null"`
}

// LargeAllocation is one of the largest that are live at the peak.
type LargeAllocation struct {
	Bytes   int64    `json:"bytes"`
	Address string   `json:"address"`
	Start   *int     `json:"start" jsonschema:"oneof_type=integer;null"` // the event that allocated it; null: before the recording
	Site    string   `json:"site"`                                       // file:line:function
	Stack   []string `json:"stack"`
}

// more fills what takes a look at the stacks and the segments.
func (stats *DeviceStats) more(r *analysis.Recording, o StatsOptions) {
	var fragmentation *analysis.Fragmentations
	var wait sync.WaitGroup
	wait.Go(func() { fragmentation = analysis.FindFragmentation(r) })
	steps := analysis.FindSteps(r)
	stats.StepMethod, stats.steps = steps.Method.Key(), len(steps.Boundaries)
	stats.Windows = windows(r, steps, o.Every)
	stats.Largest = largest(r, o.Rows)
	wait.Wait()
	stats.AtReservedPeak, stats.AtEnd = newUnused(&fragmentation.AtPeak), newUnused(&fragmentation.AtEnd)
	settings := analysis.SettingsOf(r.Snapshot)
	stats.AllocConf = settings.Conf
	for _, a := range fragmentation.AtPeak.Advise(settings) {
		stats.Advice = append(stats.Advice, AdviceGiven{Kind: a.Kind.Key(), Bytes: a.Bytes, Fits: a.Fits, Text: adviceSentence(a)})
	}
}

func newUnused(f *analysis.Fragmentation) Unused {
	return Unused{
		State: f.State, CachedBytes: f.Cached, ReturnableBytes: f.Returnable, FragmentationBytes: f.Bytes, FragmentationShare: f.Share(),
		FragmentationGrade: f.Grade().Key(), TypicalBytes: f.Typical, LargestFreeBytes: f.Largest, PendingBytes: f.Pending, RoundingBytes: f.Rounding,
	}
}

// windows are the steps, or the stretches that a person asked for.
func windows(r *analysis.Recording, steps *analysis.Steps, every Every) []Window {
	ranges := steps.Ranges()
	switch {
	case every.Events > 0:
		ranges = analysis.EveryEvents(r.Device, every.Events)
	case every.Micros > 0:
		ranges = nil
		for _, w := range analysis.EveryMicros(r.Device, every.Micros) {
			ranges = append(ranges, w.StateRange)
		}
	}
	list := make([]Window, len(ranges))
	for i, p := range analysis.PeaksOf(r.Device, ranges) {
		list[i] = Window{From: p.From, To: p.To, PeakBytes: p.Bytes, PeakState: p.State}
		if every == (Every{}) {
			list[i].Name = r.Snapshot.String(steps.Steps[i].Name)
		}
	}
	if every != (Every{}) {
		fragment(r, list)
	}
	return list
}

// fragment measures the fragmentation at the end of each window.
func fragment(r *analysis.Recording, list []Window) {
	if len(list) > analysis.MaxFragmentationSamples {
		return
	}
	states, typical := make([]int, len(list)), analysis.TypicalRequest(r)
	for i := range list {
		states[i] = list[i].To
	}
	bytes := map[int]int64{}
	for l := range analysis.Layouts(r, states...) {
		f := analysis.FragmentationOf(l, typical)
		bytes[l.State] = f.Bytes
	}
	for i := range list {
		b := bytes[list[i].To]
		list[i].FragmentationBytes = &b
	}
}

func largest(r *analysis.Recording, n int) []LargeAllocation {
	list := []LargeAllocation{}
	for _, i := range analysis.Largest(r.Device, r.Device.Totals.PeakState, n) {
		a := &r.Device.Allocations[i]
		large := LargeAllocation{
			Bytes: a.Size, Address: units.Address(a.Addr), Site: r.Stacks.Site(a.Stack).String(), Stack: stackLines(r.Snapshot, a.Stack),
		}
		if a.Start != replay.None {
			start := int(a.Start)
			large.Start = &start
		}
		list = append(list, large)
	}
	return list
}

// moreStats puts that into words.
func (s *Sheet) moreStats(stats *DeviceStats, o StatsOptions) {
	s.put(unusedTable(stats))
	s.put(windowTable(stats, o))
	s.put(largestTable(stats))
	if stats.AllocConf != "" {
		s.say("PYTORCH_CUDA_ALLOC_CONF=%s", name(stats.AllocConf))
	}
	for _, a := range stats.Advice {
		s.say("→ %s", a.Text)
	}
}

func unusedTable(stats *DeviceStats) *sheetTable {
	peak, end := &stats.AtReservedPeak, &stats.AtEnd
	t := newTable(column{"not asked for", words}, column{"reserved peak", figures}, column{"end", figures}, column{"", words})
	row := func(what string, peak, end int64, remark string) {
		if peak > 0 || end > 0 {
			t.row(what, units.Bytes(peak), units.Bytes(end), remark)
		}
	}
	row("cached", peak.CachedBytes, end.CachedBytes, units.Bytes(end.ReturnableBytes)+" would go back at the end")
	row("fragmentation", peak.FragmentationBytes, end.FragmentationBytes, peak.FragmentationGrade+", then "+end.FragmentationGrade)
	row("pending", peak.PendingBytes, end.PendingBytes, "waiting for another stream")
	row("rounding", peak.RoundingBytes, end.RoundingBytes, "blocks larger than asked for")
	return t
}

func windowTable(stats *DeviceStats, o StatsOptions) *sheetTable {
	what := "step"
	if o.Every != (Every{}) {
		what = "window"
	}
	t := newTable(column{what, figures}, column{"peak", figures}, column{"in state", figures}, column{"states", words}, column{"", names})
	if o.Every != (Every{}) {
		t.columns[4] = column{"fragmentation", figures}
	}
	if len(stats.Windows) < 2 {
		return t
	}
	for i := range stats.Windows {
		if i == o.Rows {
			t.more = "and " + units.Plural(len(stats.Windows)-i, "more", "more") + "; --rows shows more"
			break
		}
		w := &stats.Windows[i]
		number := units.Count(i + 1)
		if o.Every == (Every{}) && i == stats.steps {
			number = "rest"
		}
		t.row(number, units.Bytes(w.PeakBytes), units.Count(w.PeakState), units.Count(w.From)+" to "+units.Count(w.To), w.remark())
	}
	return t
}

// remark is what is known besides the peak: a name, or the fragmentation.
func (w *Window) remark() any {
	if w.FragmentationBytes != nil {
		return units.Bytes(*w.FragmentationBytes)
	}
	return name(w.Name)
}

func largestTable(stats *DeviceStats) *sheetTable {
	t := newTable(column{"largest at the peak", figures}, column{"event", figures}, column{"site", paths})
	for i := range stats.Largest {
		a := &stats.Largest[i]
		event := "before"
		if a.Start != nil {
			event = units.Count(*a.Start)
		}
		t.row(units.Bytes(a.Bytes), event, siteName(a.Site))
	}
	return t
}
