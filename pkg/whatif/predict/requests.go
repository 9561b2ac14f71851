package predict

import (
	"encoding/binary"
	"path"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// sample is one of the given recordings, or its last complete step.
type sample struct {
	Given
	r        *analysis.Recording
	from, to replay.EventIndex // states
	whole    bool

	stream   *whatif.Stream
	requests []int32           // the requests of the stream's steps, in order
	keys     [keyKinds][]int32 // of those requests
}

// keyKind is what identifies the same request in two recordings.
type keyKind uint8

const (
	// byStack: all frames with their lines.
	byStack keyKind = iota
	// byFunction: Python functions with the base names of their files, and the operator.
	// Scripts are edited between recordings, and lie in other folders.
	byFunction
	keyKinds int = iota
)

// use restricts the sample to the events between two states.
func (r *sample) use(from, to replay.EventIndex) {
	r.from, r.to = from, to
	r.whole = from == 0 && int(to) == r.r.Device.Events.Len()
	if r.whole {
		r.stream = r.Run.Stream()
	} else {
		r.stream = r.Run.StreamBetween(from, to)
	}
	r.requests = r.requests[:0]
	for _, s := range r.stream.Ops {
		if s.Kind == whatif.Allocate {
			r.requests = append(r.requests, s.Request)
		}
	}
	r.keys = [keyKinds][]int32{}
}

// useAll makes the sample the whole recording again.
func (r *sample) useAll() { r.use(0, replay.EventIndex(r.r.Device.Events.Len())) }

// useLastStep cuts a recording to its last complete step; allocations live at its
// beginning are there from the start. ok is false if no step is known to be complete.
func (r *sample) useLastStep() (ok bool) {
	list := r.r.Steps()
	for i := len(list.Steps) - 1; i >= 0; i-- {
		if s := list.Steps[i]; s.Complete {
			r.use(replay.EventIndex(s.From), replay.EventIndex(s.To))
			return true
		}
	}
	return false
}

// keyer numbers stacks so that equal stacks have the same number in all recordings.
type keyer struct {
	operators bool // all recordings have C++ frames, or none has
	texts     map[string]int32
	stacks    [keyKinds]map[string]int32
}

func newKeyer(all []*sample) *keyer {
	k := &keyer{texts: map[string]int32{}, operators: true}
	for kind := range k.stacks {
		k.stacks[kind] = map[string]int32{}
	}
	for _, r := range all {
		k.operators = k.operators && r.r.Stacks.HasNative() == all[0].r.Stacks.HasNative()
	}
	return k
}

// number returns the number of a text, assigned at its first use.
func number(of map[string]int32, text string) int32 {
	n, known := of[text]
	if !known {
		n = int32(len(of))
		of[text] = n
	}
	return n
}

// keys returns the keys of the requests of a recording.
func (k *keyer) keys(r *sample, kind keyKind) []int32 {
	if r.keys[kind] != nil {
		return r.keys[kind]
	}
	st, d := r.r.Stacks, r.r.Device
	frames := map[snapshot.FrameID]int32{}
	frame := func(id snapshot.FrameID) int32 {
		n, known := frames[id]
		if !known {
			n = number(k.texts, frameText(st, id, kind))
			frames[id] = n
		}
		return n
	}
	of := map[snapshot.StackID]int32{}
	var text []byte
	list := make([]int32, len(r.requests))
	for i, request := range r.requests {
		stack := d.Allocations[request].Stack
		n, known := of[stack]
		if !known {
			text = text[:0]
			for _, id := range st.Snapshot.Stacks.Frames(stack) {
				if kind == byStack || st.FrameClass[id] != stacks.Internal {
					text = binary.AppendVarint(text, int64(frame(id)))
				}
			}
			if kind == byFunction && k.operators {
				text = append(append(text, 0xff), st.Operator[stack]...)
			}
			n = number(k.stacks[kind], string(text))
			of[stack] = n
		}
		list[i] = n
	}
	r.keys[kind] = list
	return list
}

// frameText returns the text by which frames are compared.
func frameText(st *stacks.Table, id snapshot.FrameID, kind keyKind) string {
	f := st.Frame(id)
	if kind == byStack {
		return f.File + "\x00" + f.Function + "\x00" + strconv.Itoa(f.Line)
	}
	function := f.Function[strings.LastIndexByte(f.Function, '.')+1:]
	return path.Base(stacks.Slashed(f.File)) + "\x00" + function
}
