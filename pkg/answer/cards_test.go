package answer

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/oom"
)

// What the page says of a failed request is what the command says.
func TestCardsOfFailures(t *testing.T) {
	in := example(t, "out-of-memory")
	s, err := OOM([]Input{in}, OOMOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := s.value.(*devices[OOMDevice]).Devices[0].OOMs
	cards, got := Cards(in.Recordings[0], Predict(in.Recordings[0]))
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%d failures, want %d", len(got), len(want))
	}
	for i, f := range got {
		try := haveLess
		if len(want[i].Advice) > 0 {
			try = want[i].Advice[0].Text
		}
		if f.State != want[i].State || f.Evidence != want[i].Evidence || f.Try != try {
			t.Errorf("failure %d is %+v, want %+v", i, f, want[i])
		}
	}
	if last := got[len(got)-1]; cards[3].Detail != last.Evidence || cards[3].Evidence.State != last.State {
		t.Errorf("the answer %+v is not of the last failure %+v", cards[3], last)
	}
}

func TestDiagnosis(t *testing.T) {
	const mib = 1 << 20
	o := oom.Failure{Active: 900 * mib, Reserved: 960 * mib, DeviceFree: 40 * mib, LargestSame: 12 * mib,
		FreeOther: 80 * mib, Capacity: 3000 * mib}
	for verdict, want := range map[oom.Verdict]string{
		oom.Pressure:   "90 % of the 1000 MiB that PyTorch could use was in use.",
		oom.Fragmented: "Enough was free, in pieces of at most 40.0 MiB: fragmentation.",
		oom.Other:      "Enough was cached, but 80.0 MiB of it for another stream or pool.",
		oom.Outside:    "1.95 GiB was used outside of PyTorch's allocator.",
		oom.Limit:      "The device had room: a limit of the process or a failed mapping refused it.",
	} {
		o.Verdict = verdict
		if got := strings.ReplaceAll(verdicts[o.Verdict].brief(&o), "\u00a0", " "); got != want {
			t.Errorf("%v: %q, want %q", verdict, got, want)
		}
	}
}

// The schema of memviz oom names the verdicts that there are.
func TestVerdictsOfSchema(t *testing.T) {
	var keys []string
	for v := range verdicts {
		keys = append(keys, oom.Verdict(v).Key())
	}
	last := len(keys) - 1
	want := strings.Join(keys[:last], ", ") + " or " + keys[last]
	if schema, _ := Schema("oom"); !strings.Contains(string(schema), `"description": "`+want+`"`) {
		t.Errorf("no key of the schema is described as %q", want)
	}
}

// A file without a history has one state, and nothing speaks of a peak there.
func TestCardsOfStateOnly(t *testing.T) {
	in := example(t, "training-loop")
	in.Snapshot.Traces, in.Snapshot.Annotations = nil, nil
	in = NewInput(in.Name, in.Snapshot)
	cards, _ := Cards(in.Recordings[0], nil)
	for _, c := range cards {
		if strings.Contains(c.Value+c.Small+c.Line, "peak") {
			t.Errorf("of its one state is said: %+v", c)
		}
	}
	if !strings.HasPrefix(cards[2].Line, "largest site: ") {
		t.Errorf("who allocated it is answered with %+v", cards[2])
	}
}
