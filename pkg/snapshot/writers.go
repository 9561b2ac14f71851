package snapshot

import (
	"slices"
	"strings"
)

// Writer is the program that wrote the file, such as "torch 2.5 to 2.7" or "MLX".
// The version is [Snapshot.TorchVersion].
func (s *Snapshot) Writer() string {
	if s.Format.MLX {
		return "MLX"
	}
	return "torch " + s.TorchVersion()
}

// Backend is the software that runs the recorded device. Advice about a file names its
// functions and tools.
type Backend uint8

const (
	CUDA Backend = iota
	ROCm
	XPU
	NPU
	MLX
)

// Backend is a guess where torch wrote the file for CUDA or ROCm, which have the same keys.
func (s *Snapshot) Backend() Backend {
	switch {
	case s.Format.MLX:
		return MLX
	case s.Format.XPU:
		return XPU
	case s.isNPU():
		return NPU
	case s.isROCm():
		return ROCm
	}
	return CUDA
}

// isROCm recognises torch's allocator on AMD's GPUs by its frames and settings.
func (s *Snapshot) isROCm() bool {
	return slices.ContainsFunc(s.Settings, func(item Setting) bool {
		return strings.Contains(item.Key, "hip") || strings.Contains(item.Key, "HIP")
	}) || slices.ContainsFunc(s.Frames, func(f Frame) bool { return strings.HasPrefix(s.Strings[f.Name], "c10::hip::") })
}

// findWriter notes which program wrote the file, if it is not torch on CUDA or ROCm.
// Segments, traces and settings must have been read.
func (b *builder) findWriter() {
	s := b.s
	f := &s.Format
	f.XPU = s.isXPU()
	f.MLX = !b.partial && s.isMLX()
}

// isXPU recognises the allocator of Intel's GPUs by the settings that it writes.
func (s *Snapshot) isXPU() bool {
	has := func(key string) bool {
		return slices.ContainsFunc(s.Settings, func(item Setting) bool { return item.Key == key })
	}
	return !s.Format.HasAnnotations && has("PYTORCH_ALLOC_CONF") && !has("PYTORCH_CUDA_ALLOC_CONF")
}

// isMLX recognises MLX, which writes events in torch's format with an empty list of
// segments. No torch writes such a file: versions that write no settings write a
// free_requested for every free, and list every segment that was not freed.
func (s *Snapshot) isMLX() bool {
	f := &s.Format
	if !f.HasTraces || f.HasSettings || f.HasAnnotations || f.HasCompileContext || f.HasEventPool || f.Legacy ||
		len(s.Segments) > 0 {
		return false
	}
	var seen [256]bool // by action
	for i := range s.Traces {
		for _, action := range s.Traces[i].Events.Action {
			seen[action] = true
		}
	}
	return seen[Alloc] && seen[SegmentAlloc] && !seen[FreeRequested] && !seen[SegmentMap]
}

// inPackage reports whether any frame is in a Python package, or in its sources.
func (s *Snapshot) inPackage(name string) bool {
	return slices.ContainsFunc(s.Frames, func(f Frame) bool {
		return strings.Contains(strings.ReplaceAll(s.Strings[f.File], `\`, "/"), "/"+name+"/")
	})
}
