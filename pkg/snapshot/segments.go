package snapshot

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// noSize marks an event or a block whose size, or requested size, the file does not give.
const noSize = -1 << 63

// legacyBlock is an entry of a block's history, which torch 2.0 and older
// wrote in place of frames.
type legacyBlock struct {
	realSize int64
	stack    StackID
}

// segmentKeys are the keys of a segment that show which program wrote it. They are
// evaluated once the segment is complete, because a dict may be filled in several steps.
type segmentKeys struct{ allocatedSize, sizeClass, poolFirst bool }

// fingerprint notes what a segment's keys say about the program that wrote it.
func (f *Format) fingerprint(has segmentKeys) {
	f.HasProfilerSegment = f.HasProfilerSegment || !has.allocatedSize
	f.PoolBeforeType = f.PoolBeforeType || has.poolFirst && has.sizeClass
}

func (b *builder) setSegment(h *pickle.Heap, i int, pairs []pickle.Value) {
	seg, f, has := &b.s.Segments[i], &b.s.Format, &b.segmentKeys[i]
	for p := 0; p < len(pairs); p += 2 {
		v := pairs[p+1]
		switch b.keyOf(h, pairs[p]) {
		case keyDevice:
			seg.Device = NoDevice // keepSegments drops the segment
			if device, ok := h.Int64(v); !ok {
				b.wrongType("segment.device")
			} else if device < int64(Pinned) || device >= maxDevices {
				b.wrongType(fieldFarDevice)
			} else {
				seg.Device = DeviceID(device)
			}
		case keyAddress:
			seg.Address = b.address(h, v, "segment.address")
		case keyTotalSize:
			seg.TotalSize = b.integer(h, v, "segment.total_size")
		case keyAllocatedSize:
			has.allocatedSize = true
			seg.AllocatedSize = b.integer(h, v, "segment.allocated_size")
		case keyActiveSize:
			seg.ActiveSize = b.integer(h, v, "segment.active_size")
		case keyRequestedSize:
			seg.RequestedSize = b.integer(h, v, "segment.requested_size")
		case keyStream:
			seg.Stream = b.streams.id(b.address(h, v, "segment.stream"))
		case keySegmentType:
			has.sizeClass = true
			seg.SizeClass = b.sizeClass(h, v)
		case keySegmentPoolID:
			f.HasPoolID = true
			has.poolFirst = !has.sizeClass
			seg.Pool = b.pool(h, v, "segment.segment_pool_id")
		case keyIsExpandable:
			truth, ok := v.Truth()
			if !ok {
				b.wrongType("segment.is_expandable")
			}
			seg.Expandable = truth
		case keyFrames:
			seg.Stack = b.stack(h, v, "segment.frames")
		case keyBlocks:
			b.setBlocks(h, i, v)
		case keyForwardFrames:
			f.HasForwardFrames = true
		case keyUnknown:
			b.unknownKey(h, pairs[p])
		}
	}
}

func (b *builder) sizeClass(h *pickle.Heap, v pickle.Value) SizeClass {
	if v.Type() == pickle.String {
		switch h.Strings[v.Index()] {
		case "small":
			return SizeClassSmall
		case "large":
			return SizeClassLarge
		}
		b.unknownValue("segment_type", h.Strings[v.Index()])
		return SizeClassUnknown
	}
	b.wrongType("segment.segment_type")
	return SizeClassUnknown
}

func (b *builder) setBlocks(h *pickle.Heap, segment int, v pickle.Value) {
	list, ok := b.rows(h, v, kindBlock)
	if !ok {
		b.wrongType("segment.blocks")
	}
	if list != nil {
		c, _ := b.list(h, v)
		b.blockLists[segment] = c.Ref + 1
	}
}

func (b *builder) setBlock(h *pickle.Heap, i int, pairs []pickle.Value) {
	block := &b.s.Blocks[i]
	var legacy *legacyBlock
	for p := 0; p < len(pairs); p += 2 {
		v := pairs[p+1]
		switch b.keyOf(h, pairs[p]) {
		case keyAddress, keyAddr:
			block.Address = b.address(h, v, "block.address")
			b.blockHasAddr[i] = true
		case keySize:
			block.Size = b.integer(h, v, "block.size")
		case keyRequestedSize:
			block.RequestedSize = b.integer(h, v, "block.requested_size")
		case keyState:
			block.State = b.blockState(h, v)
		case keyFrames:
			block.Stack = b.stack(h, v, "block.frames")
		case keyHistory:
			legacy = b.lastUse(h, v)
		case keyForwardFrames:
			b.s.Format.HasForwardFrames = true
		case keyUnknown:
			b.unknownKey(h, pairs[p])
		}
	}
	if legacy != nil {
		b.s.Format.Legacy = true
		if block.Stack == 0 {
			block.Stack = legacy.stack
		}
		if block.RequestedSize == noSize {
			block.RequestedSize = legacy.realSize
		}
	}
}

