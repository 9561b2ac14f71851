package export

import (
	"cmp"
	"iter"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// siteSums are the sums of one call site at a moment and over the recording.
type siteSums struct {
	name                   string // "" where no stack was recorded
	state                  int
	bytes, allocations     int64 // live in the state
	allocated, requests    int64 // made in the recording
	temporary, temporaries int64 // of these: freed in the pass or the step that made them
}

// sites returns all call sites that allocated or freed, largest first.
func (r *recording) sites() []siteSums {
	if r.siteOf == nil {
		r.sumSites(r.state(r.Device.Totals.PeakState))
	}
	return r.siteList
}

// site returns the call site of a stack.
func (r *recording) site(id snapshot.StackID) value {
	r.sites()
	return number(r.siteOf[id])
}

func (r *recording) sumSites(state int) {
	d := r.Device
	r.siteOf = slices.Repeat([]int32{-1}, max(r.Snapshot.Stacks.Len(), 1))
	index := map[string]int32{}
	see := func(id snapshot.StackID) *siteSums {
		if r.siteOf[id] < 0 {
			name := r.Stacks.Site(id).String()
			i, known := index[name]
			if !known {
				i = int32(len(r.siteList))
				index[name] = i
				r.siteList = append(r.siteList, siteSums{name: name, state: state})
			}
			r.siteOf[id] = i
		}
		return &r.siteList[r.siteOf[id]]
	}
	for i := range d.Allocations {
		a := &d.Allocations[i]
		see(a.FreeStack)
		s := see(a.Stack)
		if a.LiveIn(state) {
			s.bytes += a.Size
			s.allocations++
		}
		if a.PreExisting() {
			continue
		}
		s.allocated += a.Size
		s.requests++
		if r.Families().Family(i) == families.Temporary {
			s.temporary += a.Size
			s.temporaries++
		}
	}
	for _, id := range d.Events.Stack {
		see(id)
	}
	r.sortSites()
}

// sortSites puts the sites in order, and renumbers them.
func (r *recording) sortSites() {
	order := make([]int32, len(r.siteList))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		a, b := &r.siteList[i], &r.siteList[j]
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(b.allocated, a.allocated), cmp.Compare(a.name, b.name))
	})
	sorted := make([]siteSums, len(order))
	renumbered := make([]int32, len(order))
	for to, from := range order {
		sorted[to], renumbered[from] = r.siteList[from], int32(to)
	}
	r.siteList = sorted
	for id, i := range r.siteOf {
		if i >= 0 {
			r.siteOf[id] = renumbered[i]
		}
	}
}

var sitesTable = newTable("sites", true,
	func(r *recording) iter.Seq[siteSums] { return slices.Values(r.sites()) },
	col("site", text, func(_ *recording, s *siteSums) value { return textOf(s.name) }),
	col("state", integer, func(_ *recording, s *siteSums) value { return number(s.state) }),
	col("bytes", integer, func(_ *recording, s *siteSums) value { return number(s.bytes) }),
	col("allocations", integer, func(_ *recording, s *siteSums) value { return number(s.allocations) }),
	col("allocated_bytes", integer, func(_ *recording, s *siteSums) value { return number(s.allocated) }),
	col("requests", integer, func(_ *recording, s *siteSums) value { return number(s.requests) }),
	col("temporary_bytes", integer, func(_ *recording, s *siteSums) value { return number(s.temporary) }),
	col("temporaries", integer, func(_ *recording, s *siteSums) value { return number(s.temporaries) }),
)
