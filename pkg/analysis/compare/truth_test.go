package compare_test

import (
	"math/rand/v2"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

// codeEdit is a change of a program of which every line's new number is known.
type codeEdit struct {
	inserted map[string][]int32 // by file: lines after which one is inserted
	wrapped  map[int]bool       // by stack: another function calls the outermost of the user's
}

// randomEdit inserts up to 11 lines a file, and puts a wrapper around one call path in five.
func randomEdit(random *rand.Rand, s *snapshot.Snapshot) codeEdit {
	e := codeEdit{inserted: map[string][]int32{}, wrapped: map[int]bool{}}
	for _, frame := range s.Frames {
		file := s.String(frame.File)
		if _, known := e.inserted[file]; known {
			continue
		}
		e.inserted[file] = []int32{}
		for range random.IntN(12) {
			e.inserted[file] = append(e.inserted[file], 1+random.Int32N(400))
		}
	}
	for id := range s.Stacks.Len() {
		if random.IntN(5) == 0 {
			e.wrapped[id] = true
		}
	}
	return e
}

func (e codeEdit) moved(file string, line int32) int32 {
	by := int32(0)
	for _, after := range e.inserted[file] {
		if after < line {
			by++
		}
	}
	return line + by
}

// apply is a recording whose stacks are edited, and have no names if their line is gone.
func (e codeEdit) apply(r *analysis.Recording, gone func(stacks.Site) bool) *analysis.Recording {
	s := r.Snapshot
	c := snapshot.NewComposer(snapshot.Format{})
	ids := make([]snapshot.StackID, s.Stacks.Len())
	for id := range ids {
		if gone(r.Stacks.Site(snapshot.StackID(id))) {
			continue
		}
		var list []snapshot.FrameText
		for _, frame := range s.Stacks.Frames(snapshot.StackID(id)) {
			f := s.Frames[frame]
			file := s.String(f.File)
			list = append(list, snapshot.FrameText{File: file, Line: e.moved(file, f.Line), Name: s.String(f.Name)})
		}
		if e.wrapped[id] && len(list) > 0 {
			list = append(list, snapshot.FrameText{File: "/home/user/wrap.py", Line: 7, Name: "wrapper"})
		}
		ids[id] = c.Stack(list...)
	}
	return recorded.Restacked(r, c.Snapshot(), ids)
}

// verdicts count what became of the lines that both sides have.
type verdicts struct{ right, neighbour, lost int }

// count judges each line of a recording that is gone from neither side.
func (v *verdicts) count(r *analysis.Recording, c *compare.Comparison, e codeEdit, gone func(stacks.Site) bool) {
	seen := map[stacks.Site]bool{}
	for _, g := range c.Lines.Groups {
		site := g.Site[compare.Before]
		if !g.Has[compare.Before] || !g.IsLine || seen[site] || gone(site) {
			continue
		}
		seen[site] = true
		after := g.Site[compare.After]
		switch {
		case !g.Both():
			v.lost++
		case after.File == site.File && after.Function == site.Function &&
			int32(after.Line) == e.moved(site.File, int32(site.Line)):
			v.right++
		default:
			v.neighbour++
		}
	}
}

// TestLinesOfEditedPrograms edits real programs: inserted lines and wrappers leave every
// line paired with its own. Where a tenth of the lines is gone from each side, too, 97 of
// 100 are, and most of the others with a neighbour of the same function.
func TestLinesOfEditedPrograms(t *testing.T) {
	var inserted, deleted verdicts
	none := func(stacks.Site) bool { return false }
	for _, file := range []string{"train_annotated_torch210.pickle", "train_medium_annotated_torch210.pickle",
		"train_small_torch210.pickle", "forward_growing_torch25.pickle", "inference_torch210.pickle"} {
		r := recorded.File(t, file)
		for seed := range uint64(20) {
			random := rand.New(rand.NewPCG(seed, 9))
			e := randomEdit(random, r.Snapshot)
			inserted.count(r, analysis.Compare(r, e.apply(r, none)), e, none)

			fate := map[stacks.Site]int{} // gone from before, gone from after
			for id := range r.Stacks.SiteFrame {
				if site := r.Stacks.Site(snapshot.StackID(id)); fate[site] == 0 {
					fate[site] = 1 + random.IntN(10)
				}
			}
			goneFrom := func(side int) func(stacks.Site) bool {
				return func(site stacks.Site) bool { return fate[site] == 1+side }
			}
			either := func(site stacks.Site) bool { return goneFrom(0)(site) || goneFrom(1)(site) }
			before := codeEdit{}.apply(r, goneFrom(compare.Before))
			deleted.count(before, analysis.Compare(before, e.apply(r, goneFrom(compare.After))), e, either)
		}
	}
	t.Logf("inserted: %+v; a tenth deleted: %+v", inserted, deleted)
	if inserted.right == 0 || inserted.neighbour+inserted.lost > 0 {
		t.Errorf("with inserted lines: %+v", inserted)
	}
	if total := deleted.right + deleted.neighbour + deleted.lost; 100*deleted.right < 97*total {
		t.Errorf("with a tenth of the lines gone: %+v", deleted)
	}
}
