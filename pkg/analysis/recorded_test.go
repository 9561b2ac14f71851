// Package recorded makes recordings for the tests of the packages below
// analysis.
package analysis

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testkit"
)

// recordedSnapshot is device 0 of a snapshot.
func recordedSnapshot(s *snapshot.Snapshot) *Recording {
	return NewRecording(NewSource(s), replay.Replay(s, 0))
}

// recordedTape ends a tape.
func recordedTape(t *tape) *Recording { return recordedSnapshot(t.Snapshot()) }

// recordedRandom is a recording of nonsense.
func recordedRandom(r *rand.Rand) *Recording { return recordedSnapshot(randomSnapshot(r)) }

// recordedFile is device 0 of a file of the corpus.
func recordedFile(t testing.TB, name string) *Recording {
	t.Helper()
	s, err := snapshot.Open(filepath.Join(testkit.CorpusDir(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return recordedSnapshot(s)
}

// pythonOnly is a recording as stacks="python" would have made it: its stacks
// are cut down to their Python frames.
func pythonOnly(r *Recording) *Recording {
	s := r.Snapshot
	c := snapshot.NewComposer(snapshot.Format{})
	cut := make([]snapshot.StackID, s.Stacks.Len())
	for id := range cut {
		var list []snapshot.FrameText
		for _, frame := range s.Stacks.Frames(snapshot.StackID(id)) {
			f := s.Frames[frame]
			if ReadFrame(s.String(f.File), "").Python() {
				list = append(list, snapshot.FrameText{File: s.String(f.File), Line: f.Line, Name: s.String(f.Name)})
			}
		}
		cut[id] = c.Stack(list...)
	}
	d, events := *r.Device, *r.Device.Events
	d.Events, d.Allocations = &events, slices.Clone(d.Allocations)
	events.Stack = make([]snapshot.StackID, len(events.Stack))
	for i, id := range r.Device.Events.Stack {
		events.Stack[i] = cut[id]
	}
	for i := range d.Allocations {
		a := &d.Allocations[i]
		a.Stack, a.FreeStack = cut[a.Stack], cut[a.FreeStack]
	}
	return NewRecording(NewSource(c.Snapshot()), &d)
}
