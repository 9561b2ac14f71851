package snapshot

import (
	"io"
	"strconv"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// Write writes a snapshot as torch.cuda.memory._dump_snapshot() does: with the keys of the
// torch version that Format describes, pickled with protocol 2 to 5.
//
// It shares the same objects as torch: dict keys and names of states, frame dicts, one
// list of frames for an alloc and its final block, and one for a free request and its
// completion. Two allocs from one place have two lists of the same frame dicts, and each
// frame dict has file and function names of its own, as in recorded files.
func Write(w io.Writer, s *Snapshot, protocol int) error {
	return encode(pickle.NewEncoder(w, protocol), s)
}

// WriteNative writes a snapshot as torch::cuda::_memory_snapshot_pickled() does for
// programs without Python.
func WriteNative(w io.Writer, s *Snapshot) error { return encode(pickle.NewNativeEncoder(w), s) }

func encode(encoder *pickle.Encoder, s *Snapshot) error {
	out := &writer{
		Encoder: encoder, s: s,
		frames: make([]pickle.Ref, len(s.Frames)),
		lists:  map[listKey]pickle.Ref{},
	}
	for i := range out.frames {
		out.frames[i] = notWritten
	}
	out.root()
	return out.Close()
}

const notWritten pickle.Ref = -1

// listKey identifies the use of an address that a list of frames belongs to.
type listKey struct {
	device DeviceID
	addr   uint64
	stack  StackID
}

type writer struct {
	*pickle.Encoder
	s      *Snapshot
	frames []pickle.Ref
	lists  map[listKey]pickle.Ref // of live final blocks
}

// field is one pair of a dict to be written.
type field struct {
	key   string
	write func()
}

func (w *writer) fields(fields []field) pickle.Ref {
	return w.Dict(len(fields), func(i int) {
		w.Shared(fields[i].key)
		fields[i].write()
	})
}

func (w *writer) root() {
	s, f := w.s, &w.s.Format
	if f.BareList {
		w.List(len(s.Segments), w.segment)
		return
	}
	host := len(s.SegmentsOf(Pinned)) // they come first
	traces := len(s.Traces)
	if traces > 0 && s.Traces[traces-1].Device == Pinned {
		traces--
	}
	root := []field{{"segments", func() { w.List(len(s.Segments)-host, func(i int) { w.segment(host + i) }) }}}
	if f.HasTraces {
		root = append(root, field{"device_traces", func() { w.List(traces, w.trace) }})
	}
	if f.HasSettings {
		root = append(root, field{"allocator_settings", w.settings})
	}
	if f.HasAnnotations {
		root = append(root, field{"external_annotations", func() { w.List(len(s.Annotations), w.annotation) }})
	}
	if f.HasHost {
		root = append(root, field{"host_segments", func() { w.List(host, w.segment) }},
			field{"host_traces", func() {
				if traces == len(s.Traces) {
					w.List(0, nil)
				} else {
					w.trace(traces)
				}
			}})
	}
	w.fields(root)
}

func (w *writer) segment(i int) {
	seg, f := &w.s.Segments[i], &w.s.Format
	class := "large"
	if seg.SizeClass == SizeClassSmall {
		class = "small"
	}
	blocks := w.s.BlocksOf(seg)
	fields := []field{
		{"device", func() { w.Int(int64(seg.Device)) }},
		{"address", func() { w.Uint(seg.Address) }},
		{"total_size", func() { w.Int(seg.TotalSize) }},
		{"allocated_size", func() { w.Int(seg.AllocatedSize) }},
		{"active_size", func() { w.Int(seg.ActiveSize) }},
		{"requested_size", func() { w.Int(seg.RequestedSize) }},
		{"stream", func() { w.Uint(w.s.Streams[seg.Stream]) }},
		{"segment_type", func() { w.Shared(class) }},
	}
	if f.HasPoolID {
		pool := w.s.Pools[seg.Pool]
		fields = append(fields,
			field{"segment_pool_id", func() { w.Pair(pool.A, pool.B) }},
			field{"is_expandable", func() { w.Bool(seg.Expandable) }},
			field{"frames", func() { w.stack(seg.Stack) }})
	}
	fields = append(fields, field{"blocks", func() {
		w.List(len(blocks), func(j int) { w.block(seg.Device, &blocks[j]) })
	}})
	w.fields(fields)
}

func (w *writer) block(device DeviceID, b *Block) {
	frames := func() {
		ref := w.stack(b.Stack)
		if b.State.Live() {
			w.lists[listKey{device, b.Address, b.Stack}] = ref
		}
	}
	common := []field{
		{"size", func() { w.Int(b.Size) }},
		{"requested_size", func() { w.Int(b.RequestedSize) }},
		{"state", func() { w.Shared(b.State.String()) }},
	}
	if w.s.Format.Legacy {
		if b.State.Live() {
			common = append(common, field{"history", func() { w.List(1, func(int) { w.legacyUse(b, frames) }) }})
		}
		w.fields(common)
		return
	}
	w.fields(append(append([]field{{"address", func() { w.Uint(b.Address) }}}, common...), field{"frames", frames}))
}

func (w *writer) legacyUse(b *Block, frames func()) {
	w.fields([]field{
		{"addr", func() { w.Uint(b.Address) }},
		{"real_size", func() { w.Int(b.RequestedSize) }},
		{"frames", frames},
	})
}

// stack writes a list of frames; frames are shared, lists are not.
func (w *writer) stack(id StackID) pickle.Ref {
	frames := w.s.Stacks.Frames(id)
	return w.List(len(frames), func(i int) { w.frame(frames[i]) })
}

func (w *writer) frame(id FrameID) {
	if ref := w.frames[id]; ref != notWritten {
		w.Get(ref)
		return
	}
	f := w.s.Frames[id]
	w.frames[id] = w.fields([]field{
		{"name", func() { w.Text(w.s.String(f.Name)) }},
		{"filename", func() { w.Text(w.s.String(f.File)) }},
		{"line", func() { w.Int(int64(f.Line)) }},
	})
}

func (w *writer) trace(i int) {
	t := &w.s.Traces[i]
	e := &t.Events
	last := map[uint64]int{} // address -> its last alloc, which may own a final block
	for j, a := range e.Action {
		if a == Alloc {
			last[e.Addr[j]] = j
		}
	}
	var previous struct {
		addr  uint64
		stack StackID
		ref   pickle.Ref
		isReq bool
	}
	w.List(e.Len(), func(j int) {
		action, addr, stack := e.Action[j], e.Addr[j], e.Stack[j]
		frames := func() {
			key := listKey{t.Device, addr, stack}
			if ref, ok := w.lists[key]; ok && action == Alloc && last[addr] == j {
				w.Get(ref)
			} else if action == FreeCompleted && previous.isReq && previous.addr == addr && previous.stack == stack {
				w.Get(previous.ref)
			} else {
				previous.ref = w.stack(stack)
			}
		}
		w.event(e, j, frames)
		previous.addr, previous.stack, previous.isReq = addr, stack, action == FreeRequested
	})
}

func (w *writer) event(e *Events, j int, frames func()) {
	f := &w.s.Format
	addrKey := "addr"
	if e.Action[j] == OOM {
		addrKey = "device_free"
	}
	fields := make([]field, 0, 10)
	fields = append(fields,
		field{"action", func() { w.Shared(w.s.ActionName(e.Action[j])) }},
		field{addrKey, func() { w.Uint(e.Addr[j]) }},
		field{"size", func() { w.Int(e.Size[j]) }},
		field{"stream", func() { w.Uint(w.s.Streams[e.Stream[j]]) }})
	if f.HasTime {
		fields = append(fields, field{"time_us", func() { w.Int(e.TimeMicros[j]) }})
	}
	if f.HasCompileContext {
		fields = append(fields, field{"compile_context", func() { w.Text(w.context(e, j)) }})
	}
	if f.HasUserMetadata {
		fields = append(fields, field{"user_metadata", func() { w.metadata(e, j) }})
	}
	if f.HasEventPool {
		fields = append(fields, field{"pool_id", func() {
			var pool Pool
			if e.Pool != nil {
				pool = w.s.Pools[e.Pool[j]]
			}
			w.Pair(pool.A, pool.B)
		}})
	}
	if e.Category != nil && e.Category[j] != NoCategory {
		fields = append(fields, field{"category", func() { w.Shared(categoryNames[e.Category[j]]) }})
	}
	if e.Stack[j] != 0 {
		fields = append(fields, field{"frames", frames})
	}
	w.fields(fields)
}

func (w *writer) context(e *Events, j int) string {
	if e.CompileContext == nil || e.CompileContext[j] == 0 {
		return "N/A"
	}
	return w.s.String(e.CompileContext[j])
}

func (w *writer) metadata(e *Events, j int) {
	if e.Metadata == nil {
		w.Shared("")
		return
	}
	w.Shared(w.s.String(e.Metadata[j]))
}

func (w *writer) settings() {
	w.Dict(len(w.s.Settings), func(i int) {
		w.Shared(w.s.Settings[i].Key)
		w.scalar(w.s.Settings[i].Value)
	})
}

// scalar writes a setting as the type that its text looks like.
func (w *writer) scalar(text string) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		w.Int(i)
	} else if f, err := strconv.ParseFloat(text, 64); err == nil {
		w.Float(f)
	} else if text == "true" || text == "false" {
		w.Bool(text == "true")
	} else {
		w.Text(text)
	}
}

func (w *writer) annotation(i int) {
	a := &w.s.Annotations[i]
	stage := "END"
	if a.Start {
		stage = "START"
	}
	w.fields([]field{
		{"name", func() { w.Text(w.s.String(a.Name)) }},
		{"stage", func() { w.Shared(stage) }},
		{"device", func() { w.Int(int64(a.Device)) }},
		{"time_us", func() { w.Int(a.TimeMicros) }},
	})
}
