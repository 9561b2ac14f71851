package space

import "slices"

// walk goes through all events. old places what is there before the first of them, after
// what is reserved then; born places one allocation. Both give its block, or none at all.
func (f *Frame) walk(t *Tensors, m *model, old func(hold func(i int, block gap)) error,
	born func(i int) (gap, error)) error {
	blocks := newHeld(t.Count)
	ends := newEndings(t)
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
	if err := old(blocks.hold); err != nil {
		return err
	}
	i, start := t.PreExisting, t.start(t.PreExisting)
	for event := range t.Events {
		for x := ends.at(event); x != none; x = ends.next[x] {
			if block := blocks.drop(int(x)); block.size > 0 {
				m.release(block)
			}
			if !t.Edited {
				break
			}
		}
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
			blocks.hold(i, block)
			i++
		}
	}
	return nil
}

// held are the blocks of allocations, in the memory of a number for each and of those that
// there are at a time, of which there are far fewer.
type held struct {
	slots  []int32 // by allocation; 0: it has no block
	blocks []gap   // by slot
	spare  []int32
}

func newHeld(count int) *held { return &held{slots: make([]int32, count), blocks: make([]gap, 1)} }

func (h *held) hold(i int, block gap) {
	if block.size == 0 {
		return
	}
	if last := len(h.spare) - 1; last >= 0 {
		h.slots[i], h.spare = h.spare[last], h.spare[:last]
		h.blocks[h.slots[i]] = block
		return
	}
	h.slots[i] = int32(len(h.blocks))
	h.blocks = append(h.blocks, block)
}

// drop forgets the block of an allocation, and gives it, if there is one.
func (h *held) drop(i int) (block gap) {
	slot := h.slots[i]
	if slot > 0 {
		block, h.slots[i] = h.blocks[slot], 0
		h.spare = append(h.spare, slot)
	}
	return block
}

// start is the event in which an allocation begins; behind the last event where there is none.
func (t *Tensors) start(i int) int {
	if i < t.Count {
		return t.Start(i)
	}
	return t.Events
}

// endings are the allocations by the event in which they end, in the memory of a number
// for each allocation, of which there are far fewer than events.
type endings struct {
	t      *Tensors
	window []int32 // by event of the present window: the last allocation that ends in it
	first  []int32 // by window: the first allocation that ends in it
	next   []int32 // by allocation: the next one of its window, or in the present one, of its event
}

// windowSize is how many events a window has.
const windowSize = 256

func newEndings(t *Tensors) *endings {
	e := &endings{t: t, window: make([]int32, windowSize), first: make([]int32, t.Events/windowSize+1),
		next: make([]int32, t.Count)}
	for w := range e.first {
		e.first[w] = none
	}
	for i := t.Count - 1; i >= 0; i-- {
		if end := t.End(i); end < t.Events {
			e.next[i], e.first[end/windowSize] = e.first[end/windowSize], int32(i)
		}
	}
	return e
}

// at is the last allocation that ends in an event, or none; next has those before it. Events
// must be asked for in order, each of them.
func (e *endings) at(event int) int32 {
	if event%windowSize == 0 {
		for k := range e.window {
			e.window[k] = none
		}
		for i := e.first[event/windowSize]; i != none; {
			after, last := e.next[i], &e.window[e.t.End(int(i))%windowSize]
			e.next[i], *last = *last, i
			i = after
		}
	}
	return e.window[event%windowSize]
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
