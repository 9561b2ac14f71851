package answer

import (
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
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
		_, err := ParseCondition(tt.command, tt.condition)
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
			if _, err := ParseCondition(tt.command, condition); err != nil {
				t.Errorf("%s: %v", tt.command, err)
			}
		}
	}
}

// TestConditionOnNothing: a gate on nothing, or on a snapshot without a device, must
// not pass in silence. One that holds for another snapshot holds.
func TestConditionOnNothing(t *testing.T) {
	c, err := ParseCondition("stats", "peak>1")
	if err != nil {
		t.Fatal(err)
	}
	if _, holds, err := c.Holds(Stats(nil, StatsOptions{})); holds || err == nil {
		t.Errorf("%t, %v", holds, err)
	}
	training, empty := NewInput("a.pickle", testsnap.Training()), NewInput("b.pickle", &snapshot.Snapshot{})
	for condition, wants := range map[string]string{"peak>1": "", "peak<1": "b.pickle holds no memory of a device",
		"events>100000": "b.pickle holds no memory of a device"} {
		c, err := ParseCondition("stats", condition)
		if err != nil {
			t.Fatal(err)
		}
		_, holds, err := c.Holds(Stats([]Input{training, empty}, StatsOptions{}))
		if holds != (wants == "") || (err == nil) != holds || err != nil && !strings.Contains(err.Error(), wants) {
			t.Errorf("%s: holds is %t, %v", condition, holds, err)
		}
	}
	c.setKey("no_such_number")
	if _, _, err := c.Holds(Stats([]Input{NewInput("", testsnap.Training())}, StatsOptions{})); err == nil {
		t.Error("a number that the answer lacks can be checked")
	}
	_, err = ParseCondition("stats", "reserve>1") // five keys begin so
	if err == nil || strings.Count(err.Error(), "reserved_") != mostNamed {
		t.Errorf("%v does not name %d keys", err, mostNamed)
	}
}

// Every number of every answer can stand in a condition.
func TestConditionsOnAllFigures(t *testing.T) {
	in := []Input{NewInput("training.pickle", testsnap.Training()), NewInput("cut.pickle", testsnap.Cut())}
	for command, sheet := range map[string]*Sheet{
		"stats": Stats(in, StatsOptions{Rows: 3, Capacity: 1 << 40}), "events": asked(Events(in, EventOptions{})),
		"oom": asked(OOM(in, OOMOptions{})), "leaks": asked(Leaks(in, LeaksOptions{Rows: 3})),
		"whatif": asked(WhatIf(in, WhatIfOptions{})),
		"diff":   asked(Diff(&in[0], &in[1], DiffOptions{})), "ranks": ranksOf(in...),
		"segments": asked(Segments(in, Peak, 2000)), "top": asked(Top(in, TopOptions{At: Peak})),
		"predict": predicted(t),
	} {
		objects, err := sheet.objects()
		if err != nil {
			t.Fatal(err)
		}
		checked := 0
		for _, object := range objects[:len(objects)-1] {
			for key, value := range object {
				v, ok := figure(value)
				if !ok {
					continue
				}
				checked++
				text := key + "==" + strconv.FormatFloat(v, 'f', -1, 64)
				if logic, ok := value.(bool); ok {
					text = key + "==" + strconv.FormatBool(logic)
				}
				c, err := ParseCondition(command, text)
				if err != nil {
					t.Errorf("%s: %v", command, err)
				} else if _, holds, err := c.Holds(sheet); (err != nil || !holds) && !c.unjudged(object) {
					t.Errorf("%s: %s: %t, %v", command, c.text, holds, err)
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
	in := NewInput("training.pickle", testsnap.Training())
	for _, condition := range []string{"events==" + strconv.Itoa(in.Recordings[0].Device.Events.Len()), "to>=1",
		"active>0"} {
		c, err := ParseCondition("events", condition)
		if err != nil {
			t.Fatal(err)
		}
		if _, holds, err := c.Holds(asked(Events([]Input{in}, EventOptions{}))); err != nil || !holds {
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
		"stats":  func(in Input) *Sheet { return Stats([]Input{in}, StatsOptions{Rows: 3}) },
		"top":    func(in Input) *Sheet { return must(Top([]Input{in}, TopOptions{})) },
		"leaks":  func(in Input) *Sheet { return must(Leaks([]Input{in}, LeaksOptions{Rows: 3})) },
		"oom":    func(in Input) *Sheet { return must(OOM([]Input{in}, OOMOptions{})) },
		"whatif": func(in Input) *Sheet { return must(WhatIf([]Input{in}, WhatIfOptions{})) },
		"predict": func(in Input) *Sheet {
			return must(PredictSizes([]SizedInput{{1, &in}, {2, &in}}, PredictOptions{At: []int64{3}}))
		},
		"diff":     func(in Input) *Sheet { return must(Diff(&in, &in, DiffOptions{})) },
		"ranks":    func(in Input) *Sheet { return ranksOf(in) },
		"events":   func(in Input) *Sheet { return asked(Events([]Input{in}, EventOptions{})) },
		"segments": func(in Input) *Sheet { return must(Segments([]Input{in}, Moment{}, 2000)) },
	}
	for _, command := range Schemas() {
		about := map[string]bool{"inspect": true, "digest": true, "version": true} // reports, no answer, memviz
		if _, ok := asks[command]; !ok && !about[command] {
			t.Errorf("nothing asks %s", command)
		}
	}
	sound, unsound := NewInput("sound", testsnap.Training()), NewInput("unsound", testsnap.Hostile())
	if !sound.Devices[0].AddsUp() || unsound.Devices[0].AddsUp() {
		t.Fatal("the samples are not what this test needs")
	}
	for command, ask := range asks {
		for _, text := range []string{"adds_up==false", "adds_up!=true", "anomalies>0", "anomalies.total>=1",
			"anomalies.missing_blocks>0"} {
			c, err := ParseCondition(command, text)
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
	stats := Stats([]Input{NewInput("training.pickle", testsnap.Training())}, StatsOptions{})
	for text, want := range map[string]string{
		"adds_up>false": `"adds_up>false": compare with false by == or !=`,
		"adds_up==1":    `"adds_up==1": adds_up is true or false`,
		"peak!=true":    `"peak!=true": peak_bytes is a number`,
		"adds_up==true": "adds_up==true: adds_up is true on device 0 of training.pickle",
	} {
		c, err := ParseCondition("stats", text)
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
	for _, command := range Schemas() {
		if command == "version" {
			continue // has no numbers
		}
		keys := ConditionKeys(command)
		if len(keys) == 0 {
			t.Errorf("%s has no keys", command)
		}
		for _, key := range keys {
			if strings.HasSuffix(key, ".") { // a name follows
				key += "name"
			}
			_, number := ParseCondition(command, key+">0")
			_, logic := ParseCondition(command, key+"!=true")
			if number != nil && logic != nil {
				t.Errorf("%s: %v", command, number)
			}
		}
	}
}
