package codec

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/internal/pickle"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// snapshotWriter writes what a snapshot holds beyond the other payloads of its
// file, so that [Document.Snapshot] can make the snapshot again. Most events
// follow from the allocations; it has those that do not, and every field that
// is not what would follow, so nothing is assumed about the recording.
type snapshotWriter struct {
	in      *answer.Input
	piles   []*recording.Pile
	spaces  []*deviceSpace // by device; nil where it is not known where the tensors lay
	differs []*differences // by device
	texts   *stringTable   // of the file

	moved     *movedAddresses // the replacements of addresses; nil: none are replaced
	ranks     []int64         // all times in order, each once, where ranks stand for them; else nil
	forgotten bool            // no addresses of allocations that replay can do without
}

// omit takes a step of [Document.Fit] or of [Document.Omit].
func (p *snapshotWriter) omit(what Part) {
	switch what {
	case Addresses:
		p.forgotten = true
	case EveryAddress:
		p.moved = moveAddresses(p.in, p.in.Devices, p.spaces)
	default:
		p.rankTimes()
	}
}

// address is an address as it is written.
func (p *snapshotWriter) address(addr uint64) uint64 {
	if p.moved == nil {
		return addr
	}
	return p.moved.of(addr)
}

// rankTimes replaces times by their ranks.
func (p *snapshotWriter) rankTimes() {
	ranks := []int64{0} // 0 keeps its rank: it may mean that there is no time
	for _, d := range p.in.Devices {
		ranks = append(ranks, d.Events.TimeMicros...)
	}
	for i := range p.in.Snapshot.Annotations {
		ranks = append(ranks, p.in.Snapshot.Annotations[i].TimeMicros)
	}
	slices.Sort(ranks)
	p.ranks = slices.Clip(slices.Compact(ranks))
}

// time is a time as it is written.
func (p *snapshotWriter) time(micros int64) int64 {
	if p.ranks == nil {
		return micros
	}
	i, _ := slices.BinarySearch(p.ranks, micros)
	zero, _ := slices.BinarySearch(p.ranks, 0)
	return int64(i - zero)
}

// deviceNumber is a device as a column has it.
func deviceNumber(id snapshot.DeviceID) uint64 {
	if id == snapshot.Pinned {
		return pinnedNumber
	}
	return uint64(id)
}

// shows reports whether a device is in the report.
func (p *snapshotWriter) shows(id snapshot.DeviceID) bool {
	return slices.ContainsFunc(p.in.Devices, func(d *replay.Device) bool { return d.ID == id })
}

func (p *snapshotWriter) write(c *columnWriter) {
	s := p.in.Snapshot
	facts := p.facts()
	c.column(len(facts), func(i int) uint64 { return facts[i] })
	for _, counts := range []map[string]int{s.Oddity.UnknownKeys, s.Oddity.UnknownActions, s.Oddity.WrongTypes} {
		keys := slices.Sorted(maps.Keys(counts))
		c.column(len(keys), func(i int) uint64 { return p.texts.add(keys[i]) })
		c.column(len(keys), func(i int) uint64 { return uint64(counts[keys[i]]) })
	}
	c.column(len(s.Settings), func(i int) uint64 { return p.texts.add(s.Settings[i].Key) })
	c.column(len(s.Settings), func(i int) uint64 { return p.texts.add(s.Settings[i].Value) })
	c.column(len(s.ActionNames), func(i int) uint64 { return p.texts.add(s.ActionNames[i]) })
	c.column(len(s.Streams), func(i int) uint64 {
		if p.moved != nil {
			return uint64(i)
		}
		return s.Streams[i]
	})
	c.column(len(s.Pools), func(i int) uint64 { return s.Pools[i].A })
	c.column(len(s.Pools), func(i int) uint64 { return s.Pools[i].B })
	p.writeDecisions(c)
	c.column(len(s.Traces), func(i int) uint64 {
		t := &s.Traces[i]
		return oneIf(t.Overflowed) | oneIf(t.Device == snapshot.Pinned)<<1 | uint64(min(t.LateEvents, maxLateEvents))<<2
	})
	c.column(len(s.Annotations), func(i int) uint64 { return p.texts.add(s.String(s.Annotations[i].Name)) })
	c.column(len(s.Annotations), func(i int) uint64 { return uint64(s.Annotations[i].Device) })
	c.signedDelta(len(s.Annotations), func(i int) int64 { return p.time(s.Annotations[i].TimeMicros) })
	c.column(len(s.Annotations), func(i int) uint64 { return oneIf(s.Annotations[i].Start) })
	p.writeSegments(c)
	for i := range p.in.Devices {
		p.writeDevice(c, i)
	}
}