// lastUse returns the newest entry of a block's history.
func (b *builder) lastUse(h *pickle.Heap, v pickle.Value) *legacyBlock {
	list, ok := b.rows(h, v, kindHistory)
	if !ok {
		b.wrongType("block.history")
	}
	if list == nil || list.len() == 0 {
		return nil
	}
	return &b.history[list.row(0)]
}

// blockState reads the name of a state. An unknown one is taken by its name, as with all of
// torch's, to be live or not; if that is wrong, the end of the replay does not confirm it.
func (b *builder) blockState(h *pickle.Heap, v pickle.Value) BlockState {
	if v.Type() == pickle.String {
		name := h.Strings[v.Index()]
		if state, known := blockStates[name]; known {
			return state
		}
		for prefix, state := range map[string]BlockState{"active_": ActiveAllocated, "inactive_": Inactive} {
			if strings.HasPrefix(name, prefix) {
				b.unknownValue("state", name)
				return state
			}
		}
	}
	b.wrongType("block.state")
	return Inactive
}

// blockStates are the states as files spell them.
var blockStates = map[string]BlockState{
	"active_allocated": ActiveAllocated, "inactive": Inactive,
	"active_pending_free": ActivePendingFree, "active_awaiting_free": ActivePendingFree,
}

func (b *builder) setHistory(h *pickle.Heap, i int, pairs []pickle.Value) {
	for p := 0; p < len(pairs); p += 2 {
		switch b.keyOf(h, pairs[p]) {
		case keyRealSize:
			b.history[i].realSize = b.integer(h, pairs[p+1], "history.real_size")
		case keyFrames:
			b.history[i].stack = b.stack(h, pairs[p+1], "history.frames")
		case keyUnknown:
			b.unknownKey(h, pairs[p])
		}
	}
}

// keepSegments keeps the segments that two lists name, of GPUs and of host memory, each
// with its range of blocks.
func (b *builder) keepSegments(gpu, host *rowList) error {
	if err := b.room(88 * int64(gpu.len()+host.len())); err != nil {
		return err
	}
	kept := make([]Segment, 0, gpu.len()+host.len())
	placed := map[uint32]bool{} // no two segments may share a list of blocks
	for _, l := range []*rowList{gpu, host} {
		var err error
		if kept, err = b.segmentsOf(kept, l, l == host, placed); err != nil {
			return err
		}
	}
	b.s.Segments = kept
	b.s.SortSegments()
	return nil
}

// segmentsOf appends the segments that a list names. Their lists of blocks are added to placed.
func (b *builder) segmentsOf(kept []Segment, l *rowList, host bool, placed map[uint32]bool) ([]Segment, error) {
	segments, lists, written := keep(b.s.Segments, l), keep(b.blockLists, l), keep(b.segmentKeys, l)
	first := len(kept)
	for i, seg := range segments {
		b.s.Format.fingerprint(written[i])
		if host {
			seg.Device = Pinned
		} else if seg.Device == Pinned {
			b.wrongType(fieldFarDevice)
			continue
		}
		switch ref := lists[i]; {
		case seg.Device == NoDevice:
			continue
		case ref == 0:
		case placed[ref]:
			b.wrongType(fieldSharedBlocks)
		default:
			placed[ref] = true
			if err := b.placeBlocks(&seg, &b.lists[ref-1]); err != nil {
				return nil, err
			}
		}
		kept = append(kept, seg)
	}
	if host { // torch writes them in the order of a hash table
		slices.SortStableFunc(kept[first:], func(x, y Segment) int { return cmp.Compare(x.Address, y.Address) })
	}
	return kept, nil
}

// placeBlocks gives a segment its range of blocks. Blocks without an address get one from
// the sizes before them, because blocks tile their segment.
func (b *builder) placeBlocks(seg *Segment, l *rowList) error {
	if err := b.room(48 * int64(len(l.rows))); err != nil {
		return err
	}
	at := b.blockRange(l)
	seg.FirstBlock, seg.BlockCount = at[0], at[1]
	addr := seg.Address
	for i := at[0]; i < at[0]+at[1]; i++ {
		block := &b.s.Blocks[i]
		if !b.blockHasAddr[i] {
			block.Address = addr
		}
		if block.Size == noSize {
			block.Size = 0
			b.wrongType("block.size")
		}
		addr = block.Address + uint64(block.Size)
		if block.RequestedSize == noSize {
			block.RequestedSize = block.Size
		}
	}
	return nil
}

// blockRange returns the first block and the number of blocks of a list; blocks that are
// not adjacent in the table are copied to its end.
func (b *builder) blockRange(l *rowList) [2]int32 {
	if l.rows == nil {
		return [2]int32{int32(l.start), int32(l.n)}
	}
	first := len(b.s.Blocks)
	for _, row := range l.rows {
		b.s.Blocks = append(b.s.Blocks, b.s.Blocks[row])
		b.blockHasAddr = append(b.blockHasAddr, b.blockHasAddr[row])
	}
	return [2]int32{int32(first), int32(len(l.rows))}
}
