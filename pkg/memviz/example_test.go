package memviz_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/memviz-go/memviz/pkg/memviz"
)

// The peak of a file and the three lines of user code that hold most of it.
func Example() {
	file, err := memviz.Open("../../examples/training-loop/snapshot.pickle.gz")
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range file.Devices {
		fmt.Println(d.Label, "peak", d.Totals.PeakBytes, "bytes")
		sites := slices.DeleteFunc(d.Sites(d.Totals.PeakState), func(s memviz.Site) bool { return !s.UserCode })
		for _, site := range sites[:min(3, len(sites))] {
			fmt.Println(site.Bytes, site.Name)
		}
	}
	// Output:
	// cuda:0 peak 1259352072 bytes
	// 285319168 /home/ada/gpt/train.py:60:main
	// 201326592 /home/ada/gpt/model.py:48:forward
	// 142659584 /home/ada/gpt/train.py:52:main
}

// A report of two snapshots as one HTML file.
func ExampleWriteReport() {
	before, err := memviz.Open("../../examples/ten-steps/before.pickle.gz")
	if err != nil {
		log.Fatal(err)
	}
	after, err := memviz.Open("../../examples/ten-steps/after.pickle.gz")
	if err != nil {
		log.Fatal(err)
	}
	out, err := os.Create(filepath.Join(os.TempDir(), "ten-steps.html"))
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(out.Name())
	if err := memviz.WriteReport(out, before, after); err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Close())
	// Output: <nil>
}
