package answer

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// script is a program whose allocations a test writes down.
type script struct {
	*snapshot.Composer
	now  int64
	next uint64
	live []snapshot.EventText // that trim may free, the oldest first

	before func() // what each step does first
}

func newScript() *script {
	s := &script{Composer: snapshot.NewComposer(snapshot.Format{HasTime: true})}
	s.Trace(0)
	return s
}

// frames reads file|function lines, the innermost first.
func (s *script) frames(text string) snapshot.StackID {
	var list []snapshot.FrameText
	for i, line := range strings.Split(text, "\n") {
		file, name, _ := strings.Cut(line, "|")
		list = append(list, snapshot.FrameText{File: file, Line: int32(i + 1), Name: name})
	}
	return s.Stack(list...)
}

func (s *script) make(bytes int64, stack string) snapshot.EventText {
	s.now++
	s.next += 1 << 32
	e := snapshot.EventText{Action: snapshot.Alloc, Addr: s.next, Size: bytes, Stack: s.frames(stack),
		TimeMicros: s.now}
	s.Event(0, e)
	return e
}

func (s *script) free(e snapshot.EventText, stack string) {
	s.now++
	e.Action, e.Stack, e.TimeMicros = snapshot.Free, s.frames(stack), s.now
	s.Event(0, e)
}

// push makes a tensor that trim frees when there are more than so many.
func (s *script) push(bytes int64) {
	s.live = append(s.live, s.make(bytes, "queue.py|push\ntrain.py|main"))
}

func (s *script) trim(n int) {
	for len(s.live) > n {
		s.free(s.live[0], "queue.py|push\ntrain.py|main")
		s.live = s.live[1:]
	}
}

const (
	scriptForward   = "torch/nn/modules/module.py|_call_impl\ntrain.py|main"
	scriptOptimizer = "torch/optim/adam.py|step\ntorch/optim/optimizer.py|wrapper\ntrain.py|main"
)

// train runs steps, each with more of the script's own after it, and returns what a
// command is asked about.
func (s *script) train(steps int, more func(step int)) []Input {
	for step := range steps {
		if s.before != nil {
			s.before()
		}
		s.free(s.make(1<<20, scriptForward), scriptForward)
		s.Annotation("Optimizer.step#Adam.step", true, s.now)
		s.free(s.make(1<<10, scriptOptimizer), scriptOptimizer)
		s.Annotation("Optimizer.step#Adam.step", false, s.now)
		if more != nil {
			more(step)
		}
	}
	s.make(1, "train.py|done")
	return []Input{NewInput("script.pickle", s.Snapshot())}
}

const growthMiB = 1 << 20

