package codec

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// differences are how the events of a device differ from those that follow from
// its allocations (see freeKind).
type differences struct {
	frees []difference // by allocation of the device, where the kind is not usualFree
	loose []int32      // events that belong to no allocation

	action, size, stream, stack []difference // by event, in no order
	far                         []difference // times too far from the first for the payload of the device
}

type difference struct {
	at    int32 // event or allocation
	value int64
}

// freeKind says which events ended an allocation.
type freeKind uint8

const (
	usualFree      freeKind = iota // free_requested, then free_completed; or the allocation is live at the end
	completedOnly                  // free_completed without a request
	freedAtOnce                    // free, which is both
	requestedOnly                  // free_requested, and its completion is not recorded
	freeUnrecorded                 // the alloc event of the next allocation at the address
	freeKinds
)

func freeKindOf(a *replay.Allocation, e *snapshot.Events) freeKind {
	switch {
	case a.LiveAtEnd() || a.FreeRequested != replay.None && a.FreeRequested != a.End:
		return usualFree
	case a.FreeRequested == replay.None && e.Action[a.End] == snapshot.Alloc:
		return freeUnrecorded
	case a.FreeRequested == replay.None:
		return completedOnly
	case e.Action[a.End] == snapshot.Free:
		return freedAtOnce
	}
	return requestedOnly
}

// followingEvents calls yield with each event that follows from an allocation.
func followingEvents(a *replay.Allocation, kind freeKind,
	yield func(event replay.EventIndex, action snapshot.Action, stack snapshot.StackID)) {
	if a.Start != replay.None {
		yield(a.Start, snapshot.Alloc, a.Stack)
	}
	switch {
	case kind == freedAtOnce:
		yield(a.End, snapshot.Free, a.FreeStack)
		return
	case a.FreeRequested != replay.None:
		yield(a.FreeRequested, snapshot.FreeRequested, a.FreeStack)
	}
	if a.End != replay.None && (kind == usualFree || kind == completedOnly) {
		yield(a.End, snapshot.FreeCompleted, a.FreeStack)
	}
}

// findDifferences compares the events of a device with its allocations, in one
// pass over them.
func findDifferences(d *replay.Device) *differences {
	e, x := d.Events, &differences{}
	seen := make([]uint64, (e.Len()+63)/64) // a bit an event
	var a *replay.Allocation
	compare := func(i replay.EventIndex, action snapshot.Action, stack snapshot.StackID) {
		seen[i/64] |= 1 << (i % 64)
		if e.Action[i] != action {
			x.action = append(x.action, difference{int32(i), int64(e.Action[i])})
		}
		if e.Size[i] != a.Size {
			x.size = append(x.size, difference{int32(i), e.Size[i]})
		}
		if e.Stream[i] != a.Stream {
			x.stream = append(x.stream, difference{int32(i), int64(e.Stream[i])})
		}
		if e.Stack[i] != stack {
			x.stack = append(x.stack, difference{int32(i), int64(e.Stack[i])})
		}
	}
	for i := range d.Allocations {
		a = &d.Allocations[i]
		kind := freeKindOf(a, e)
		if kind != usualFree {
			x.frees = append(x.frees, difference{int32(i), int64(kind)})
		}
		followingEvents(a, kind, compare)
	}
	for i := range e.Len() {
		if seen[i/64]&(1<<(i%64)) == 0 {
			x.loose = append(x.loose, int32(i))
		}
	}
	for i, micros := range e.TimeMicros {
		if since := e.SinceFirst(i); since == snapshot.MaxSpanMicros || since == -snapshot.MaxSpanMicros {
			x.far = append(x.far, difference{int32(i), micros})
		}
	}
	return x
}

// findAllDifferences is findDifferences of every device.
func findAllDifferences(in *answer.Input) []*differences {
	list := make([]*differences, len(in.Devices))
	for i, d := range in.Devices {
		list[i] = findDifferences(d)
	}
	return list
}

// positioned puts positions in the pile for indices of allocations.
func positioned(p *recording.Pile, list []difference) []difference {
	position := make([]int32, len(p.Bottom))
	for i, index := range p.Bottom {
		position[index] = int32(i)
	}
	list = slices.Clone(list)
	for i := range list {
		if at := list[i].at; int(at) < len(position) {
			list[i].at = position[at]
		}
	}
	return list
}

// keptAddresses are the positions of the allocations whose addresses replay needs:
// to meet the final blocks, to order what was there before the recording, and
// where one allocation or free at an address depends on what came before it.
func keptAddresses(pile *recording.Pile, x *differences) []int32 {
	e := pile.Device.Events
	shared := map[uint64]bool{}
	for _, i := range x.loose {
		shared[e.Addr[i]] = true
	}
	for _, free := range x.frees {
		if kind := freeKind(free.value); kind == requestedOnly || kind == freeUnrecorded {
			shared[pile.Device.Allocations[free.at].Addr] = true
		}
	}
	for i := range pile.Bottom {
		if a := pile.At(i); a.Version > 0 {
			shared[a.Addr] = true
		}
	}
	return pile.Where(func(a *replay.Allocation) bool {
		return a.PreExisting() || a.LiveAtEnd() || shared[a.Addr]
	})
}
