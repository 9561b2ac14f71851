package allocator

// Driver is the device memory under an allocator: what the CUDA runtime and
// driver are to PyTorch. Sizes are in bytes.
type Driver interface {
	// Malloc makes a range of its own (cudaMalloc). ok is false when the
	// device has not enough free memory.
	Malloc(size int64) (addr uint64, ok bool)
	// Free gives back a range that Malloc made (cudaFree).
	Free(addr uint64)

	// Reserve sets address space aside, without memory (cuMemAddressReserve).
	Reserve(size int64) (addr uint64, ok bool)
	// Release gives back a range that Reserve made and that has no memory mapped
	// (cuMemAddressFree).
	Release(addr uint64)
	// Map puts memory behind a part of a reserved range, all of it or, if ok
	// is false, none (cuMemCreate, cuMemMap).
	Map(addr uint64, size int64) (ok bool)
	// Unmap takes the memory away again (cuMemUnmap, cuMemRelease).
	Unmap(addr uint64, size int64)

	// Memory is the free and the total memory of the device (cudaMemGetInfo).
	Memory() (free, total int64)
	// GlobalMemory is the memory that the device's model has
	// (cudaDeviceProp.totalGlobalMem). Reservations are sized by it.
	GlobalMemory() int64
}