// growingScripts are programs whose growth is known.
var growingScripts = map[string]func() []Input{
	"3 clean steps":  func() []Input { return newScript().train(3, nil) },
	"4 clean steps":  func() []Input { return newScript().train(4, nil) },
	"12 clean steps": func() []Input { return newScript().train(12, nil) },
	"a leak over 3 steps": func() []Input {
		s := newScript()
		s.before = func() { s.make(growthMiB, "train.py|keep") }
		return s.train(3, nil)
	},
	"a leak": func() []Input {
		s := newScript()
		return s.train(12, func(int) { s.make(growthMiB, "train.py|keep") })
	},
	"every third step": func() []Input {
		s := newScript()
		return s.train(13, func(i int) {
			if i%3 == 0 {
				s.make(3*growthMiB, "train.py|keep")
			}
		})
	},
	"a tiny leak": func() []Input {
		s := newScript()
		return s.train(12, func(int) { s.make(4, "train.py|keep") })
	},
	"a queue": func() []Input { // five in and four out, beside sixty
		s := newScript()
		return s.train(24, func(i int) {
			for range 5 {
				s.push(4 * growthMiB)
			}
			for i == 0 && len(s.live) < 65 {
				s.push(4 * growthMiB)
			}
			s.trim(61 + i)
		})
	},
	"a regrown buffer": func() []Input { // in every second step
		s := newScript()
		var buffer snapshot.EventText
		return s.train(24, func(i int) {
			if i%2 == 0 {
				old := buffer
				buffer = s.make(int64(i+1)*growthMiB, "buffer.py|regrow\ntrain.py|main")
				if i > 0 {
					s.free(old, "buffer.py|regrow\ntrain.py|main")
				}
			}
		})
	},
	"a leak and an OOM": func() []Input {
		s := newScript()
		s.train(12, func(int) { s.make(growthMiB, "train.py|keep") })
		s.Event(0, snapshot.EventText{Action: snapshot.OOM, Addr: 4 << 30, Size: 8 << 30,
			Stack:      s.frames("train.py|last"),
			TimeMicros: s.now})
		s.Segment(snapshot.Segment{Address: 1 << 32, TotalSize: 1 << 20})
		return []Input{NewInput("script.pickle", s.Snapshot())}
	},
	"4 steps of a cut file": func() []Input { return cut(newScript().train(4, nil)) },
	"3 steps of a cut file": func() []Input { return cut(newScript().train(3, nil)) },
	"no steps of a cut file": func() []Input {
		s := newScript()
		s.make(growthMiB, "train.py|load")
		return cut(s.train(0, nil))
	},
	"a leak in 6 steps of a cut file": func() []Input {
		s := newScript()
		return cut(s.train(6, func(int) { s.make(growthMiB, "train.py|keep") }))
	},
	"a queue from nothing": func() []Input {
		s := newScript()
		return s.train(24, func(i int) {
			for range 5 {
				s.push(4 * growthMiB)
			}
			s.trim(1 + i)
		})
	},
	"a cache that fills": func() []Input {
		s := newScript()
		return s.train(12, func(i int) {
			if i < 5 {
				s.make(growthMiB, "train.py|cache")
			}
		})
	},
	"no history": func() []Input {
		s := newScript()
		s.Segment(snapshot.Segment{Address: 1 << 30, TotalSize: 2 * growthMiB})
		return []Input{NewInput("script.pickle", s.Snapshot())}
	},
}

// cut is what is asked about files of which only the beginning could be read.
func cut(in []Input) []Input {
	in[0].Snapshot.Salvaged = &snapshot.Salvaged{NoEnd: true, Events: in[0].Devices[0].Events.Len(),
		Err: io.ErrUnexpectedEOF}
	return in
}

func leaksText(t *testing.T, in []Input, o LeaksOptions) string {
	t.Helper()
	sheet, err := Leaks(in, o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := sheet.Write(&b, Text, Look{}); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(strings.Join(strings.Fields(b.String()), " "), "\u00a0", " ")
}

// TestGrowthWords: what is said of growth is what the script does, and nothing is
// denied that the rules could not see.
func TestGrowthWords(t *testing.T) {
	for name, want := range map[string][]string{
		"3 clean steps": {"cannot be judged from 3 steps", "Record 8 steps or more: memviz snippet leak"},
		"4 clean steps": {"no growth of a call site seen in 4 steps", "in every third step only", "Record 12 or more"},
		"12 clean steps": {"cuda:0 nothing keeps growing",
			"A leak at other call sites each time would not be seen under 4.00 KiB each step."},
		"a regrown buffer": {"no call site keeps more tensors, but some are replaced by larger ones",
			"The least memory of each step rises by ", "replaced by others of another size", "buffer.py:1:regrow"},
		"a leak and an OOM": {"keeps growing, at 1 place", "At this rate the 4.00 GiB that PyTorch could see when a " +
			"request failed are full after at most "},
		"4 steps of a cut file": {"no growth of a call site seen in 4 steps", "Only a part of the file could be " +
			"read: the whole one may hold more of them."},
		"3 steps of a cut file":  {"cannot be judged from 3 steps", "getting ready. Only a part of the file"},
		"no steps of a cut file": {"Leaks cannot be judged from this file. Only a part of the file"},
		"a leak in 6 steps of a cut file": {"only 6 steps were recorded",
			"would look the same. Only a part of the file"},
		"a leak over 3 steps": {"cannot be judged from 3 steps", "by 1.00 MiB each step",
			"only 3 steps were recorded"},
		"a leak": {"keeps growing, at 1 place", "by 1.00 MiB each step, to 12.0 MiB now, and nothing",
			"A cache that holds more than 12 steps of entries, and is still filling, would look the same."},
		"every third step": {"may keep growing", "by 3.00 MiB every 3 steps, to 15.0 MiB",
			"only 4 of 13 steps add to it", "Record 21 or more."},
		"a tiny leak": {"may keep growing", "by 4 B each step"},
		"a queue": {"keeps growing, and no call site explains it", "grows by 4.00 MiB ± 0",
			"queue.py:1:push"},
		"a queue from nothing": {"is freed more slowly than it is made: it grows by 4.00 MiB each step, to 96.0 MiB " +
			"in 24"},
		"a cache that fills": {"nothing keeps growing",
			"5.00 MiB allocated in several steps and kept, but no more since step 6"},
		"no history": {"cannot be judged"},
	} {
		text := leaksText(t, growingScripts[name](), LeaksOptions{Rows: 9})
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s does not say %q: %s", name, part, text)
			}
		}
		if strings.HasSuffix(name, "of a cut file") && regexp.MustCompile(`[Rr]ecord (\d|several)`).MatchString(text) {
			t.Errorf("%s: advises to record more: %s", name, text)
		}
		for _, no := range []string{"nothing keeps growing", "12 steps were recorded", "replaced by"} {
			said := strings.Contains(text, no)
			if said != strings.Contains(strings.Join(want, " "), no) {
				t.Errorf("%s: says %q: %t", name, no, said)
			}
		}
	}
}

