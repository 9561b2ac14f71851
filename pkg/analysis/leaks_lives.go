package analysis

import (
	"iter"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// life is an allocation that outlives the step it was born in.
type life struct {
	allocation int32 // index into Device.Allocations
	born, gone int32 // steps; gone is staysForever when it is never given up
	size       int64
}

const staysForever = 1<<31 - 1

func (x life) stays() bool { return x.gone == staysForever }

// livesBySite are the lives of one device, grouped by the stack that allocated.
type livesBySite struct {
	lives []life
	ends  []int32 // by stack: where its lives end; they are in order of birth
}

// livesAcrossSteps leaves out what is freed in its own step, which most of a
// recording is, and what has no bytes.
func livesAcrossSteps(d *replay.Device, steps *Steps) *livesBySite {
	var (
		lives  []life
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
		x := life{int32(i), int32(step), staysForever, a.Size}
		if end := freedAt(a); end != never {
			if step == len(b) || end < b[step] {
				continue
			}
			x.gone = int32(steps.of(end))
		}
		if a.Size > 0 {
			lives, stacks = append(lives, x), append(stacks, a.Stack)
			most = max(most, a.Stack)
		}
	}
	s := &livesBySite{make([]life, len(lives)), make([]int32, most+2)}
	for _, id := range stacks {
		s.ends[id+1]++
	}
	for id := 1; id < len(s.ends); id++ {
		s.ends[id] += s.ends[id-1]
	}
	for i, id := range stacks {
		s.lives[s.ends[id]] = lives[i]
		s.ends[id]++
	}
	return s
}

// all visits the sites that have any lives.
func (s *livesBySite) all() iter.Seq2[snapshot.StackID, []life] {
	return func(yield func(snapshot.StackID, []life) bool) {
		start := int32(0)
		for id, end := range s.ends {
			if end > start && !yield(snapshot.StackID(id), s.lives[start:end]) {
				return
			}
			start = end
		}
	}
}

// heldAt is what lives hold at each boundary.
func heldAt(lives []life, boundaries int) []int64 {
	held := make([]int64, boundaries+1)
	for _, x := range lives {
		held[x.born] += x.size
		if !x.stays() {
			held[x.gone] -= x.size
		}
	}
	for i := 1; i <= boundaries; i++ {
		held[i] += held[i-1]
	}
	return held[:boundaries]
}
