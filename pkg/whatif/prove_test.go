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
			if r.Proof.Holds() {
				for _, o := range r.PredictAll(append(r.Usual(), r.Recorded()), r.Limit.Bytes) {
					t.Logf("   %-60s %v %d %d..%d frag %d of %d, %+v retries %d fail %d avoided %d %v", o.Setting.Conf, o.Options.Anew, o.ReservedPeak>>20, o.Least>>20, o.Most>>20, o.Fragmentation>>20, o.FragmentationOf>>20, o.Calls, o.Retries, o.FailedOf, o.Avoided, o.TooMuch)
				}
				t.Logf("recorded %d bound %d", r.ReservedPeak()>>20, r.LowerBound()>>20)
			}
			t.Logf("%s %d: %+v %+v %+v", filepath.Base(f), id, r.Proof, r.Proof.First, r.Limit)
		}
	}
}