// maxLateEvents bounds what is written of them, so that it fits beside the flags of a trace.
const maxLateEvents = 1<<28 - 1

// The third list of counts, behind which the settings stand, and the rules.
const (
	columnWrongTypes = 5
	columnRules      = 13
)

// snapshotColumns is how many columns write writes; categories: as in File.
func snapshotColumns(devices int, categories bool) int {
	perDevice := 29
	if categories {
		perDevice += 2
	}
	return 40 + perDevice*devices
}

// writeDecisions writes what a person's own rules decided.
func (p *snapshotWriter) writeDecisions(c *columnWriter) {
	d := p.in.Decisions()
	if d == nil {
		d = &families.Decisions{}
	}
	c.column(len(d.Rules), func(i int) uint64 { return p.texts.add(d.File) })
	c.column(len(d.Rules), func(i int) uint64 { return uint64(d.Rules[i].Line) })
	c.column(len(d.Rules), func(i int) uint64 { return p.texts.add(d.Rules[i].Text) })
	c.column(len(d.Rules), func(i int) uint64 { return p.texts.add(d.Rules[i].Family) })
	c.column(len(d.Of), func(i int) uint64 { return uint64(d.Of[i]) })
}

// The values of the column fact.
const (
	factProtocol = iota
	factFormat   // a bit for each of formatFlags
	factRedacted // a bit for each of redactionFlags
	factForgotten
	factBadText
	factSalvaged // 0: the whole file was read; else what cutShort says, and one more
	factSalvagedAt
	factSalvagedEvents
	factSalvagedFrom // device + 1; 0: none
	factSalvagedNoEnd
	factSalvagedError // text
	factLongText      // older reports end before it
	factCount
)

// misplacedFacts follow for each device without addresses: its ID, and the counts of
// analysis.Misplaced.
const misplacedFacts = 3

// formatFlags are what is noted about the format of a file, by their bits.
// Others go behind them.
func formatFlags(f *snapshot.Format) []*bool {
	return []*bool{
		&f.BareList, &f.Legacy, &f.HasPoolID, &f.HasTime, &f.HasSettings, &f.HasAnnotations, &f.HasCompileContext,
		&f.HasUserMetadata, &f.HasEventPool, &f.HasTraces, &f.PoolBeforeType, &f.HasForwardFrames,
		&f.HasProfilerSegment, &f.HasHost, &f.XPU, &f.HasInternalMetadata,
		&f.NPU, &f.MLX, &f.HasCategory,
	}
}

// redactionFlags likewise.
func redactionFlags(r *snapshot.Redaction) []*bool {
	return []*bool{&r.Paths, &r.Names, &r.Prefixes, &r.Addresses, &r.Times}
}

func flagBits(flags []*bool) (set uint64) {
	for i, flag := range flags {
		set |= oneIf(*flag) << i
	}
	return set
}

// cutShort are the kinds of errors that ended the reading of a file that was
// salvaged, as far as words depend on them; 0 is any other.
var cutShort = []error{nil, pickle.ErrTruncated, io.ErrUnexpectedEOF, pickle.ErrLimit}

