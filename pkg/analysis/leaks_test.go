package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// leakStory is a job with or without a leak. step runs after the optimizer of
// each iteration, during inside it.
type leakStory struct {
	name   string
	during func(j *job, saved []tensor) []tensor
	step   func(j *job)
	end    func(j *job)
	kind   LeakKind
	at     string // the function that the leak is named after; "" for none
	sites  int
	// What is found with 3, 4, 6, 8, 12 and 40 steps: s is strong, w is weak.
	want string
}

var leakStories = []leakStory{
	{name: "clean", want: "------"},
	{
		name: "a tensor is appended to a list",
		step: func(j *job) { j.alloc(user("append"), 4) },
		kind: Accumulates, at: "append", sites: 1, want: "-wwsss",
	},
	{
		name: "1 KiB a step among buffers that come and go",
		step: func(j *job) {
			for i := range 10 {
				j.free(j.alloc(user(fmt.Sprintf("noise%d", i)), int64(64+j.rng.IntN(960))<<20), loop)
			}
			j.alloc(user("append"), 1024)
		},
		kind: Accumulates, at: "append", sites: 1, want: "-wwsss",
	},
	{
		name: "an activation is kept by a hook",
		during: func(j *job, saved []tensor) []tensor {
			j.alloc("x.py|hook\n"+layer(2, "train"), 4096)
			return saved
		},
		kind: Accumulates, at: "hook", sites: 1, want: "wwwsss",
	},
	{
		name: "the graph of each validation is kept",
		step: func(j *job) { j.forward("validate") },
		kind: Accumulates, at: "validate", sites: trainLayers, want: "-wwsss",
	},
	{
		name: "appended every third step",
		step: func(j *job) {
			if j.done%3 == 0 {
				j.alloc(user("append"), 4096)
			}
		},
		kind: Accumulates, at: "append", sites: 1, want: "----ws",
	},
	{
		name: "a buffer that is concatenated",
		step: func(j *job) {
			j.ring = append(j.ring, j.alloc(user("cat"), int64(j.done)<<20))
			j.drop(1)
		},
		kind: Grows, at: "cat", sites: 1, want: "-wwsss",
	},
	{
		name: "a reference cycle, collected every fifth step",
		step: func(j *job) {
			j.ring = append(j.ring, j.alloc(user("cycle"), 4096))
			if j.done%5 == 0 {
				j.drop(0)
			}
		},
		kind: Sawtooth, at: "cycle", sites: 1, want: "-wwwww", // at 4 steps nothing was collected yet
	},

	{name: "gradient accumulation", during: func(j *job, saved []tensor) []tensor {
		for range 3 {
			for _, g := range j.backward(j.forward("train")) {
				j.free(g, engine)
			}
		}
		return saved
	}, want: "------"},
	{name: "validation without gradients, every third step", step: func(j *job) {
		if j.done%3 == 0 {
			for _, x := range j.forward("validate") {
				j.free(x, loop)
			}
		}
	}, want: "------"},
	{name: "prefetch, flushed at every tenth step", step: func(j *job) {
		j.ring = append(j.ring, j.alloc(user("prefetch"), 4096))
		j.drop(3)
		if j.done%10 == 0 {
			j.drop(0)
		}
	}, want: "------"},
	{name: "an average of the weights, made once", step: func(j *job) {
		if j.done == 5 {
			j.run(1, user("average"))
			for range trainLayers {
				j.alloc(user("average"), 256)
			}
		}
	}, want: "------"},
	{name: "the loss of the last step", step: func(j *job) {
		j.ring = append(j.ring, j.alloc(user("loss"), 4))
		j.drop(1)
	}, want: "------"},
	{name: "optimizer state that is replaced", step: func(j *job) {
		j.ring = append(j.ring, j.alloc(step, 512))
		j.drop(1)
	}, want: "------"},
	{name: "warm-up in the first two steps", step: func(j *job) {
		if j.done < 3 {
			j.alloc(user("autotune"), 8192)
		}
	}, want: "------"},
	{name: "a queue of five", step: func(j *job) {
		j.ring = append(j.ring, j.alloc(user("queue"), 4096))
		j.drop(5)
	}, kind: Accumulates, at: "queue", sites: 1, want: "-ww---"},
	{name: "a cache of five", step: func(j *job) {
		if j.done <= 5 {
			j.alloc(user("cache"), 4096)
		}
	}, kind: Accumulates, at: "cache", sites: 1, want: "-ww---"},
	{name: "longer and longer sequences", step: func(j *job) {
		j.ring = append(j.ring, j.alloc(user("logits"), j.width*10))
		j.drop(1)
		j.width += 512
	}, want: "------"},
	{name: "a list that is cleared at the end", step: func(j *job) {
		j.ring = append(j.ring, j.alloc(user("losses"), 4))
	}, end: func(j *job) { j.drop(0) }, want: "------"},
}

