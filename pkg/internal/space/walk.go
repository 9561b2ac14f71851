package space

import "slices"

// walk goes through all events. old places what is there before the first of them, after
// what is reserved then; born places one allocation. Both give the node of its block, or
// none.
func (f *Frame) walk(t *Tensors, m *model, old func(nodes []int32) error, born func(i int) (int32, error)) error {
	nodes := make([]int32, t.Count)
	for i := range nodes {
		nodes[i] = none
	}
	ends := newEndings(t)
	returned := f.returned(t.Events)
	next := 0 // reservation
	for ; next < len(f.Reservations) && f.Reservations[next].Reserved < 0; next++ {
		m.reserve(next)
	}
	if err := old(nodes); err != nil {
		return err
	}
	i, start := t.PreExisting, t.start(t.PreExisting)
	for event := range t.Events {
		for x := ends.at(event); x != none; x = ends.next[x] {
			if nodes[x] != none {
				m.release(nodes[x])
				nodes[x] = none
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
		for ; next < len(f.Reservations) && int(f.Reservations[next].Reserved) == event; next++ {
			m.reserve(next)
		}
		for start == event {
			x, err := born(i)
			if err != nil {
				return err
			}
			nodes[i] = x
			i++
			start = t.start(i)
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
