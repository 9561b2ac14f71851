package codec

import (
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// deviceWriter is what the columns of one device are made from.
type deviceWriter struct {
	*recording.Pile
	view      *recording.Device
	rulePlace map[families.Rule]int // in the report's rules
	pools     *layout.Pools
	snapshot  *snapshot.Snapshot
	lanes     *recording.DeviceLanes
	stacks    *stackTable  // of the file
	texts     *stringTable // of the file
	omitted   Parts

	number    string       // of the file and the device, as in the ids of payloads
	space     *deviceSpace // nil: it is not known where the tensors lay
	predicted *deviceSpace // likewise, where another setting would have put them
	measured  []element    // where they would have lain with measures, packed
}

// The chunks of a device's payload, in the order in which the package comment
// gives the columns. Each is packed alone.
const (
	chunkTimes = iota
	chunkIntervals
	chunkAddresses
	chunkStacks
	chunkRest
	deviceChunks
)

func (p *deviceWriter) shown() *recording.Device { return p.view }

func (p *deviceWriter) packLanes() chunk {
	return pack(packOthers, nil, (&lanesWriter{p.lanes, p.view}).write)
}

// pack packs one chunk. Of the chunks only chunkRest touches the texts, so that
// all may be packed at the same time.
func (p *deviceWriter) pack(number int, tick func(values int)) chunk {
	switch number {
	case chunkTimes:
		return pack(packTimes, tick, p.writeTimes)
	case chunkIntervals:
		return pack(packOthers, tick, p.writeIntervals)
	case chunkAddresses:
		return pack(packOthers, tick, p.writeAddresses)
	case chunkStacks:
		return pack(packOthers, tick, p.writeStacks)
	}
	return pack(packOthers, tick, p.writeRest)
}

// values is about how many values all chunks have together.
func (p *deviceWriter) values() int {
	return len(p.Device.Events.TimeMicros) + 9*p.Len()
}

// writeTimes writes the column time.
func (p *deviceWriter) writeTimes(c *columnWriter) {
	n := len(p.Device.Events.TimeMicros)
	if !p.view.HasTime {
		n = 0
	}
	deviceColumns.from(c, "time").put("time", n, func(i int) int64 {
		return roundDown(p.Device.Events.SinceFirst(i), p.view.TimeStepMicros)
	})
}

// roundDown is the multiple of step at or below v.
func roundDown(v, step int64) int64 {
	if step == 1 {
		return v
	}
	rest := v % step
	if rest < 0 {
		rest += step
	}
	return v - rest
}

// writeIntervals writes the columns start, life, pending.alloc, pending.wait and size.
func (p *deviceWriter) writeIntervals(c *columnWriter) {
	w := deviceColumns.from(c, "start")
	born := len(p.Bottom)
	w.put("start", p.Len()-born, func(i int) int64 { return int64(p.At(born+i).Start + 1) })
	w.put("life", p.Len(), func(i int) int64 {
		if a := p.At(i); !a.LiveAtEnd() {
			return int64(a.End - a.Start)
		}
		return 0
	})
	end := replay.EventIndex(p.Device.Events.Len())
	waited := p.Where(func(a *replay.Allocation) bool {
		return a.PendingAtEnd() || a.FreeRequested != replay.None && a.End-a.FreeRequested > 1
	})
	w.put("pending.alloc", len(waited), func(i int) int64 { return int64(waited[i]) })
	w.put("pending.wait", len(waited), func(i int) int64 { return int64(wait(p.At(int(waited[i])), end)) })
	w.put("size", p.Len(), func(i int) int64 { return p.At(i).Size })
}

// wait is how many events passed between the free request of an allocation and
// its end, or the end of the recording.
func wait(a *replay.Allocation, end replay.EventIndex) replay.EventIndex {
	if a.LiveAtEnd() {
		return end - a.FreeRequested
	}
	return a.End - a.FreeRequested
}

// writeAddresses writes the columns addr, addr.high and addr.low. Tensors of
// one size tend to return to the same few addresses, so the difference to the
// last address of the size is short. They are empty where addresses follow from places.
func (p *deviceWriter) writeAddresses(c *columnWriter) {
	w := deviceColumns.from(c, "addr")
	switch last, base := map[int64]uint64{}, p.view.LowestAddr(); {
	case !p.view.HasAddr || p.view.Space != nil:
		w.empty("addr", "addr.high", "addr.low")
	case p.view.WideAddr:
		w.empty("addr")
		w.put("addr.high", p.Len(), func(i int) int64 { return int64(p.At(i).Addr >> 32) })
		w.put("addr.low", p.Len(), func(i int) int64 { return int64(p.At(i).Addr & (1<<32 - 1)) })
	default:
		w.put("addr", p.Len(), func(i int) int64 {
			a := p.At(i)
			offset := a.Addr - base
			delta := int64(offset - last[a.Size])
			last[a.Size] = offset
			return delta
		})
		w.empty("addr.high", "addr.low")
	}
}

// writeStacks writes the columns stack and stack.free.
func (p *deviceWriter) writeStacks(c *columnWriter) {
	w := deviceColumns.from(c, "stack")
	w.put("stack", p.Len(), func(i int) int64 { return int64(p.stacks.index[p.At(i).Stack]) })
	w.put("stack.free", p.Len(), func(i int) int64 { return p.freeStack(p.At(i)) })
}

// freeStack is a value of the column stack.free.
func (p *deviceWriter) freeStack(a *replay.Allocation) int64 {
	if a.FreeStack == 0 || p.omitted[FreeStacks] {
		return 0
	}
	stack := p.stacks.index[a.FreeStack]
	if stack == p.stacks.index[a.Stack] {
		return 1
	}
	return int64(stack) + 2
}

// writeRest writes the columns from stream to the last.
func (p *deviceWriter) writeRest(c *columnWriter) {
	w := deviceColumns.from(c, "stream")
	w.put("stream", p.Len(), func(i int) int64 { return int64(p.At(i).Stream) })
	w.put("family", p.Len(), func(i int) int64 {
		return int64(recording.FamilyPlace[p.Families.Family(p.Index(i))])
	})
	w.put("source", len(p.Bottom), func(i int) int64 { return int64(p.At(i).From) })
	p.writeReserved(w)
	p.writeMarkers(w)
	contexts, notes := p.Device.Events.CompileContext, p.Device.Notes(p.snapshot)
	p.writeNotes(w, "context", func(a *replay.Allocation) string {
		if a.PreExisting() || contexts == nil {
			return ""
		}
		return p.snapshot.String(contexts[a.Start])
	})
	p.writeNotes(w, "metadata", notes.Of)
	w.put("rule", p.Len(), func(i int) int64 { return int64(p.rulePlace[p.Rule(i)]) })
	pooled := 0
	if len(p.view.Pools) > 1 {
		pooled = p.Len()
	}
	w.put("pool", pooled, func(i int) int64 { return int64(p.pools.Of[p.Index(i)]) })
}

// writeReserved writes the columns reserved.event and reserved.delta.
func (p *deviceWriter) writeReserved(w *tableWriter) {
	changes := p.Device.Reserved
	w.put("reserved.event", len(changes), func(i int) int64 { return int64(changes[i].Event) })
	w.put("reserved.delta", len(changes), func(i int) int64 { return changes[i].Delta })
}

// writeMarkers writes the columns marker.event, marker.kind, marker.size and marker.free.
func (p *deviceWriter) writeMarkers(w *tableWriter) {
	e := p.Device.Events
	var events []int
	for i, action := range e.Action {
		if action == snapshot.OOM || action == snapshot.SnapshotTaken {
			events = append(events, i)
		}
	}
	isOOM := func(i int) bool { return e.Action[events[i]] == snapshot.OOM }
	w.put("marker.event", len(events), func(i int) int64 { return int64(events[i]) })
	w.put("marker.kind", len(events), func(i int) int64 {
		if isOOM(i) {
			return 0
		}
		return 1
	})
	w.put("marker.size", len(events), func(i int) int64 { return min(max(e.Size[events[i]], 0), recording.MaxExact) })
	w.put("marker.free", len(events), func(i int) int64 {
		if isOOM(i) {
			return int64(min(e.Addr[events[i]], recording.MaxExact))
		}
		return 0
	})
}

// writeNotes writes a pair of columns: the allocations that have a text, and the texts.
func (p *deviceWriter) writeNotes(w *tableWriter, what string, note func(*replay.Allocation) string) {
	// "N/A" is what PyTorch writes outside every compile region.
	noted := p.Where(func(a *replay.Allocation) bool { return note(a) != "" && note(a) != "N/A" })
	w.put(what+".alloc", len(noted), func(i int) int64 { return int64(noted[i]) })
	w.put(what+".text", len(noted), func(i int) int64 { return int64(p.texts.add(note(p.At(int(noted[i]))))) })
}
