package snapshot

import (
	"bytes"
	"testing"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// TestMLX: a file without segments is of MLX only if no torch can have written it.
func TestMLX(t *testing.T) {
	event := func(action string, more ...any) dict {
		return append(dict{"action", action, "addr", 512, "size", 512, "stream", 0}, more...)
	}
	took, alloc, free := event("segment_alloc"), event("alloc"), event("free_completed")
	for _, tt := range []struct {
		name   string
		events list
		more   dict
		want   bool
	}{
		{"MLX", list{took, alloc, free}, nil, true},
		{"its metadata", list{took, event("alloc", "user_metadata", "Matmul", "category", "activation")}, nil, true},
		{"a torch that gave everything back", list{took, alloc, event("free_requested"), free, event("segment_free")},
			nil,
			false},
		{"no memory from the system", list{alloc, free}, nil, false},
		{"no request", list{took, event("segment_free")}, nil, false},
		{"expandable segments", list{event("segment_map"), took, alloc}, nil, false},
		{"settings", list{took, alloc, free}, dict{"allocator_settings", dict{}}, false},
		{"annotations", list{took, alloc, free}, dict{"external_annotations", list{}}, false},
		{"a compiler", list{took, event("alloc", "compile_context", "N/A")}, nil, false},
		{"pools", list{took, event("alloc", "pool_id", pair{})}, nil, false},
	} {
		s := load(t, append(dict{"segments", list{}, "device_traces", list{tt.events}}, tt.more...))
		writer, label := "MLX", "gpu:0"
		if !tt.want {
			writer, label = "torch "+s.TorchVersion(), "cuda:0"
		}
		if s.Format.MLX != tt.want || s.Writer() != writer || s.DeviceLabel(0) != label || s.EndKnown(0) == tt.want {
			t.Errorf("%s: MLX %t, %s on %s", tt.name, s.Format.MLX, s.Writer(), s.DeviceLabel(0))
		}
	}
	withSegment := withField("", nil)
	withSegment[3] = list{list{took, alloc}}
	if s := load(t, withSegment); s.Format.MLX {
		t.Error("a file with a segment is of MLX")
	}
	data := pickled(t, dict{"device_traces", list{list{took, alloc, free}}, "allocator_settings", dict{"a", 1}})
	s, err := ReadWith(bytes.NewReader(data[:len(data)-20]), 1, Options{Salvage: true, Limits: pickle.Limits{}})
	if err != nil || s.Format.MLX {
		t.Errorf("a cut file is of MLX, though settings may follow (%v)", err)
	}
}

// TestNPU: files of torch_npu on the stacks say what the order of keys does not.
func TestNPU(t *testing.T) {
	for file, want := range map[string]string{
		"/lib/python3.11/site-packages/torch_npu/npu/memory.py": "npu:0",
		`C:\torch_npu\csrc\NPUCachingAllocator.cpp`:             "npu:0",
		"/src/torch_npu_tools.py":                               "cuda:0",
		"torch/npu.py":                                          "cuda:0",
	} {
		v := withField("", nil)
		trace := v[3].(list)[0].(list)
		trace[0] = append(trace[0].(dict), "frames", list{frame(file, 3, "f")})
		s := load(t, v)
		if torch := map[string]string{"npu:0": "unknown (torch_npu)",
			"cuda:0": "2.0 or earlier"}[want]; s.DeviceLabel(0) !=
			want || s.TorchVersion() != torch {
			t.Errorf("%s: torch %s on %s, want %s on %s", file, s.TorchVersion(), s.DeviceLabel(0), torch, want)
		}
	}
}
