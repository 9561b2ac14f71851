package leaks

import (
	"iter"

	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// survivor is an allocation that outlives the step it was born in.
type survivor struct {
	allocation  int32 // index into Device.Allocations
	born, freed int32 // steps; freed is neverFreed if live at the end
	size        int64
}

const neverFreed = 1<<31 - 1

func (x survivor) live() bool { return x.freed == neverFreed }

// survivorsBySite are the survivors of one device, grouped by the stack that
// allocated them.
type survivorsBySite struct {
	list []survivor
	ends []int32 // by stack: where its survivors end in list; they are in order of birth
}

// survivorsOf omits allocations freed in their own step, as most are, and those without
// bytes.
func survivorsOf(d *replay.Device, steps *steps.List) *survivorsBySite {
	var (
		list   []survivor
		stacks []snapshot.StackID
		most   snapshot.StackID
		step   int
		b      = steps.Boundaries
	)
	for i := d.PreExisting; i < len(d.Allocations); i++ {
		a := &d.Allocations[i]
		for step < len(b) && b[step] <= a.Start {
			step++
		}
		x := survivor{int32(i), int32(step), neverFreed, a.Size}
		if end := timeline.FreedAt(a); end != timeline.Never {
			if step == len(b) || end < b[step] {
				continue
			}
			x.freed = int32(steps.Of(end))
		}
		if a.Size > 0 {
			list, stacks = append(list, x), append(stacks, a.Stack)
			most = max(most, a.Stack)
		}
	}
	s := &survivorsBySite{make([]survivor, len(list)), make([]int32, most+2)}
	for _, id := range stacks {
		s.ends[id+1]++
	}
	for id := 1; id < len(s.ends); id++ {
		s.ends[id] += s.ends[id-1]
	}
	for i, id := range stacks {
		s.list[s.ends[id]] = list[i]
		s.ends[id]++
	}
	return s
}

// all visits the sites that have any survivors.
func (s *survivorsBySite) all() iter.Seq2[snapshot.StackID, []survivor] {
	return func(yield func(snapshot.StackID, []survivor) bool) {
		start := int32(0)
		for id, end := range s.ends {
			if end > start && !yield(snapshot.StackID(id), s.list[start:end]) {
				return
			}
			start = end
		}
	}
}

// bytesAt returns what survivors hold at each boundary.
func bytesAt(survivors []survivor, boundaries int) []int64 {
	bytes := make([]int64, boundaries+1)
	for _, x := range survivors {
		bytes[x.born] += x.size
		if !x.live() {
			bytes[x.freed] -= x.size
		}
	}
	for i := 1; i <= boundaries; i++ {
		bytes[i] += bytes[i-1]
	}
	return bytes[:boundaries]
}
