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

// TestConditionsOnTrust: the answer of every command can be asked whether its
// recording adds up, and what anomalies it has.
func TestConditionsOnTrust(t *testing.T) {
	must := func(s *Sheet, err error) *Sheet {
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	asks := map[string]func(in Input) *Sheet{
		"stats":    func(in Input) *Sheet { return Stats([]Input{in}, StatsOptions{Rows: 3}) },
		"top":      func(in Input) *Sheet { return must(Top([]Input{in}, TopOptions{})) },
		"leaks":    func(in Input) *Sheet { return must(Leaks([]Input{in}, 3)) },
		"oom":      func(in Input) *Sheet { return must(OOM([]Input{in}, OOMOptions{})) },
		"whatif":   func(in Input) *Sheet { return must(WhatIf([]Input{in}, WhatIfOptions{})) },
		"diff":     func(in Input) *Sheet { return must(Diff(&in, &in, DiffOptions{})) },
		"ranks":    func(in Input) *Sheet { return ranksOf(in) },
		"events":   func(in Input) *Sheet { return events(t, EventOptions{}, in) },
		"segments": func(in Input) *Sheet { return must(Segments([]Input{in}, Moment{})) },
	}
	for _, command := range Schemas() {
		if _, ok := asks[command]; !ok && command != "inspect" { // which is about reports
			t.Errorf("nothing asks %s", command)
		}
	}
	sound, unsound := NewInput("sound", samples.Training()), NewInput("unsound", samples.Hostile())
	if !sound.Devices[0].AddsUp() || unsound.Devices[0].AddsUp() {
		t.Fatal("the samples are not what this test needs")
	}
	for command, ask := range asks {
		for _, text := range []string{"adds_up==false", "adds_up!=true", "anomalies>0", "anomalies.total>=1",
			"anomalies.missing_blocks>0"} {
			c, err := ParseCondition(text)
			if err != nil {
				t.Fatal(err)
			}
			if line, holds, err := c.Holds(ask(sound)); holds || err != nil {
				t.Errorf("%s of a sound file: %q, %v", command, line, err)
			}
			line, holds, err := c.Holds(ask(unsound))
			if !holds || err != nil || !strings.Contains(line, " is ") || !strings.Contains(line, "device 0") {
				t.Errorf("%s, %s of an unsound file: %q, %v", command, text, line, err)
			}
		}
	}
}

// TestConditionOnLogic: what is true or false is compared with that alone.
func TestConditionOnLogic(t *testing.T) {
	stats := Stats([]Input{NewInput("training.pickle", samples.Training())}, StatsOptions{})
	for text, want := range map[string]string{
		"adds_up>false": `"adds_up>false": compare with false by == or !=`,
		"adds_up==1":    `"adds_up==1": adds_up is true or false`,
		"peak!=true":    `"peak!=true": peak_bytes is a number`,
		"adds_up==true": "adds_up==true: adds_up is true on device 0 of training.pickle",
	} {
		c, err := ParseCondition(text)
		got := ""
		if err == nil {
			got, _, err = c.Holds(stats)
		}
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
