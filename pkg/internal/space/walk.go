package space

import "slices"

// walk goes through all events. old places the pre-existing allocations, once their
// reservations exist; born places one allocation. Both return its block, or none.
func (f *Frame) walk(t *Tensors, m *model, old func(hold func(i int, block gap)) error,
	born func(i int) (gap, error)) error {
	blocks := newLiveBlocks(t.Events)
	hold := func(i int, block gap) {
		if end := t.End(i); block.size > 0 && end < t.Events {
			blocks.hold(block, end)
		}
	}
	returned := f.returned(t.Events)
	next := 0 // reservation
	reserve := func(event int) (err error) {
		for ; err == nil && next < len(f.Reservations) && int(f.Reservations[next].Reserved) == event; next++ {
			err = m.reserve(next)
		}
		return err
	}
	if err := reserve(-1); err != nil {
		return err
	}
	if err := old(hold); err != nil {
		return err
	}
	i, start := t.PreExisting, t.start(t.PreExisting)
	for event := range t.Events {
		blocks.release(event, m)
		for ; len(returned) > 0 && int(f.Reservations[returned[0]].Returned) == event; returned = returned[1:] {
			if err := m.giveBack(int(returned[0])); err != nil {
				return err
			}
		}
		if err := reserve(event); err != nil {
			return err
		}
		for ; start == event; start = t.start(i) {
			block, err := born(i)
			if err != nil {
				return err
			}
			hold(i, block)
			i++
		}
	}
	return nil
}

// start returns the event in which an allocation begins; past the last event if there is none.
func (t *Tensors) start(i int) int {
	if i < t.Count {
		return t.Start(i)
	}
	return t.Events
}

// liveBlocks are the live blocks by the events that free them. They take memory for the
// blocks live at a time, and a number for each window of events.
type liveBlocks struct {
	window  [windowSize]int32 // by event of the current window: a block freed in it
	first   []int32           // by later window: a block freed in it
	present int
	blocks  []liveBlock // index 0 means none
	spare   []int32
}

type liveBlock struct {
	gap
	end, next int32 // next is another freed in the same event, or window
}

// windowSize is the number of events in a window.
const windowSize = 256

func newLiveBlocks(events int) *liveBlocks {
	return &liveBlocks{first: make([]int32, events/windowSize+1), present: -1, blocks: make([]liveBlock, 1)}
}

// hold keeps a block until the event end.
func (h *liveBlocks) hold(block gap, end int) {
	x := int32(len(h.blocks))
	if last := len(h.spare) - 1; last >= 0 {
		x, h.spare = h.spare[last], h.spare[:last]
	} else {
		h.blocks = append(h.blocks, liveBlock{})
	}
	h.blocks[x] = liveBlock{gap: block, end: int32(end)}
	h.file(x)
}

func (h *liveBlocks) file(x int32) {
	b := &h.blocks[x]
	list := &h.first[b.end/windowSize]
	if int(b.end/windowSize) == h.present {
		list = &h.window[b.end%windowSize]
	}
	b.next, *list = *list, x
}

// release frees the blocks that end in an event. It must be called for every event, in order.
func (h *liveBlocks) release(event int, m *model) {
	if event%windowSize == 0 {
		h.present = event / windowSize
		clear(h.window[:])
		for x := h.first[h.present]; x != 0; {
			next := h.blocks[x].next
			h.file(x)
			x = next
		}
	}
	for x := h.window[event%windowSize]; x != 0; x = h.blocks[x].next {
		m.release(h.blocks[x].gap)
		h.spare = append(h.spare, x)
	}
}

// returned lists the returned reservations in the order of the events that return them.
func (f *Frame) returned(events int) []int32 {
	var list []int32
	for i := range f.Reservations {
		if int(f.Reservations[i].Returned) < events {
			list = append(list, int32(i))
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int {
		return int(f.Reservations[a].Returned) - int(f.Reservations[b].Returned)
	})
	return list
}
