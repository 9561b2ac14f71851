package space

import "fmt"

// check reports whether a model can be made of the frame: indices are in range, and
// reservations are in order and inside their lanes.
func (f *Frame) check(events, count int) error {
	if events > maxEvents(count, len(f.Reservations)) {
		return fmt.Errorf("%d events of %d allocations and %d reservations", events, count, len(f.Reservations))
	}
	if f.Unit < 1 || f.Unit > MaxUnit || f.Unit&(f.Unit-1) != 0 {
		return fmt.Errorf("a unit of %d bytes", f.Unit)
	}
	ends, total := make([]uint64, len(f.Lanes)), uint64(0)
	for i, size := range f.Lanes {
		total += uint64(size)
		ends[i] = total
	}
	if total >= MaxPlaces {
		return fmt.Errorf("%d units in all lanes", total)
	}
	for i := range f.Reservations {
		r := &f.Reservations[i]
		if r.Lane < 0 || int(r.Lane) >= len(f.Lanes) || r.Kind < 0 || int(r.Kind) >= len(f.Kinds) {
			return fmt.Errorf("reservation %d is of kind %d and in lane %d", i, r.Kind, r.Lane)
		}
		low, high := ends[r.Lane]-uint64(f.Lanes[r.Lane]), ends[r.Lane]
		if r.Size == 0 || uint64(r.Start) < low || uint64(r.Start)+uint64(r.Size) > high {
			return fmt.Errorf("reservation %d is not in its lane", i)
		}
		if r.Reserved < -1 || int(r.Reserved) >= events || r.Returned <= r.Reserved || int(r.Returned) > events ||
			i > 0 && r.Reserved < f.Reservations[i-1].Reserved {
			return fmt.Errorf("reservation %d comes in event %d and goes in event %d", i, r.Reserved, r.Returned)
		}
	}
	return nil
}

// maxEvents bounds the events of a model. An allocation has up to three, a reservation
// two.
func maxEvents(count, reservations int) int { return min(1<<20+4*(count+reservations), 1<<31-1) }
