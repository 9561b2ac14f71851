package replay

import (
	"math/bits"
	"math/rand/v2"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// addressTable numbers addresses in the order of their first use. Every event looks one
// up, and this open-addressing table is several times as fast as a map.
type addressTable struct {
	slots []addressSlot
	used  int
	shift int    // of a hash, to an index into slots
	seed  uint64 // so that no file can aim for collisions
}

type addressSlot struct {
	addr   uint64
	number int32 // plus 1; 0: the slot is free
}

func newAddressTable() *addressTable {
	t := &addressTable{seed: rand.Uint64()}
	t.resize(1 << 10)
	return t
}

// number returns the number of an address, a new one if it was never used.
func (t *addressTable) number(addr uint64) int32 {
	slot := t.slot(addr)
	if slot.number == 0 {
		if 2*t.used >= len(t.slots) {
			t.resize(2 * len(t.slots))
			slot = t.slot(addr)
		}
		t.used++
		*slot = addressSlot{addr, int32(t.used)}
	}
	return slot.number - 1
}

// slot returns the slot where an address is, or would be.
func (t *addressTable) slot(addr uint64) *addressSlot {
	mask := uint64(len(t.slots) - 1)
	for i := t.hash(addr); ; i = (i + 1) & mask {
		if slot := &t.slots[i&mask]; slot.number == 0 || slot.addr == addr {
			return slot
		}
	}
}

func (t *addressTable) hash(addr uint64) uint64 {
	high, low := bits.Mul64(addr^t.seed, 0x9e3779b97f4a7c15)
	return ((high ^ low) * 0x9e3779b97f4a7c15) >> t.shift
}

func (t *addressTable) resize(n int) {
	old := t.slots
	t.slots, t.shift = make([]addressSlot, n), 65-bits.Len(uint(n))
	for _, slot := range old {
		if slot.number > 0 {
			*t.slot(slot.addr) = slot
		}
	}
}

// batchSize is how many events are numbered at a time: enough to make the cost of handing
// over batches negligible.
const batchSize = 1 << 16

// numberEvents sends the number of each event's address, ahead of the receiver, because
// looking up addresses is half of the work of a replay. Only the numbers of allocations
// and frees mean anything. A batch is valid until the next one is received. Before it
// closes the channel it numbers the addresses of the live blocks, too.
func (t *addressTable) numberEvents(s *snapshot.Snapshot, d *Device, batches chan<- []int32) {
	size := min(batchSize, d.Events.Len())
	buffers := [2][]int32{make([]int32, size), make([]int32, size)} // one to fill, one to read
	var last uint64                                                 // the address of the allocation or free before
	number, e := int32(-1), d.Events
	for from, k := 0, 0; from < e.Len(); from, k = from+batchSize, 1-k {
		batch := buffers[k][:min(batchSize, e.Len()-from)]
		for i := range batch {
			switch e.Action[from+i] {
			case snapshot.Alloc, snapshot.FreeRequested, snapshot.FreeCompleted, snapshot.Free:
				if addr := e.Addr[from+i]; addr != last || number < 0 {
					last, number = addr, t.number(addr)
				}
				batch[i] = number
			}
		}
		batches <- batch
	}
	for _, b := range s.LiveBlocks(d.ID) {
		t.number(b.Address)
	}
	close(batches)
}
