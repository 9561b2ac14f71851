package space

import "slices"

// walk goes through all events. old places what is there before the first of them, after
// what is reserved then; born places one allocation. Both give its block, or none at all.
func (f *Frame) walk(t *Tensors, m *model, old func(hold func(i int, block gap)) error,
	born func(i int) (gap, error)) error {
	blocks := newHeld(t.Events)
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

// start is the event in which an allocation begins; behind the last event where there is none.
func (t *Tensors) start(i int) int {
	if i < t.Count {
		return t.Start(i)
	}
	return t.Events
}

// held are the blocks that are there, by the events in which they go. They take the memory
// of those that there are at a time, and of a number for each window of events.
type held struct {
	window  [windowSize]int32 // by event of the present window: a block that goes in it
	first   []int32           // by later window, likewise
	present int
	blocks  []heldBlock // 0 stands for none
	spare   []int32
}

type heldBlock struct {
	gap
	end, next int32 // another that goes in the same event, or window
}

// windowSize is how many events a window has.
const windowSize = 256

func newHeld(events int) *held {
	return &held{first: make([]int32, events/windowSize+1), present: -1, blocks: make([]heldBlock, 1)}
}

// hold keeps a block until an event.
func (h *held) hold(block gap, end int) {
	x := int32(len(h.blocks))
	if last := len(h.spare) - 1; last >= 0 {
		x, h.spare = h.spare[last], h.spare[:last]
	} else {
		h.blocks = append(h.blocks, heldBlock{})
	}
	h.blocks[x] = heldBlock{gap: block, end: int32(end)}
	h.file(x)
}

func (h *held) file(x int32) {
	b := &h.blocks[x]
	list := &h.first[b.end/windowSize]
	if int(b.end/windowSize) == h.present {
		list = &h.window[b.end%windowSize]
	}
	b.next, *list = *list, x
}

// release makes free what goes in an event. Events must be asked for in order, each of them.
func (h *held) release(event int, m *model) {
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

// returned are the reservations that go, in the order of the events in which they do.
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
