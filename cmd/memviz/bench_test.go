package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkCommands runs the commands whose speed matters most on the snapshot that
// MEMVIZ_SNAPSHOT names. Its profile is what the compiler optimizes memviz for.
func BenchmarkCommands(b *testing.B) {
	snapshot := os.Getenv("MEMVIZ_SNAPSHOT")
	if snapshot == "" {
		b.Skip("MEMVIZ_SNAPSHOT names no snapshot")
	}
	out := filepath.Join(b.TempDir(), "out.html")
	for _, command := range [][]string{{"stats", snapshot}, {"trace", snapshot, "-o", out}} {
		b.Run(command[0], func(b *testing.B) {
			for b.Loop() {
				if code := run(command, nil, io.Discard, io.Discard); code != exitDone {
					b.Fatalf("memviz %s: exit status %d", command[0], code)
				}
			}
		})
	}
}
