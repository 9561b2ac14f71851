package report

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// busy is a recording of n allocations in which every column has much to say.
func busy(n int) *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasPoolID: true, HasUserMetadata: true})
	random := rand.New(rand.NewPCG(3, 4))
	var stacks []snapshot.StackID
	for i := range 400 {
		frames := []snapshot.FrameText{
			{Name: fmt.Sprintf("at::native::kernel_%d(at::Tensor const&)", i)},
			{File: "/lib/python3.12/site-packages/torch/nn/functional.py", Line: int32(i), Name: "linear"},
		}
		if i%10 > 0 {
			frames = append(frames,
				snapshot.FrameText{File: "/home/user/model.py", Line: int32(i % 60), Name: "forward"},
				snapshot.FrameText{File: "ceval.c", Line: 1, Name: "_PyEval_EvalFrameDefault"},
				snapshot.FrameText{File: "/home/user/train.py", Line: 3, Name: "main"})
		}
		stacks = append(stacks, c.Stack(frames...))
	}
	now := int64(1_700_000_000_000_000)
	event := func(action snapshot.Action, addr uint64, size int64, metadata string) {
		now += 100 + random.Int64N(1000)
		c.Event(0, snapshot.EventText{Action: action, Addr: addr, Size: size, Stack: stacks[random.IntN(len(stacks))],
			TimeMicros: now, Metadata: metadata})
	}
	type tensor struct {
		addr uint64
		size int64
	}
	free := func(t tensor) {
		event(snapshot.FreeRequested, t.addr, t.size, "")
		event(snapshot.FreeCompleted, t.addr, t.size, "")
	}
	free(tensor{1 << 20, 4096}) // from before
	var live []tensor
	for i := range n {
		t := tensor{random.Uint64N(1<<40) << 9, 512 * (1 + random.Int64N(1000))}
		event(snapshot.Alloc, t.addr, t.size, strings.Repeat("x", i%500/499))
		live = append(live, t)
		if len(live) > 50 {
			j := random.IntN(len(live))
			free(live[j])
			live = slices.Delete(live, j, j+1)
		}
	}
	event(snapshot.OOM, 1<<30, 1<<35, "")
	return c.Snapshot()
}

// Each step makes the file smaller, by leaving out what it is meant to and
// nothing else.
func TestFit(t *testing.T) {
	in := []answer.Input{answer.NewInput("busy.pickle", busy(20_000)),
		answer.NewInput("training.pickle", testsnap.Training())}
	full := encoded(t, in)
	d := Encode("memviz test", in, nil)
	said := []string{"addresses", "times finer than 1.00 ms", "stack frames below the user's code",
		"the stacks of frees"}
	for steps := 1; steps <= len(said); steps++ {
		before, err := d.Size()
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Fit(before - 1); err != nil {
			t.Fatalf("step %d: %v", steps, err)
		}
		if got := d.LeftOut(); !slices.Equal(got, said[:steps]) {
			t.Fatalf("step %d leaves out %q, want %q", steps, got, said[:steps])
		}
		page := written(t, d)
		checkSmaller(t, full, page, d, in)
		for _, f := range page.report.Files {
			warnings := f.Devices[0].Warnings
			last := warnings[len(warnings)-1]
			if !strings.Contains(last.Fact, strings.Join(said[:steps], ", ")) ||
				last.Code != "memviz trace --max-size none SNAPSHOT..." {
				t.Errorf("step %d is warned of by %+v", steps, last)
			}
		}
	}
	size, _ := d.Size()
	err := d.Fit(size - 1)
	var tooLarge *TooLargeError
	if !errors.As(err, &tooLarge) || tooLarge.Size != size || tooLarge.Limit != size-1 ||
		!slices.Equal(tooLarge.LeftOut, said) {
		t.Errorf("after the last step: %v", err)
	}
}

// TestLeast: what files take at least, each by itself, is never more than a report of all
// of them takes, and not much less where they are most of it.
func TestLeast(t *testing.T) {
	for name, omit := range map[string]codec.Omission{
		"with everything": {}, "without addresses and times": {Addresses: true, Times: true},
	} {
		t.Run(name, func(t *testing.T) {
			var all []answer.Input
			var least int64
			add := func(s *snapshot.Snapshot) {
				all = append(all, answer.NewInput(fmt.Sprintf("rank%d.pickle", len(all)), s))
				n, err := Least("memviz test", all[len(all)-1:], omit)
				if err != nil {
					t.Fatal(err)
				}
				least += n
				d := Encode("memviz test", all, nil)
				d.Omit(omit)
				var tooLarge *TooLargeError
				if err := d.Fit(1); !errors.As(err, &tooLarge) || tooLarge.Size < least {
					t.Fatalf("%d files: %v, and at least %d bytes were announced", len(all), err, least)
				}
				shell, err := Encode("memviz test", nil, nil).Size()
				if rest := tooLarge.Size - shell; err != nil || least < rest/2 {
					t.Fatalf("%d files: %d of %d bytes were announced, %v", len(all), least, rest, err)
				}
			}
			add(snapshot.NewComposer(snapshot.Format{HasTraces: true}).Snapshot())
			add(busy(20_000))
			for range 4 {
				add(testsnap.Training())
			}
		})
	}
}

