package container

import (
	"errors"
	"io"
	"testing"
)

// FuzzOpen: no input panics, a file and a pipe give the same result, and the output
// stays within the limits.
func FuzzOpen(f *testing.F) {
	limits := Limits{Bytes: 1 << 20, FreeBytes: 1 << 16, HeldBytes: 1 << 20, DirectoryBytes: 1 << 16}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err1 := Open(source(string(data)), limits)
		pipe, err2 := Open(Source{Reader: source(string(data)).Reader}, limits)
		var not1, not2 *NotSnapshotError
		if errors.As(err1, &not1) != errors.As(err2, &not2) || not1 != nil && not1.Kind != not2.Kind {
			t.Fatalf("as a file %v, as a pipe %v", err1, err2)
		}
		if err1 != nil || err2 != nil {
			return
		}
		if file.Kind != pipe.Kind || file.Kind != Pickle && file.Kind != JSON {
			t.Fatalf("%v as a file, %v as a pipe", file.Kind, pipe.Kind)
		}
		n, _ := io.Copy(io.Discard, file)
		if n > max(int64(len(data)), limits.Bytes) {
			t.Errorf("%d bytes came out of %d", n, len(data))
		}
	})
}
