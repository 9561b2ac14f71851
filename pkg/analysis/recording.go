package analysis

import (
	"sync"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Recording is one device of a snapshot with what every question asks for. It
// may be asked from several goroutines.
type Recording struct {
	Snapshot *snapshot.Snapshot
	Device   *replay.Device
	Stacks   *StackFacts // of the snapshot, which its devices share

	families func() *Families
	phases   func() *Phases
	pools    func() Pools
}

// Record prepares one device for questions.
func Record(s *snapshot.Snapshot, st *StackFacts, d *replay.Device) *Recording {
	r := &Recording{
		Snapshot: s, Device: d, Stacks: st,
		families: sync.OnceValue(func() *Families { return Classify(st, d) }),
		phases:   sync.OnceValue(func() *Phases { return FindPhases(st, d) }),
	}
	r.pools = sync.OnceValue(r.findPools)
	return r
}

// Families says what each allocation was for. That is found out when it is
// first asked.
func (r *Recording) Families() *Families { return r.families() }

// Phases is the history as a sequence of phases, found out when it is first
// asked.
func (r *Recording) Phases() *Phases { return r.phases() }

// Pools says in which memory pool each allocation lies, found out when it is
// first asked.
func (r *Recording) Pools() Pools { return r.pools() }