func (s *leakStory) record(seed uint64, steps int) *Recording {
	j := newJob(seed)
	j.setUp()
	for range steps {
		j.iteration(func(saved []tensor) []tensor {
			if s.during == nil {
				return saved
			}
			return s.during(j, saved)
		})
		if s.step != nil {
			s.step(j)
		}
	}
	if s.end != nil {
		s.end(j)
	}
	return recordedTape(j.tape)
}

func TestLeaks(t *testing.T) {
	for _, story := range leakStories {
		t.Run(story.name, func(t *testing.T) {
			for i, steps := range []int{3, 4, 6, 8, 12, 40} {
				r := story.record(1, steps)
				s := r.Steps()
				if len(s.Boundaries) != steps {
					t.Fatalf("%d steps found by %s, want %d", len(s.Boundaries), s.Method.Key(), steps)
				}
				l := r.Leaks()
				if got, want := verdicts(l.Leaks), strings.Trim(story.want[i:i+1], "-"); got != want {
					t.Errorf("%d steps: found %q, want %q: %+v", steps, got, want, l.Leaks)
				}
				if steps == 12 && len(l.Leaks) == 1 {
					story.check(t, r, &l.Leaks[0])
				}
			}
		})
	}
}

// verdicts is a letter a leak: s for strong, w for weak.
func verdicts(leaks []Leak) string {
	var b strings.Builder
	for _, l := range leaks {
		b.WriteByte(map[bool]byte{true: 's', false: 'w'}[l.Strong])
	}
	return b.String()
}

func (s *leakStory) check(t *testing.T, r *Recording, l *Leak) {
	t.Helper()
	if l.Kind != s.kind {
		t.Errorf("it %s, want %s", l.Kind.Key(), s.kind.Key())
	}
	if len(l.Sites) != s.sites {
		t.Errorf("%d sites, want %d", len(l.Sites), s.sites)
	}
	if l.Frame == NoFrame {
		t.Fatal("it has no frame")
	}
	if got := r.Snapshot.String(r.Snapshot.Frames[l.Frame].Name); got != s.at {
		t.Errorf("named after %s, want %s", got, s.at)
	}
	if graph := s.sites > 1; l.Graph != graph {
		t.Errorf("taken for a graph: %v, want %v", l.Graph, graph)
	}
}

