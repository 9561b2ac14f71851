package space

import (
	"cmp"
	"slices"
)

// sweep goes through the gaps of the first state from the lowest place up.
type sweep struct {
	m    *model
	list []int32
}

func (m *model) sweep() *sweep {
	s := &sweep{m: m}
	for k := range m.gaps {
		for _, chunk := range m.gaps[k].chunks {
			for _, g := range chunk {
				s.list = append(s.list, g.node)
			}
		}
	}
	slices.SortFunc(s.list, func(a, b int32) int { return cmp.Compare(m.nodes[a].place, m.nodes[b].place) })
	return s
}

// at is the gap that a place lies in, or none. Places must not fall from one call to the
// next, and what was taken of a gap since must be at its start.
func (s *sweep) at(place uint32) int32 {
	for ; len(s.list) > 0; s.list = s.list[1:] {
		for x := s.list[0]; x != none; x = s.m.nodes[x].next {
			n := &s.m.nodes[x]
			if place < n.place {
				return none
			}
			if place-n.place >= n.size {
				continue
			}
			if s.list[0] = x; !n.free {
				return none
			}
			return x
		}
	}
	return none
}

// sortByPlace sorts allocations by their places, and those of one place by their order.
func sortByPlace(order []int32, places []uint32) {
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(places[a], places[b]) })
}

// roomBelow is how many units are free from a place on in a gap, up to where the next of
// other allocations begins.
func (m *model) roomBelow(x int32, place uint32, others []int32, places []uint32) uint32 {
	end := m.nodes[x].place + m.nodes[x].size
	if len(others) > 0 {
		end = min(end, places[others[0]])
	}
	return end - place
}
