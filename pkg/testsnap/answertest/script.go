package answertest

import (
	"io"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Script is a program whose allocations a test writes down.
type Script struct {
	*snapshot.Composer
	Now  int64
	next uint64
	live []snapshot.EventText // that trim may free, the oldest first

	before func() // what each step does first
}

func NewScript() *Script {
	s := &Script{Composer: snapshot.NewComposer(snapshot.Format{HasTime: true})}
	s.Trace(0)
	return s
}

// Frames reads file|function lines, the innermost first.
func (s *Script) Frames(text string) snapshot.StackID {
	var list []snapshot.FrameText
	for i, line := range strings.Split(text, "\n") {
		file, name, _ := strings.Cut(line, "|")
		list = append(list, snapshot.FrameText{File: file, Line: int32(i + 1), Name: name})
	}
	return s.Stack(list...)
}

func (s *Script) Make(bytes int64, stack string) snapshot.EventText {
	s.Now++
	s.next += 1 << 32
	e := snapshot.EventText{Action: snapshot.Alloc, Addr: s.next, Size: bytes, Stack: s.Frames(stack),
		TimeMicros: s.Now}
	s.Event(0, e)
	return e
}

func (s *Script) Free(e snapshot.EventText, stack string) {
	s.Now++
	e.Action, e.Stack, e.TimeMicros = snapshot.Free, s.Frames(stack), s.Now
	s.Event(0, e)
}

// Push makes a tensor that trim frees when there are more than so many.
func (s *Script) Push(bytes int64) {
	s.live = append(s.live, s.Make(bytes, "queue.py|push\ntrain.py|main"))
}

func (s *Script) trim(n int) {
	for len(s.live) > n {
		s.Free(s.live[0], "queue.py|push\ntrain.py|main")
		s.live = s.live[1:]
	}
}

const (
	ScriptForward   = "torch/nn/modules/module.py|_call_impl\ntrain.py|main"
	ScriptOptimizer = "torch/optim/adam.py|step\ntorch/optim/optimizer.py|wrapper\ntrain.py|main"
)

// Train runs steps, each with more of the script's own after it, and returns what a
// command is asked about.
func (s *Script) Train(steps int, more func(step int)) []answer.Input {
	for step := range steps {
		if s.before != nil {
			s.before()
		}
		s.Free(s.Make(1<<20, ScriptForward), ScriptForward)
		s.Annotation("Optimizer.step#Adam.step", true, s.Now)
		s.Free(s.Make(1<<10, ScriptOptimizer), ScriptOptimizer)
		s.Annotation("Optimizer.step#Adam.step", false, s.Now)
		if more != nil {
			more(step)
		}
	}
	s.Make(1, "train.py|done")
	return []answer.Input{answer.NewInput("script.pickle", s.Snapshot())}
}

const GrowthMiB = 1 << 20

// GrowingScripts are programs whose growth is known.
var GrowingScripts = map[string]func() []answer.Input{
	"3 clean steps":  func() []answer.Input { return NewScript().Train(3, nil) },
	"4 clean steps":  func() []answer.Input { return NewScript().Train(4, nil) },
	"12 clean steps": func() []answer.Input { return NewScript().Train(12, nil) },
	"a leak over 3 steps": func() []answer.Input {
		s := NewScript()
		s.before = func() { s.Make(GrowthMiB, "train.py|keep") }
		return s.Train(3, nil)
	},
	"a leak": func() []answer.Input {
		s := NewScript()
		return s.Train(12, func(int) { s.Make(GrowthMiB, "train.py|keep") })
	},
	"every third step": func() []answer.Input {
		s := NewScript()
		return s.Train(13, func(i int) {
			if i%3 == 0 {
				s.Make(3*GrowthMiB, "train.py|keep")
			}
		})
	},
	"a tiny leak": func() []answer.Input {
		s := NewScript()
		return s.Train(12, func(int) { s.Make(4, "train.py|keep") })
	},
	"a queue": func() []answer.Input { // five in and four out, beside sixty
		s := NewScript()
		return s.Train(24, func(i int) {
			for range 5 {
				s.Push(4 * GrowthMiB)
			}
			for i == 0 && len(s.live) < 65 {
				s.Push(4 * GrowthMiB)
			}
			s.trim(61 + i)
		})
	},
	"a regrown buffer": func() []answer.Input { // in every second step
		s := NewScript()
		var buffer snapshot.EventText
		return s.Train(24, func(i int) {
			if i%2 == 0 {
				old := buffer
				buffer = s.Make(int64(i+1)*GrowthMiB, "buffer.py|regrow\ntrain.py|main")
				if i > 0 {
					s.Free(old, "buffer.py|regrow\ntrain.py|main")
				}
			}
		})
	},
	"a leak and an OOM": func() []answer.Input {
		s := NewScript()
		s.Train(12, func(int) { s.Make(GrowthMiB, "train.py|keep") })
		s.Event(0, snapshot.EventText{Action: snapshot.OOM, Addr: 4 << 30, Size: 8 << 30,
			Stack:      s.Frames("train.py|last"),
			TimeMicros: s.Now})
		s.Segment(snapshot.Segment{Address: 1 << 32, TotalSize: 1 << 20})
		return []answer.Input{answer.NewInput("script.pickle", s.Snapshot())}
	},
	"4 steps of a cut file": func() []answer.Input { return Cut(NewScript().Train(4, nil)) },
	"3 steps of a cut file": func() []answer.Input { return Cut(NewScript().Train(3, nil)) },
	"no steps of a cut file": func() []answer.Input {
		s := NewScript()
		s.Make(GrowthMiB, "train.py|load")
		return Cut(s.Train(0, nil))
	},
	"a leak in 6 steps of a cut file": func() []answer.Input {
		s := NewScript()
		return Cut(s.Train(6, func(int) { s.Make(GrowthMiB, "train.py|keep") }))
	},
	"a queue from nothing": func() []answer.Input {
		s := NewScript()
		return s.Train(24, func(i int) {
			for range 5 {
				s.Push(4 * GrowthMiB)
			}
			s.trim(1 + i)
		})
	},
	"a cache that fills": func() []answer.Input {
		s := NewScript()
		return s.Train(12, func(i int) {
			if i < 5 {
				s.Make(GrowthMiB, "train.py|cache")
			}
		})
	},
	"no history": func() []answer.Input {
		s := NewScript()
		s.Segment(snapshot.Segment{Address: 1 << 30, TotalSize: 2 * GrowthMiB})
		return []answer.Input{answer.NewInput("script.pickle", s.Snapshot())}
	},
}

// Cut is what is asked about files of which only the beginning could be read.
func Cut(in []answer.Input) []answer.Input {
	in[0].Snapshot.Salvaged = &snapshot.Salvaged{NoEnd: true, Events: in[0].Devices[0].Events.Len(),
		Err: io.ErrUnexpectedEOF}
	return in
}
