package answer_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
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
		s, err := snapshot.Open(filepath.Join(answertest.Newer(t), file))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Backend(); got != test.backend {
			t.Errorf("%s: backend %d, want %d", file, got, test.backend)
		}
		in := []answer.Input{answer.NewInput(file, s)}
		said := ""
		events, err := events.Answer(in, events.Options{})
		if err != nil {
			t.Fatal(err)
		}
		said += string(answertest.Written(t, events, sheet.Text))
		for i := range s.Traces { // without stacks and events, which brings advice on recording
			s.Traces[i].Events = snapshot.Events{}
		}
		said += string(answertest.Written(t, stats.Answer([]answer.Input{answer.NewInput(file, s)}, stats.Options{}),
			sheet.Text))
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
