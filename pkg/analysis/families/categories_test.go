package families

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestCategories: what a recording gives as the category of a tensor is its family, whatever
// its stack says; a user's rule goes before it.
func TestCategories(t *testing.T) {
	want := [snapshot.Categories]Family{Gradient, Parameter, Optimizer, Input, Temporary, Activation, Gradient,
		Temporary}
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true, HasCategory: true})
	stack := c.Stack(snapshot.FrameText{Name: "torch::autograd::AccumulateGrad::apply(x)"},
		snapshot.FrameText{Name: engine})
	for i := range snapshot.Categories {
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(1+i) << 20, Size: 512, Stack: stack})
	}
	s := c.Snapshot()
	for i := range snapshot.Categories {
		s.Traces[0].Events.Category = append(s.Traces[0].Events.Category, snapshot.Category(i))
	}
	d := replay.Replay(s, 0)
	find := func(o *Overrides) *Assignment {
		st := stacks.Read(s)
		m := stacks.ActivitiesOf(st, d.Events)
		return Find(st, d, m, timeline.FindPhases(m, d.Events), o.Apply(st))
	}
	f := find(nil)
	for i := range snapshot.Categories {
		if got := f.Family(i); got != want[i] {
			t.Errorf("category %d: %s (%s), want %s", i, got.Key(), f.Reason(f.Rules[i]).Because, want[i].Key())
		}
	}
	o := &Overrides{list: []override{{family: Cache, matches: func(string) bool { return true }}}}
	if got := find(o).Family(1); got != Cache {
		t.Errorf("a user's rule: %s", got.Key())
	}
}
