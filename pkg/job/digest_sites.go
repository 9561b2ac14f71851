package job

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// noSite is the index of stacks and allocations that are not counted.
const noSite = -1

// siteKeys are the call sites of a recording: stacks with equal paths are one.
type siteKeys struct {
	r      *analysis.Recording
	keys   []stacks.Keys      // by site
	stacks []snapshot.StackID // by site: the one that allocated the most bytes
	site   []int32            // by stack; noSite if it allocates nothing
}

func newSiteKeys(r *analysis.Recording) *siteKeys {
	allocated := make([]int64, len(r.Stacks.Facts))
	s := &siteKeys{r: r, site: make([]int32, len(allocated))}
	for i := range s.site {
		s.site[i] = noSite
	}
	for i := range r.Device.Allocations {
		a := &r.Device.Allocations[i]
		allocated[a.Stack] = min(allocated[a.Stack]+a.Size, replay.MaxSize<<16)
		s.site[a.Stack] = 0
	}
	keyer := stacks.NewKeyer(r.Stacks, true)
	index := map[stacks.Key]int32{}
	for id := range s.site {
		if s.site[id] == noSite {
			continue
		}
		stack := snapshot.StackID(id)
		keys := keyer.Keys(stack)
		i, known := index[keys.Path]
		if !known {
			i = int32(len(s.keys))
			index[keys.Path] = i
			s.keys, s.stacks = append(s.keys, keys), append(s.stacks, stack)
		} else if allocated[stack] > allocated[s.stacks[i]] {
			s.stacks[i] = stack
		}
		s.site[id] = i
	}
	return s
}

// of returns the keys of a stack that allocates.
func (s *siteKeys) of(stack snapshot.StackID) stacks.Keys { return s.keys[s.site[stack]] }

// byPath returns the sites sorted by path, so that equal programs have equal orders.
func (s *siteKeys) byPath() []int32 {
	order := make([]int32, len(s.keys))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return bytes.Compare(s.keys[a].Path[:], s.keys[b].Path[:]) })
	return order
}

// keyBytes is how much of a key is written: a job has far fewer than 2^32 call sites.
const keyBytes = 8

func shortKey(k stacks.Key) string { return hex.EncodeToString(k[:keyBytes]) }

// addSites adds the call sites. The steps of the digest must be known.
func (d *Digest) addSites(r *analysis.Recording, keys *siteKeys) {
	steps := d.stepsOfSites()
	whole := timeline.Range{From: 0, To: r.Device.States() - 1}
	if len(steps) > 0 {
		whole = timeline.Range{From: steps[0].From, To: steps[len(steps)-1].To}
	}
	history := newHistory(r.Device, whole)
	most := history.most(keys.site, len(keys.keys), []timeline.Range{whole})[0]
	atPeak := liveIn(r.Device, d.PeakState, keys)
	atStepEnd := make([]Tensors, len(keys.keys))
	if d.StepEnd != nil {
		atStepEnd = liveIn(r.Device, *d.StepEnd, keys)
	}

	order := keys.byPath()
	size := func(i int32) int64 { return max(atPeak[i].Bytes, atStepEnd[i].Bytes, most[i].Bytes) }
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(size(b), size(a)) })
	listed := order[:min(len(order), MaxSites)]
	for _, i := range order[len(listed):] {
		d.Rest.Sites++
		d.Rest.Peak.add(atPeak[i])
		d.Rest.StepEnd.add(atStepEnd[i])
	}

	row := make([]int32, len(keys.keys)) // in d.Sites, by site
	for i := range row {
		row[i] = noSite
	}
	python := stacks.NewKeyer(r.Stacks, false)
	d.Sites = make([]Site, len(listed))
	for at, i := range listed {
		row[i] = int32(at)
		stack := keys.stacks[i]
		site := &d.Sites[at]
		*site = Site{
			Path: shortKey(keys.keys[i].Path), Key: shortKey(keys.keys[i].Site),
			Site: clip(r.Stacks.Site(stack).String()), Operator: clip(r.Stacks.Operator[stack]),
			Peak: atPeak[i], StepEnd: atStepEnd[i], Alive: most[i].Count,
		}
		if path := shortKey(python.Keys(stack).Path); path != site.Path {
			site.PythonPath = path
		}
	}
	rowOf := make([]int32, len(keys.site)) // by stack
	for stack, i := range keys.site {
		rowOf[stack] = noSite
		if i != noSite {
			rowOf[stack] = row[i]
		}
	}
	d.addStepPeaks(history.most(rowOf, len(listed), steps))
	d.addSiteFamilies(r, rowOf)
}

