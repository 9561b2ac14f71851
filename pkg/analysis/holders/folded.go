package holders

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Folded stacks are what flamegraph.pl, speedscope and inferno read: a line for each
// stack, with its names from the outermost inwards, separated by semicolons, then a space
// and a number. The names are the same as in the commands memory and segments of
// torch/cuda/_memory_viz.py: stream, segment, state of the block, frames.

// Names in folded stacks that are not frames.
const (
	foldedNoFrames = "<non-python>" // no stack was recorded
	foldedGaps     = "<gaps>"       // bytes of a block beyond those requested
	foldedUnlisted = "<unlisted>"   // bytes of a segment that no block covers
)

// FoldedActive yields the live memory of a state: a path for each stream, state of the
// block and stack, with its requested bytes, which add up to the active bytes. The path
// is reused between calls; its names are safe in a folded line.
func FoldedActive(st *stacks.Table, d *replay.Device, state int) iter.Seq2[[]string, int64] {
	type stack struct {
		stream snapshot.StreamID
		block  snapshot.BlockState
		id     snapshot.StackID
	}
	return func(yield func([]string, int64) bool) {
		bytes := map[stack]int64{}
		for i := range d.Allocations {
			a := &d.Allocations[i]
			if int(a.Start) >= state {
				break // they are in order of Start
			}
			if a.LiveIn(state) && a.Size > 0 {
				bytes[stack{a.Stream, blockState(a, state), a.Stack}] += a.Size
			}
		}
		stacks := make([]stack, 0, len(bytes))
		for s := range bytes {
			stacks = append(stacks, s)
		}
		slices.SortFunc(stacks, func(a, b stack) int {
			return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.block, b.block), cmp.Compare(a.id, b.id))
		})
		w := newFoldedWriter(st)
		for _, s := range stacks {
			w.path = append(w.path[:0], w.stream(s.stream), s.block.String())
			w.addStack(s.id)
			if !yield(w.path, bytes[s]) {
				return
			}
		}
	}
}

// FoldedSegments yields every block of the final segments, in the order of the file: the
// requested bytes of a live block under its stack, the rest of it under gaps, a free
// block as a whole, and bytes that no block covers. The numbers add up to the reserved
// bytes. The path is reused between calls; its names are safe in a folded line.
func FoldedSegments(st *stacks.Table, d *replay.Device) iter.Seq2[[]string, int64] {
	return func(yield func([]string, int64) bool) {
		w := newFoldedWriter(st)
		segments := st.Snapshot.SegmentsOf(d.ID)
		for i := range segments {
			seg := &segments[i]
			name, unlisted := "seg_"+strconv.FormatUint(seg.Address, 10), seg.TotalSize
			for _, b := range st.Snapshot.BlocksOf(seg) {
				w.path = append(w.path[:0], w.stream(seg.Stream), name, b.State.String())
				unlisted -= max(b.Size, 0)
				if !w.block(&b, yield) {
					return
				}
			}
			// In an intact file blocks cover their segment.
			w.path = append(w.path[:0], w.stream(seg.Stream), name, foldedUnlisted)
			if unlisted > 0 && unlisted <= replay.MaxSize && !yield(w.path, unlisted) {
				return
			}
		}
	}
}

// blockState returns the state of a live allocation's block.
func blockState(a *replay.Allocation, state int) snapshot.BlockState {
	if a.FreeRequested != replay.None && int(a.FreeRequested) < state {
		return snapshot.ActivePendingFree
	}
	return snapshot.ActiveAllocated
}

// foldedWriter builds paths.
type foldedWriter struct {
	st     *stacks.Table
	path   []string
	frames []string // by frame: its name in paths; "" if not known yet
	noise  []bool   // by frame: left out
}

func newFoldedWriter(st *stacks.Table) *foldedWriter {
	n := len(st.Snapshot.Frames)
	return &foldedWriter{st: st, frames: make([]string, n), noise: make([]bool, n)}
}

// block yields a block; w.path already has its stream, segment and state.
func (w *foldedWriter) block(b *snapshot.Block, yield func([]string, int64) bool) bool {
	size := max(b.Size, 0)
	if !b.State.Live() {
		return size == 0 || yield(w.path, size) // its requested size and stack are stale
	}
	depth := len(w.path)
	requested := min(max(b.RequestedSize, 0), size)
	w.addStack(b.Stack)
	if requested > 0 && !yield(w.path, requested) {
		return false
	}
	w.path = append(w.path[:depth], foldedGaps)
	return size == requested || yield(w.path, size-requested)
}

func (w *foldedWriter) stream(id snapshot.StreamID) string {
	return "stream_" + strconv.FormatUint(w.st.Snapshot.Streams[id], 10)
}

// addStack appends the frames of a stack, outermost first.
func (w *foldedWriter) addStack(id snapshot.StackID) {
	depth := len(w.path)
	frames := w.st.Snapshot.Stacks.Frames(id)
	for i := len(frames) - 1; i >= 0; i-- {
		if text := w.frame(frames[i]); !w.noise[frames[i]] {
			w.path = append(w.path, text)
		}
	}
	if len(w.path) == depth {
		w.path = append(w.path, foldedNoFrames)
	}
}

// frame returns file:line:function, with the file's base name.
func (w *foldedWriter) frame(id snapshot.FrameID) string {
	if w.frames[id] == "" {
		f := w.st.Frame(id)
		file := stacks.Slashed(f.File)
		w.noise[id] = w.st.FrameClass[id] == stacks.Internal && stacks.IsInterpreterNoise(file, f.Function)
		w.frames[id] = foldedName(
			file[strings.LastIndexByte(file, '/')+1:] + ":" + strconv.Itoa(f.Line) + ":" + f.Function,
		)
	}
	return w.frames[id]
}

// foldedName replaces what would split a line or a path.
func foldedName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ';':
			return ':'
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, name)
}
