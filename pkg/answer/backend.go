package answer

import "github.com/memviz-go/memviz/pkg/snapshot"

// backend has the names that sentences need of what runs a device.
type backend struct {
	module     string // of Python; it has memory._record_memory_history; "" if memviz knows none
	emptyCache string // the call that gives cached memory back
	monitor    string // the program that shows what uses the devices
	others     string // that use memory outside of the allocator
	context    string // what the driver takes for itself

	// Calls of the driver that make and free segments, on the device and of host memory; ""
	// where events stand for what they are.
	malloc, free, hostMalloc, hostFree string
}

var backends = [...]backend{
	snapshot.CUDA: {"torch.cuda", "empty_cache()", "nvidia-smi", "NCCL", "CUDA context",
		"cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaFreeHost"},
	snapshot.ROCm: {"torch.cuda", "empty_cache()", "rocm-smi", "RCCL", "HIP context",
		"hipMalloc", "hipFree", "hipHostMalloc", "hipHostFree"},
	snapshot.XPU: {"torch.xpu", "empty_cache()", "xpu-smi", "oneCCL", "context of the driver", "", "", "", ""},
	snapshot.NPU: {"torch_npu.npu", "empty_cache()", "npu-smi info", "HCCL", "context of the driver", "", "", "", ""},
	snapshot.MLX: {"", "mx.clear_cache()", "", "", "context of the driver", "", "", "", ""},
}

func backendOf(s *snapshot.Snapshot) *backend { return &backends[s.Backend()] }

// RecordFunction is the function of Python that starts recording; "" for files that torch
// did not write.
func RecordFunction(s *snapshot.Snapshot) string {
	if module := backendOf(s).module; module != "" {
		return module + ".memory._record_memory_history"
	}
	return ""
}
