package measures

import (
	"sort"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// training is what a training asks of the allocator, which edits change.
type training struct {
	*whatif.Stream
	r *analysis.Recording
}

func (p *training) clone() *training { return &training{p.Stream.Clone(), p.r} }

func isForward(r timeline.PhaseRun) bool { return r.Phase == stacks.InForward }

// phaseAt is the phase in which an event is; 0 before the first.
func (p *training) phaseAt(event replay.EventIndex) stacks.Activity {
	phases := p.r.Phases()
	i := sort.Search(len(phases), func(i int) bool { return phases[i].Start > event })
	if i == 0 {
		return 0
	}
	return phases[i-1].Phase
}

// family is what a request is for.
func (p *training) family(id int32) families.Family {
	return p.r.Families().Family(int(p.Requests[id].Of))
}

// stack is who made a request.
func (p *training) stack(id int32) snapshot.StackID {
	return p.r.Device.Allocations[p.Requests[id].Of].Stack
}

// temporaryOfOptimizer reports whether an optimizer's step made a request and freed it.
func (p *training) temporaryOfOptimizer(id int32) bool {
	return p.family(id) == families.Temporary && p.r.Stacks.Facts[p.stack(id)].Has(stacks.FactOptimizer)
}
