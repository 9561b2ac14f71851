package analysis

import (
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Recording is one device of a snapshot with what every question asks for.
type Recording struct {
	Snapshot *snapshot.Snapshot
	Device   *replay.Device
	Stacks   *StackFacts
	Families *Families
}

// Record prepares one device for questions. Stacks are those of the snapshot,
// which its devices share.
func Record(s *snapshot.Snapshot, st *StackFacts, d *replay.Device) *Recording {
	return &Recording{Snapshot: s, Device: d, Stacks: st, Families: Classify(st, d)}
}
