package predict

import (
	"slices"
	"sort"
	"sync"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// Cold compares what a recording reserved with what its requests reserve from an empty
// cache.
type Cold struct {
	Recorded int64 // peak in bytes, without Leftover, after the first emptying of the cache if that was early
	Served   int64 // peak in bytes
	Leftover int64 // bytes of segments that were cached before the recording and never used in it
	// Empty: no more was reserved at the start than live memory needed, or the cache was
	// emptied in the first tenth of the recording.
	Empty bool
}

// leastCold is how far Served may be off, in percent of Recorded.
const leastCold = 5

// Near reports whether both agree well enough that reserved memory can be predicted.
func (c *Cold) Near() bool {
	off := c.Served - c.Recorded
	return 100*max(off, -off) <= leastCold*c.Recorded
}

// coldOf serves a recording at its own size.
func coldOf(r *sample) Cold {
	d := r.r.Device
	unused := unusedSegments(r)
	reserved := d.ReservedBytes()
	var c Cold
	released := make([]int64, len(reserved)) // by the last state with those bytes
	for _, u := range unused {
		c.Leftover += u.size
		released[u.until] += u.size
	}
	held := c.Leftover
	for state := range reserved {
		reserved[state] -= held
		held -= released[state]
	}
	from := r.from
	before := *r.stream
	before.Ops = nil
	c.Empty = reserved[from] <= before.Serve(whatif.Options{Placement: whatif.PlaceUpwards}).ReservedPeak
	tenth := r.from + (r.to-r.from)/10
	for _, s := range r.stream.Ops {
		if s.Kind == whatif.EmptyCache && s.Event <= tenth {
			c.Empty, from = true, s.Event
			break
		}
	}
	c.Recorded = slices.Max(reserved[from : r.to+1])
	if r.whole && d.Totals.ReservedBaselineBytes == 0 && limitOf(r) == 0 {
		c.Served = c.Recorded // the model has reproduced it from an empty cache
		return c
	}
	c.Served = r.stream.Serve(whatif.Options{Limit: limitOf(r), Placement: whatif.PlaceUpwards}).ReservedPeak
	return c
}

// limitOf returns the limit that a recording has to be served under: one that had to
// release cached memory reserves far more without it.
func limitOf(r *sample) int64 {
	if r.Run.Retries == 0 {
		return 0
	}
	return r.Run.Limit.Bytes
}

// unusedSegment is a segment that was cached before a recording and never used in it.
type unusedSegment struct {
	addr  uint64
	size  int64
	until replay.EventIndex // the state until which it was held
	used  bool
}

// unusedSegments returns the segments of a recording that were never used, by address.
func unusedSegments(r *sample) (list []unusedSegment) {
	d := r.r.Device
	m := r.r.Layouts().At(0)
	for i := range m.Segments {
		if s := &m.Segments[i]; s.ActiveBytes == 0 && !s.Expandable {
			end := replay.EventIndex(d.Events.Len())
			list = append(list, unusedSegment{addr: s.Address, size: s.Size, until: end})
		}
	}
	if len(list) == 0 {
		return nil
	}
	of := func(addr uint64) *unusedSegment {
		i := sort.Search(len(list), func(i int) bool { return list[i].addr+uint64(list[i].size) > addr })
		if i < len(list) && list[i].addr <= addr {
			return &list[i]
		}
		return nil
	}
	for i, action := range d.Events.Action {
		switch action {
		case snapshot.Alloc:
			if s := of(d.Events.Addr[i]); s != nil && replay.EventIndex(i) < s.until {
				s.used = true
			}
		case snapshot.SegmentFree:
			if s := of(d.Events.Addr[i]); s != nil {
				s.until = min(s.until, replay.EventIndex(i))
			}
		}
	}
	return slices.DeleteFunc(list, func(s unusedSegment) bool { return s.used })
}

// Reserved is a prediction of reserved memory, in bytes.
type Reserved struct {
	Peak      int64 // served once from an empty cache
	Low, High int64 // bounds of the spread
	above     int64 // how far High is above Peak, before a limit cuts High
}

// manyOps is the length of a stream, in calls of the allocator, above which it is not
// served several times one after another: it holds many steps of the program already.
const manyOps = 300_000

// reserve predicts what serving a stream reserves. The cache that was there before, how
// often the steps ran, when the program emptied the cache and where the driver puts its
// ranges are unknown at another size. So the stream is served in several ways, and the
// spread is widened by the model's error on real recordings.
func reserve(s *whatif.Stream, limit int64, empty bool) Reserved {
	once := whatif.Options{Limit: limit, Placement: whatif.PlaceUpwards}
	downwards, thrice, keeping := once, once, once
	downwards.Placement, thrice.Times, keeping.KeepCache = whatif.PlaceDownwards, 3, true
	ways := []whatif.Options{once, downwards}
	if len(s.Ops) <= manyOps {
		ways = append(ways, thrice)
	}
	if slices.ContainsFunc(s.Ops, func(o whatif.Op) bool { return o.Kind == whatif.EmptyCache }) {
		ways = append(ways, keeping)
	}
	peaks := make([]int64, len(ways))
	var wait sync.WaitGroup
	for i := range ways {
		wait.Go(func() { peaks[i] = s.Serve(ways[i]).ReservedPeak })
	}
	wait.Wait()
	r := Reserved{Peak: peaks[0], Low: slices.Min(peaks), High: slices.Max(peaks)}
	if empty {
		r.Low, r.High = r.Low-r.Low/200, r.High+r.High/100
	} else {
		r.Low, r.High = r.Low-r.Low/40, r.High+r.High/25+128<<20
	}
	if r.above = r.High - r.Peak; limit > 0 {
		r.High = max(min(r.High, limit), r.Peak)
	}
	return r
}
