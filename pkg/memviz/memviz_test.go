package memviz_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/memviz"
	"github.com/memviz-go/memviz/pkg/samples"
)

// TestSites adds up what is live in every state, allocation by allocation.
func TestSites(t *testing.T) {
	file := memviz.New("training", samples.Training())
	if len(file.Devices) == 0 {
		t.Fatal("the sample has no device")
	}
	for _, d := range file.Devices {
		for state := range d.States() {
			var bytes int64
			count := 0
			for i := range d.Allocations {
				if d.Allocations[i].LiveIn(state) {
					bytes += d.Allocations[i].Size
					count++
				}
			}
			for i, site := range d.Sites(state) {
				bytes -= site.Bytes
				count -= site.Allocations
				if i > 0 && site.Bytes > d.Sites(state)[i-1].Bytes {
					t.Errorf("state %d: site %d is larger than the one before it", state, i)
				}
			}
			if bytes != 0 || count != 0 {
				t.Errorf("state %d: the sites miss %d bytes in %d allocations", state, bytes, count)
			}
		}
		for _, state := range []int{-1, d.States()} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("there is no state %d, and nothing was said", state)
					}
				}()
				d.Sites(state)
			}()
		}
	}
}

// TestOpenMissing passes the error of the package snapshot on.
func TestOpenMissing(t *testing.T) {
	if file, err := memviz.Open("no such file"); err == nil {
		t.Errorf("opened %v", file)
	}
}