// stepsOfSites returns the last complete steps, which are consecutive.
func (d *Digest) stepsOfSites() []timeline.Range {
	var ranges []timeline.Range
	for i := range d.Steps {
		if s := &d.Steps[i]; s.Complete {
			ranges = append(ranges, timeline.Range{From: s.Start, To: s.End})
		}
	}
	return ranges[max(0, len(ranges)-SiteSteps):]
}

// addStepPeaks adds the median of each site's peaks in the steps.
func (d *Digest) addStepPeaks(most [][]Tensors) {
	if len(most) == 0 {
		return
	}
	held := make([]int64, len(most))
	for i := range d.Sites {
		for step := range most {
			held[step] = most[step][i].Bytes
		}
		d.Sites[i].StepPeak = median(held)
	}
}

// median sorts numbers and returns their median, rounded down.
func median(numbers []int64) int64 {
	slices.Sort(numbers)
	low, high := numbers[(len(numbers)-1)/2], numbers[len(numbers)/2]
	return low + (high-low)/2
}

// addSiteFamilies adds the family of most of the bytes that each site allocated.
func (d *Digest) addSiteFamilies(r *analysis.Recording, row []int32) {
	bytes := make([][families.Count]int64, len(d.Sites))
	assigned := r.Families()
	for i := range r.Device.Allocations {
		if at := row[r.Device.Allocations[i].Stack]; at != noSite {
			bytes[at][assigned.Family(i)] += r.Device.Allocations[i].Size
		}
	}
	for at := range bytes {
		d.Sites[at].Family = slices.Index(bytes[at][:], slices.Max(bytes[at][:]))
	}
}

func (t *Tensors) add(other Tensors) {
	t.Bytes += other.Bytes
	t.Count += other.Count
}

func (t *Tensors) remove(other Tensors) {
	t.Bytes -= other.Bytes
	t.Count -= other.Count
}

// liveIn sums the tensors that are live in a state, by site.
func liveIn(d *replay.Device, state int, keys *siteKeys) []Tensors {
	live := make([]Tensors, len(keys.keys))
	for i := range d.Allocations {
		if a := &d.Allocations[i]; a.LiveIn(state) {
			live[keys.site[a.Stack]].add(Tensors{a.Size, 1})
		}
	}
	return live
}

// history is a range of states of a device, for walking it event by event.
type history struct {
	d     *replay.Device
	whole timeline.Range
	// ended has for each event, from the first state's on, the allocation that it ends,
	// or noSite.
	ended []int32
}

func newHistory(d *replay.Device, whole timeline.Range) *history {
	h := &history{d, whole, make([]int32, whole.To-whole.From)}
	for i := range h.ended {
		h.ended[i] = noSite
	}
	for i := range d.Allocations {
		if end := int(d.Allocations[i].End); end >= whole.From && end < whole.To {
			h.ended[end-whole.From] = int32(i)
		}
	}
	return h
}

// most returns the peaks of each row in some ranges, which are consecutive and begin
// where the history does. row maps stacks to the n rows, or to noSite.
func (h *history) most(row []int32, n int, ranges []timeline.Range) [][]Tensors {
	live := make([]Tensors, n)
	next := 0 // the allocation that starts next
	for ; next < len(h.d.Allocations) && int(h.d.Allocations[next].Start) < h.whole.From; next++ {
		if a := &h.d.Allocations[next]; a.LiveIn(h.whole.From) && row[a.Stack] != noSite {
			live[row[a.Stack]].add(Tensors{a.Size, 1})
		}
	}
	all := make([][]Tensors, len(ranges))
	for k, r := range ranges {
		most := slices.Clone(live)
		for event := r.From; event < r.To; event++ {
			if i := h.ended[event-h.whole.From]; i != noSite {
				if a := &h.d.Allocations[i]; row[a.Stack] != noSite {
					live[row[a.Stack]].remove(Tensors{a.Size, 1})
				}
			}
			if next == len(h.d.Allocations) || int(h.d.Allocations[next].Start) != event {
				continue
			}
			a := &h.d.Allocations[next]
			next++
			if at := row[a.Stack]; at != noSite {
				live[at].add(Tensors{a.Size, 1})
				most[at].Bytes = max(most[at].Bytes, live[at].Bytes)
				most[at].Count = max(most[at].Count, live[at].Count)
			}
		}
		all[k] = most
	}
	return all
}
