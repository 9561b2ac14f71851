package layout

import (
	"slices"
	"sync"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestNearest takes the kind of a range from the closest address that is known.
func TestNearest(t *testing.T) {
	const small, large = snapshot.SizeClassSmall, snapshot.SizeClassLarge
	known := []knownAddress{
		{1000, spanKind{stream: 1, class: small}},
		{2000, spanKind{stream: 1, class: large}},
		{1 << 45, spanKind{stream: 1, class: small}},
		{1400, spanKind{stream: 2, class: large}},
	}
	slices.SortFunc(known, knownAddress.compare)
	k := &spanKinds{known: known}
	for _, test := range []struct {
		addr   uint64
		stream snapshot.StreamID
		class  snapshot.SizeClass
		near   bool
	}{
		{0, 1, small, true},
		{1000, 1, small, true},
		{1400, 1, small, true}, // what another stream has there does not count
		{1501, 1, large, true},
		{1<<45 - maxReservation, 1, small, false},
		{1<<45 - maxReservation + 1, 1, small, true},
		{1<<45 + maxReservation - 1, 1, small, true},
		{9000, 2, large, true},
		{1400, 3, large, false}, // nothing of the stream is known
		{1400, 0, large, false},
	} {
		kind, near := k.nearest(test.addr, test.stream)
		if kind.class != test.class || near != test.near {
			t.Errorf("address %d, stream %d: class %d, near %v; want %d, %v", test.addr, test.stream, kind.class, near,
				test.class, test.near)
		}
	}
}

// TestReleasedPages: pages that nothing tells of are small where they cannot be
// whole pages of 20 MiB.
func TestReleasedPages(t *testing.T) {
	const mib = 1 << 20
	for size, want := range map[int64]snapshot.SizeClass{
		2 * mib: snapshot.SizeClassSmall, 20 * mib: snapshot.SizeClassLarge,
		22 * mib: snapshot.SizeClassSmall, 40 * mib: snapshot.SizeClassLarge,
	} {
		k := &spanKinds{d: &replay.Device{Events: &snapshot.Events{
			Action: []snapshot.Action{snapshot.SegmentUnmap}, Addr: []uint64{1 << 30}, Size: []int64{size},
			Stream: []snapshot.StreamID{0},
		}}, settings: &Settings{}}
		if got := k.ofReleased(0); got.class != want || !got.expandable {
			t.Errorf("%d bytes: %+v, want class %d", size, got, want)
		}
	}
}

// TestRemainder: what follows a block of 10 MiB and belongs to it.
func TestRemainder(t *testing.T) {
	const (
		mib  = 1 << 20
		addr = uint64(1 << 30)
		end  = addr + 10*mib
		none = replay.None
	)
	large := Segment{SizeClass: snapshot.SizeClassLarge}
	behind := func(offset uint64, size int64, from, to replay.EventIndex) replay.Allocation {
		return replay.Allocation{Addr: end + offset, Size: size, Start: from, End: to, FreeRequested: none}
	}
	split := func(from, beyond int64) (s Settings) {
		s.MaxSplitSize, s.MaxNonSplitRounding = from, beyond
		return s
	}
	expandable := Settings{}
	expandable.Expandable = true
	for _, test := range []struct {
		name     string
		settings Settings
		segment  Segment
		ends     replay.EventIndex // of the block, which starts in event 10
		others   []replay.Allocation
		gap      int64
		want     int64
	}{
		{"1 MiB is not split off", Settings{}, large, 20, nil, mib, mib},
		{"more is", Settings{}, large, 20, nil, mib + 512, 0},
		{"a small segment", Settings{}, Segment{SizeClass: snapshot.SizeClassSmall}, 20, nil, 512, 0},
		{"an expandable segment", Settings{}, Segment{SizeClass: snapshot.SizeClassLarge, Expandable: true}, 20, nil,
			512, 0},
		{"expandable by the settings", expandable, large, 20, nil, 512, 0},

		{"a block began behind it meanwhile", Settings{}, large, 20,
			[]replay.Allocation{behind(mib/2, 2*mib, 12, 15)}, 3 * mib, mib / 2},
		{"at the limit", Settings{}, large, 20, []replay.Allocation{behind(mib, 2*mib, 12, 15)}, 3 * mib, mib},
		{"beyond the limit", Settings{}, large, 20, []replay.Allocation{behind(mib+512, 2*mib, 12, 15)}, 3 * mib, 0},
		{"a small block is of another segment", Settings{}, large, 20,
			[]replay.Allocation{behind(mib/2, mib, 12, 15)}, 3 * mib, 0},
		{"until the block began", Settings{}, large, 20, []replay.Allocation{behind(mib/2, 2*mib, 2, 10)}, 3 * mib, 0},
		{"until later", Settings{}, large, 20, []replay.Allocation{behind(mib/2, 2*mib, 2, 11)}, 3 * mib, mib / 2},
		{"before the block ended", Settings{}, large, 20,
			[]replay.Allocation{behind(mib/2, 2*mib, 19, none)}, 3 * mib, mib / 2},
		{"when it ended", Settings{}, large, 20, []replay.Allocation{behind(mib/2, 2*mib, 20, none)}, 3 * mib, 0},
		{"both live to the end", Settings{}, large, none,
			[]replay.Allocation{behind(mib/2, 2*mib, 90, none)}, 3 * mib, mib / 2},
		{"the lowest that lived meanwhile", Settings{}, large, 20, []replay.Allocation{
			behind(512, 2*mib, 2, 5), behind(512, 2*mib, 30, 35), behind(mib/2, 2*mib, 3, 6),
			behind(mib/2, 2*mib, 13, 16), behind(mib/2, 2*mib, 40, 45), behind(mib, 2*mib, 12, 15),
		}, 3 * mib, mib / 2},

		{"max_split_size keeps 20 MiB", split(10*mib, 0), large, 20, nil, 20 * mib, 20 * mib},
		{"and not more", split(10*mib, 0), large, 20, nil, 20*mib + 512, 0},
		{"unless a block began in them", split(10*mib, 0), large, 20,
			[]replay.Allocation{behind(3*mib, 12*mib, 12, 15)}, 20 * mib, 3 * mib},
		{"beyond the gap counts for nothing", split(10*mib, 0), large, 20,
			[]replay.Allocation{behind(6*mib, 12*mib, 2, 15)}, 5 * mib, 5 * mib},
		{"a smaller block is split", split(10*mib+512, 0), large, 20, nil, 2 * mib, 0},
		{"max_non_split_rounding", split(10*mib, 30*mib), large, 20, nil, 30 * mib, 30 * mib},
	} {
		t.Run(test.name, func(t *testing.T) {
			block := replay.Allocation{Addr: addr, Size: 10 * mib, Start: 10, End: test.ends, FreeRequested: none}
			z := &blockSizes{settings: &test.settings,
				d: &replay.Device{Allocations: append([]replay.Allocation{block}, test.others...)}}
			z.large = sync.OnceValue(z.sortLarge)
			if got := z.remainder(0, 10*mib, test.gap, test.segment.Expandable ||
				test.segment.SizeClass == snapshot.SizeClassSmall); got != test.want {
				t.Errorf("%d bytes, want %d", got, test.want)
			}
		})
	}
}
