package answer

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestBackends: what is said of a file names the functions and tools of what runs its device,
// and none of another.
func TestBackends(t *testing.T) {
	for file, test := range map[string]struct {
		backend snapshot.Backend
		module  string
		others  []string
	}{
		"event_pools.json": {snapshot.CUDA, "torch.cuda.", []string{"hip", "HIP", "rocm", "RCCL", "xpu", "npu"}},
		"rocm.json":        {snapshot.ROCm, "torch.cuda.", []string{"cudaMalloc", "NCCL", "CUDA context", "nvidia"}},
		"xpu.json":         {snapshot.XPU, "torch.xpu.", []string{"cuda", "CUDA", "NCCL", "nvidia"}},
		"npu.json":         {snapshot.NPU, "torch_npu.npu.", []string{"cuda", "CUDA", "NCCL", "nvidia"}},
		"npu_native.json":  {snapshot.NPU, "torch_npu.npu.", []string{"cuda", "CUDA", "NCCL", "nvidia"}},
	} {
		s, err := snapshot.Open(filepath.Join(newer, file))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Backend(); got != test.backend {
			t.Errorf("%s: backend %d, want %d", file, got, test.backend)
		}
		in := []Input{NewInput(file, s)}
		said := ""
		events, err := Events(in, EventOptions{})
		if err != nil {
			t.Fatal(err)
		}
		said += string(written(t, events, Text))
		for i := range s.Traces { // without stacks and events, which brings advice on recording
			s.Traces[i].Events = snapshot.Events{}
		}
		said += string(written(t, Stats([]Input{NewInput(file, s)}, StatsOptions{}), Text))
		if !strings.Contains(said, test.module+"memory._record_memory_history") {
			t.Errorf("%s: %s is not named:\n%s", file, test.module, said)
		}
		for _, word := range test.others {
			if strings.Contains(said, word) {
				t.Errorf("%s: %s in\n%s", file, word, said)
			}
		}
	}
}
