package answer

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testkit"
)

// sizedExample is the story what-fits at some lengths, labelled as in x.
func sizedExample(t *testing.T, x map[int64]int64) (in []SizedInput) {
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
		input := NewInput(file, s)
		in = append(in, SizedInput{label, &input})
	}
	return in
}

// predicted is everything that can be asked of two recordings.
func predicted(t *testing.T) *Sheet {
	t.Helper()
	s, err := PredictSizes(sizedExample(t, map[int64]int64{128: 128, 256: 256}),
		PredictOptions{At: []int64{512, 700, 1200}, Capacity: 4 << 30, Largest: true, MultipleOf: 32})
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
		o    PredictOptions
	}{
		{"predict_three", map[int64]int64{128: 128, 256: 256, 512: 512}, PredictOptions{At: []int64{1024}}},
		{"predict_refused", map[int64]int64{128: 128, 256: 200}, PredictOptions{At: []int64{1024}}},
		{"predict_forced", map[int64]int64{128: 256, 256: 128}, PredictOptions{At: []int64{512}, Force: true}},
	} {
		s, err := PredictSizes(sizedExample(t, test.x), test.o)
		if err != nil {
			t.Fatal(err)
		}
		fits(t, "predict", s)
		text := written(t, s, Text)
		fitsTerminal(t, string(text))
		testkit.Golden(t, test.name+".txt", append(text, written(t, s, Markdown)...))
	}
}
