package timeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// describe is one line a range: its lane as indentation, name, states, and
// a question mark behind an end that the file does not have.
func describe(tape *testsnap.Tape) string {
	s, d := tape.Replay()
	var b strings.Builder
	for _, a := range FindAnnotations(s, d) {
		from, to := fmt.Sprint(a.From), fmt.Sprint(a.To)
		if a.NoStart {
			from += "?"
		}
		if a.NoEnd {
			to += "?"
		}
		fmt.Fprintf(&b, "%s%s %s-%s\n", strings.Repeat(" ", a.Lane), s.String(a.Name), from, to)
	}
	return b.String()
}

func TestAnnotations(t *testing.T) {
	userDefined := func(t *testsnap.Tape, stage, label string) {
		t.Emit(snapshot.UserDefined, testsnap.Tensor{}, label+"|"+stage)
	}
	tests := []struct {
		name   string
		tape   *testsnap.Tape
		record func(t *testsnap.Tape)
		want   string
	}{
		{"none", testsnap.TimedTape(), func(t *testsnap.Tape) { t.Run(1, testsnap.Loop) }, ""},
		{"nested, and one after the other", testsnap.TimedTape(), func(t *testsnap.Tape) {
			t.Annotated("step", func() {
				t.Annotated("forward", func() { t.Run(2, testsnap.Loop) })
				t.Annotated("backward", func() { t.Run(1, testsnap.Loop) })
			})
			t.Annotated("step", func() { t.Run(1, testsnap.Loop) })
		}, "step 0-6\n forward 0-4\n backward 4-6\nstep 6-8\n"},
		{"one name inside itself", testsnap.TimedTape(), func(t *testsnap.Tape) {
			t.Annotated("f", func() {
				t.Run(1, testsnap.Loop)
				t.Annotated("f", func() { t.Run(1, testsnap.Loop) })
				t.Run(1, testsnap.Loop)
			})
		}, "f 0-6\n f 2-4\n"},
		{"ends without a start", testsnap.TimedTape(), func(t *testsnap.Tape) {
			t.Run(1, testsnap.Loop)
			t.Annotation("inside", false, t.Now)
			t.Run(1, testsnap.Loop)
			t.Annotation("around", false, t.Now)
			t.Annotated("later", func() { t.Run(1, testsnap.Loop) })
		}, "around 0?-4\n inside 0?-2\nlater 4-6\n"},
		{"starts without an end", testsnap.TimedTape(), func(t *testsnap.Tape) {
			t.Run(1, testsnap.Loop)
			t.Annotation("around", true, t.Now)
			t.Annotation("inside", true, t.Now)
			t.Run(1, testsnap.Loop)
		}, "around 2-4?\n inside 2-4?\n"},
		{"two threads that overlap", testsnap.TimedTape(), func(t *testsnap.Tape) {
			t.Annotation("a", true, t.Now)
			t.Run(1, testsnap.Loop)
			t.Annotation("b", true, t.Now)
			t.Run(1, testsnap.Loop)
			t.Annotation("a", false, t.Now)
			t.Run(1, testsnap.Loop)
			t.Annotation("b", false, t.Now)
		}, "a 0-4\n b 2-6\n"},
		{"no times", testsnap.NewTape(), func(t *testsnap.Tape) { t.Annotated("step", func() { t.Run(1, testsnap.Loop) }) }, ""},
		{"events of the trace", testsnap.NewTape(), func(t *testsnap.Tape) {
			userDefined(t, "START", "step")
			t.Run(1, testsnap.Loop)
			userDefined(t, "END", "step")
			userDefined(t, "MIDDLE", "step")
		}, "step 0-3\n"},
		{"events of another device's trace, where times place them", testsnap.TimedTape(), func(t *testsnap.Tape) {
			elsewhere := func(stage, label string, micros int64) {
				stack := t.Stack(testsnap.Frames(label + "|" + stage)...)
				t.Event(1, snapshot.EventText{Action: snapshot.UserDefined, Stack: stack, TimeMicros: micros})
			}
			t.Run(2, testsnap.Loop) // at 1 to 4 us
			elsewhere("START", "step", 1)
			elsewhere("END", "step", 3)
			elsewhere("START", "without a time", 0)
		}, "step 1-3\n"},
		{"events of another device's trace without times", testsnap.NewTape(), func(t *testsnap.Tape) {
			t.Run(2, testsnap.Loop)
			t.Event(1, snapshot.EventText{Action: snapshot.UserDefined,
				Stack: t.Stack(testsnap.Frames("step|START")...), TimeMicros: 1})
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.record(test.tape)
			if got := describe(test.tape); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}

// TestClock compares with a search from the front, for times out of order as well.
func TestClock(t *testing.T) {
	micros := []int64{5, 5, 9, 7, 9, 20, 3, 21}
	e := &snapshot.Events{Action: make([]snapshot.Action, len(micros)), TimeMicros: micros}
	c := newClock(e)
	for at := int64(0); at < 25; at++ {
		want := 0
		for want < len(micros) && micros[want] <= at {
			want++
		}
		if got := c.state(at); got != want {
			t.Errorf("time %d is state %d, want %d", at, got, want)
		}
	}
	if micros[6] != 3 {
		t.Error("the events were changed")
	}
}
