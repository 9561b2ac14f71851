package answer_test

import (
	"io"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/strip"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// TestAvoidable: an output of 64 MiB lives into the next forward pass, and the only
// step of another program makes 80 MiB of state.
func TestAvoidable(t *testing.T) {
	const head = "head.py|project\n" + answertest.ScriptForward
	inference := answertest.NewScript()
	var output snapshot.EventText
	for i := range 4 {
		inference.Free(inference.Make(1<<20, "train.py|batch"), "train.py|batch")
		made := inference.Make(64*answertest.GrowthMiB, head)
		if i > 0 {
			inference.Free(output, "train.py|main")
		}
		output = made
	}
	in := []answer.Input{answer.NewInput("inference.pickle", inference.Snapshot())}
	whole := statsOf(in, stats.Options{Rows: 3})
	if len(whole.Avoidable) != 1 || whole.Avoidable[0] != (stats.Avoidable{Kind: "last_outputs",
		Bytes: 64 * answertest.GrowthMiB, Allocations: 1, Site: "head.py:1:project",
		Remedy: "del them before the next forward pass", PeakBytes: 65 * answertest.GrowthMiB}) ||
		// with a batch of 1 MiB
		whole.AvoidablePeak != 65*answertest.GrowthMiB || whole.PeakBytes != 128*answertest.GrowthMiB ||
		whole.FirstStep != 0 {
		t.Errorf("%+v", whole)
	}
	const sentence = "Alive at the peak and not needed there: 64.0 MiB in 1 tensor, allocated at head.py:1:project: " +
		"outputs of the last iteration. To avoid it, del them before the next forward pass; the peak would be 65.0 MiB."
	text := strings.Join(strings.Fields(string(answertest.Written(t, stats.Answer(in, stats.Options{Rows: 3}),
		sheet.Text))), " ")
	if !strings.Contains(text, sentence) {
		t.Error(text)
	}
	cards, _, _ := strip.Cards(in[0].Recordings[0], nil)
	if card := cards[0]; answertest.WithSpaces(card.Detail) != sentence ||
		card.Line != "outputs 100 %; 63.0 MiB avoidable" {
		t.Errorf("%+v", card)
	}

	first := answertest.NewScript()
	x := first.Make(100*answertest.GrowthMiB, "model.py|layer\n"+answertest.ScriptForward)
	first.Free(first.Make(1, "torch/_tensor.py|backward\ntrain.py|main"), "torch/_tensor.py|backward\ntrain.py|main")
	first.Free(x, "torch/_tensor.py|backward\ntrain.py|main")
	for range 4 {
		first.Make(20*answertest.GrowthMiB, "torch/optim/adam.py|_init_group\n"+answertest.ScriptOptimizer)
	}
	in = []answer.Input{answer.NewInput("first.pickle", first.Snapshot())}
	whole = statsOf(in, stats.Options{Rows: 3})
	if whole.FirstStep != 80*answertest.GrowthMiB || whole.NextStepPeak != 180*answertest.GrowthMiB+1 ||
		len(whole.Avoidable) != 0 ||
		whole.AvoidablePeak != whole.PeakBytes {
		t.Errorf("%+v", whole)
	}
	const fact = "A first step: the next ones hold 80.0 MiB of optimizer state more during the pass."
	cards, _, _ = strip.Cards(in[0].Recordings[0], nil)
	if card := cards[0]; answertest.WithSpaces(card.Detail) != fact ||
		!strings.HasSuffix(card.Line, "; a first step") {
		t.Errorf("%+v", card)
	}
	if list := trust.WarningsOf(in[0].Recordings[0]); len(list) == 0 ||
		answertest.WithSpaces(list[len(list)-1].Fact) != fact {
		t.Errorf("%+v", list)
	}
	text = answertest.Said(t, func(s *sheet.Sheet) { trust.WriteWarnings(s, in[0].Recordings[0]) })
	if !strings.Contains(text,
		fact+" With it the pass peaks at about 180 MiB, or more. To see it, train for a few steps") {
		t.Error(text)
	}

	in[0].Snapshot.Salvaged = &snapshot.Salvaged{NoEnd: true, Events: in[0].Devices[0].Events.Len(),
		Err: io.ErrUnexpectedEOF}
	text = answertest.Said(t, func(s *sheet.Sheet) { trust.WriteWarnings(s, in[0].Recordings[0]) })
	if !strings.Contains(text, fact+" With it the pass peaks at about 180 MiB, or more. Only a part of the file could "+
		"be read: the whole one may hold more of them.") || strings.Contains(text, "record more") {
		t.Error(text)
	}
}

// statsOf are the stats of the first device.
func statsOf(in []answer.Input, o stats.Options) stats.Device {
	return stats.Answer(in, o).Value.(*answer.Devices[stats.Device]).Devices[0]
}
