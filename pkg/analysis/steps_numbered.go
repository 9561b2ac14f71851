package analysis

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// stepName is how scripts name the ranges of their steps: "step 12",
// "train_step_12", "epoch 3 batch 12/100". Any word with a number will not do:
// the layers of one forward pass are numbered as well.
var stepName = regexp.MustCompile(`(?i)^(?:epoch[\s_:#=-]*\d+[\s,/_:-]*)?(?:train(?:ing)?[\s_:/-]*)?(?:step|iteration|iter|batch)[\s_:#=-]*(\d{1,18})(?:/\d+)?$`)

var digits = regexp.MustCompile(`\d+`)

// IsStepName reports whether an annotation is named like a step of a loop. There
// is no word in such a name that says whose loop it is.
func IsStepName(name string) bool { return stepName.MatchString(name) }

// numberedRanges are the annotations, by index, in which a script named its
// steps: a run of ranges whose names differ in their numbers, one after the
// other, in one lane. Of several runs it is the one that covers most: a step is around its
// batches. Nil when there is no run of two.
func (f *stepFinder) numberedRanges() []int {
	type run struct {
		ranges  []int
		covered int // states
		last    int64
		broken  bool
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
		name := f.Stacks.snapshot.String(a.Name)
		parts := stepName.FindStringSubmatch(name)
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
			r = &run{}
			runs[k], order = r, append(order, r)
		} else {
			before := &f.Annotations[r.ranges[len(r.ranges)-1]]
			follows := number == r.last+1 || number < r.last // again from the start in the next epoch
			r.broken = r.broken || before.NoEnd || a.NoStart || a.From < before.To || !follows
		}
		r.ranges, r.covered, r.last = append(r.ranges, i), r.covered+a.To-a.From, number
	}
	var most *run
	for _, r := range order {
		if !r.broken && len(r.ranges) > 1 && (most == nil || r.covered > most.covered) {
			most = r
		}
	}
	if most == nil {
		return nil
	}
	return most.ranges
}

// byNumbers cuts where each range but the first starts and where the last one
// ends, so that there are as many steps as ranges: what comes before the first
// range belongs to its step, as what comes after a range does.
func (f *stepFinder) byNumbers() []replay.EventIndex {
	ranges := f.numberedRanges()
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
		return nil // nothing was allocated in any of them
	}
	return cuts
}
