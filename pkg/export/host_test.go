package export

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// TestHostMemoryIsNotAGPU: a profile is one sum, so host memory is in it only if no GPU is; the
// tracks of a trace name their memory.
func TestHostMemoryIsNotAGPU(t *testing.T) {
	sum := func(in answer.Input) (bytesInUse int64) {
		var file bytes.Buffer
		if err := pprofFormat.Write(&file, []answer.Input{in}, Options{}); err != nil {
			t.Fatal(err)
		}
		p, err := profile.Parse(&file)
		if err != nil {
			t.Fatal(err)
		}
		for _, sample := range p.Sample {
			bytesInUse += sample.Value[inUseSpace]
		}
		return bytesInUse
	}
	both, host := answer.NewInput("both", testsnap.Annotated()), answer.NewInput("host", testsnap.HostMemory())
	if got, want := sum(both), both.Devices[0].Totals.PeakBytes; got != want {
		t.Errorf("the profile of both sums up to %d, want %d of the GPU", got, want)
	}
	only := answer.NewInput("only", testsnap.Annotated())
	only.Only(snapshot.Pinned)
	for _, in := range []answer.Input{host, only} {
		if got, want := sum(in), in.Devices[0].Totals.PeakBytes; got != want {
			t.Errorf("%s: the profile sums up to %d, want %d", in.Name, got, want)
		}
	}
	var trace bytes.Buffer
	if err := perfettoFormat.Write(&trace, []answer.Input{host}, Options{}); err != nil {
		t.Fatal(err)
	}
	if text := trace.String(); strings.Contains(text, "GPU") || !strings.Contains(text, "pinned host memory, host") {
		t.Errorf("a trace of host memory mentions a GPU: %.300s", text)
	}
}
