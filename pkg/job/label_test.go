package job

import (
	"path/filepath"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestDeviceLabel: a digest names its device as the snapshot does.
func TestDeviceLabel(t *testing.T) {
	for _, file := range []string{"event_pools", "rocm", "xpu", "npu", "npu_native"} {
		s, err := snapshot.Open(filepath.Join("..", "snapshot", "testdata", "newer", file+".json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, device := range []snapshot.DeviceID{0, 3, snapshot.Pinned} {
			d := Digest{Torch: s.TorchVersion(), Device: int(device)}
			if got, want := d.DeviceLabel(), s.DeviceLabel(device); got != want {
				t.Errorf("%s: %s, want %s", file, got, want)
			}
		}
	}
}
