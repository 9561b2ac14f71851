package allocator_test

import (
	"errors"
	"fmt"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// A few requests on a small device: rounding, splitting, a request that the device has
// no memory for, and what a snapshot would show in the end.
func Example() {
	const mib = 1 << 20
	a := allocator.New(allocator.Settings{}, allocator.NewSimulatedDriver(48*mib))
	names := map[snapshot.Action]string{
		snapshot.Alloc: "alloc", snapshot.FreeRequested: "free_requested", snapshot.FreeCompleted: "free_completed",
		snapshot.SegmentAlloc: "segment_alloc", snapshot.SegmentFree: "segment_free", snapshot.OOM: "oom",
	}
	a.Emit = func(e allocator.Event) {
		fmt.Printf("%-14s %#x %d\n", names[e.Action], e.Addr, e.Size)
	}

	weights, err := a.Alloc(3*mib+100, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	var oom *allocator.OutOfMemoryError
	if _, err := a.Alloc(30*mib, 0); errors.As(err, &oom) {
		fmt.Println("free on the device:", oom.DeviceFree/mib, "MiB")
	}
	activations, err := a.Alloc(5*mib, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := a.Free(weights); err != nil {
		fmt.Println(err)
	}

	for _, segment := range a.Segments() {
		fmt.Printf("segment of %d MiB\n", segment.TotalSize/mib)
		for _, block := range segment.Blocks {
			fmt.Printf("  %#x %8d %s\n", block.Address, block.Size, block.State)
		}
	}
	fmt.Printf("activations are at %#x\n", activations)
	// Output:
	// segment_alloc  0x7f0000000000 20971520
	// alloc          0x7f0000000000 3145828
	// oom            0x0 31457280
	// free on the device: 28 MiB
	// alloc          0x7f0000300200 5242880
	// free_requested 0x7f0000000000 3145828
	// free_completed 0x7f0000000000 3145828
	// segment of 20 MiB
	//   0x7f0000000000  3146240 inactive
	//   0x7f0000300200  5242880 active_allocated
	//   0x7f0000800200 12582400 inactive
	// activations are at 0x7f0000300200
}
