package peaks_test

import (
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/peaks"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
	"github.com/memviz-go/memviz/pkg/units"
)

const (
	mib     = units.MiB
	foreach = "torch/optim/adam.py|_multi_tensor_adam\ntorch/optim/adam.py|step\n"
	single  = "torch/optim/adam.py|_single_tensor_adam\ntorch/optim/adam.py|step\n"
	wrapper = "torch/optim/optimizer.py|wrapper\n" + testsnap.Loop
)

// job trains a model of 100 MiB with gradients of 40 MiB and activations of 60 MiB.
type job struct {
	*testsnap.Tape
	output testsnap.Tensor
	grads  []testsnap.Tensor

	del, early, single, accumulate bool
}

func (j *job) zeroGrad() {
	for _, g := range j.grads {
		j.Free(g, testsnap.ZeroGrad)
	}
	j.grads = nil
}

func (j *job) train(steps int) *analysis.Recording {
	j.Alloc(testsnap.Loading, 100*mib)
	for i := range steps {
		j.Run(1, testsnap.Loop)
		saved := j.Alloc("at::x\nmodel.py|layer\n"+testsnap.Module, 60*mib)
		output := j.Alloc(testsnap.Head, 30*mib)
		if i > 0 && !j.del {
			j.Free(j.output, testsnap.Loop) // output = model(x) drops the one before
		}
		if !j.early && !j.accumulate {
			j.zeroGrad()
		}
		j.Run(4, testsnap.Engine)
		if len(j.grads) == 0 {
			j.grads = []testsnap.Tensor{j.Alloc(testsnap.Engine, 20*mib), j.Alloc(testsnap.Engine, 20*mib)}
		}
		j.Free(saved, testsnap.Release+testsnap.Engine)
		j.Run(4, testsnap.Engine)
		if j.del {
			j.Free(output, testsnap.Loop)
		}
		if !j.accumulate || i == steps-1 {
			above := foreach
			if j.single {
				above = single
			}
			j.Run(4, testsnap.Step)
			x, y := j.Alloc(above+wrapper, 8*mib), j.Alloc(above+wrapper, 5*mib)
			j.Free(x, above+wrapper)
			j.Free(y, above+wrapper)
			if j.early {
				j.zeroGrad()
			}
		}
		j.output = output
	}
	return recorded.Tape(j.Tape)
}

// find is the finding of a kind.
func find(f *peaks.Findings, kind peaks.Kind) (n peaks.Needless, is bool) {
	for _, n := range f.Needless {
		if n.Kind == kind {
			return n, true
		}
	}
	return n, false
}

// TestNeedless: the peak is in the second step's forward pass: 100 MiB of
// parameters, 60 of activations, two outputs of 30 and gradients of 40.
func TestNeedless(t *testing.T) {
	r := (&job{Tape: testsnap.NewTape()}).train(3)
	f := r.Peaks()
	if peak := r.Device.Totals.PeakBytes; peak != 260*mib {
		t.Fatalf("peak %d", peak>>20)
	}
	outputs, _ := find(f, peaks.LastOutputs)
	// Without the old output: 100 + 60 + 30 + 40 MiB, in forward as in backward.
	if outputs.Bytes != 30*mib || outputs.Allocations != 1 || outputs.Peak != 230*mib ||
		!strings.Contains(r.Stacks.Site(outputs.Stack).File, "head.py") {
		t.Errorf("outputs %+v", outputs)
	}
	gradients, _ := find(f, peaks.Gradients)
	// Without the old gradients: 100 + 60 + 30, and the new gradients of 40 or the old
	// output of 30.
	if gradients.Bytes != 40*mib || gradients.Allocations != 2 || gradients.Peak != 230*mib {
		t.Errorf("gradients %+v", gradients)
	}
	if len(f.Needless) != 2 || f.Peak != 230*mib {
		t.Errorf("together %d MiB: %+v", f.Peak>>20, f.Needless)
	}

	// The program that follows the advice has the predicted peak.
	better := (&job{Tape: testsnap.NewTape(), del: true, early: true}).train(3)
	if peak := better.Device.Totals.PeakBytes; peak != f.Peak {
		t.Errorf("without them the peak is %d MiB, and %d were said", peak>>20, f.Peak>>20)
	}
	if f := better.Peaks(); len(f.Needless) != 0 || f.Peak != better.Device.Totals.PeakBytes {
		t.Errorf("and still %+v", f)
	}
}

// TestAccumulated: gradients that several passes add up to are needed.
func TestAccumulated(t *testing.T) {
	f := (&job{Tape: testsnap.NewTape(), accumulate: true}).train(4).Peaks()
	if n, is := find(f, peaks.Gradients); is {
		t.Errorf("%+v", n)
	}
}

