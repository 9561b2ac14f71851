package allocator

import "testing"

// strictDriver is a simulated driver that fails the test on a call that CUDA
// would reject.
type strictDriver struct {
	*SimulatedDriver
	t        *testing.T
	reserved map[uint64]int64
	mapped   map[uint64]bool // pages of 2 MiB
}

func newStrictDriver(t *testing.T, capacity int64) *strictDriver {
	return &strictDriver{NewSimulatedDriver(capacity), t, map[uint64]int64{}, map[uint64]bool{}}
}

func (d *strictDriver) Free(addr uint64) {
	if _, ok := d.mallocs[addr]; !ok {
		d.t.Fatalf("free of %#x, which Malloc did not make", addr)
	}
	d.SimulatedDriver.Free(addr)
}

func (d *strictDriver) Reserve(size int64) (uint64, bool) {
	addr, ok := d.SimulatedDriver.Reserve(size)
	d.reserved[addr] = size
	return addr, ok
}

func (d *strictDriver) Release(addr uint64) {
	size, ok := d.reserved[addr]
	if !ok {
		d.t.Fatalf("release of %#x, which Reserve did not make", addr)
	}
	d.eachPage(addr, size, false, false)
	delete(d.reserved, addr)
}

func (d *strictDriver) Map(addr uint64, size int64) bool {
	d.eachPage(addr, size, false, false)
	if !d.SimulatedDriver.Map(addr, size) {
		return false
	}
	d.eachPage(addr, size, false, true)
	return true
}

func (d *strictDriver) Unmap(addr uint64, size int64) {
	d.eachPage(addr, size, true, false)
	d.SimulatedDriver.Unmap(addr, size)
}

// eachPage checks that all pages of a range are mapped, or not, and changes that.
func (d *strictDriver) eachPage(addr uint64, size int64, was, is bool) {
	if size <= 0 || addr%smallBuffer != 0 || size%smallBuffer != 0 || !d.inReservation(addr, size) {
		d.t.Fatalf("%d bytes at %#x are not whole pages of a reservation", size, addr)
	}
	for end := addr + uint64(size); addr < end; addr += smallBuffer {
		if d.mapped[addr] != was {
			d.t.Fatalf("page at %#x: mapped %v, want %v", addr, d.mapped[addr], was)
		}
		if was != is {
			d.mapped[addr] = is
		}
	}
}

func (d *strictDriver) inReservation(addr uint64, size int64) bool {
	for start, length := range d.reserved {
		if start <= addr && addr+uint64(size) <= start+uint64(length) {
			return true
		}
	}
	return false
}
