package recording

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// TestPredicted looks at the example that runs out of memory, which expandable
// segments cure, and at one in which nothing is wrong.
func TestPredicted(t *testing.T) {
	device := func(story string) Device {
		s, err := snapshot.Open(filepath.Join("..", "..", "..", "examples", story, "snapshot.pickle.gz"))
		if err != nil {
			t.Fatal(err)
		}
		return New("memviz", []answer.Input{answer.NewInput(story, s)}, true).Files[0].Devices[0]
	}
	if p := device("training-loop").Predicted; p != nil {
		t.Errorf("nothing is wrong, and yet %+v", p)
	}
	d := device("out-of-memory")
	p := d.Predicted
	if p == nil || p.Text == "" || p.Export != "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True" {
		t.Fatalf("%+v", p)
	}
	if p.Settings[0].FailureState != -1 || p.Reference.FailureState != 8117 ||
		p.Settings[0].ReservedPeak < p.LowerBound {
		t.Errorf("%+v", p)
	}
	checkSteps(t, p.Curve, d.Events+1, p.Settings[0].ReservedPeak)
}

func checkSteps(t *testing.T, c predictedCurve, states int, peak int64) {
	t.Helper()
	if len(c.States) == 0 || len(c.States) != len(c.Bytes) || len(c.States) > maxPredictedSteps || c.States[0] != 0 {
		t.Fatalf("%d states and %d values, from %v", len(c.States), len(c.Bytes), c.States[:min(len(c.States), 3)])
	}
	var highest int64
	for i := range c.States {
		if i > 0 && c.States[i] <= c.States[i-1] || c.States[i] >= states {
			t.Fatalf("state %d after %d, of %d", c.States[i], c.States[i-1], states)
		}
		highest = max(highest, c.Bytes[i])
	}
	if highest != peak {
		t.Errorf("the curve reaches %d bytes, want %d", highest, peak)
	}
}

// TestFewerOfOnePart: a part that falls has its first step, and the last one ends the curve.
func TestFewerOfOnePart(t *testing.T) {
	for _, test := range []struct {
		bytes []int64 // by state
		want  []int   // states
	}{
		{[]int64{9, 5}, []int{0, 1}}, {[]int64{9, 5, 3}, []int{0, 2}}, {[]int64{5, 9, 9, 3}, []int{0, 1, 3}},
		{[]int64{5, 6, 9}, []int{0, 2}},
	} {
		var curve []whatif.CurvePoint
		for state, bytes := range test.bytes {
			curve = append(curve, whatif.CurvePoint{State: state, Bytes: bytes})
		}
		var got []int
		for _, x := range fewer(curve, 4, 1) {
			got = append(got, x.State)
			if x.Bytes != test.bytes[x.State] {
				t.Errorf("%v: %+v", test.bytes, x)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v keeps the states %v, want %v", test.bytes, got, test.want)
		}
	}
}

// TestFewer makes a long curve short: it begins, ends and peaks as before.
func TestFewer(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	const states = 1 << 20
	var curve []whatif.CurvePoint
	var peak int64
	for state := 0; state < states; state += 1 + random.IntN(40) {
		x := whatif.CurvePoint{State: state, Bytes: random.Int64N(1 << 40)}
		curve = append(curve, x)
		peak = max(peak, x.Bytes)
	}
	short := fewer(curve, states, 100)
	var c predictedCurve
	for _, x := range short {
		c.States, c.Bytes = append(c.States, x.State), append(c.Bytes, x.Bytes)
	}
	checkSteps(t, c, states, peak)
	if n := len(short); n < 100 || n > 201 || short[n-1] != curve[len(curve)-1] {
		t.Errorf("%d steps, the last %+v, want %+v", n, short[n-1], curve[len(curve)-1])
	}
}
