package answer_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

func TestMomentOfStep(t *testing.T) {
	in := answertest.Example(t, "training-loop")
	r := in.Recordings[0]
	for text, want := range map[string]string{"step=2": "ProfilerStep#1", "step=3": "ProfilerStep#2"} {
		m, err := answer.ParseMoment(text)
		if err != nil {
			t.Fatal(err)
		}
		state, err := m.State(r)
		if err != nil {
			t.Fatal(err)
		}
		annotated, err := answer.ParseMoment("annotation=" + want)
		if err != nil {
			t.Fatal(err)
		}
		other, err := annotated.State(r)
		if err != nil || state != other || r.Device.ActiveBytes()[state] < 1<<30 {
			t.Errorf("%s is state %d, %s is state %d (%v)", text, state, want, other, err)
		}
	}
}
