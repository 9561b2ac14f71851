package codec

import (
	"errors"
	"math"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// ErrMemory: a snapshot in a report takes more memory than it may.
var ErrMemory = errors.New("the snapshot in the report takes more memory than a report of its size should; if you " +
	"trust the report, raise the limit")

// snapshotReader reads a payload that snapshotWriter wrote.
type snapshotReader struct {
	tape
	s      *snapshot.Snapshot
	origin analysis.Origin

	categories bool // as in File
}

// HoldsSnapshot reports whether a report that was read holds the snapshot of a file.
func (f *File) HoldsSnapshot() bool { return f.rest != nil }

// ReadSnapshot makes the snapshot again, which may take so many bytes of memory.
func (f *File) ReadSnapshot(memory int64) (*snapshot.Snapshot, analysis.Origin, error) {
	r := &snapshotReader{tape: tape{columns: f.rest, room: memory}, s: &snapshot.Snapshot{Strings: f.saved.texts},
		categories: f.view.Categories}
	r.read(f)
	if errors.Is(r.err, ErrMemory) {
		return nil, analysis.Origin{}, r.err
	} else if r.err != nil {
		return nil, analysis.Origin{}, recording.Damaged(f.view.Snapshot, r.err)
	}
	r.origin.Predicted = f.view.Predicted
	r.s.CutTexts()
	return r.s, r.origin, nil
}

func (r *snapshotReader) read(f *File) {
	r.readFacts()
	r.readStacks(f.saved)
	for _, counts := range []*map[string]int{
		&r.s.Oddity.UnknownKeys, &r.s.Oddity.UnknownActions, &r.s.Oddity.WrongTypes} {
		*counts = r.counts()
	}
	settings, n := r.table("setting", 2, 32)
	for range n {
		r.s.Settings = append(r.s.Settings, snapshot.Setting{Key: r.text(&settings[0]), Value: r.text(&settings[1])})
	}
	names, n := r.table("action", 1, 16)
	for range min(n, 256-int(snapshot.FirstUnknownAction)) {
		r.s.ActionNames = append(r.s.ActionNames, r.text(&names[0]))
	}
	streams, n := r.table("stream", 1, 8)
	for range n {
		r.s.Streams = append(r.s.Streams, streams[0].cursor.next())
	}
	pools, n := r.table("pool", 2, 16)
	for range n {
		r.s.Pools = append(r.s.Pools, snapshot.Pool{A: pools[0].cursor.next(), B: pools[1].cursor.next()})
	}
	if shown := len(f.view.Streams); len(r.s.Streams) != shown || len(r.s.Pools) == 0 {
		r.fail("%d streams, of which the report names %d, and %d pools", len(r.s.Streams), shown, len(r.s.Pools))
	}
	r.readDecisions(f.saved)
	r.readTraces()
	annotations, n := r.table("annotation", 4, 24)
	for range n {
		r.s.Annotations = append(r.s.Annotations, snapshot.Annotation{
			Name: r.stringID(&annotations[0]), Device: snapshot.DeviceID(annotations[1].index(maxDevices)),
			TimeMicros: annotations[2].signedSum(), Start: annotations[3].is(),
		})
	}
	r.readSegments()
	for _, d := range f.devices {
		r.readDevice(d.(*deviceReader))
	}
}

// maxDevices is how many ordinals of devices there can be. Columns have the number behind them
// for host memory.
const (
	maxDevices   = 1024
	pinnedNumber = maxDevices
)

// deviceNumbered reads what deviceNumber gave for a device.
func deviceNumbered(number int) snapshot.DeviceID {
	if number == pinnedNumber {
		return snapshot.Pinned
	}
	return snapshot.DeviceID(number)
}

func (r *snapshotReader) stringID(c *tapeColumn) snapshot.StringID {
	return snapshot.StringID(c.index(len(r.s.Strings)))
}

func (r *snapshotReader) text(c *tapeColumn) string { return r.s.Strings[r.stringID(c)] }

func (r *snapshotReader) counts() map[string]int {
	columns, n := r.table("count", 2, 64)
	if n == 0 {
		return nil
	}
	counts := map[string]int{}
	for range n {
		counts[r.text(&columns[0])] = columns[1].index(maxEvents)
	}
	return counts
}

func (r *snapshotReader) readFacts() {
	s := r.s
	columns, n := r.table("fact", 1, 8)
	if n != factLongText && (n < factCount || (n-factCount)%misplacedFacts != 0) {
		r.fail("%d facts, want %d", n, factCount)
		return
	}
	value := columns[0].index
	s.Format = snapshot.Format{Protocol: value(1 << 8), Way: "report"}
	r.flags(formatFlags(&s.Format), value(1<<len(formatFlags(&s.Format))))
	r.flags(redactionFlags(&s.Redaction), value(1<<len(redactionFlags(&s.Redaction))))
	r.origin.AddressesLost = value(2) == 1
	s.Oddity.BadText = value(maxEvents)
	ended := value(len(cutShort) + 1)
	salvaged := &snapshot.Salvaged{At: int64(value(1 << 62)), Events: value(maxEvents), From: snapshot.NoDevice}
	if from := value(pinnedNumber + 2); from > 0 {
		salvaged.From = deviceNumbered(from - 1)
	}
	salvaged.NoEnd = value(2) == 1
	if text := s.Strings[value(len(s.Strings))]; ended > 0 {
		salvaged.Err = &cutShortError{text, cutShort[ended-1]}
		s.Salvaged = salvaged
	}
	if n >= factCount {
		s.Oddity.LongText = value(maxEvents)
	}
	for i := factCount; i < n; i += misplacedFacts {
		if r.origin.Misplaced == nil {
			r.origin.Misplaced = map[snapshot.DeviceID]analysis.Misplaced{}
		}
		r.origin.Misplaced[deviceNumbered(value(pinnedNumber+1))] = analysis.Misplaced{
			OutsideSegments: value(maxEvents), OverlappingRanges: value(maxEvents)}
	}
}

func (r *snapshotReader) flags(flags []*bool, set int) {
	for i, flag := range flags {
		*flag = set&(1<<i) != 0
	}
}

// cutShortError is what ended the reading of a file that a report was written of.
type cutShortError struct {
	text string
	kind error
}

func (e *cutShortError) Error() string { return e.text }
func (e *cutShortError) Unwrap() error { return e.kind }

// readStacks takes over the frames, and puts the stacks together.
func (r *snapshotReader) readStacks(saved *stackReader) {
	frames, nodes := saved.count("frame.name"), saved.count("node.parent")
	if !r.take(frames, 12) || !r.take(nodes, 8) {
		return
	}
	names, files, lines := saved.cursor("frame.name"), saved.cursor("frame.file"), saved.cursor("frame.line")
	r.s.Frames = make([]snapshot.Frame, frames)
	for i := range r.s.Frames {
		r.s.Frames[i] = snapshot.Frame{
			Name: snapshot.StringID(names.next()), File: snapshot.StringID(files.next()), Line: int32(lines.next()),
		}
	}
	parent, frame := make([]int32, nodes+1), make([]snapshot.FrameID, nodes+1)
	parents, frameOf := saved.cursor("node.parent"), saved.cursor("node.frame")
	for i := 1; i <= nodes; i++ {
		parent[i], frame[i] = int32(i-int(parents.next())), snapshot.FrameID(frameOf.next())
	}
	var stack []snapshot.FrameID
	for i, node := range saved.all("stack.node") {
		stack = stack[:0]
		for ; node > 0; node = uint64(parent[node]) {
			stack = append(stack, frame[node])
		}
		if i == 0 && len(stack) > 0 {
			r.fail("the first stack is not empty")
		}
		if !r.take(1+len(stack), 4) {
			return
		}
		r.s.Stacks.Add(stack)
	}
}

func (r *snapshotReader) readDecisions(saved *stackReader) {
	rules, n := r.table("rule", 4, 64)
	of, stacks := r.table("stack", 1, 5)
	if n == 0 || r.err != nil {
		return
	}
	d := &families.Decisions{Of: make([]uint8, stacks), Named: make([]snapshot.FrameID, stacks)}
	for range n {
		d.File = r.text(&rules[0])
		d.Rules = append(d.Rules, families.DecidedRule{Line: rules[1].index(math.MaxInt32), Text: r.text(&rules[2]),
			Family: r.text(&rules[3])})
	}
	for i := range d.Of {
		d.Of[i] = uint8(of[0].index(min(n+1, 256)))
	}
	for i, v := range saved.all("stack.named") {
		if i < stacks {
			d.Named[i] = snapshot.FrameID(v) - 1
		}
	}
	r.origin.Decisions = d
}

func (r *snapshotReader) readTraces() {
	traces, n := r.table("trace", 1, 256)
	if n > maxDevices+1 {
		r.fail("%d traces", n)
		return
	}
	for i := range n {
		// 1: overflowed; 2: of host memory; 4 for each late event
		flags := traces[0].index((maxLateEvents + 1) << 2)
		trace := snapshot.Trace{Device: snapshot.DeviceID(i), Overflowed: flags&1 != 0, LateEvents: flags >> 2}
		if flags&2 != 0 {
			trace.Device = snapshot.Pinned
		}
		if flags&2 != 0 && i < n-1 || trace.Device == maxDevices {
			r.fail("trace %d of %d cannot be of this device", i, n)
		}
		r.s.Traces = append(r.s.Traces, trace)
	}
}

func (r *snapshotReader) stream(c *tapeColumn) snapshot.StreamID {
	return snapshot.StreamID(c.index(len(r.s.Streams)))
}

func (r *snapshotReader) pool(c *tapeColumn) snapshot.PoolID {
	return snapshot.PoolID(c.index(len(r.s.Pools)))
}

func (r *snapshotReader) stack(c *tapeColumn) snapshot.StackID {
	return snapshot.StackID(c.index(r.s.Stacks.Len()))
}

func (r *snapshotReader) readSegments() {
	s := r.s
	segments, n := r.table("segment", 12, 88)
	blocks, most := r.table("block", 5, 48)
	for range n {
		seg := snapshot.Segment{
			Device:  deviceNumbered(segments[0].index(pinnedNumber + 1)),
			Address: uint64(segments[1].signedSum()), TotalSize: segments[2].signed(),
			AllocatedSize: segments[3].signed(), ActiveSize: segments[4].signed(),
			RequestedSize: segments[5].signed(), Stream: r.stream(&segments[6]), Pool: r.pool(&segments[7]),
			Stack: r.stack(&segments[8]), SizeClass: snapshot.SizeClass(segments[9].index(3)),
			Expandable: segments[10].is(), FirstBlock: int32(len(s.Blocks)),
			BlockCount: int32(segments[11].index(most - len(s.Blocks) + 1)),
		}
		end := seg.Address
		for range seg.BlockCount {
			b := snapshot.Block{Address: end + uint64(blocks[0].signed()), Size: blocks[1].signed()}
			b.RequestedSize = b.Size - blocks[2].signed()
			b.Stack, b.State = r.stack(&blocks[3]), snapshot.BlockState(blocks[4].index(3))
			end = b.Address + uint64(b.Size)
			s.Blocks = append(s.Blocks, b)
		}
		sums := sumsOf(s.BlocksOf(&seg))
		seg.AllocatedSize += sums.AllocatedSize
		seg.ActiveSize += sums.ActiveSize
		seg.RequestedSize += sums.RequestedSize
		s.Segments = append(s.Segments, seg)
	}
	s.SortSegments()
	if len(s.Blocks) != most {
		r.fail("%d blocks, and segments have %d", most, len(s.Blocks))
	}
}
