package answer

import (
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/samples"
)

// TestConditionWithoutFigure: an error names what was meant, and never forty keys.
func TestConditionWithoutFigure(t *testing.T) {
	in := []Input{NewInput("training.pickle", samples.Training())}
	stats := Stats(in, StatsOptions{Rows: 3})
	log := events(t, EventOptions{}, in...)
	for _, tt := range []struct {
		sheet     *Sheet
		condition string
		want      string
	}{
		{stats, "reserved>1", `the answer has no figure "reserved", but reserved_peak_bytes, `},
		{stats, "peek>1", `the answer has no figure "peek", but peak_bytes, peak_state`},
		{stats, "zzz>1", `the answer has no figure "zzz"`},
		{log, "peak>1", `the answer has no figure "peak"`},
	} {
		condition, err := ParseCondition(tt.condition)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = condition.Holds(tt.sheet)
		if err == nil || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 200 {
			t.Errorf("%s: %v, want %q", tt.condition, err, tt.want)
		}
	}
}

// TestConditionOnEvents counts the events that match.
func TestConditionOnEvents(t *testing.T) {
	in := NewInput("training.pickle", samples.Training())
	for _, condition := range []string{"events==" + strconv.Itoa(in.Recordings[0].Device.Events.Len()), "to>=1",
		"active>0"} {
		c, err := ParseCondition(condition)
		if err != nil {
			t.Fatal(err)
		}
		if _, holds, err := c.Holds(events(t, EventOptions{}, in)); err != nil || !holds {
			t.Errorf("%s: %t, %v", condition, holds, err)
		}
	}
}