func (p *snapshotWriter) facts() []uint64 {
	s := p.in.Snapshot
	redaction := s.Redaction
	redaction.Addresses = redaction.Addresses || p.moved != nil
	redaction.Times = redaction.Times || p.ranks != nil
	facts := make([]uint64, factCount)
	facts[factProtocol] = uint64(max(s.Format.Protocol, 0))
	facts[factFormat] = flagBits(formatFlags(&s.Format))
	facts[factRedacted] = flagBits(redactionFlags(&redaction))
	facts[factForgotten] = oneIf(p.forgotten)
	facts[factBadText], facts[factLongText] = uint64(s.Oddity.BadText), uint64(s.Oddity.LongText)
	for _, d := range p.in.Devices {
		if p.forgotten {
			facts = append(facts, deviceNumber(d.ID), uint64(d.Anomalies[replay.OutsideSegments]),
				uint64(d.Anomalies[replay.OverlappingRanges]))
		}
	}
	if salvaged := s.Salvaged; salvaged != nil {
		facts[factSalvaged] = 1
		for i, err := range cutShort {
			if err != nil && errors.Is(salvaged.Err, err) {
				facts[factSalvaged] = uint64(1 + i)
			}
		}
		facts[factSalvagedAt] = uint64(salvaged.At)
		facts[factSalvagedEvents] = uint64(salvaged.Events)
		if salvaged.From != snapshot.NoDevice {
			facts[factSalvagedFrom] = deviceNumber(salvaged.From) + 1
		}
		facts[factSalvagedNoEnd] = oneIf(salvaged.NoEnd)
		facts[factSalvagedError] = p.texts.add(p.in.Salvaged().Error)
	}
	return facts
}

// writeSegments writes the final segments and their blocks.
func (p *snapshotWriter) writeSegments(c *columnWriter) {
	s := p.in.Snapshot
	var segments, sums []snapshot.Segment
	var blocks []snapshot.Block
	var gaps []int64 // between a block and the end of the one before, or the start of its segment
	for i := range s.Segments {
		seg := &s.Segments[i]
		if !p.shows(seg.Device) {
			continue
		}
		segments, sums = append(segments, *seg), append(sums, sumsOf(s.BlocksOf(seg)))
		end := seg.Address
		for _, b := range s.BlocksOf(seg) {
			blocks, gaps = append(blocks, b), append(gaps, int64(b.Address-end))
			end = b.Address + uint64(b.Size)
		}
	}
	n := len(segments)
	c.column(n, func(i int) uint64 { return deviceNumber(segments[i].Device) })
	c.signedDelta(n, func(i int) int64 { return int64(p.address(segments[i].Address)) })
	c.signed(n, func(i int) int64 { return segments[i].TotalSize })
	c.signed(n, func(i int) int64 { return segments[i].AllocatedSize - sums[i].AllocatedSize })
	c.signed(n, func(i int) int64 { return segments[i].ActiveSize - sums[i].ActiveSize })
	c.signed(n, func(i int) int64 { return segments[i].RequestedSize - sums[i].RequestedSize })
	c.column(n, func(i int) uint64 { return uint64(segments[i].Stream) })
	c.column(n, func(i int) uint64 { return uint64(segments[i].Pool) })
	c.column(n, func(i int) uint64 { return uint64(segments[i].Stack) })
	c.column(n, func(i int) uint64 { return uint64(segments[i].SizeClass) })
	c.column(n, func(i int) uint64 { return oneIf(segments[i].Expandable) })
	c.column(n, func(i int) uint64 { return uint64(segments[i].BlockCount) })
	c.signed(len(blocks), func(i int) int64 { return gaps[i] })
	c.signed(len(blocks), func(i int) int64 { return blocks[i].Size })
	c.signed(len(blocks), func(i int) int64 { return blocks[i].Size - blocks[i].RequestedSize })
	c.column(len(blocks), func(i int) uint64 { return uint64(blocks[i].Stack) })
	c.column(len(blocks), func(i int) uint64 { return uint64(blocks[i].State) })
}

// sumsOf are the sums that a segment should have of its blocks.
func sumsOf(blocks []snapshot.Block) (sums snapshot.Segment) {
	for i := range blocks {
		b := &blocks[i]
		if b.State == snapshot.ActiveAllocated {
			sums.AllocatedSize += b.Size
		}
		if b.State.Live() {
			sums.ActiveSize += b.Size
			sums.RequestedSize += b.RequestedSize
		}
	}
	return sums
}

