package layout

// Holes are the free pieces of a segment, in bytes. Stuck and Returnable are all of
// its free bytes.
type Holes struct {
	Count      int
	Largest    int64 // bytes of the largest one
	Stuck      int64 // a live block shares the segment, or the page of an expandable one
	Returnable int64 // emptying the cache would return it
}

// HolesOf measures the holes of a segment.
func (l *Map) HolesOf(s *Segment) Holes {
	h := Holes{Stuck: s.FreeBytes()}
	for _, x := range l.ExtentsOf(s) {
		if x.Allocation == NoAllocation {
			h.Count++
			h.Largest = max(h.Largest, x.Size)
			h.Returnable += s.returnable(x)
		}
	}
	h.Stuck -= h.Returnable
	return h
}

// returnable returns how many bytes of a hole emptying the cache would return: all if the
// hole is a whole segment, and in an expandable segment the whole pages in it.
func (s *Segment) returnable(hole Extent) int64 {
	if !s.Expandable {
		if hole.Size == s.Size {
			return hole.Size
		}
		return 0
	}
	first := int64(hole.Address - s.Address) // segments start at a page
	last := (first + hole.Size) / s.Page * s.Page
	first = (first + s.Page - 1) / s.Page * s.Page
	return max(last-first, 0)
}

// nearlyIdle divides a segment's size: live blocks that hold no more than that keep much
// memory for little.
const nearlyIdle = 10

// NearlyIdle are sums over segments of which live blocks hold at most a tenth, and which
// cannot be returned as a whole because of these blocks.
type NearlyIdle struct {
	Segments int
	Blocks   int   // live blocks in them
	Active   int64 // bytes of the blocks
	Stuck    int64 // bytes of holes that they keep from being returned
}

// NearlyIdle sums up the memory that few blocks keep from being returned.
func (l *Map) NearlyIdle() NearlyIdle {
	var sum NearlyIdle
	for i := range l.Segments {
		s := &l.Segments[i]
		holes := l.HolesOf(s)
		if holes.Stuck == 0 || nearlyIdle*s.ActiveBytes > s.Size {
			continue
		}
		sum.Segments++
		sum.Blocks += int(s.ExtentCount) - holes.Count
		sum.Active += s.ActiveBytes
		sum.Stuck += holes.Stuck
	}
	return sum
}
