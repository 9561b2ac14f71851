package replay

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// maxSum bounds the bytes that all sizes count together.
const maxSum = 1 << 62

// Replay replays the history of one device of a snapshot.
func Replay(s *snapshot.Snapshot, device snapshot.DeviceID) *Device {
	d := &Device{ID: device, Events: s.Events(device)}
	m := newMachine(d, s)
	batches, sorted := make(chan []int32), make(chan places, 1)
	go func() {
		m.at.numberEvents(s, d, batches)
		sorted <- newPlaces(m.at) // no new address can come later
	}()
	i := EventIndex(0)
	for batch := range batches {
		for _, address := range batch {
			m.step(i, address)
			i++
		}
	}
	m.settle(s)
	d.Allocations, d.PreExisting = m.pile()
	d.active = d.sumActive()
	d.traceReserved(s)
	d.sum()
	m.checkSpace(s, sorted)
	for _, n := range s.Oddity.Unread() {
		d.Anomalies[UnreadFields] += n
	}
	d.findHistoryCut(s)
	return d
}

// machine is the state of the replay between two events.
type machine struct {
	d             *Device
	at            *addressTable
	tenancies     []tenancy    // by number of an address
	pre           []Allocation // pre-existing, as their frees or blocks turn up
	room          int          // free elements at the front of born, for pre to move to
	born          []Allocation // after the room, by Start
	addresses     []int32      // by allocation of born after the room: the number of its address
	sum           int64        // of all sizes
	endsAtRequest bool         // some allocation does: the completion of its free was not recorded
}

// tenancy is the current use of an address, and the number of earlier ones.
type tenancy struct {
	open    ref
	version int32 // allocations seen at this address; 0: never used
}

// ref names an allocation while it may still move: i is born[i], -i-1 is
// pre[i], closed is neither.
type ref int32

const closed ref = 1<<31 - 1

func (t *tenancy) isOpen() bool { return t.version > 0 && t.open != closed }

func newMachine(d *Device, s *snapshot.Snapshot) *machine {
	allocs, room := 0, 0
	for _, a := range d.Events.Action {
		if a == snapshot.Alloc {
			allocs++
		}
	}
	for range s.LiveBlocks(d.ID) {
		room++ // each may turn out to be pre-existing
	}
	m := &machine{d: d, at: newAddressTable(), room: room}
	m.born = make([]Allocation, room, room+allocs)
	m.addresses = make([]int32, 0, allocs)
	return m
}

func (m *machine) get(r ref) *Allocation {
	if r >= 0 {
		return &m.born[r]
	}
	return &m.pre[-r-1]
}

// tenant returns the allocation open at a numbered address, or nil. Both results are
// valid until the next call.
func (m *machine) tenant(address int32) (*Allocation, *tenancy) {
	for int(address) >= len(m.tenancies) {
		m.tenancies = append(m.tenancies, tenancy{})
	}
	t := &m.tenancies[address]
	if !t.isOpen() {
		return nil, t
	}
	return m.get(t.open), t
}

// begin makes an allocation the tenant.
func (t *tenancy) begin(open ref) {
	t.open = open
	t.version++
}

// step replays event i, with the number of its address.
func (m *machine) step(i EventIndex, address int32) {
	e := m.d.Events
	switch action := e.Action[i]; action {
	case snapshot.Alloc:
		m.alloc(i, address)
	case snapshot.FreeRequested:
		m.freeRequested(i, address)
	case snapshot.FreeCompleted:
		m.freeCompleted(i, address)
	case snapshot.Free:
		m.freeRequested(i, address)
		m.freeCompleted(i, address)
	case snapshot.OOM:
		m.d.Totals.OOMEvents++
	case snapshot.SnapshotTaken:
		m.d.Totals.SnapshotEvents++
	default:
		if !action.Known() {
			m.d.Anomalies[UnknownActions]++
		}
	}
}

func (m *machine) alloc(i EventIndex, address int32) {
	e := m.d.Events
	old, t := m.tenant(address)
	switch {
	case old == nil:
	case old.FreeRequested != None: // its completion was not recorded
		old.End = old.FreeRequested
		m.endsAtRequest = true
	default:
		old.End = i
		m.d.Anomalies[OverlappingAllocs]++
	}
	m.born = append(m.born, Allocation{
		Addr: e.Addr[i], Size: m.bytes(e.Size[i]), Start: i, End: None, FreeRequested: None,
		Stack: e.Stack[i], Stream: e.Stream[i], Version: t.version, From: FromAlloc,
	})
	t.begin(ref(len(m.born) - 1))
	m.addresses = append(m.addresses, address)
}

func (m *machine) freeRequested(i EventIndex, address int32) {
	e := m.d.Events
	a, t := m.tenant(address)
	switch {
	case a == nil:
		a = m.preExisting(i, t)
	case a.FreeRequested != None:
		m.d.Anomalies[RepeatedFrees]++
		return
	default:
		m.checkSize(a, i)
	}
	a.FreeRequested, a.FreeStack = i, e.Stack[i]
}

func (m *machine) freeCompleted(i EventIndex, address int32) {
	e := m.d.Events
	a, t := m.tenant(address)
	if a == nil {
		a = m.preExisting(i, t)
	} else if a.FreeRequested != i { // otherwise it is one event, and was checked
		m.checkSize(a, i)
	}
	a.End = i
	if a.FreeStack == 0 {
		a.FreeStack = e.Stack[i]
	}
	t.open = closed
}

// preExisting opens the allocation that the free event i proves to have been
// at its address before the recording.
func (m *machine) preExisting(i EventIndex, t *tenancy) *Allocation {
	e := m.d.Events
	if t.version > 0 {
		m.d.Anomalies[RepeatedFrees]++
	}
	m.d.Reconciliation.UnmatchedFrees++
	return m.addPre(t, Allocation{
		Addr: e.Addr[i], Size: m.bytes(e.Size[i]), Start: None, End: None, FreeRequested: None,
		Stream: e.Stream[i], Version: t.version, From: FromFree,
	})
}

func (m *machine) addPre(t *tenancy, a Allocation) *Allocation {
	m.pre = append(m.pre, a)
	t.begin(ref(-len(m.pre)))
	return &m.pre[len(m.pre)-1]
}

func (m *machine) checkSize(a *Allocation, free EventIndex) {
	if m.d.Events.Size[free] != a.Size {
		m.d.Anomalies[SizeMismatches]++
	}
}

// bytes returns a size that can be summed with all others.
func (m *machine) bytes(size int64) int64 { return m.d.bytes(&m.sum, size) }

// bytes returns a size that can be added to sum without overflow. An impossible size is
// counted, and is zero.
func (d *Device) bytes(sum *int64, size int64) int64 {
	if size < 0 || size > MaxSize || *sum > maxSum-size {
		d.Anomalies[ImpossibleSizes]++
		return 0
	}
	*sum += size
	return size
}

// pile returns all allocations in pile order and how many are pre-existing.
func (m *machine) pile() ([]Allocation, int) {
	slices.SortFunc(m.pre, func(a, b Allocation) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.Version, b.Version))
	})
	if unused := m.room - len(m.pre); unused >= 0 {
		copy(m.born[unused:], m.pre)
		return m.born[unused:], len(m.pre)
	}
	return slices.Concat(m.pre, m.born[m.room:]), len(m.pre)
}