// writeDevice writes what the events of a device are beyond its allocations.
func (p *snapshotWriter) writeDevice(c *columnWriter, number int) {
	e, pile, x := p.in.Devices[number].Events, p.piles[number], p.differs[number]
	c.ascending(len(x.loose), func(i int) uint64 { return uint64(x.loose[i]) })
	c.column(len(x.loose), func(i int) uint64 { return uint64(e.Action[x.loose[i]]) })
	c.signedDelta(len(x.loose), func(i int) int64 {
		if e.Action[x.loose[i]] == snapshot.OOM {
			return int64(e.Addr[x.loose[i]]) // bytes
		}
		return int64(p.address(e.Addr[x.loose[i]]))
	})
	c.signed(len(x.loose), func(i int) int64 { return e.Size[x.loose[i]] })
	c.column(len(x.loose), func(i int) uint64 { return uint64(e.Stream[x.loose[i]]) })
	c.column(len(x.loose), func(i int) uint64 { return uint64(e.Stack[x.loose[i]]) })
	p.writeAddresses(c, number)
	c.differences(positioned(pile, x.frees))
	for _, list := range [][]difference{x.action, x.size, x.stream, x.stack} {
		c.differences(list)
	}
	text := func(id snapshot.StringID) uint64 { return p.texts.add(p.in.Snapshot.String(id)) }
	writeChanges(c, e.CompileContext, text)
	writeChanges(c, e.Metadata, text)
	writeChanges(c, e.Pool, func(id snapshot.PoolID) uint64 { return uint64(id) })
	if p.in.Snapshot.Format.HasCategory {
		writeChanges(c, e.Category, func(id snapshot.Category) uint64 { return uint64(id) })
	}
	p.writeTimes(c, e, x.far)
}

// differences writes a pair of columns. It sorts the list.
func (c *columnWriter) differences(list []difference) {
	slices.SortFunc(list, func(a, b difference) int { return cmp.Compare(a.at, b.at) })
	c.ascending(len(list), func(i int) uint64 { return uint64(list[i].at) })
	c.signed(len(list), func(i int) int64 { return list[i].value })
}

// writeChanges writes a column of events that is most often the same in the
// next event: the first value, and where it changes. A column that is nil has
// none.
func writeChanges[T comparable](c *columnWriter, column []T, value func(T) uint64) {
	var changes []int
	for i := range column {
		if i == 0 || column[i] != column[i-1] {
			changes = append(changes, i)
		}
	}
	c.ascending(len(changes), func(i int) uint64 { return uint64(changes[i]) })
	c.column(len(changes), func(i int) uint64 { return value(column[changes[i]]) })
}

// writeTimes writes the first time and those too far from it for the column
// time of the device; or ranks.
func (p *snapshotWriter) writeTimes(c *columnWriter, e *snapshot.Events, far []difference) {
	if p.ranks != nil {
		c.column(0, nil)
		c.differences(nil)
		c.signedDelta(len(e.TimeMicros), func(i int) int64 { return p.time(e.TimeMicros[i]) })
		return
	}
	c.signed(min(len(e.TimeMicros), 1), func(i int) int64 { return e.TimeMicros[i] })
	c.differences(far)
	c.column(0, nil)
}

// writeAddresses writes the addresses of all allocations that the payload of the
// device does not have, or of those that replay needs.
func (p *snapshotWriter) writeAddresses(c *columnWriter, number int) {
	pile, known := p.piles[number], p.spaces[number]
	var kept []int32
	switch {
	case p.forgotten:
		kept = keptAddresses(pile, p.differs[number])
		c.column(0, nil)
	case p.moved != nil && known != nil:
		c.signedDelta(len(known.lanes)+len(known.outside), func(i int) int64 {
			if i < len(known.lanes) {
				return int64(p.address(known.lanes[i]))
			}
			return int64(p.address(pile.At(int(known.outside[i-len(known.lanes)])).Addr))
		})
	case p.moved != nil:
		last := map[int64]uint64{} // by size, as in the payload of the device
		c.signed(pile.Len(), func(i int) int64 {
			a := pile.At(i)
			addr := p.address(a.Addr)
			delta := int64(addr - last[a.Size])
			last[a.Size] = addr
			return delta
		})
	default:
		c.column(0, nil)
	}
	c.ascending(len(kept), func(i int) uint64 { return uint64(kept[i]) })
	c.signedDelta(len(kept), func(i int) int64 { return int64(p.address(pile.At(int(kept[i])).Addr)) })
}
