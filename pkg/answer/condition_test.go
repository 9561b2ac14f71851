package answer_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/predict"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// TestConditionNames: a condition on a number that its command does not print is
// refused by the schema alone, and the error names what was meant, never forty
// keys.
func TestConditionNames(t *testing.T) {
	for _, tt := range []struct{ command, condition, want string }{
		{"stats", "reserved>1", `the answer has no number "reserved"; did you mean reserved_`},
		{"stats", "peek>1", `the answer has no number "peek"; did you mean peak_bytes?`},
		{"stats", "zzz>1", `the answer has no number "zzz"; "memviz schema stats" lists all`},
		{"stats", "suspects>0", `the answer has no number "suspects"`},
		{"leaks", "suspect>0", `did you mean suspects`},
		{"events", "peak>1", `the answer has no number "peak"`},
		{"stats", "file>1", `the answer has no number "file"`},
		{"whatif", "proof.address>1", `did you mean proof.addresses, `},
		{"stats", "peak", `"peak" is not a condition; write it like 'peak>70GiB'`},
		{"stats", "peak>lots", `"peak>lots": `},
		{"stats", "peak>NaN", `"peak>NaN" compares with no number`},
	} {
		_, err := answer.ParseCondition(tt.command, tt.condition)
		if err == nil || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 250 {
			t.Errorf("%s: %v, want %q", tt.condition, err, tt.want)
		}
	}
	for _, tt := range []struct{ command, conditions string }{
		{"stats", "peak>1 peak_bytes>1 devices==0 windows>0 unread.keys.pool>3"},
		{"leaks", "suspects>0"}, {"oom", "ooms>0"}, {"top", "active>1"}, {"segments", "free>1"},
		{"ranks", "outliers>0 unreadable>0 peak>1 step_end>1"}, {"inspect", "secrets>0 addresses>7"},
		{"whatif", "saved>1 proof.addresses<7 reference.mallocs>3"}, {"diff", "before.peak>1 reserved_peak_delta>1"},
	} {
		for _, condition := range strings.Fields(tt.conditions) {
			if _, err := answer.ParseCondition(tt.command, condition); err != nil {
				t.Errorf("%s: %v", tt.command, err)
			}
		}
	}
}

// TestConditionOnNothing: a gate on nothing, or on a snapshot without a device, must
// not pass in silence. One that holds for another snapshot holds.
func TestConditionOnNothing(t *testing.T) {
	c, err := answer.ParseCondition("stats", "peak>1")
	if err != nil {
		t.Fatal(err)
	}
	if _, holds, err := c.Holds(stats.Answer(nil, stats.Options{})); holds || err == nil {
		t.Errorf("%t, %v", holds, err)
	}
	training, empty := answer.NewInput("a.pickle", testsnap.Training()), answer.NewInput("b.pickle",
		&snapshot.Snapshot{})
	for condition, wants := range map[string]string{"peak>1": "", "peak<1": "b.pickle holds no memory of a device",
		"events>100000": "b.pickle holds no memory of a device"} {
		c, err := answer.ParseCondition("stats", condition)
		if err != nil {
			t.Fatal(err)
		}
		_, holds, err := c.Holds(stats.Answer([]answer.Input{training, empty}, stats.Options{}))
		if holds != (wants == "") || (err == nil) != holds || err != nil && !strings.Contains(err.Error(), wants) {
			t.Errorf("%s: holds is %t, %v", condition, holds, err)
		}
	}
	c.SetKey("no_such_number")
	if _, _, err := c.Holds(stats.Answer([]answer.Input{answer.NewInput("", testsnap.Training())},
		stats.Options{})); err == nil {
		t.Error("a number that the answer lacks can be checked")
	}
	_, err = answer.ParseCondition("stats", "reserve>1") // five keys begin so
	if err == nil || strings.Count(err.Error(), "reserved_") != answer.MostNamed {
		t.Errorf("%v does not name %d keys", err, answer.MostNamed)
	}
}

