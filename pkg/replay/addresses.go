package replay

import (
	"iter"
	"math/bits"
	"math/rand/v2"
)

// addressTable numbers the addresses that were ever used, in the order of their first use,
// and has a tenancy for each. Every event looks one up, and this open-addressing table is
// several times as fast as a map. A slot whose version is 0 is free.
type addressTable struct {
	slots []addressSlot
	used  int
	shift int    // of a hash, to an index into slots
	seed  uint64 // so that no file can aim for collisions
}

type addressSlot struct {
	addr uint64
	tenancy
}

func newAddressTable() *addressTable {
	t := &addressTable{seed: rand.Uint64()}
	t.resize(1 << 10)
	return t
}

// at is the tenancy of an address, the zero tenancy for one never used. It is
// valid until the next call.
func (t *addressTable) at(addr uint64) *tenancy {
	if slot := t.slot(addr); slot.version > 0 {
		return &slot.tenancy
	} else if 2*t.used < len(t.slots) {
		slot.addr = addr
		return &slot.tenancy
	}
	t.resize(2 * len(t.slots))
	slot := t.slot(addr)
	slot.addr = addr
	return &slot.tenancy
}

// begin makes an allocation the tenant of the address whose tenancy at has just
// returned.
func (t *addressTable) begin(of *tenancy, open ref) {
	if of.version == 0 {
		of.number = int32(t.used)
		t.used++
	}
	of.open = open
	of.version++
}

// slot is where an address is, or would be.
func (t *addressTable) slot(addr uint64) *addressSlot {
	mask := uint64(len(t.slots) - 1)
	for i := t.hash(addr); ; i = (i + 1) & mask {
		if slot := &t.slots[i&mask]; slot.version == 0 || slot.addr == addr {
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
		if slot.version > 0 {
			*t.slot(slot.addr) = slot
		}
	}
}

// all yields every address that was used, in no order.
func (t *addressTable) all() iter.Seq2[uint64, *tenancy] {
	return func(yield func(uint64, *tenancy) bool) {
		for i := range t.slots {
			if slot := &t.slots[i]; slot.version > 0 && !yield(slot.addr, &slot.tenancy) {
				return
			}
		}
	}
}
