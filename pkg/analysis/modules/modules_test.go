package modules_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/modules"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

func story(t *testing.T, file string) *analysis.Recording {
	t.Helper()
	s, err := snapshot.Open(filepath.Join("..", "..", "..", "examples", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return recorded.Snapshot(s)
}

// keptByGPT is what a block of the GPT of the examples keeps for backward, in bytes:
// of rows x width floats the results of two norms, of attention and of a sum, three
// times as much for queries, keys and values, four times as much before and after the
// activation function; a mean and a deviation a row for each norm; a sum a row and head.
func keptByGPT(rows, width, heads int64) int64 { return 4*rows*(width*(4+3+4+4)+4) + 4*rows*heads }

func TestBlocksOfStories(t *testing.T) {
	for _, test := range []struct {
		file, site    string
		passes, calls int
		kept          int64 // by each call of the pass that keeps most
	}{
		{"training-loop/snapshot.pickle.gz", "model.py:90:forward", 4, 6, keptByGPT(8*256, 512, 8)},
		{"checkpointing/before.pickle.gz", "train.py:29:run", 3, 6, 2 * 4 * 2048 * 2048},
	} {
		r := story(t, test.file)
		blocks := r.Modules().Blocks
		if len(blocks) != 1 {
			t.Fatalf("%s: %d blocks", test.file, len(blocks))
		}
		b := &blocks[0]
		site := r.Stacks.Frame(b.Caller).String()
		if !strings.HasSuffix(site, test.site) || len(b.Passes) != test.passes {
			t.Errorf("%s: %s in %d passes", test.file, site, len(b.Passes))
		}
		for p := range b.Passes {
			if n := len(b.Passes[p].Calls); n != test.calls {
				t.Errorf("%s, pass %d: %d calls", test.file, p, n)
			}
		}
		for i, call := range b.Largest().Calls {
			if call.KeptBytes != test.kept {
				t.Errorf("%s: call %d keeps %d bytes, want %d", test.file, i, call.KeptBytes, test.kept)
			}
			if slices.Contains(call.Kept, call.Output) || !slices.Contains(call.Requests, call.Output) {
				t.Errorf("%s: the output of call %d is %d, it keeps %v", test.file, i, call.Output, call.Kept)
			}
		}
	}
	// What is checkpointed keeps nothing but outputs, so no block is worth naming.
	if blocks := story(t, "checkpointing/after.pickle.gz").Modules().Blocks; len(blocks) != 0 {
		t.Errorf("with checkpoints: %+v", blocks)
	}
}

// TestBlocksOfRecordings: the counts are the numbers of layers of these models.
func TestBlocksOfRecordings(t *testing.T) {
	for file, want := range map[string]int{
		"train_medium_annotated_torch210.pickle": 24,
		"train_annotated_torch210.pickle":        12,
		"inference_torch210.pickle":              12,
		"train_small_torch210.pickle":            0, // no backward pass
	} {
		r := recorded.File(t, file)
		got := 0
		if blocks := r.Modules().Blocks; len(blocks) > 0 {
			got = len(blocks[0].Largest().Calls)
		}
		if got != want {
			t.Errorf("%s: %d calls, want %d", file, got, want)
		}
	}
}

// forward is a stack below a forward, outermost frame first.
func forward(t *testsnap.Tape, frames ...snapshot.FrameText) snapshot.StackID {
	slices.Reverse(frames)
	return t.Stack(frames...)
}

func TestModules(t *testing.T) {
	tape := testsnap.NewTape()
	main := snapshot.FrameText{File: "/home/a/train.py", Line: 3, Name: "main"}
	call := snapshot.FrameText{File: "/v/site-packages/torch/nn/modules/module.py", Line: 1, Name: "_call_impl"}
	checkpoint := snapshot.FrameText{File: "/v/site-packages/torch/utils/checkpoint.py", Line: 5, Name: "checkpoint"}
	model := snapshot.FrameText{File: "/home/a/model.py", Line: 7, Name: "Model.forward"}
	linear := snapshot.FrameText{File: "/v/site-packages/torch/nn/modules/linear.py", Line: 9, Name: "forward"}
	inner := forward(tape, main, call, model, checkpoint, call, linear)
	later := snapshot.FrameText{File: "/home/a/model.py", Line: 8, Name: "forward"}
	other := forward(tape, main, call, later, call, linear)
	outer := forward(tape, main, call, model)
	none := forward(tape, main)
	r := recorded.Tape(tape)
	found := r.Modules()
	for _, test := range []struct {
		id   snapshot.StackID
		want string
	}{
		{outer, "/home/a/model.py < /home/a/train.py:3:main"},
		{inner,
			"/v/site-packages/torch/nn/modules/linear.py < /home/a/model.py:7:Model.forward < /home/a/train.py:3:main"},
		{other, "/v/site-packages/torch/nn/modules/linear.py < /home/a/model.py:8:forward < /home/a/train.py:3:main"},
	} {
		if got := found.Name(found.Of(test.id)); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
	if found.Of(none) != modules.None || found.Of(0) != modules.None {
		t.Errorf("a stack without forward belongs to module %d", found.Of(none))
	}
	if len(found.Modules) != 3 {
		t.Errorf("%d modules: %+v", len(found.Modules), found.Modules)
	}
}
