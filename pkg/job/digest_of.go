package job

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/replay"
)

// DigestOf makes the digest of a recording, without its Name and File. It shares no
// memory with the snapshot, and making it takes a few bytes for each event.
func DigestOf(r *analysis.Recording) Digest {
	device := r.Device
	t := &device.Totals
	d := Digest{
		Schema: DigestSchema, Device: int(device.ID), Torch: strings.Clone(r.TorchVersion()),
		Settings: settingsOf(r), Operators: r.Stacks.HasNative(),
		Events: device.Events.Len(), Allocations: len(device.Allocations),
		PeakBytes: t.PeakBytes, PeakState: t.PeakState, ReservedPeakBytes: t.ReservedPeakBytes,
		BaselineBytes: t.BaselineBytes, FinalBytes: t.FinalBytes,
		AddsUp: device.AddsUp(), HistoryCut: device.Reconciliation.HistoryCut, Partial: r.Snapshot.Cut(device.ID),
		Redacted: redacted(r),
	}
	for kind, n := range device.Anomalies {
		if n > 0 {
			if d.Anomalies == nil {
				d.Anomalies = map[string]int{}
			}
			d.Anomalies[replay.Anomaly(kind).Kind().Key] = n
		}
	}
	times := timesOf(r)
	if n := len(times); n > 0 {
		d.FirstMicros, d.SpanMicros = times.at(0), times.between(0, n-1)
	}
	var wait sync.WaitGroup
	var keys *siteKeys
	var failures []oom.Failure
	var fragmentation *layout.Fragmentations
	wait.Go(func() { // none of it needs steps or families
		keys = newSiteKeys(r)
		fragmentation, failures = r.Fragmentation(), r.OOMs(0)
	})
	d.addSteps(r, times)
	d.addFamilies(r)
	d.addCurves(r)
	suspects := r.LeaksWithoutCycles().Leaks
	wait.Wait()
	if device.Reconciliation.Segments > 0 || len(device.Reserved) > 0 {
		f := &fragmentation.AtPeak
		d.Cached = &Cache{CachedBytes: f.Cached, FragmentationBytes: f.Bytes, LargestFreeBytes: f.Largest}
	}
	d.addOOMs(r, failures, times)
	d.addLeaks(r, suspects, keys)
	d.addSites(r, keys)
	return d
}

// maxText is the maximum length in bytes of a text of a digest.
const maxText = 512

// clip copies a text, which may be a slice of a large one, and cuts off its beginning if
// it is too long: the end of a path matters most.
func clip(text string) string {
	const mark = "…"
	if len(text) > maxText {
		text = mark + strings.ToValidUTF8(text[len(text)-maxText+len(mark):], "")
	}
	return strings.Clone(text)
}

// maxSettings is the maximum number of settings in a digest; torch writes fewer than 20.
const maxSettings = 64

func settingsOf(r *analysis.Recording) [][2]string {
	var list [][2]string
	for _, s := range r.Snapshot.Settings[:min(len(r.Snapshot.Settings), maxSettings)] {
		list = append(list, [2]string{clip(s.Key), clip(s.Value)})
	}
	return list
}

// redacted names what has pseudonyms, as an argument of --redact.
func redacted(r *analysis.Recording) string {
	switch done := r.Snapshot.Redaction; {
	case done.Paths && done.Names:
		return "all"
	case done.Paths:
		return "paths"
	case done.Names:
		return "names"
	}
	return ""
}

// eventTimes are the Unix microseconds of the events; nil if the file has no times, or
// only their order.
type eventTimes []int64

func timesOf(r *analysis.Recording) eventTimes {
	e := r.Device.Events
	if r.Snapshot.Redaction.Times || len(e.TimeMicros) != e.Len() {
		return nil
	}
	return e.TimeMicros
}

// at returns the time of an event, or nil.
func (t eventTimes) at(event int) *int64 {
	if event >= len(t) {
		return nil
	}
	return new(t[event])
}

// between returns the time from one event to a later one, or nil; 0 if the clock ran
// backwards.
func (t eventTimes) between(from, to int) *int64 {
	if from >= len(t) {
		return nil
	}
	a, b := t[from], t[min(to, len(t)-1)]
	switch {
	case b <= a:
		return new(int64)
	case a < 0 && b > math.MaxInt64+a:
		return new(int64(math.MaxInt64))
	}
	return new(b - a)
}

// addSteps adds the steps that end in the recording.
func (d *Digest) addSteps(r *analysis.Recording, times eventTimes) {
	found, active := r.Steps(), r.Device.ActiveBytes()
	d.StepMethod, d.StepsSeen = found.Method.Key(), len(found.Boundaries)
	if state, ok := found.LastEnd(active); ok {
		d.StepEnd, d.StepEndBytes = &state, active[state]
	}
	d.Steps = []Step{}
	reserved := newReservedCurve(r.Device)
	for _, s := range found.Steps[max(0, d.StepsSeen-MaxSteps):d.StepsSeen] {
		d.Steps = append(d.Steps, Step{
			Name: clip(r.Snapshot.String(s.Name)), Complete: s.Complete, Start: s.From, End: s.To,
			PeakBytes: slices.Max(active[s.From : s.To+1]), ReservedPeakBytes: reserved.highest(s.From, s.To),
			EndBytes: active[s.To], StartMicros: times.at(s.From), Micros: times.between(s.From, s.To),
		})
	}
}

func (d *Digest) addFamilies(r *analysis.Recording) {
	bytes := func(state int) []int64 {
		all := r.Families().BytesIn(r.Device, state)
		return all[:]
	}
	d.PeakFamilies = bytes(d.PeakState)
	if d.StepEnd != nil {
		d.StepEndFamilies = bytes(*d.StepEnd)
	}
}

func (d *Digest) addOOMs(r *analysis.Recording, failures []oom.Failure, times eventTimes) {
	for i := range failures[max(0, len(failures)-MaxOOMs):] {
		f := &failures[max(0, len(failures)-MaxOOMs)+i]
		step := 0
		if d.StepsSeen > 0 {
			step = r.Steps().Of(f.Event) + 1
		}
		d.OOMs = append(d.OOMs, OOM{
			State: f.State(), Micros: times.at(f.State()), RequestedBytes: f.Requested, DeviceFreeBytes: f.DeviceFree,
			Verdict: f.Verdict.Key(), Site: clip(r.Stacks.Site(f.Stack).String()), Step: step,
		})
	}
}

func (d *Digest) addLeaks(r *analysis.Recording, suspects []leaks.Leak, keys *siteKeys) {
	for i := range suspects[:min(len(suspects), MaxLeaks)] {
		l := &suspects[i]
		of := keys.of(l.Sites[0].Stack)
		d.Leaks = append(d.Leaks, Leak{
			Kind: l.Kind.Key(), Strong: l.Strong, Site: clip(l.Site(r.Stacks).String()),
			Path: shortKey(of.Path), Key: shortKey(of.Site), PerStep: l.PerStep, Bytes: l.Bytes, Steps: l.GrowingSteps,
		})
	}
}
