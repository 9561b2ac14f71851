package answer_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/predict"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// sizedExample is the story what-fits at some lengths, labelled as in x.
func sizedExample(t *testing.T, x map[int64]int64) (in []predict.SizedInput) {
	t.Helper()
	for _, length := range []int64{128, 256, 512} {
		label, is := x[length]
		if !is {
			continue
		}
		file := fmt.Sprintf("%d.pickle.gz", length)
		s, err := snapshot.Open(filepath.Join("..", "..", "examples", "what-fits", file))
		if err != nil {
			t.Fatal(err)
		}
		input := answer.NewInput(file, s)
		in = append(in, predict.SizedInput{X: label, Input: &input})
	}
	return in
}

// predicted is everything that can be asked of two recordings.
func predicted(t *testing.T) *sheet.Sheet {
	t.Helper()
	s, err := predict.Answer(sizedExample(t, map[int64]int64{128: 128, 256: 256}),
		predict.Options{At: []int64{512, 700, 1200}, Capacity: 4 << 30, Largest: true, MultipleOf: 32})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPredictMore holds other answers against goldens: three recordings, one that is
// refused and one that is forced.
func TestPredictMore(t *testing.T) {
	for _, test := range []struct {
		name string
		x    map[int64]int64
		o    predict.Options
	}{
		{"predict_three", map[int64]int64{128: 128, 256: 256, 512: 512}, predict.Options{At: []int64{1024}}},
		{"predict_refused", map[int64]int64{128: 128, 256: 200}, predict.Options{At: []int64{1024}}},
		{"predict_forced", map[int64]int64{128: 256, 256: 128}, predict.Options{At: []int64{512}, Force: true}},
	} {
		s, err := predict.Answer(sizedExample(t, test.x), test.o)
		if err != nil {
			t.Fatal(err)
		}
		answertest.Fits(t, "predict", s)
		text := answertest.Written(t, s, sheet.Text)
		answertest.FitsTerminal(t, string(text))
		testkit.Golden(t, test.name+".txt", append(text, answertest.Written(t, s, sheet.Markdown)...))
	}
}

// TestPredictDevices: each device that all files have is predicted, and what is not is named.
func TestPredictDevices(t *testing.T) {
	// twice is an example whose only device is there a second time, as cuda:1.
	twice := func(x int64, edit func(s *snapshot.Snapshot)) predict.SizedInput {
		in := sizedExample(t, map[int64]int64{x: x})[0]
		s := in.Snapshot
		second := s.Traces[0]
		second.Device = 1
		second.Events.Stack = slices.Clone(second.Events.Stack)
		s.Traces = append(s.Traces, second)
		for _, seg := range slices.Clone(s.SegmentsOf(0)) {
			seg.Device = 1
			s.Segments = append(s.Segments, seg)
		}
		for _, a := range slices.Clone(s.Annotations) {
			a.Device = 1
			s.Annotations = append(s.Annotations, a)
		}
		s.SortSegments()
		edit(s)
		input := answer.NewInput(in.Name, s)
		return predict.SizedInput{X: x, Input: &input}
	}
	as := func(*snapshot.Snapshot) {}
	options := predict.Options{At: []int64{512}}
	const peak = 2_073_686_024 // as recorded at 512

	said, run, err := predict.AnswerAndRun([]predict.SizedInput{twice(128, as), twice(256, as)}, options)
	if err != nil || run.Input == nil || len(run.LeftOut) > 0 || len(run.Devices) != 2 {
		t.Fatalf("%v, %+v", err, run.LeftOut)
	}
	for i, d := range run.Devices {
		if row := said.Value.(*answer.Devices[predict.Device]).Devices[i].Rows[0]; !d.AddsUp() ||
			d.Totals.PeakBytes != peak ||
			row.ActivePeak != peak {
			t.Errorf("device %d: %+v, predicted %d", i, d.Totals, row.ActivePeak)
		}
	}

	noStacks := func(s *snapshot.Snapshot) { clear(s.Traces[1].Events.Stack) }
	said, run, err = predict.AnswerAndRun([]predict.SizedInput{twice(128, as), twice(256, noStacks)}, options)
	if err != nil || run.Input == nil || len(run.Devices) != 1 || len(run.LeftOut) != 1 ||
		!strings.HasPrefix(run.LeftOut[0], "cuda:1: Only 0 % of the requests in 256.pickle.gz have stacks") {
		t.Errorf("%v, %+v", err, run.LeftOut)
	}
	answertest.FitsTerminal(t, string(answertest.Written(t, said, sheet.Text)))

	one := sizedExample(t, map[int64]int64{256: 256})[0]
	said, err = predict.Answer([]predict.SizedInput{twice(128, as), one}, options)
	if text := string(answertest.Written(t, said, sheet.Text)); err != nil ||
		len(said.Value.(*answer.Devices[predict.Device]).Devices) != 1 ||
		!strings.Contains(text, "cuda:1 is not predicted: 256.pickle.gz has no such device.") {
		t.Errorf("%v, %s", err, text)
	}
}

// TestPredictWithoutReserved: where reserved memory is not predicted there is no run to show,
// and the reason is given.
func TestPredictWithoutReserved(t *testing.T) {
	in := sizedExample(t, map[int64]int64{128: 128, 256: 256})
	in[1].Snapshot.Segments, in[1].Snapshot.Blocks = nil, nil
	input := answer.NewInput(in[1].Name, in[1].Snapshot)
	in[1].Input = &input
	said, run, err := predict.AnswerAndRun(in, predict.Options{At: []int64{512}, Capacity: 4 << 30, Largest: true})
	if err != nil || run.Input != nil || len(run.LeftOut) != 1 || !strings.HasPrefix(run.LeftOut[0],
		"Reserved memory is not predicted: the model of PyTorch's allocator does not reproduce 256.pickle.gz") {
		t.Fatalf("%v, %+v", err, run.LeftOut)
	}
	d := said.Value.(*answer.Devices[predict.Device]).Devices[0]
	if row := d.Rows[0]; row.ActivePeak != 2_073_686_024 || row.ReservedPeak != nil || row.Fits != nil ||
		d.Largest != nil {
		t.Errorf("%+v, largest %+v", row, d.Largest)
	}
	text := string(answertest.Written(t, said, sheet.Text))
	answertest.FitsTerminal(t, text)
	if !strings.Contains(text, "The largest x that fits is not known, because reserved memory is not") {
		t.Error(text)
	}
}
