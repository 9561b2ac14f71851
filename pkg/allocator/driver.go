package allocator

// Driver provides an allocator with device memory, as the CUDA runtime and driver do for
// PyTorch. Sizes are in bytes.
type Driver interface {
	// Malloc makes a range (cudaMalloc). ok is false if the device does not have enough
	// free memory.
	Malloc(size int64) (addr uint64, ok bool)
	// Free frees a range that Malloc made (cudaFree).
	Free(addr uint64)

	// Reserve reserves address space without memory (cuMemAddressReserve).
	Reserve(size int64) (addr uint64, ok bool)
	// Release frees a range that Reserve made and that has no memory mapped
	// (cuMemAddressFree).
	Release(addr uint64)
	// Map maps memory into a part of a reserved range; if ok is false, none of it is
	// mapped (cuMemCreate, cuMemMap).
	Map(addr uint64, size int64) (ok bool)
	// Unmap undoes Map (cuMemUnmap, cuMemRelease).
	Unmap(addr uint64, size int64)

	// Memory returns the free and the total memory of the device (cudaMemGetInfo).
	Memory() (free, total int64)
	// GlobalMemory returns the memory of the device's model
	// (cudaDeviceProp.totalGlobalMem), which determines the size of reservations.
	GlobalMemory() int64
}

// Addresses of a SimulatedDriver. The two kinds of ranges never overlap.
const (
	firstMalloc      = 0x7f00_0000_0000
	firstReservation = 0x1000_0000_0000
	mallocStep       = 2 * mib
	reservationStep  = 1 << 40
)

// SimulatedDriver is a [Driver] with a fixed amount of memory. Ranges of both
// kinds are handed out upwards and never reused: cudaMalloc's from 0x7f0000000000
// in steps of 2 MiB, reservations from 0x100000000000 at least 1 TiB apart.
type SimulatedDriver struct {
	// ModelMemory is the total memory of the device's model in bytes. It is at least the
	// capacity, which is less if other processes use memory.
	ModelMemory int64

	capacity, used  int64
	mallocs         map[uint64]int64 // address -> size
	nextMalloc      uint64
	nextReservation uint64
}

// NewSimulatedDriver returns a device with capacity bytes of unused memory, and as much
// ModelMemory.
func NewSimulatedDriver(capacity int64) *SimulatedDriver {
	return &SimulatedDriver{
		ModelMemory:     capacity,
		capacity:        capacity,
		mallocs:         map[uint64]int64{},
		nextMalloc:      firstMalloc,
		nextReservation: firstReservation,
	}
}

func (d *SimulatedDriver) Malloc(size int64) (addr uint64, ok bool) {
	if !d.take(size) {
		return 0, false
	}
	addr = d.nextMalloc
	d.mallocs[addr] = size
	d.nextMalloc += uint64(roundUp(size, mallocStep))
	return addr, true
}

func (d *SimulatedDriver) Free(addr uint64) {
	d.used -= d.mallocs[addr]
	delete(d.mallocs, addr)
}

func (d *SimulatedDriver) Reserve(size int64) (addr uint64, ok bool) {
	addr = d.nextReservation
	d.nextReservation += uint64(roundUp(size, reservationStep))
	return addr, true
}

func (d *SimulatedDriver) Release(addr uint64) {}

func (d *SimulatedDriver) Map(addr uint64, size int64) (ok bool) { return d.take(size) }

func (d *SimulatedDriver) Unmap(addr uint64, size int64) { d.used -= size }

func (d *SimulatedDriver) Memory() (free, total int64) { return d.capacity - d.used, d.capacity }

func (d *SimulatedDriver) GlobalMemory() int64 { return d.ModelMemory }

// take uses size bytes of memory if that many are free.
func (d *SimulatedDriver) take(size int64) (ok bool) {
	if size > d.capacity-d.used {
		return false
	}
	d.used += size
	return true
}
