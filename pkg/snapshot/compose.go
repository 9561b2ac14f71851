package snapshot

// Composer builds a snapshot event by event, for the generator and for tests.
type Composer struct {
	s       *Snapshot
	strings interner[string, StringID]
	frames  map[FrameText]FrameID
	stacks  stackTable
	streams interner[uint64, StreamID]
	pools   interner[Pool, PoolID]
}

// FrameText is a frame with its texts.
type FrameText struct {
	File string
	Line int32
	Name string
}

// NewComposer begins an empty snapshot of the given format.
func NewComposer(format Format) *Composer {
	c := &Composer{
		s:       &Snapshot{Format: format},
		strings: newInterner[string, StringID](""),
		streams: newInterner[uint64, StreamID](0),
		pools:   newInterner[Pool, PoolID](Pool{}),
		frames:  map[FrameText]FrameID{},
	}
	c.stacks.init()
	return c
}

// Text interns a string.
func (c *Composer) Text(s string) StringID { return c.strings.id(s) }

// Stream interns a stream handle.
func (c *Composer) Stream(handle uint64) StreamID { return c.streams.id(handle) }

// Pool interns a pool id pair.
func (c *Composer) Pool(p Pool) PoolID { return c.pools.id(p) }

// Stack interns a stack, innermost frame first.
func (c *Composer) Stack(frames ...FrameText) StackID {
	c.stacks.scratch = c.stacks.scratch[:0]
	for _, f := range frames {
		id, ok := c.frames[f]
		if !ok {
			id = FrameID(len(c.s.Frames))
			c.s.Frames = append(c.s.Frames, Frame{Name: c.Text(f.Name), File: c.Text(f.File), Line: f.Line})
			c.frames[f] = id
		}
		c.stacks.scratch = append(c.stacks.scratch, id)
	}
	return c.stacks.intern()
}

// EventText is one event with its texts. For OOM, Addr is the free bytes of the device.
type EventText struct {
	Action     Action
	Addr       uint64
	Size       int64
	Stream     uint64
	Stack      StackID
	TimeMicros int64
	Context    string // compile context
	Metadata   string // user metadata
}

// Trace makes sure that a device has a trace and returns its index in Snapshot.Traces. The
// trace of Pinned must be made last.
func (c *Composer) Trace(device DeviceID) int {
	c.s.Format.HasTraces = true
	if device == Pinned {
		c.s.Format.HasHost = true
		if n := len(c.s.Traces); n == 0 || c.s.Traces[n-1].Device != Pinned {
			c.s.Traces = append(c.s.Traces, Trace{Device: Pinned})
		}
		return len(c.s.Traces) - 1
	}
	for len(c.s.Traces) <= int(device) {
		c.s.Traces = append(c.s.Traces, Trace{Device: DeviceID(len(c.s.Traces))})
	}
	return int(device)
}

// Event appends an event to a device's trace.
func (c *Composer) Event(device DeviceID, ev EventText) {
	e := &c.s.Traces[c.Trace(device)].Events
	i := e.add()
	e.Action[i], e.Addr[i], e.Size[i] = ev.Action, ev.Addr, ev.Size
	e.Stream[i], e.Stack[i] = c.Stream(ev.Stream), ev.Stack
	if c.s.Format.HasTime {
		column(&e.TimeMicros, e.Action)[i] = ev.TimeMicros
	}
	if ev.Context != "" {
		column(&e.CompileContext, e.Action)[i] = c.Text(ev.Context)
	}
	if ev.Metadata != "" {
		column(&e.Metadata, e.Action)[i] = c.Text(ev.Metadata)
	}
}

// Len is the number of events of a device so far.
func (c *Composer) Len(device DeviceID) int { return c.s.Traces[c.Trace(device)].Events.Len() }

// Segment appends a segment with its blocks. The sums of the segment are taken
// from the blocks.
func (c *Composer) Segment(seg Segment, blocks ...Block) {
	seg.FirstBlock, seg.BlockCount = int32(len(c.s.Blocks)), int32(len(blocks))
	seg.AllocatedSize, seg.ActiveSize, seg.RequestedSize = 0, 0, 0
	for _, b := range blocks {
		if b.State == ActiveAllocated {
			seg.AllocatedSize += b.Size
		}
		if b.State.Live() {
			seg.ActiveSize += b.Size
			seg.RequestedSize += b.RequestedSize
		}
	}
	c.s.Segments = append(c.s.Segments, seg)
	c.s.Blocks = append(c.s.Blocks, blocks...)
}

// Setting appends a leaf of allocator_settings.
func (c *Composer) Setting(key, value string) {
	c.s.Settings = append(c.s.Settings, Setting{Key: key, Value: value})
}

// Annotation appends one end of an annotated range.
func (c *Composer) Annotation(name string, start bool, timeMicros int64) {
	c.s.Annotations = append(c.s.Annotations, Annotation{Name: c.Text(name), Start: start, TimeMicros: timeMicros})
}

// Snapshot returns the composed snapshot. The Composer must not be used afterwards.
func (c *Composer) Snapshot() *Snapshot {
	s := c.s
	s.Strings, s.Streams, s.Pools = c.strings.values, c.streams.values, c.pools.values
	s.Stacks = c.stacks.table
	s.SortSegments()
	return s
}
