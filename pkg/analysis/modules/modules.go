// Package modules finds which module's forward asked for memory, and which block of a
// model a forward pass runs repeatedly.
//
// It is based on Python frames: a module is called where a frame named forward is below a
// line of the program or of another forward. So a module is identified by the lines that
// call it, and two modules of one file that the same line calls are one. All calls of a
// line in a loop have the same stacks; a [Block] distinguishes them by the order of the
// requests, which repeats.
//
// What it cannot see: the name of a class or of an attribute; whose gradient the autograd
// engine computes, because its thread has no Python frames; modules of compiled code; and
// calls that allocate fewer than three times.
package modules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/timeline"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// None means no module.
const None int32 = -1

// Module is a module called by a line.
type Module struct {
	Parent int32             // index of the module whose forward the line is in, or None
	Caller snapshot.FrameID  // the line, or stacks.NoFrame
	File   snapshot.StringID // of its forward
}

// Input is the data that modules are found in, all of the same device.
type Input struct {
	Stacks     *stacks.Table
	Device     *replay.Device
	Activities *stacks.Activities
	Phases     timeline.Phases
}

// Findings are the modules of a device and the blocks that repeat.
type Findings struct {
	Modules []Module // a parent before its children
	Blocks  []Block  // the one that keeps most first

	st      *stacks.Table
	ofStack []int32 // by stack: the innermost module
	layers  []layer // by allocation; nil without blocks
}

// layer is a call of a block.
type layer struct{ block, call int32 }

// Find finds modules and blocks. The cost is linear in the frames of the stacks, and
// in the requests of a few forward passes times the depth of their stacks.
func Find(in Input) *Findings {
	f := &Findings{st: in.Stacks, ofStack: make([]int32, len(in.Stacks.SiteFrame))}
	known := map[Module]int32{}
	for id := range f.ofStack {
		f.ofStack[id] = f.read(snapshot.StackID(id), known)
	}
	f.Blocks = findBlocks(in)
	if len(f.Blocks) == 0 {
		return f
	}
	f.layers = make([]layer, len(in.Device.Allocations))
	for i := range f.layers {
		f.layers[i].block = None
	}
	for b := range f.Blocks {
		for _, pass := range f.Blocks[b].Passes {
			for c := range pass.Calls {
				for _, id := range pass.Calls[c].Requests {
					f.layers[id] = layer{int32(b), int32(c)}
				}
			}
		}
	}
	return f
}

// read returns the innermost module of a stack, and adds it to the modules if it is new.
func (f *Findings) read(id snapshot.StackID, known map[Module]int32) int32 {
	module, caller := None, stacks.NoFrame
	for _, frame := range slices.Backward(f.st.Snapshot.Stacks.Frames(id)) {
		if f.st.IsForward(frame) {
			m := Module{module, caller, f.st.Snapshot.Frames[frame].File}
			i, seen := known[m]
			if !seen {
				i = int32(len(f.Modules))
				known[m] = i
				f.Modules = append(f.Modules, m)
			}
			module = i
		}
		if isCaller(f.st, frame) {
			caller = frame
		}
	}
	return module
}

// isCaller reports whether a frame is a line written to call modules: of
// the program, or of another module's forward.
func isCaller(st *stacks.Table, frame snapshot.FrameID) bool {
	return st.FrameClass[frame] == stacks.UserCode || st.IsForward(frame)
}

// Of returns the innermost module on a stack, or None.
func (f *Findings) Of(id snapshot.StackID) int32 { return f.ofStack[id] }

// Layer returns the call of a block in which allocation i was born: an index into Blocks,
// and the number of the call in its pass, from 0. The block is None for others.
func (f *Findings) Layer(i int) (block, call int32) {
	if f.layers == nil {
		return None, 0
	}
	return f.layers[i].block, f.layers[i].call
}

// maxChain bounds the lines in a name; stacks of hostile files may have any depth.
const maxChain = 16

// Name returns the file of a module's forward and the lines that lead to it, innermost
// first: "linear.py < model.py:12:forward < train.py:30:main", with full paths.
func (f *Findings) Name(module int32) string {
	m := f.Modules[module]
	chain := []string{f.st.Snapshot.String(m.File)}
	for i := module; i != None && len(chain) <= maxChain; i = f.Modules[i].Parent {
		if caller := f.Modules[i].Caller; caller != stacks.NoFrame {
			chain = append(chain, f.st.Frame(caller).String())
		}
	}
	return strings.Join(chain, " < ")
}

// LayerName names a call of a block, counted from 1: "model.py:75:forward, call 3".
func (f *Findings) LayerName(block, call int32) string {
	return f.st.Frame(f.Blocks[block].Caller).String() + ", call " + strconv.Itoa(int(call)+1)
}
