package report

import (
	"path/filepath"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestCorpus writes a page of every real snapshot in the folder that
// MEMVIZ_CORPUS names and reads it back.
func TestCorpus(t *testing.T) {
	for _, file := range testkit.Corpus(t) {
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
