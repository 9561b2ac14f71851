package report

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestCorpus writes a page of every real snapshot in the folder that
// MEMVIZ_CORPUS names and reads it back.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("MEMVIZ_CORPUS")
	if dir == "" {
		t.Skip("MEMVIZ_CORPUS does not name a folder of snapshots")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.pickle"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no snapshots in %s: %v", dir, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s, err := snapshot.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			in := answer.NewInput(file, s)
			_, page := render(t, in)
			checkFile(t, page, 0, &in)
		})
	}
}