// TestLeakGrowth knows every number of a leak of 100 bytes a step that begins
// in the third step.
func TestLeakGrowth(t *testing.T) {
	j := newJob(1)
	var mine []int
	for i := range 10 {
		j.iteration(func(saved []tensor) []tensor {
			if i >= 2 {
				mine = append(mine, j.Len(0))
				j.alloc("x.py|keep\n"+layer(0, "train"), 100)
			}
			return saved
		})
	}
	r := recordedTape(j.tape)
	l := r.Leaks()
	if len(l.Leaks) != 1 {
		t.Fatalf("%d leaks", len(l.Leaks))
	}
	got := l.Leaks[0]
	want := Growth{Bytes: 800, PerStep: 100, Allocations: 8, First: got.First, Last: got.Last}
	if got.Growth != want || got.Sites[0].Growth != want {
		t.Errorf("growth %+v, of its site %+v, want %+v", got.Growth, got.Sites[0].Growth, want)
	}
	if l.State(got.First) != mine[0]+1 || l.State(got.Last) != mine[7]+1 {
		t.Errorf("states %d to %d, want %d to %d", l.State(got.First), l.State(got.Last), mine[0]+1, mine[7]+1)
	}
	if got.FirstStep != 2 || got.LastStep != 9 || got.GrowingSteps != 8 {
		t.Errorf("steps %d to %d, %d of them grow", got.FirstStep, got.LastStep, got.GrowingSteps)
	}
	if got := l.Held(&got); !slices.Equal(got, []int64{0, 0, 100, 200, 300, 400, 500, 600, 700, 800}) {
		t.Errorf("held %v", got)
	}
}

func TestSawtoothNumbers(t *testing.T) {
	story := leakStories[slices.IndexFunc(leakStories, func(s leakStory) bool { return s.kind == Sawtooth })]
	r := story.record(1, 12)
	l := r.Leaks().Leaks[0]
	// Each fifth step frees its own tensor, which outlived nothing, and four others.
	if l.Bursts != 2 || l.BurstSteps != 4 || l.BurstBytes != 4*4096 || l.Bytes != 2*4096 {
		t.Errorf("%d bursts, of %d steps and %d bytes at most; %d bytes at the end", l.Bursts, l.BurstSteps,
			l.BurstBytes, l.Bytes)
	}
}

// TestLeakOrder finds three leaks at once: strong ones first, then more bytes.
func TestLeakOrder(t *testing.T) {
	j := newJob(1)
	for i := range 12 {
		j.iteration(func(saved []tensor) []tensor {
			j.alloc(user("small"), 10)
			if i%3 == 0 {
				j.alloc(user("rare"), 1<<20)
			}
			if i%2 == 1 {
				j.alloc(user("large"), 1000)
			}
			return saved
		})
	}
	r := recordedTape(j.tape)
	var got []string
	for _, l := range r.Leaks().Leaks {
		got = append(got, r.Snapshot.String(r.Snapshot.Frames[l.Frame].Name)+" "+verdicts([]Leak{l}))
	}
	if want := []string{"large s", "small s", "rare w"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// TestReplacedCache: a cache that torch.cat makes longer grows by itself, not
// because a forward pass is fed more.
func TestReplacedCache(t *testing.T) {
	tape := newTape()
	var cache tensor
	for i := range 20 {
		x := tape.alloc("user.py|token\n"+module, 64)
		longer := tape.alloc("cache_utils.py|update\n"+module, 64*int64(i+1))
		if i > 0 {
			tape.free(cache, "")
		}
		cache = longer
		tape.free(x, "")
	}
	r := recordedTape(tape)
	l := r.Leaks()
	if len(l.Leaks) != 0 || len(l.Caches) != 1 || l.Caches[0].Kind != Grows {
		t.Errorf("leaks %+v, caches %+v", l.Leaks, l.Caches)
	}
}

// TestGrowingCache: a cache known by its name is told apart from leaks.
func TestGrowingCache(t *testing.T) {
	tape := newTape()
	for range 20 {
		tape.train()
		tape.alloc("cache_utils.py|update\n"+module, 64)
	}
	r := recordedTape(tape)
	l := r.Leaks()
	if len(l.Leaks) != 0 || len(l.Caches) != 1 || l.Caches[0].Families[Cache] != l.Caches[0].Bytes {
		t.Errorf("leaks %+v, caches %+v", l.Leaks, l.Caches)
	}
}

// TestKept: what a clean job makes in its first step is counted, and what was
// there before.
func TestKept(t *testing.T) {
	j := newJob(1)
	j.block(5000, "")
	j.setUp()
	for range 9 {
		j.iteration(nil)
	}
	r := recordedTape(j.tape)
	l := r.Leaks()
	want := Kept{Sites: 2, Allocations: 2 * trainLayers, Bytes: trainLayers * (256 + 512)}
	want.Families[Parameter], want.Families[Optimizer] = trainLayers*256, trainLayers*512
	if l.Once != want {
		t.Errorf("kept %+v, want %+v", l.Once, want)
	}
	if l.Before != 5000 {
		t.Errorf("%d bytes from before", l.Before)
	}
}

func TestLeakLimits(t *testing.T) {
	call := func(t *tape, keep bool) {
		for range 6 {
			for _, stack := range []string{embedding, inner, head} {
				x := t.alloc(stack, 64)
				if !keep {
					t.free(x, stack)
				}
			}
		}
	}
	tests := []struct {
		name   string
		record func(t *tape)
		want   LeakLimit
	}{
		{"no events", func(t *tape) { t.block(64, loop) }, NoEvents},
		{"no steps", func(t *tape) { t.run(1, loop) }, NoRepetition},
		{"two steps", func(t *tape) { t.train(); t.train() }, TooFewSteps},
		{"three steps", func(t *tape) { t.train(); t.train(); t.train() }, LeaksJudged},
		{"inference", func(t *tape) { call(t, false) }, LeaksJudged},
		{"forward passes that keep their activations", func(t *tape) { call(t, true) }, KeepsForwards},
		{"one forward pass that keeps its activations", func(t *tape) {
			for i := range 6 {
				t.alloc(layer(i, "main"), 64)
			}
		}, KeepsForwards},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tape := newTape()
			test.record(tape)
			r := recordedTape(tape)
			l := r.Leaks()
			if l.Limit != test.want {
				t.Errorf("limit %q, want %q", l.Limit.Key(), test.want.Key())
			}
			if len(l.Leaks)+len(l.Caches) != 0 {
				t.Errorf("found %+v %+v", l.Leaks, l.Caches)
			}
		})
	}
}

