package phrase

import (
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Backend has the names that sentences need of what runs a device.
type Backend struct {
	Module     string // of Python; it has memory._record_memory_history; "" if memviz knows none
	emptyCache string // the call that gives cached memory back
	Monitor    string // the program that shows what uses the devices
	Others     string // that use memory outside of the allocator
	Context    string // what the driver takes for itself

	// Calls of the driver that make and free segments, on the device and of host memory; ""
	// where events stand for what they are.
	Malloc, Free, HostMalloc, HostFree string
}

var Backends = [...]Backend{
	snapshot.CUDA: {"torch.cuda", "empty_cache()", "nvidia-smi", "NCCL", "CUDA context",
		"cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaFreeHost"},
	snapshot.ROCm: {"torch.cuda", "empty_cache()", "rocm-smi", "RCCL", "HIP context",
		"hipMalloc", "hipFree", "hipHostMalloc", "hipHostFree"},
	snapshot.XPU: {"torch.xpu", "empty_cache()", "xpu-smi", "oneCCL", "context of the driver", "", "", "", ""},
	snapshot.NPU: {"torch_npu.npu", "empty_cache()", "npu-smi info", "HCCL", "context of the driver", "", "", "", ""},
	snapshot.MLX: {"", "mx.clear_cache()", "", "", "context of the driver", "", "", "", ""},
}

func BackendOf(s *snapshot.Snapshot) *Backend { return &Backends[s.Backend()] }
