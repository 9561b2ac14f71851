package whatif

import (
	"path/filepath"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testkit"
)

func TestTmp(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(testkit.CorpusDir(t), "*.pickle"))
	more, _ := filepath.Glob("../../examples/*/*.gz")
	for _, f := range append(files, more...) {
		s, err := snapshot.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range s.Devices() {
			r := New(analysis.Record(s, analysis.Stacks(s), replay.Replay(s, id)))
			t.Logf("%s %d: %+v %+v %+v", filepath.Base(f), id, r.Proof, r.Proof.First, r.Limit)
		}
	}
}
