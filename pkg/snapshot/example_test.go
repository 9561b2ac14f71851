package snapshot_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Open reads a file whatever its encoding. Events are in columns, and every
// string, stack and stream is an index into the snapshot's tables.
func ExampleOpen() {
	s, err := snapshot.Open("../../examples/training-loop/snapshot.pickle.gz")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("torch", s.TorchVersion())
	for _, device := range s.Devices() {
		events := s.Events(device)
		allocs, largest := 0, 0
		for i, action := range events.Action {
			if action == snapshot.Alloc {
				allocs++
				if events.Size[i] > events.Size[largest] {
					largest = i
				}
			}
		}
		fmt.Printf("%s: %d events, %d of them allocs, the largest of %d bytes\n", s.DeviceLabel(device), events.Len(),
			allocs, events.Size[largest])
		for _, id := range s.Stacks.Frames(events.Stack[largest]) {
			if f := s.Frames[id]; f.Line > 0 {
				fmt.Printf("  at %s:%d, in %s\n", s.String(f.File), f.Line, s.String(f.Name))
				break
			}
		}
	}
	// Output:
	// torch 2.11
	// cuda:0: 3172 events, 1182 of them allocs, the largest of 134217728 bytes
	//   at /opt/conda/lib/python3.11/site-packages/torch/nn/modules/linear.py:134, in forward
}

// Errors in a file are an *Error with a Problem that identifies them.
func ExampleError() {
	_, err := snapshot.Open("testdata/encodings/make.py")
	var e *snapshot.Error
	fmt.Println(errors.As(err, &e) && e.Problem == snapshot.ProblemNotPickle)
	fmt.Println(err)
	// Output:
	// true
	// testdata/encodings/make.py: this is text, and begins with "\"\"\"Writes one sm"; expected what torch.cuda.memory._dump_snapshot() writes
}