// Every number of every answer can stand in a condition.
func TestConditionsOnAllFigures(t *testing.T) {
	in := []answer.Input{answer.NewInput("training.pickle", testsnap.Training()), answer.NewInput("cut.pickle",
		testsnap.Cut())}
	for command, said := range map[string]*sheet.Sheet{
		"stats": stats.Answer(in, stats.Options{Rows: 3,
			Capacity: 1 << 40}), "events": answertest.Asked(events.Answer(in, events.Options{})),
		"oom": answertest.Asked(oom.Answer(in, oom.Options{})), "leaks": answertest.Asked(leaks.Answer(in,
			leaks.Options{Rows: 3})),
		"whatif": answertest.Asked(whatif.Answer(in, whatif.Options{})),
		"diff":   answertest.Asked(diff.Answer(&in[0], &in[1], diff.Options{})), "ranks": ranksOf(in...),
		"segments": answertest.Asked(segments.Answer(in, answer.Peak, 2000)), "top": answertest.Asked(top.Answer(in,
			top.Options{At: answer.Peak})),
		"predict": predicted(t),
	} {
		objects, err := answer.Objects(said)
		if err != nil {
			t.Fatal(err)
		}
		checked := 0
		for _, object := range objects[:len(objects)-1] {
			for key, value := range object {
				v, ok := answer.Figure(value)
				if !ok {
					continue
				}
				checked++
				text := key + "==" + strconv.FormatFloat(v, 'f', -1, 64)
				if logic, ok := value.(bool); ok {
					text = key + "==" + strconv.FormatBool(logic)
				}
				c, err := answer.ParseCondition(command, text)
				if err != nil {
					t.Errorf("%s: %v", command, err)
				} else if _, holds, err := c.Holds(said); (err != nil || !holds) && !c.Unjudged(object) {
					t.Errorf("%s: %s: %t, %v", command, text, holds, err)
				}
			}
		}
		if checked == 0 {
			t.Errorf("%s has no numbers", command)
		}
	}
}

// TestConditionOnEvents counts the events that match.
func TestConditionOnEvents(t *testing.T) {
	in := answer.NewInput("training.pickle", testsnap.Training())
	for _, condition := range []string{"events==" + strconv.Itoa(in.Recordings[0].Device.Events.Len()), "to>=1",
		"active>0"} {
		c, err := answer.ParseCondition("events", condition)
		if err != nil {
			t.Fatal(err)
		}
		if _, holds, err := c.Holds(answertest.Asked(events.Answer([]answer.Input{in},
			events.Options{}))); err != nil || !holds {
			t.Errorf("%s: %t, %v", condition, holds, err)
		}
	}
}