// TestTwoModels: what one model makes for another is not an output of the last iteration.
func TestTwoModels(t *testing.T) {
	tape := testsnap.NewTape()
	var fake testsnap.Tensor
	for i := range 3 {
		tape.Run(1, testsnap.Loop)
		made := tape.Alloc("gan.py|generate\n"+testsnap.Module, 64*mib)
		if i > 0 {
			tape.Free(fake, testsnap.Loop)
		}
		fake = made
		tape.Run(1, testsnap.Loop)
		seen := tape.Alloc("gan.py|judge\n"+testsnap.Module, 8*mib)
		tape.Free(seen, testsnap.Release+testsnap.Engine)
	}
	n, _ := find(recorded.Tape(tape).Peaks(), peaks.LastOutputs)
	if n.Bytes != 64*mib || n.Peak != 72*mib { // one of them is the critic's to read
		t.Errorf("%+v", n)
	}
}

// TestForeach: at a peak in the optimizer all but the largest temporary of a call site
// could go.
func TestForeach(t *testing.T) {
	for _, above := range []string{foreach, single} {
		tape := testsnap.NewTape()
		tape.Alloc(testsnap.Loading, 100*mib)
		for range 2 {
			tape.Run(4, testsnap.Module)
			tape.Run(4, testsnap.Engine)
			tape.Run(2, testsnap.Step)
			var all []testsnap.Tensor
			for _, size := range []int64{10 * mib, 30 * mib, 20 * mib} {
				all = append(all, tape.Alloc(above+wrapper, size))
			}
			for _, x := range all {
				tape.Free(x, above+wrapper)
			}
		}
		f := recorded.Tape(tape).Peaks()
		n, is := find(f, peaks.Foreach)
		if is != (above == foreach) || is && (n.Bytes != 30*mib || n.Allocations != 2 || n.Peak != 130*mib) {
			t.Errorf("%.40q: %+v", above, f)
		}
	}
}

// TestPending: a block that was freed 60 events before another stream let go of it.
func TestPending(t *testing.T) {
	for _, events := range []int{60, 10} {
		tape := testsnap.NewTape()
		tape.Alloc(testsnap.Loading, 100*mib)
		x := tape.Alloc(testsnap.Loop, 50*mib)
		tape.Emit(snapshot.FreeRequested, x, testsnap.Loop)
		tape.Run(events/2, testsnap.Loading)
		tape.Alloc(testsnap.Loading, 20*mib)
		tape.Emit(snapshot.FreeCompleted, x, testsnap.Loop)
		f := recorded.Tape(tape).Peaks()
		n, is := find(f, peaks.Pending)
		// It was live, and needed, when there were 150 MiB.
		if is != (events == 60) || is && (n.Bytes != 50*mib || n.Peak != 150*mib) {
			t.Errorf("%d events: %+v", events, f)
		}
	}
}

// TestFirstStep: the only step makes 80 MiB of state after a pass of 160 MiB.
func TestFirstStep(t *testing.T) {
	step := func(tape *testsnap.Tape, state int64) {
		x := tape.Alloc("model.py|layer\n"+testsnap.Module, 60*mib)
		tape.Run(4, testsnap.Module)
		tape.Run(4, testsnap.Engine)
		tape.Free(x, testsnap.Release+testsnap.Engine)
		tape.Run(4, testsnap.Step)
		if state > 0 {
			tape.Alloc(testsnap.InitGroup, state)
		}
	}
	record := func(body func(*testsnap.Tape)) peaks.FirstStep {
		tape := testsnap.NewTape()
		tape.Alloc(testsnap.Loading, 100*mib)
		body(tape)
		return recorded.Tape(tape).Peaks().First
	}
	first := record(func(tape *testsnap.Tape) { step(tape, 80*mib) })
	if first.Bytes != 80*mib || first.PassPeak>>20 != 160 || first.NextPeak()>>20 != 240 {
		t.Errorf("%+v", first)
	}
	for name, body := range map[string]func(*testsnap.Tape){
		"two steps":        func(tape *testsnap.Tape) { step(tape, 80*mib); step(tape, 0) },
		"no state":         func(tape *testsnap.Tape) { step(tape, 0) },
		"hardly any state": func(tape *testsnap.Tape) { step(tape, mib) },
		"older state":      func(tape *testsnap.Tape) { tape.Block(mib, testsnap.InitGroup); step(tape, 80*mib) },
		"no pass":          func(tape *testsnap.Tape) { tape.Run(4, testsnap.Step); tape.Alloc(testsnap.InitGroup, 80*mib) },
		"nothing":          func(tape *testsnap.Tape) {},
	} {
		if first := record(body); first.Bytes != 0 {
			t.Errorf("%s: %+v", name, first)
		}
	}
}
