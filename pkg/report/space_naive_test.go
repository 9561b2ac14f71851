package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/report/recording"
)

// Where tensors lie, worked out from the package comment alone: with lists that are gone
// through from end to end, and nothing that is kept from one event to the next but what
// is reserved and which blocks there are.

// naiveSpace is a payload "space-F-D".
type naiveSpace struct {
	unit                      uint64
	laneSize                  []uint64
	kindPool, kindStream      []uint64
	kindLarge, kindExpandable []uint64
	kind                      []uint64
	lane                      []int64
	offset, size, from, to    []uint64
	code, codeOffset, escape  []uint64
	moreAlloc                 []uint64
	moreUnits                 []int64
	roundedFrom, roundedTo    []uint64
	starts                    []uint64 // of lanes
	laneAddr                  []uint64 // of lanes
	reserved                  []int    // reservations of now, by place
	blocks                    []naiveBlock
	place, block              []uint64 // by allocation
	within                    []int    // likewise: reservation, -1 outside
	kindOf                    map[[3]uint64]int
	lastEscape                map[uint64]uint64
	nextOffset, nextEscape    int
	reservedEvent, allocSize  []uint64
	allocPool, allocStream    []uint64
}

type naiveBlock struct {
	place, size uint64
	id          int
}

type naiveGap struct {
	place, size uint64
	grows       bool // where it ends, no page is mapped
}

const naiveOutside = 1<<32 - 1

func decodeSpace(raw []byte, view *recording.Device, d *decodedDevice) (*naiveSpace, error) {
	r := columnReader{rest: raw}
	s := &naiveSpace{unit: uint64(view.Space.Unit), laneSize: r.column(), kindPool: r.column(), kindStream: r.column(),
		kindLarge: r.column(), kindExpandable: r.column(), kind: r.column(), lane: sums(r.signed()),
		offset: r.column(), size: r.column(), from: sums(r.column()), to: r.column(), code: r.column(),
		codeOffset: r.column(), escape: r.column(), moreAlloc: sums(r.column()), moreUnits: r.signed(),
		roundedFrom: r.column(), roundedTo: r.column(), kindOf: map[[3]uint64]int{}, lastEscape: map[uint64]uint64{},
		reservedEvent: d.reservedEvent, allocSize: d.size, allocPool: d.pool, allocStream: d.stream}
	if err := r.finish(); err != nil {
		return nil, err
	}
	n := len(d.size)
	s.place, s.block, s.within = make([]uint64, n), make([]uint64, n), make([]int, n)
	at := uint64(0)
	for _, size := range s.laneSize {
		s.starts = append(s.starts, at)
		at += size
	}
	for i := len(s.kindPool) - 1; i >= 0; i-- {
		s.kindOf[[3]uint64{s.kindPool[i], s.kindStream[i], s.kindLarge[i]}] = i
	}
	return s, s.run(view, d)
}

// states in which a reservation is there.
func (s *naiveSpace) first0(r int) uint64 {
	if s.from[r] == 0 {
		return 0
	}
	return s.reservedEvent[s.from[r]-1] + 1
}

func (s *naiveSpace) start(r int) uint64 { return s.starts[s.lane[r]] + s.offset[r] }

func (s *naiveSpace) run(view *recording.Device, d *decodedDevice) error {
	p, events := view.PreExisting, view.Events
	ends, starts := map[int][]int{}, map[int]int{}
	for i := range d.size {
		start := -1
		if i >= p {
			start = int(d.start[i-p]) - 1
			starts[start] = i
		}
		if d.life[i] > 0 {
			end := start + int(d.life[i])
			ends[end] = append(ends[end], i)
		}
	}
	come, go_ := map[int][]int{}, map[int][]int{}
	for r := range s.kind {
		from := int(s.first0(r)) - 1
		come[from] = append(come[from], r)
		if s.to[r] > 0 {
			event := int(s.reservedEvent[s.from[r]+s.to[r]-1])
			go_[event] = append(go_[event], r)
		}
	}
	s.reserve(come[-1])
	if err := s.old(p); err != nil {
		return err
	}
	for event := range events {
		s.blocks = slices.DeleteFunc(s.blocks, func(b naiveBlock) bool { return slices.Contains(ends[event], b.id) })
		for _, r := range go_[event] {
			s.reserved = slices.DeleteFunc(s.reserved, func(x int) bool { return x == r })
		}
		s.reserve(come[event])
		if i, is := starts[event]; is {
			if err := s.born(i, p); err != nil {
				return fmt.Errorf("allocation %d: %w", i, err)
			}
		}
	}
	return nil
}

func (s *naiveSpace) reserve(list []int) {
	s.reserved = append(s.reserved, list...)
	slices.SortFunc(s.reserved, func(a, b int) int { return cmp.Compare(s.start(a), s.start(b)) })
}

func (s *naiveSpace) put(i int, place, size uint64) {
	at,
		_ := slices.BinarySearchFunc(s.blocks, place,
		func(b naiveBlock, place uint64) int { return cmp.Compare(b.place, place) })
	s.blocks = slices.Insert(s.blocks, at, naiveBlock{place, size, i})
	s.place[i], s.block[i], s.within[i] = place, size, -1
	for _, r := range s.reserved {
		if s.start(r) <= place && place < s.start(r)+s.size[r] {
			s.within[i] = r
		}
	}
}

func (s *naiveSpace) rounded(i int) uint64 {
	size := s.allocSize[i]
	if at := slices.Index(s.roundedFrom, size); at >= 0 {
		return s.roundedTo[at] / s.unit
	}
	return max(512, (size+511)/512*512) / s.unit
}

