package replay_test

import (
	"fmt"
	"log"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// The tensors that are live at the peak, and the largest of them.
func ExampleReplay() {
	s, err := snapshot.Open("../../examples/training-loop/snapshot.pickle.gz")
	if err != nil {
		log.Fatal(err)
	}
	for _, id := range s.Devices() {
		d := replay.Replay(s, id)
		live, largest := 0, int64(0)
		for i := range d.Allocations {
			if a := &d.Allocations[i]; a.LiveIn(d.Totals.PeakState) {
				live++
				largest = max(largest, a.Size)
			}
		}
		fmt.Println(s.DeviceLabel(id), "adds up:", d.AddsUp())
		fmt.Println(live, "tensors at the peak, the largest of", largest, "bytes")
	}
	// Output:
	// cuda:0 adds up: true
	// 247 tensors at the peak, the largest of 134217728 bytes
}
