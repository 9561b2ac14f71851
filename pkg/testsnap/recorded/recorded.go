// Package recorded makes the results of analysis for tests: recordings of a device, and the
// digests of a job.
package recorded

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// Snapshot is device 0 of a snapshot.
func Snapshot(s *snapshot.Snapshot) *analysis.Recording {
	return analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, 0))
}

// Tape analyses the recording on a tape.
func Tape(t *testsnap.Tape) *analysis.Recording { return Snapshot(t.Snapshot()) }

// Random is a recording of [testsnap.RandomSnapshot].
func Random(r *rand.Rand) *analysis.Recording { return Snapshot(testsnap.RandomSnapshot(r)) }

// File is device 0 of a file of the corpus.
func File(t testing.TB, name string) *analysis.Recording {
	t.Helper()
	s, err := snapshot.Open(filepath.Join(testkit.CorpusDir(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return Snapshot(s)
}

// PythonOnly is a recording as with stacks="python": its stacks are cut down to
// their Python frames.
func PythonOnly(r *analysis.Recording) *analysis.Recording {
	s := r.Snapshot
	c := snapshot.NewComposer(snapshot.Format{})
	cut := make([]snapshot.StackID, s.Stacks.Len())
	for id := range cut {
		var list []snapshot.FrameText
		for _, frame := range s.Stacks.Frames(snapshot.StackID(id)) {
			f := s.Frames[frame]
			if stacks.ReadFrame(s.String(f.File), "").Python() {
				list = append(list, snapshot.FrameText{File: s.String(f.File), Line: f.Line, Name: s.String(f.Name)})
			}
		}
		cut[id] = c.Stack(list...)
	}
	return Restacked(r, c.Snapshot(), cut)
}

// Restacked is a recording with stacks of s instead: ids maps each stack to its
// replacement.
func Restacked(r *analysis.Recording, s *snapshot.Snapshot, ids []snapshot.StackID) *analysis.Recording {
	d, events := *r.Device, *r.Device.Events
	d.Events, d.Allocations = &events, slices.Clone(d.Allocations)
	events.Stack = make([]snapshot.StackID, len(events.Stack))
	for i, id := range r.Device.Events.Stack {
		events.Stack[i] = ids[id]
	}
	for i := range d.Allocations {
		a := &d.Allocations[i]
		a.Stack, a.FreeStack = ids[a.Stack], ids[a.FreeStack]
	}
	return analysis.NewRecording(analysis.NewSource(s), &d)
}