// TestConditionsOnTrust: the answer of every command can be asked whether its
// recording adds up, and what anomalies it has.
func TestConditionsOnTrust(t *testing.T) {
	must := func(s *sheet.Sheet, err error) *sheet.Sheet {
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	asks := map[string]func(in answer.Input) *sheet.Sheet{
		"stats": func(in answer.Input) *sheet.Sheet { return stats.Answer([]answer.Input{in}, stats.Options{Rows: 3}) },
		"top":   func(in answer.Input) *sheet.Sheet { return must(top.Answer([]answer.Input{in}, top.Options{})) },
		"leaks": func(in answer.Input) *sheet.Sheet {
			return must(leaks.Answer([]answer.Input{in}, leaks.Options{Rows: 3}))
		},
		"oom": func(in answer.Input) *sheet.Sheet { return must(oom.Answer([]answer.Input{in}, oom.Options{})) },
		"whatif": func(in answer.Input) *sheet.Sheet {
			return must(whatif.Answer([]answer.Input{in},
				whatif.Options{}))
		},
		"predict": func(in answer.Input) *sheet.Sheet {
			return must(predict.Answer([]predict.SizedInput{{X: 1, Input: &in}, {X: 2, Input: &in}},
				predict.Options{At: []int64{3}}))
		},
		"diff":  func(in answer.Input) *sheet.Sheet { return must(diff.Answer(&in, &in, diff.Options{})) },
		"ranks": func(in answer.Input) *sheet.Sheet { return ranksOf(in) },
		"events": func(in answer.Input) *sheet.Sheet {
			return answertest.Asked(events.Answer([]answer.Input{in}, events.Options{}))
		},
		"segments": func(in answer.Input) *sheet.Sheet {
			return must(segments.Answer([]answer.Input{in}, answer.Moment{}, 2000))
		},
	}
	for _, command := range answer.Schemas() {
		about := map[string]bool{"inspect": true, "digest": true, "version": true} // reports, no answer, memviz
		if _, ok := asks[command]; !ok && !about[command] {
			t.Errorf("nothing asks %s", command)
		}
	}
	sound, unsound := answer.NewInput("sound", testsnap.Training()), answer.NewInput("unsound", testsnap.Hostile())
	if !sound.Devices[0].AddsUp() || unsound.Devices[0].AddsUp() {
		t.Fatal("the samples are not what this test needs")
	}
	for command, ask := range asks {
		for _, text := range []string{"adds_up==false", "adds_up!=true", "anomalies>0", "anomalies.total>=1",
			"anomalies.missing_blocks>0"} {
			c, err := answer.ParseCondition(command, text)
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
	stats := stats.Answer([]answer.Input{answer.NewInput("training.pickle", testsnap.Training())}, stats.Options{})
	for text, want := range map[string]string{
		"adds_up>false": `"adds_up>false": compare with false by == or !=`,
		"adds_up==1":    `"adds_up==1": adds_up is true or false`,
		"peak!=true":    `"peak!=true": peak_bytes is a number`,
		"adds_up==true": "adds_up==true: adds_up is true on device 0 of training.pickle",
	} {
		c, err := answer.ParseCondition("stats", text)
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

// TestConditionKeys: every key that shells complete begins a condition.
func TestConditionKeys(t *testing.T) {
	for _, command := range answer.Schemas() {
		if command == "version" {
			continue // has no numbers
		}
		keys := answer.ConditionKeys(command)
		if len(keys) == 0 {
			t.Errorf("%s has no keys", command)
		}
		for _, key := range keys {
			if strings.HasSuffix(key, ".") { // a name follows
				key += "name"
			}
			_, number := answer.ParseCondition(command, key+">0")
			_, logic := answer.ParseCondition(command, key+"!=true")
			if number != nil && logic != nil {
				t.Errorf("%s: %v", command, number)
			}
		}
	}
}

// TestGatesOnGrowth: a gate on what cannot be judged does not pass in silence.
func TestGatesOnGrowth(t *testing.T) {
	const pass, fail, mistake = "passes", "fails", "cannot be checked"
	for _, test := range []struct{ name, condition, want string }{
		{"3 clean steps", "suspects>0", mistake},
		{"3 clean steps", "unexplained_per_step>1MiB", mistake},
		{"3 clean steps", "steps<4", fail},
		{"a leak over 3 steps", "suspects>0", fail},
		{"4 clean steps", "suspects>0", pass},
		{"4 clean steps", "unexplained_per_step>1MiB", mistake},
		{"12 clean steps", "suspects>0", pass},
		{"12 clean steps", "unexplained_per_step>1MiB", pass},
		{"12 clean steps", "steps_left<1000", pass},
		{"a leak", "suspects>0", fail},
		{"a leak", "unexplained_per_step>1MiB", pass},
		{"a leak", "steps_left<2000", fail},
		{"a queue", "suspects>0", pass},
		{"a queue", "unexplained_per_step>3MiB", fail},
		{"a queue", "unexplained_per_step>4MiB", pass},
		{"a regrown buffer", "suspects>0", pass},
		{"a regrown buffer", "unexplained_per_step>1MiB", mistake},
		{"a regrown buffer", "steps_left<5", mistake},
		{"4 clean steps", "steps_left<5", mistake},
		{"no history", "suspects>0", mistake},
	} {
		c, err := answer.ParseCondition("leaks", test.condition)
		if err != nil {
			t.Fatal(err)
		}
		said, err := leaks.Answer(answertest.GrowingScripts[test.name](), leaks.Options{Capacity: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		got := pass
		switch _, holds, err := c.Holds(said); {
		case err != nil:
			got = mistake
		case holds:
			got = fail
		}
		if got != test.want {
			t.Errorf("%s: %s %s, want %s", test.name, test.condition, got, test.want)
		}
	}
	for _, condition := range []string{"suspects>0", "steps_left<5"} {
		c, _ := answer.ParseCondition("leaks", condition)
		said, _ := leaks.Answer(append(answertest.GrowingScripts["12 clean steps"](),
			answertest.GrowingScripts["3 clean steps"]()...),
			leaks.Options{})
		if _, _, err := c.Holds(said); err == nil {
			t.Errorf("%s passes although one of two devices cannot be judged", condition)
		}
	}
}
