package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// describe is one line a range: its lane as indentation, name, states, and
// a question mark where an end is missing.
func describe(tape *tape) string {
	s, d := tape.replay()
	var b strings.Builder
	for _, a := range FindAnnotations(s, d) {
		from, to := fmt.Sprint(a.From), fmt.Sprint(a.To)
		if a.NoStart {
			from = "?"
		}
		if a.NoEnd {
			to = "?"
		}
		fmt.Fprintf(&b, "%s%s %s-%s\n", strings.Repeat(" ", a.Lane), s.String(a.Name), from, to)
	}
	return b.String()
}

func TestAnnotations(t *testing.T) {
	userDefined := func(t *tape, stage, label string) { t.event(snapshot.UserDefined, tensor{}, label+"|"+stage) }
	tests := []struct {
		name   string
		tape   *tape
		record func(t *tape)
		want   string
	}{
		{"none", timed(), func(t *tape) { t.run(1, loop) }, ""},
		{"nested, and one after the other", timed(), func(t *tape) {
			t.annotated("step", func() {
				t.annotated("forward", func() { t.run(2, loop) })
				t.annotated("backward", func() { t.run(1, loop) })
			})
			t.annotated("step", func() { t.run(1, loop) })
		}, "step 0-6\n forward 0-4\n backward 4-6\nstep 6-8\n"},
		{"one name inside itself", timed(), func(t *tape) {
			t.annotated("f", func() {
				t.run(1, loop)
				t.annotated("f", func() { t.run(1, loop) })
				t.run(1, loop)
			})
		}, "f 0-6\n f 2-4\n"},
		{"ends without a start", timed(), func(t *tape) {
			t.run(1, loop)
			t.Annotation("inside", false, t.now)
			t.run(1, loop)
			t.Annotation("around", false, t.now)
			t.annotated("later", func() { t.run(1, loop) })
		}, "around ?-4\n inside ?-2\nlater 4-6\n"},
		{"starts without an end", timed(), func(t *tape) {
			t.run(1, loop)
			t.Annotation("around", true, t.now)
			t.Annotation("inside", true, t.now)
			t.run(1, loop)
		}, "around 2-?\n inside 2-?\n"},
		{"two threads that overlap", timed(), func(t *tape) {
			t.Annotation("a", true, t.now)
			t.run(1, loop)
			t.Annotation("b", true, t.now)
			t.run(1, loop)
			t.Annotation("a", false, t.now)
			t.run(1, loop)
			t.Annotation("b", false, t.now)
		}, "a 0-4\n b 2-6\n"},
		{"no times", newTape(), func(t *tape) { t.annotated("step", func() { t.run(1, loop) }) }, ""},
		{"events of the trace", newTape(), func(t *tape) {
			userDefined(t, "START", "step")
			t.run(1, loop)
			userDefined(t, "END", "step")
			userDefined(t, "MIDDLE", "step")
		}, "step 0-3\n"},
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