func (s *naiveSpace) nextPlace(i int) (uint64, bool) {
	v := s.escape[s.nextEscape]
	if s.nextEscape++; v == 0 {
		s.place[i], s.within[i] = naiveOutside, -1
		return 0, false
	}
	delta := int64((v - 1) / 2)
	if v%2 == 0 {
		delta = -int64(v / 2)
	}
	s.lastEscape[s.allocSize[i]] += uint64(delta)
	return s.lastEscape[s.allocSize[i]], true
}

// kindAt is what is reserved where a place lies.
func (s *naiveSpace) kindAt(place uint64) int {
	for _, r := range s.reserved {
		if s.start(r) <= place && place < s.start(r)+s.size[r] {
			return int(s.kind[r])
		}
	}
	return -1
}

// blockIn is how many units a block has when so many are free.
func (s *naiveSpace) blockIn(i int, room uint64, kind int) uint64 {
	size := s.rounded(i)
	if size > room || s.kindExpandable[kind] == 0 && s.kindLarge[kind] == 1 && (room-size)*s.unit <= 1<<20 {
		size = room
	}
	if at, is := slices.BinarySearch(s.moreAlloc, uint64(i)); is {
		size += uint64(s.moreUnits[at])
	}
	return size
}

func (s *naiveSpace) old(n int) error {
	var order []int
	for i := range n {
		if place, is := s.nextPlace(i); is {
			s.place[i] = place
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.place[a], s.place[b]) })
	for number, i := range order {
		place := s.place[i]
		kind := s.kindAt(place)
		if kind < 0 {
			return errors.New("a block where nothing is reserved")
		}
		for _, g := range s.gaps(kind) {
			if g.place <= place && place < g.place+g.size {
				end := g.place + g.size
				if number+1 < len(order) {
					end = min(end, s.place[order[number+1]])
				}
				s.put(i, place, s.blockIn(i, end-place, kind))
			}
		}
	}
	return nil
}

// gaps are all gaps of a kind, by size, then place.
func (s *naiveSpace) gaps(kind int) (list []naiveGap) {
	b := 0
	for n := 0; n < len(s.reserved); n++ {
		r := s.reserved[n]
		if int(s.kind[r]) != kind {
			continue
		}
		from, to := s.start(r), s.start(r)+s.size[r]
		for ; n+1 < len(s.reserved) && s.kindExpandable[kind] == 1; n++ {
			next := s.reserved[n+1]
			if int(s.kind[next]) != kind || s.lane[next] != s.lane[r] || s.start(next) != to {
				break
			}
			to = s.start(next) + s.size[next]
		}
		for ; b < len(s.blocks) && s.blocks[b].place < to; b++ {
			if s.blocks[b].place < from {
				continue
			}
			if s.blocks[b].place > from {
				list = append(list, naiveGap{from, s.blocks[b].place - from, false})
			}
			from = s.blocks[b].place + s.blocks[b].size
		}
		if from < to {
			list = append(list, naiveGap{from, to - from, s.kindExpandable[kind] == 1})
		}
	}
	slices.SortFunc(list,
		func(a, b naiveGap) int { return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.place, b.place)) })
	return list
}

func (s *naiveSpace) born(i, preExisting int) error {
	code := s.code[i-preExisting]
	size := s.rounded(i)
	group := [3]uint64{0, s.allocStream[i], 0}
	if size*s.unit > 1<<20 {
		group[2] = 1
	}
	if len(s.allocPool) > 0 {
		group[0] = s.allocPool[i]
	}
	if code == 1 {
		place, is := s.nextPlace(i)
		if !is {
			return nil
		}
		kind := s.kindAt(place)
		if kind < 0 {
			return errors.New("a block where nothing is reserved")
		}
		s.kindOf[group] = kind
		for _, g := range s.gaps(kind) {
			if g.place <= place && place < g.place+g.size {
				s.put(i, place, s.blockIn(i, g.place+g.size-place, kind))
				return nil
			}
		}
		return errors.New("a block where another one is")
	}
	kind, is := s.kindOf[group]
	if !is {
		return errors.New("no kind")
	}
	fits := slices.DeleteFunc(s.gaps(kind), func(g naiveGap) bool { return g.size < size })
	number, offset := uint64(0), uint64(0)
	if code == 0 {
		reach := func(g naiveGap) uint64 {
			if g.grows {
				return 1<<40 - g.place
			}
			return g.size
		}
		for s.kindExpandable[kind] == 1 && number < 64 && int(number)+1 < len(fits) &&
			reach(fits[number+1]) < reach(fits[number]) {
			number++
		}
	} else if number = (code - 2) / 2; code%2 == 1 {
		offset = s.codeOffset[s.nextOffset]
		s.nextOffset++
	}
	if number >= uint64(len(fits)) {
		return errors.New("no gap")
	}
	g := fits[number]
	s.put(i, g.place+offset, s.blockIn(i, g.size-offset, kind))
	return nil
}

// addresses are those of the allocations.
func (s *naiveSpace) addresses(raw []byte, view *recording.Device) ([]uint64, error) {
	r := columnReader{rest: raw}
	lanes, outside := sums(r.signed()), sums(r.signed())
	if err := r.finish(); err != nil || !view.HasAddr {
		return nil, err
	}
	base, err := strconv.ParseUint(view.BaseAddr, 0, 64)
	if err != nil {
		return nil, err
	}
	for _, lane := range lanes {
		s.laneAddr = append(s.laneAddr, base+uint64(lane))
	}
	list := make([]uint64, len(s.place))
	for i, place := range s.place {
		if place == naiveOutside {
			list[i], outside = base+uint64(outside[0]), outside[1:]
			continue
		}
		lane := len(s.starts) - 1
		for s.starts[lane] > place {
			lane--
		}
		list[i] = base + uint64(lanes[lane]) + (place-s.starts[lane])*s.unit
	}
	return list, nil
}
