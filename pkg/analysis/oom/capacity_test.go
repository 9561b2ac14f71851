package oom

import (
	"testing"
)

func TestFindGPU(t *testing.T) {
	for _, test := range []struct{ asked, want string }{
		{"H100", "H100-80GB"},
		{"NVIDIA H100 80GB HBM3", "H100-80GB"},
		{"NVIDIA A100-SXM4-80GB", "A100-80GB"},
		{"NVIDIA A100 80GB PCIe", "A100-80GB"},
		{"a100_40gb", "A100-40GB"},
		{"Tesla V100-SXM2-32GB", "V100-32GB"},
		{"NVIDIA GeForce RTX 4090", "RTX 4090"},
		{"rtx4090", "RTX 4090"},
		{"A6000", "RTX A6000"},
		{"L4", "L4"},
		{"L40", "L40"},
		{"A10", "A10"},
		{"A100", ""}, // of two sizes
		{"V100", ""},
		{"A1", ""},
		{"80GB", ""},
		{"", ""},
		{"NVIDIA", ""},
	} {
		if got, ok := FindGPU(test.asked); got.Name != test.want || ok != (test.want != "") {
			t.Errorf("%q is %q, %v; want %q", test.asked, got.Name, ok, test.want)
		}
	}
}

// Every card is found by its own name.
func TestGPUs(t *testing.T) {
	for _, name := range GPUNames() {
		if gpu, ok := FindGPU(name); !ok || gpu.Name != name {
			t.Errorf("%s finds %q", name, gpu.Name)
		}
	}
}