// Without where another setting would have put the tensors, a report holds its snapshot.
func TestFitWithoutPrediction(t *testing.T) {
	s, err := snapshot.Open(filepath.Join(testkit.Root(t), "examples", "out-of-memory", "snapshot.pickle.gz"))
	if err != nil {
		t.Fatal(err)
	}
	d := Encode("memviz test", []answer.Input{answer.NewInput("", s)}, nil)
	if _, is := written(t, d).payloads["predicted-0-0"]; !is {
		t.Fatal("nothing is predicted")
	}
	if d.has(codec.PredictedSpaces) {
		t.Error("it is left out, though it takes no room")
	}
	d.omitted[codec.PredictedSpaces] = true
	d.files[0].Omit(codec.PredictedSpaces)
	d.warnFit(1)
	if !slices.Equal(d.LeftOut(), []string{leftOutPrediction}) {
		t.Fatalf("it lacks %q", d.LeftOut())
	}
	page := written(t, d)
	if _, is := page.payloads["predicted-0-0"]; is || page.report.Files[0].Devices[0].Predicted.Space != nil {
		t.Error("it still has what was left out")
	}
	checkSame(t, contents(readBack(t, d)), contents(s))
	read, err := Read(bytes.NewReader(bytesOf(t, d)))
	if err != nil || read.Incomplete() != nil {
		t.Errorf("%v, %v", err, read.Incomplete())
	}
}

func TestTooLarge(t *testing.T) {
	for want, e := range map[string]*TooLargeError{
		"the report takes 5.00 MB; the limit is 4.00 MB": {Size: 5e6, Limit: 4e6},
		"the report takes 5.00 MB even without addresses, the stacks of frees; the limit is 4.00 MB": {Size: 5e6,
			Limit: 4e6, LeftOut: []string{"addresses", "the stacks of frees"}},
	} {
		if e.Error() != want {
			t.Errorf("%s, want %s", e, want)
		}
	}
}

// What fits loses nothing, to the byte.
func TestFitLeavesAlone(t *testing.T) {
	in := []answer.Input{answer.NewInput("training.pickle", testsnap.Training())}
	want, _ := render(t, in...)
	d := Encode("memviz test", in, nil)
	var got bytes.Buffer
	if err := d.Fit(int64(len(want))); err != nil {
		t.Fatal(err)
	}
	if n, err := d.WriteTo(&got); err != nil || n != int64(len(want)) || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%d bytes for %d, %v", n, len(want), err)
	}
	if left := d.LeftOut(); len(left) > 0 {
		t.Errorf("it lacks %q", left)
	}
}

// Steps that have nothing to leave out are not claimed.
func TestFitClaimsNothing(t *testing.T) {
	for _, test := range []struct {
		name string
		in   *snapshot.Snapshot
		want []string
	}{
		{"no events", testsnap.StateOnly(), nil},
		{"no places", withoutSegments(testsnap.StateOnly()), []string{"addresses"}},
		{"nothing", snapshot.NewComposer(snapshot.Format{}).Snapshot(), nil},
	} {
		d := Encode("memviz test", []answer.Input{answer.NewInput("", test.in)}, nil)
		if err := d.Fit(1); err == nil || !slices.Equal(d.LeftOut(), test.want) {
			t.Errorf("%s: left out %q (%v), want %q", test.name, d.LeftOut(), err, test.want)
		}
	}
}

// withoutSegments is a recording of the allocations only, which have addresses but no
// places.
func withoutSegments(s *snapshot.Snapshot) *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	for i := range s.Blocks {
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: s.Blocks[i].Address,
			Size: s.Blocks[i].RequestedSize})
	}
	return c.Snapshot()
}

func TestFitIsDeterministic(t *testing.T) {
	var pages [2]bytes.Buffer
	for i := range pages {
		d := Encode("memviz test", []answer.Input{answer.NewInput("busy.pickle", busy(3000))}, nil)
		size, _ := d.Size()
		if err := d.Fit(size - 3000); err != nil || len(d.LeftOut()) == 0 {
			t.Fatal(err)
		}
		if _, err := d.WriteTo(&pages[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(pages[0].Bytes(), pages[1].Bytes()) {
		t.Error("two reports of the same input differ")
	}
}

// The command that the page offers for copying holds nothing that a shell obeys.
func TestCommandName(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"run7.pickle", "run7.pickle"},
		{"a/snap_1-2.pickle.gz", "a/snap_1-2.pickle.gz"},
		{"a; rm -rf x", "SNAPSHOT..."},
		{"a$(x)b", "SNAPSHOT..."},
		{"-o", "SNAPSHOT..."},
		{"standard input", "SNAPSHOT..."},
		{"", "SNAPSHOT..."},
	} {
		if got := commandName([]answer.Input{{Name: test.name}}); got != test.want {
			t.Errorf("%q is written %s, want %s", test.name, got, test.want)
		}
	}
	if got := commandName(make([]answer.Input, 2)); got != "SNAPSHOT..." {
		t.Errorf("two are written %s", got)
	}
}

// Progress goes up to all events.
func TestEncodeProgress(t *testing.T) {
	in := []answer.Input{answer.NewInput("loop", loop(50_000))}
	events := int64(in[0].Devices[0].Events.Len())
	var told []int64
	Encode("memviz test", in, func(done, all int64) {
		if all != events {
			t.Errorf("%d events of %d", done, all)
		}
		told = append(told, done)
	})
	if len(told) < 5 || !slices.IsSorted(told) || told[len(told)-1] != events {
		t.Errorf("progress of %d events was told as %v", events, told)
	}
}
