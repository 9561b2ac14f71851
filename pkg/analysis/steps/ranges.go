package steps

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// namePattern is how scripts name the ranges of their steps: "step 12",
// "train_step_12", "epoch 3 batch 12/100". Other words with numbers do not count,
// since the layers of one forward pass are numbered as well.
var namePattern = regexp.MustCompile(
	`(?i)^(?:epoch[\s_:#=-]*\d+[\s,/_:-]*)?(?:train(?:ing)?[\s_:/-]*)?(?:step|iteration|iter|batch)[\s_:#=-]*(\d{1,18})(?:/\d+)?$`,
)

var digits = regexp.MustCompile(`\d+`)

// IsName reports whether an annotation is named like a step of a loop. Such a name
// has no word of the user's own.
func IsName(name string) bool { return namePattern.MatchString(name) }

// numberedRanges returns the annotations, by index, with which a script numbered its
// steps: a run of at least two consecutive ranges in one lane whose names differ only in
// their numbers. Of several runs it prefers those of this device, then the one that
// covers most events, because a step contains its batches.
func (f *finder) numberedRanges() []int {
	type run struct {
		ranges  []int
		covered int // states
		last    int64
		broken  bool
		own     bool // recorded with this device
	}
	type key struct {
		device snapshot.DeviceID
		lane   int
		form   string
	}
	runs := map[key]*run{}
	var order []*run
	for i := range f.Annotations {
		a := &f.Annotations[i]
		name := f.Stacks.Snapshot.String(a.Name)
		parts := namePattern.FindStringSubmatch(name)
		if parts == nil {
			continue
		}
		number, err := strconv.ParseInt(parts[1], 10, 64)
		if err != nil {
			continue
		}
		k := key{a.Device, a.Lane, digits.ReplaceAllString(strings.ToLower(name), "#")}
		r := runs[k]
		if r == nil {
			r = &run{own: a.Device == f.Device.ID}
			runs[k], order = r, append(order, r)
		} else {
			before := &f.Annotations[r.ranges[len(r.ranges)-1]]
			follows := number == r.last+1 || number < r.last // the next epoch restarts the count
			r.broken = r.broken || before.NoEnd || a.NoStart || a.From < before.To || !follows
		}
		r.ranges, r.covered, r.last = append(r.ranges, i), r.covered+a.To-a.From, number
	}
	var most *run
	for _, r := range order {
		if r.broken || len(r.ranges) < 2 {
			continue
		}
		if most == nil || r.own && !most.own || r.own == most.own && r.covered > most.covered {
			most = r
		}
	}
	if most == nil {
		return nil
	}
	return most.ranges
}

// byRanges cuts where each range but the first starts and where the last one ends, so
// that there are as many steps as ranges. Events before the first range, and those after
// a range, belong to its step.
func (f *finder) byRanges(ranges []int) []replay.EventIndex {
	if ranges == nil {
		return nil
	}
	var cuts []replay.EventIndex
	if !f.Annotations[ranges[0]].NoStart {
		cuts = append(cuts, 0) // the first step is whole
	}
	for _, i := range ranges[1:] {
		cuts = append(cuts, replay.EventIndex(f.Annotations[i].From))
	}
	if last := &f.Annotations[ranges[len(ranges)-1]]; !last.NoEnd {
		cuts = append(cuts, replay.EventIndex(last.To))
	}
	cuts = slices.Compact(cuts)
	if cuts[len(cuts)-1] == 0 {
		return nil // there are no events in any of them
	}
	return cuts
}
