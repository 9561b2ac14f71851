// Package allocator is a model of PyTorch's native CUDA caching allocator
// (c10/cuda/CUDACachingAllocator.cpp, behaviour of torch 2.0 to 2.11). Fed a
// stream of requests it returns the addresses that PyTorch would return,
// emits the events that PyTorch would record, and can list its segments and
// blocks as a snapshot would.
//
// An [Allocator] serves one device. What it cannot decide itself, such as
// where cudaMalloc puts a range and when the memory is exhausted, it asks a
// [Driver]; [SimulatedDriver] is one with a fixed capacity. It knows nothing of
// call stacks and clocks: whoever drives it adds those in [Allocator.Emit].
//
// # How a request is served
//
// The request is rounded (rounding.go) and the rounded size picks the small or
// the large pool of the default pool or of a private one (privatepool.go).
// The best fitting free block of the stream serves it (search.go), and what
// is left over becomes a free block again. If none fits, the allocator asks the
// driver for a segment (grow.go) or maps more pages of an expandable one
// (expandable.go). If the driver refuses, cached memory is given back and the
// driver is asked again (release.go); if that fails too, the request is out of memory.
//
// A freed block joins its free neighbours (free.go), unless other streams
// still use it (streams.go).
//
// Nothing depends on the order of a map or on time: the same calls give the
// same addresses and events.
package allocator