// TestStepsLeft: 60 tensors of 4 MiB and one more each step, 4 of them for a moment,
// fill a device of 1 GiB after the 24 steps recorded in so many more.
func TestStepsLeft(t *testing.T) {
	in := growingScripts["a queue"]()
	text := leaksText(t, in, LeaksOptions{Capacity: 1 << 30})
	full := regexp.MustCompile(`the 1.00 GiB of the device are full after at most ([0-9]+) more steps`)
	found := full.FindStringSubmatch(text)
	if found == nil {
		t.Fatal(text)
	}
	// In its last whole step, the 24th, the queue holds 60+23 tensors, and 4 more
	// before it is trimmed.
	left, _ := strconv.Atoi(found[1])
	if want := (256 - (60 + 23 + 4)) / 1; left < want-2 || left > want+2 {
		t.Errorf("%d steps left, want about %d", left, want)
	}
	if text := leaksText(t, in, LeaksOptions{Capacity: 350 << 20}); !strings.Contains(text, "full after at most") &&
		!strings.Contains(text, "do not last for another step") {
		t.Error(text)
	}
	for _, name := range []string{"12 clean steps", "3 clean steps", "no history"} {
		if text := leaksText(t, growingScripts[name](), LeaksOptions{Capacity: 1 << 30}); strings.Contains(text,
			"rate") {
			t.Errorf("%s: %s", name, text)
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
		c, err := ParseCondition("leaks", test.condition)
		if err != nil {
			t.Fatal(err)
		}
		sheet, err := Leaks(growingScripts[test.name](), LeaksOptions{Capacity: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		got := pass
		switch _, holds, err := c.Holds(sheet); {
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
		c, _ := ParseCondition("leaks", condition)
		sheet, _ := Leaks(append(growingScripts["12 clean steps"](), growingScripts["3 clean steps"]()...),
			LeaksOptions{})
		if _, _, err := c.Holds(sheet); err == nil {
			t.Errorf("%s passes although one of two devices cannot be judged", condition)
		}
	}
}

// TestWindowHeads: windows are headed by what they are.
func TestWindowHeads(t *testing.T) {
	calls := newScript()
	for range 5 {
		for i := range 3 {
			stack := fmt.Sprintf("model.py|layer%d\n%s", i, scriptForward)
			calls.free(calls.make(64, stack), stack)
		}
	}
	for head, in := range map[string][]Input{
		"window peak": {NewInput("calls.pickle", calls.Snapshot())}, "step peak": growingScripts["4 clean steps"](),
	} {
		var b strings.Builder
		if err := Stats(in, StatsOptions{Rows: 8}).Write(&b, Text, Look{}); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(text, head) {
			t.Errorf("no head %q in %s", head, text)
		} else if head == "window peak" && !strings.Contains(text, " 5 64 B") {
			t.Errorf("not five windows: %s", text)
		}
	}
}

// TestAvoidable: an output of 64 MiB lives into the next forward pass, and the only
// step of another program makes 80 MiB of state.
func TestAvoidable(t *testing.T) {
	const head = "head.py|project\n" + scriptForward
	inference := newScript()
	var output snapshot.EventText
	for i := range 4 {
		inference.free(inference.make(1<<20, "train.py|batch"), "train.py|batch")
		made := inference.make(64*growthMiB, head)
		if i > 0 {
			inference.free(output, "train.py|main")
		}
		output = made
	}
	in := []Input{NewInput("inference.pickle", inference.Snapshot())}
	stats := statsOf(in, StatsOptions{Rows: 3})
	if len(stats.Avoidable) != 1 || stats.Avoidable[0] != (Avoidable{"last_outputs", 64 * growthMiB, 1,
		"head.py:1:project", "del them before the next forward pass", 65 * growthMiB}) || // with a batch of 1 MiB
		stats.AvoidablePeak != 65*growthMiB || stats.PeakBytes != 128*growthMiB || stats.FirstStep != 0 {
		t.Errorf("%+v", stats)
	}
	const sentence = "Alive at the peak and not needed there: 64.0 MiB in 1 tensor, allocated at head.py:1:project: " +
		"outputs of the last iteration. To avoid it, del them before the next forward pass; the peak would be 65.0 MiB."
	text := strings.Join(strings.Fields(string(written(t, Stats(in, StatsOptions{Rows: 3}), Text))), " ")
	if !strings.Contains(text, sentence) {
		t.Error(text)
	}
	cards, _, _ := Cards(in[0].Recordings[0], nil)
	if card := cards[0]; withSpaces(card.Detail) != sentence ||
		card.Line != "outputs 100 %; 63.0 MiB avoidable" {
		t.Errorf("%+v", card)
	}

	first := newScript()
	x := first.make(100*growthMiB, "model.py|layer\n"+scriptForward)
	first.free(first.make(1, "torch/_tensor.py|backward\ntrain.py|main"), "torch/_tensor.py|backward\ntrain.py|main")
	first.free(x, "torch/_tensor.py|backward\ntrain.py|main")
	for range 4 {
		first.make(20*growthMiB, "torch/optim/adam.py|_init_group\n"+scriptOptimizer)
	}
	in = []Input{NewInput("first.pickle", first.Snapshot())}
	stats = statsOf(in, StatsOptions{Rows: 3})
	if stats.FirstStep != 80*growthMiB || stats.NextStepPeak != 180*growthMiB+1 || len(stats.Avoidable) != 0 ||
		stats.AvoidablePeak != stats.PeakBytes {
		t.Errorf("%+v", stats)
	}
	const fact = "A first step: the next ones hold 80.0 MiB of optimizer state more during the pass."
	cards, _, _ = Cards(in[0].Recordings[0], nil)
	if card := cards[0]; withSpaces(card.Detail) != fact ||
		!strings.HasSuffix(card.Line, "; a first step") {
		t.Errorf("%+v", card)
	}
	if list := WarningsOf(in[0].Recordings[0]); len(list) == 0 || withSpaces(list[len(list)-1].Fact) != fact {
		t.Errorf("%+v", list)
	}
	text = said(t, func(s *Sheet) { s.warn(in[0].Recordings[0]) })
	if !strings.Contains(text,
		fact+" With it the pass peaks at about 180 MiB, or more. To see it, train for a few steps") {
		t.Error(text)
	}

	in[0].Snapshot.Salvaged = &snapshot.Salvaged{NoEnd: true, Events: in[0].Devices[0].Events.Len(),
		Err: io.ErrUnexpectedEOF}
	text = said(t, func(s *Sheet) { s.warn(in[0].Recordings[0]) })
	if !strings.Contains(text, fact+" With it the pass peaks at about 180 MiB, or more. Only a part of the file could "+
		"be read: the whole one may hold more of them.") || strings.Contains(text, "record more") {
		t.Error(text)
	}
}