// TestLeaksInLoops: what is found without a sign of training stays a hint where
// the loop may be something else.
func TestLeaksInLoops(t *testing.T) {
	calls := func(t *tape, stacks ...string) {
		for range 30 {
			for _, stack := range stacks {
				t.run(2, stack)
			}
			t.alloc("x.py|keep\n"+stacks[0], 64)
		}
	}
	tests := []struct {
		name   string
		record func(t *tape)
		method StepMethod
		want   string
	}{
		{"calls of a model", func(t *tape) { calls(t, embedding, inner, head) }, StepsByForward, "w"},
		{"a loop of the script", func(t *tape) { calls(t, user("a"), user("b"), user("c"), user("d")) },
			StepsByUserSites, "s"},
		{"a loop, and more", func(t *tape) {
			calls(t, user("a"), user("b"), user("c"), user("d"))
			t.run(1, user("after"))
		}, StepsByUserSites, "w"},
		{"layers written by hand, and a head", func(t *tape) {
			calls(t, user("attend"))
			t.alloc(user("head"), 64)
		}, StepsByUserSites, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tape := newTape()
			test.record(tape)
			r := recordedTape(tape)
			s := r.Steps()
			if s.Method != test.method {
				t.Errorf("found by %s, want %s", s.Method.Key(), test.method.Key())
			}
			if l := r.Leaks(); verdicts(l.Leaks) != test.want {
				t.Errorf("found %q, want %q: %+v", verdicts(l.Leaks), test.want, l)
			}
		})
	}
}

// TestLeakOfBackward has no user frame to be named after.
func TestLeakOfBackward(t *testing.T) {
	j := newJob(1)
	for range 9 {
		j.iteration(func(saved []tensor) []tensor { j.alloc(engine, 64); return saved })
	}
	r := recordedTape(j.tape)
	l := r.Leaks()
	if verdicts(l.Leaks) != "s" || l.Leaks[0].Frame != NoFrame {
		t.Errorf("found %+v", l.Leaks)
	}
}
