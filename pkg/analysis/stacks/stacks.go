// Package stacks determines what a recorded stack proves by itself: whose code each
// frame is, which line of the user's asked for memory, which operator ran, and
// whether the call belongs to forward, backward, the optimizer or loading.
//
// It is based on names alone: of files, of Python functions and of C++ symbols, of torch
// 2.0 to 2.11 and of the packages that most programs use. [Read] looks at every name,
// frame and stack of a snapshot once. A stack without frames proves nothing, except where
// Python frames were recorded and C++ frames were not: the thread of the autograd engine
// has no Python frames, so there it means backward ([Activities]). What a stack cannot
// show: tensors made by code that torch.compile generated (its frames name a cache file),
// and anything that happened after the allocation.
package stacks

import (
	"hash/fnv"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// NoFrame means that a stack has no such frame.
const NoFrame snapshot.FrameID = -1

// Table has what the interned stacks of a snapshot show. All slices but FrameClass
// and FrameFacts are indexed by snapshot.StackID.
type Table struct {
	Snapshot   *snapshot.Snapshot
	FrameClass []FrameClass // by snapshot.FrameID
	FrameFacts []Facts      // by snapshot.FrameID

	SiteFrame []snapshot.FrameID // innermost user frame, or NoFrame
	Operator  []string           // "aten::mm", an autograd node such as "MmBackward0", or ""
	Backward  []bool             // the autograd engine is on the stack
	Shade     []uint8            // 0 to 4, equal for equal sites
	Named     []snapshot.FrameID // the frame by which rules decide what the memory was for, or NoFrame
	Facts     []Facts
	Activity  []Activity // of the frames alone; [Activities] also knows what an empty stack means
	Depth     []uint8    // module calls on the stack, at most 255

	library []snapshot.FrameID // innermost library frame that is not a wrapper, or NoFrame
}

// Read looks once at every name, frame and stack of a snapshot; the cost is
// linear in the text of the names and the frames of the stacks.
func Read(s *snapshot.Snapshot) *Table {
	names := readNames(s)
	n := max(s.Stacks.Len(), 1)
	st := &Table{
		FrameClass: classifyFrames(s, names.kind),
		FrameFacts: names.facts,
		SiteFrame:  make([]snapshot.FrameID, n),
		Operator:   make([]string, n),
		Backward:   make([]bool, n),
		Shade:      make([]uint8, n),
		Named:      make([]snapshot.FrameID, n),
		Snapshot:   s,
		library:    make([]snapshot.FrameID, n),
		Facts:      make([]Facts, n),
		Activity:   make([]Activity, n),
		Depth:      make([]uint8, n),
	}
	for id := range n {
		st.read(snapshot.StackID(id), names)
	}
	return st
}

// read fills the row of one stack.
func (st *Table) read(id snapshot.StackID, names *names) {
	var (
		f               Facts
		inmost, outmost = NoFrame, NoFrame // of Python
		site, library   = NoFrame, NoFrame
		operator, node  string
		depth           int
	)
	for _, frame := range st.Snapshot.Stacks.Frames(id) {
		ff := names.facts[frame]
		f |= ff
		if ff.Has(FactPython) {
			outmost = frame
			if inmost == NoFrame {
				inmost = frame
			}
			if ff.Has(FactModuleCall) {
				depth++
			}
			switch {
			case st.FrameClass[frame] == UserCode && site == NoFrame:
				site = frame
			case st.FrameClass[frame] == LibraryPython && library == NoFrame:
				library = frame
			}
			continue
		}
		if operator == "" {
			operator = names.operator[frame]
		}
		if node == "" {
			node = names.node[frame]
		}
	}
	if operator == "" {
		operator = node
	}
	if outmost != NoFrame && names.facts[outmost].Has(FactFunctionApply) {
		f |= FactBackwardCall // the engine calls a user's autograd.Function
	}
	if inmost != NoFrame && names.facts[inmost].Has(FactReducerCall) {
		f |= FactCommunication
	}
	st.SiteFrame[id], st.library[id] = site, library
	st.Operator[id] = operator
	st.Backward[id] = f.Has(FactEngine)
	st.Facts[id], st.Activity[id], st.Depth[id] = f, f.activity(), uint8(min(depth, math.MaxUint8))
	st.Shade[id] = st.Site(id).shade()
	st.Named[id] = st.named(id, names)
}

// named returns the innermost frame with a fact that decides what the memory was for, or
// the site's frame if no name decides.
func (st *Table) named(id snapshot.StackID, names *names) snapshot.FrameID {
	if facts := st.Facts[id].deciding(); facts != 0 {
		for _, frame := range st.Snapshot.Stacks.Frames(id) {
			if names.facts[frame].Has(facts) {
				return frame
			}
		}
	}
	return st.SiteFrame[id]
}

// IsForward reports whether a frame is the forward of a module: a Python function
// of that name, not the machinery that calls it.
func (st *Table) IsForward(frame snapshot.FrameID) bool {
	f := st.FrameFacts[frame]
	return f.Has(FactForward) && !f.Has(FactModuleCall)
}

// Site is the line of code that asked for memory, as exactly as its stack allows.
type Site struct {
	Function string // or "autograd aten::mm", or an operator, where no Python is known
	File     string // "" when there is no Python
	Line     int    // 0 when unknown
}

// Site returns the innermost user frame of a stack; without one, "autograd" and the
// operator for memory of the backward pass, else the innermost library frame,
// else the operator, else the function of the innermost frame. It is zero for a
// stack without any names. The page computes sites by the same rule;
// testdata/sites.json tests both.
func (st *Table) Site(id snapshot.StackID) Site {
	operator := st.Operator[id]
	switch {
	case st.SiteFrame[id] != NoFrame:
		return st.Frame(st.SiteFrame[id])
	case st.Backward[id]:
		return Site{Function: strings.TrimSpace("autograd " + operator)}
	case st.library[id] != NoFrame:
		return st.Frame(st.library[id])
	}
	if frames := st.Snapshot.Stacks.Frames(id); operator == "" && len(frames) > 0 {
		return Site{Function: st.Frame(frames[0]).Function}
	}
	return Site{Function: operator}
}

// Frame returns one frame as a site.
func (st *Table) Frame(id snapshot.FrameID) Site {
	f := &st.Snapshot.Frames[id]
	return Site{st.Snapshot.String(f.Name), st.Snapshot.String(f.File), int(f.Line)}
}

// String returns file:line:function, or the function alone if no file is known.
func (s Site) String() string {
	if s.File == "" {
		return s.Function
	}
	return s.File + ":" + strconv.Itoa(s.Line) + ":" + s.Function
}

// shades is the number of lightness steps that a family's colour has.
const shades = 5

// shade spreads sites over the lightness steps; an unknown site has the middle one.
func (s Site) shade() uint8 {
	if s == (Site{}) {
		return shades / 2
	}
	h := fnv.New32a()
	io.WriteString(h, s.String())
	return uint8(h.Sum32() % shades)
}
