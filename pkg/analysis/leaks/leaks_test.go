package leaks_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

// job is a training loop with a few layers. Its steps end with the optimizer's,
// which updates state that the first step made.
type job struct {
	*testsnap.Tape
	rng   *rand.Rand
	width int64             // bytes of an activation
	done  int               // steps
	ring  []testsnap.Tensor // for stories that hold several
}

func newJob(seed uint64) *job {
	return &job{Tape: testsnap.NewTape(), rng: rand.New(rand.NewPCG(seed, 1)), width: 4096}
}

const trainLayers = 5

// layer is the stack of a layer's forward, called from a function of the script.
func layer(i int, caller string) string {
	return fmt.Sprintf("at::_ops::linear::call(x)\nmodel.py|layer%d\n%s\ntrain.py|%s\ntrain.py|main", i,
		"torch/nn/modules/module.py|_call_impl", caller)
}

// forward returns what backward would release.
func (j *job) forward(caller string) []testsnap.Tensor {
	var saved []testsnap.Tensor
	for i := range trainLayers {
		j.Free(j.Alloc(layer(i, caller), j.width/2), layer(i, caller))
		saved = append(saved, j.Alloc(layer(i, caller), j.width))
	}
	return saved
}

func (j *job) backward(saved []testsnap.Tensor) (gradients []testsnap.Tensor) {
	for i, x := range saved {
		node := fmt.Sprintf("torch::autograd::generated::Node%d::apply(x)\n%s", i, testsnap.Engine)
		gradients = append(gradients, j.Alloc(node, 256))
		j.Free(x, testsnap.Release+node)
	}
	return gradients
}

func (j *job) optimize(gradients []testsnap.Tensor) {
	if j.done == 0 {
		for range trainLayers {
			j.Alloc(testsnap.InitGroup, 512)
		}
	}
	j.Run(trainLayers, testsnap.Step)
	for _, g := range gradients {
		j.Free(g, testsnap.ZeroGrad)
	}
	j.done++
}

// iteration is a clean step; during runs between forward and backward.
func (j *job) iteration(during func(saved []testsnap.Tensor) []testsnap.Tensor) {
	batch := j.Alloc(testsnap.ToDevice, j.width)
	saved := j.forward("train")
	if during != nil {
		saved = during(saved)
	}
	j.optimize(j.backward(saved))
	j.Free(batch, testsnap.Loop)
}

// setUp moves a model to the device.
func (j *job) setUp() {
	for range trainLayers {
		j.Alloc(testsnap.Loading, 256)
	}
}

// drop frees everything but the last n that a story holds.
func (j *job) drop(n int) {
	for len(j.ring) > n {
		j.Free(j.ring[0], testsnap.Loop)
		j.ring = j.ring[1:]
	}
}

// leakStory is a job with or without a leak. step runs after the optimizer of
// each iteration, during inside it.
type leakStory struct {
	name   string
	during func(j *job, saved []testsnap.Tensor) []testsnap.Tensor
	step   func(j *job)
	end    func(j *job)
	kind   leaks.Kind
	at     string // the function that the leak is named after; "" for none
	sites  int
	// What is found with 3, 4, 6, 8, 12 and 40 steps: s is strong, w is weak.
	want string
}

var leakStories = []leakStory{
	{name: "clean", want: "------"},
	{
		name: "a tensor is appended to a list",
		step: func(j *job) { j.Alloc(testsnap.UserLine("append"), 4<<10+1) },
		kind: leaks.Accumulates, at: "append", sites: 1, want: "-wwsss",
	},
	{
		name: "4 KiB are appended to a list",
		step: func(j *job) { j.Alloc(testsnap.UserLine("append"), 4<<10) },
		kind: leaks.Accumulates, at: "append", sites: 1, want: "-wwwww",
	},
	{
		name: "1 KiB a step among buffers that come and go",
		step: func(j *job) {
			for i := range 10 {
				j.Free(j.Alloc(testsnap.UserLine(fmt.Sprintf("noise%d", i)), int64(64+j.rng.IntN(960))<<20), testsnap.Loop)
			}
			j.Alloc(testsnap.UserLine("append"), 1024)
		},
		kind: leaks.Accumulates, at: "append", sites: 1, want: "-wwwww",
	},
	{
		name: "an activation is kept by a hook",
		during: func(j *job, saved []testsnap.Tensor) []testsnap.Tensor {
			j.Alloc("x.py|hook\n"+layer(2, "train"), 8192)
			return saved
		},
		kind: leaks.Accumulates, at: "hook", sites: 1, want: "wwwsss",
	},
	{
		name: "the graph of each validation is kept",
		step: func(j *job) { j.forward("validate") },
		kind: leaks.Accumulates, at: "validate", sites: trainLayers, want: "-wwsss",
	},
	{
		name: "appended every third step",
		step: func(j *job) {
			if j.done%3 == 0 {
				j.Alloc(testsnap.UserLine("append"), 3<<20)
			}
		},
		kind: leaks.Accumulates, at: "append", sites: 1, want: "----ws",
	},
	{
		name: "a buffer that is concatenated",
		step: func(j *job) {
			j.ring = append(j.ring, j.Alloc(testsnap.UserLine("cat"), int64(j.done)<<20))
			j.drop(1)
		},
		kind: leaks.Grows, at: "cat", sites: 1, want: "-wwsss",
	},
	{
		name: "a reference cycle, collected every fifth step",
		step: func(j *job) {
			j.ring = append(j.ring, j.Alloc(testsnap.UserLine("cycle"), 4096))
			if j.done%5 == 0 {
				j.drop(0)
			}
		},
		kind: leaks.Sawtooth, at: "cycle", sites: 1, want: "-wwwww", // at 4 steps nothing was collected yet
	},

	{name: "gradient accumulation", during: func(j *job, saved []testsnap.Tensor) []testsnap.Tensor {
		for range 3 {
			for _, g := range j.backward(j.forward("train")) {
				j.Free(g, testsnap.Engine)
			}
		}
		return saved
	}, want: "------"},
	{name: "validation without gradients, every third step", step: func(j *job) {
		if j.done%3 == 0 {
			for _, x := range j.forward("validate") {
				j.Free(x, testsnap.Loop)
			}
		}
	}, want: "------"},
	{name: "prefetch, flushed at every tenth step", step: func(j *job) {
		j.ring = append(j.ring, j.Alloc(testsnap.UserLine("prefetch"), 4096))
		j.drop(3)
		if j.done%10 == 0 {
			j.drop(0)
		}
	}, want: "------"},
	{name: "an average of the weights, made once", step: func(j *job) {
		if j.done == 5 {
			j.Run(1, testsnap.UserLine("average"))
			for range trainLayers {
				j.Alloc(testsnap.UserLine("average"), 256)
			}
		}
	}, want: "------"},
	{name: "the loss of the last step", step: func(j *job) {
		j.ring = append(j.ring, j.Alloc(testsnap.UserLine("loss"), 4))
		j.drop(1)
	}, want: "------"},
	{name: "optimizer state that is replaced", step: func(j *job) {
		j.ring = append(j.ring, j.Alloc(testsnap.Step, 512))
		j.drop(1)
	}, want: "------"},
	{name: "warm-up in the first two steps", step: func(j *job) {
		if j.done < 3 {
			j.Alloc(testsnap.UserLine("autotune"), 8192)
		}
	}, want: "------"},
	{name: "a queue of five", step: func(j *job) {
		j.ring = append(j.ring, j.Alloc(testsnap.UserLine("queue"), 4096))
		j.drop(5)
	}, kind: leaks.Accumulates, at: "queue", sites: 1, want: "-ww---"},
	{name: "a cache of five", step: func(j *job) {
		if j.done <= 5 {
			j.Alloc(testsnap.UserLine("cache"), 4096)
		}
	}, kind: leaks.Accumulates, at: "cache", sites: 1, want: "-ww---"},
	{name: "longer and longer sequences", step: func(j *job) {
		j.ring = append(j.ring, j.Alloc(testsnap.UserLine("logits"), j.width*10))
		j.drop(1)
		j.width += 512
	}, want: "------"},
	{name: "a list that is cleared at the end", step: func(j *job) {
		j.ring = append(j.ring, j.Alloc(testsnap.UserLine("losses"), 4))
	}, end: func(j *job) { j.drop(0) }, want: "------"},
}

func (s *leakStory) record(seed uint64, steps int) *analysis.Recording {
	j := newJob(seed)
	j.setUp()
	for range steps {
		j.iteration(func(saved []testsnap.Tensor) []testsnap.Tensor {
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
	return recorded.Tape(j.Tape)
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
func verdicts(list []leaks.Leak) string {
	var b strings.Builder
	for _, l := range list {
		b.WriteByte(map[bool]byte{true: 's', false: 'w'}[l.Strong])
	}
	return b.String()
}

func (s *leakStory) check(t *testing.T, r *analysis.Recording, l *leaks.Leak) {
	t.Helper()
	if l.Kind != s.kind {
		t.Errorf("it %s, want %s", l.Kind.Key(), s.kind.Key())
	}
	if len(l.Sites) != s.sites {
		t.Errorf("%d sites, want %d", len(l.Sites), s.sites)
	}
	if l.Frame == stacks.NoFrame {
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
		j.iteration(func(saved []testsnap.Tensor) []testsnap.Tensor {
			if i >= 2 {
				mine = append(mine, j.Len(0))
				j.Alloc("x.py|keep\n"+layer(0, "train"), 100)
			}
			return saved
		})
	}
	r := recorded.Tape(j.Tape)
	l := r.Leaks()
	if len(l.Leaks) != 1 {
		t.Fatalf("%d leaks", len(l.Leaks))
	}
	got := l.Leaks[0]
	want := leaks.Retained{Bytes: 800, PerStep: 100, Allocations: 8, Held: 8, First: got.First, Last: got.Last}
	if got.Retained != want || got.Sites[0].Retained != want {
		t.Errorf("growth %+v, of its site %+v, want %+v", got.Retained, got.Sites[0].Retained, want)
	}
	if l.State(got.First) != mine[0]+1 || l.State(got.Last) != mine[7]+1 {
		t.Errorf("states %d to %d, want %d to %d", l.State(got.First), l.State(got.Last), mine[0]+1, mine[7]+1)
	}
	if got.FirstStep != 2 || got.LastStep != 9 || got.GrowingSteps != 8 {
		t.Errorf("steps %d to %d, %d of them grow", got.FirstStep, got.LastStep, got.GrowingSteps)
	}
	if got := l.BytesAtBoundaries(&got); !slices.Equal(got, []int64{0, 0, 100, 200, 300, 400, 500, 600, 700, 800}) {
		t.Errorf("held %v", got)
	}
}

// TestDoubts: every weak finding says why it is weak, and in which steps it grows.
func TestDoubts(t *testing.T) {
	const mib = 1 << 20
	at := func(bytes int64, in func(step int) bool) func(*job) {
		return func(j *job) {
			if in(j.done) {
				j.Alloc(testsnap.UserLine("append"), bytes)
			}
		}
	}
	each := func(int) bool { return true }
	for _, test := range []struct {
		name      string
		step      func(*job)
		steps     int
		want      leaks.Doubt
		every     int
		perGrowth int64
	}{
		{"each step", at(mib, each), 12, leaks.NoDoubt, 1, mib},
		{"seven steps", at(mib, each), 7, leaks.FewSteps, 1, mib},
		{"every third step", at(3*mib, func(i int) bool { return i%3 == 0 }), 13, leaks.FewGrowingSteps, 3, 3 * mib},
		{"4 KiB a step", at(4<<10, each), 12, leaks.Tiny, 1, 4 << 10},
		{"a step left out", at(mib, func(i int) bool { return i != 5 }), 12, leaks.NoDoubt, 0, mib},
		{"less and less", func(j *job) { j.Alloc(testsnap.UserLine("append"), mib>>j.done) }, 12, leaks.SlowingDown, 1,
			(1<<20 - 1<<9) / 11},
	} {
		l := (&leakStory{step: test.step}).record(1, test.steps).Leaks().Leaks
		if len(l) != 1 || l[0].Doubt != test.want || l[0].Strong != (test.want == leaks.NoDoubt) ||
			l[0].Every != test.every || l[0].PerGrowth != test.perGrowth {
			t.Errorf("%s: %+v", test.name, l)
		}
	}
}

// TestQueueThatGrows: one that is trimmed more slowly than it fills is told from a
// buffer that is replaced by a larger one.
func TestQueueThatGrows(t *testing.T) {
	queue := func(j *job) {
		for range 5 {
			j.ring = append(j.ring, j.Alloc(testsnap.UserLine("push"), 1<<20))
		}
		j.drop(j.done)
	}
	buffer := func(j *job) {
		j.ring = append(j.ring, j.Alloc(testsnap.UserLine("cat"), int64(j.done)<<20))
		j.drop(1)
	}
	for want, step := range map[int]func(*job){24: queue, 1: buffer} {
		l := (&leakStory{step: step}).record(1, 24).Leaks().Leaks
		if len(l) != 1 || l[0].Kind != leaks.Grows || l[0].Held != want || l[0].Bytes != 24<<20 ||
			l[0].PerStep != 1<<20 {
			t.Errorf("want %d tensors: %+v", want, l)
		}
	}
}

// TestTrend: unexplained growth goes on where no call site keeps more, and nowhere
// else. The numbers come from the script.
func TestTrend(t *testing.T) {
	const mib = 1 << 20
	fifo := func(j *job) { // five in, four out, beside sixty
		for range 5 {
			j.ring = append(j.ring, j.Alloc(testsnap.UserLine("push"), 4*mib))
		}
		for j.done == 1 && len(j.ring) < 65 {
			j.ring = append(j.ring, j.Alloc(testsnap.UserLine("push"), 4*mib))
		}
		j.drop(60 + j.done)
	}
	elsewhere := func(j *job) { // eight of a hundred sites, others in each step
		for i := range 8 {
			j.Alloc(testsnap.UserLine(fmt.Sprint("site", j.rng.IntN(100)*8+i)), mib)
		}
	}
	for _, test := range []struct {
		name    string
		step    func(*job)
		perStep int64 // 0: nothing goes on
		site    string
	}{
		{"trimmed more slowly than it fills", fifo, 4 * mib, "push"},
		{"other sites in each step", elsewhere, 8 * mib, ""},
		{"a leak that is found", func(j *job) { j.Alloc(testsnap.UserLine("append"), mib) }, 0, ""},
		{"three averages of the weights", func(j *job) {
			if j.done == 5 || j.done == 12 || j.done == 19 {
				j.Alloc(testsnap.UserLine(fmt.Sprint("average", j.done)), 100*mib)
			}
		}, 0, ""},
		{"random lengths", func(j *job) {
			j.ring = append(j.ring, j.Alloc(testsnap.UserLine("logits"), int64(1+j.rng.IntN(64))*mib))
			j.drop(1)
		}, 0, ""},
	} {
		r := (&leakStory{step: test.step}).record(1, 24)
		trend := r.Leaks().Trend
		if trend == nil || trend.GoesOn != (test.perStep > 0) {
			t.Errorf("%s: %+v", test.name, trend)
			continue
		}
		if !trend.GoesOn {
			continue
		}
		// Of the other sites a few come again, so that they are suspect.
		if off := trend.PerStep - test.perStep; 20*max(off, -off) > test.perStep ||
			trend.Spread > test.perStep/10 || trend.Steps != 22 {
			t.Errorf("%s: %+v, want %d a step", test.name, trend, test.perStep)
		}
		if site := r.Stacks.Site(trend.Stack).Function; test.site != "" && (site != test.site || trend.Bytes != 4*mib) {
			t.Errorf("%s: most of it, %d, at %s", test.name, trend.Bytes, site)
		}
	}
	for _, story := range leakStories {
		if story.name == "4 KiB are appended to a list" {
			continue
		}
		for _, steps := range []int{6, 8, 12, 40} {
			if l := story.record(1, steps).Leaks(); l.Trend != nil && l.Trend.GoesOn {
				t.Errorf("%s, %d steps: %+v", story.name, steps, l.Trend)
			} else if l.Trend == nil && !l.FedMore {
				t.Errorf("%s: no trend of %d steps", story.name, steps)
			}
		}
	}
	if l := (&leakStory{}).record(1, 5).Leaks(); l.Trend != nil {
		t.Errorf("a trend of 5 steps: %+v", l.Trend)
	}
}

// TestFilled: a cache that has filled is counted by itself, a queue is not.
func TestFilled(t *testing.T) {
	for _, story := range leakStories {
		l := story.record(1, 12).Leaks()
		want := leaks.Filled{}
		if story.name == "a cache of five" {
			want = leaks.Filled{Kept: leaks.Kept{Sites: 1, Allocations: 5, Bytes: 5 * 4096}, FirstStep: 1, LastStep: 5}
		} else if story.name == "warm-up in the first two steps" {
			want = leaks.Filled{Kept: leaks.Kept{Sites: 1, Allocations: 2, Bytes: 2 * 8192}, FirstStep: 1, LastStep: 2}
		}
		if l.Filled != want {
			t.Errorf("%s: %+v, want %+v", story.name, l.Filled, want)
		}
	}
}

func TestSawtoothNumbers(t *testing.T) {
	story := leakStories[slices.IndexFunc(leakStories, func(s leakStory) bool { return s.kind == leaks.Sawtooth })]
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
		j.iteration(func(saved []testsnap.Tensor) []testsnap.Tensor {
			j.Alloc(testsnap.UserLine("small"), 5000)
			if i%3 == 0 {
				j.Alloc(testsnap.UserLine("rare"), 1<<20)
			}
			if i%2 == 1 {
				j.Alloc(testsnap.UserLine("large"), 50_000)
			}
			return saved
		})
	}
	r := recorded.Tape(j.Tape)
	var got []string
	for _, l := range r.Leaks().Leaks {
		got = append(got, r.Snapshot.String(r.Snapshot.Frames[l.Frame].Name)+" "+verdicts([]leaks.Leak{l}))
	}
	if want := []string{"large s", "small s", "rare w"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// TestReplacedCache: a cache that torch.cat makes longer grows by itself, not
// because a forward pass is fed more.
func TestReplacedCache(t *testing.T) {
	tape := testsnap.NewTape()
	var cache testsnap.Tensor
	for i := range 20 {
		x := tape.Alloc("user.py|token\n"+testsnap.Module, 64)
		longer := tape.Alloc("cache_utils.py|update\n"+testsnap.Module, 64*int64(i+1))
		if i > 0 {
			tape.Free(cache, "")
		}
		cache = longer
		tape.Free(x, "")
	}
	r := recorded.Tape(tape)
	l := r.Leaks()
	if len(l.Leaks) != 0 || len(l.Caches) != 1 || l.Caches[0].Kind != leaks.Grows {
		t.Errorf("leaks %+v, caches %+v", l.Leaks, l.Caches)
	}
}

// TestGrowingCache: a cache known by its name is not taken for a leak.
func TestGrowingCache(t *testing.T) {
	tape := testsnap.NewTape()
	for range 20 {
		tape.Train()
		tape.Alloc("cache_utils.py|update\n"+testsnap.Module, 64)
	}
	r := recorded.Tape(tape)
	l := r.Leaks()
	if len(l.Leaks) != 0 || len(l.Caches) != 1 || l.Caches[0].Families[families.Cache] != l.Caches[0].Bytes {
		t.Errorf("leaks %+v, caches %+v", l.Leaks, l.Caches)
	}
}

// TestKept: what a clean job makes in its first step is counted, and what was
// there before.
func TestKept(t *testing.T) {
	j := newJob(1)
	j.Block(5000, "")
	j.setUp()
	for range 9 {
		j.iteration(nil)
	}
	r := recorded.Tape(j.Tape)
	l := r.Leaks()
	want := leaks.Kept{Sites: 2, Allocations: 2 * trainLayers, Bytes: trainLayers * (256 + 512)}
	if l.Once != want {
		t.Errorf("kept %+v, want %+v", l.Once, want)
	}
	if l.Before != 5000 {
		t.Errorf("%d bytes from before", l.Before)
	}
}

func TestLeakLimits(t *testing.T) {
	call := func(t *testsnap.Tape, keep bool) {
		for range 6 {
			for _, stack := range []string{testsnap.Embedding, testsnap.Inner, testsnap.Head} {
				x := t.Alloc(stack, 64)
				if !keep {
					t.Free(x, stack)
				}
			}
		}
	}
	tests := []struct {
		name   string
		record func(t *testsnap.Tape)
		want   leaks.Limit
	}{
		{"no events", func(t *testsnap.Tape) { t.Block(64, testsnap.Loop) }, leaks.NoEvents},
		{"no steps", func(t *testsnap.Tape) { t.Run(1, testsnap.Loop) }, leaks.NoRepetition},
		{"two steps", func(t *testsnap.Tape) { t.Train(); t.Train() }, leaks.TooFewSteps},
		{"three steps", func(t *testsnap.Tape) { t.Train(); t.Train(); t.Train() }, leaks.TooFewSteps},
		{"four steps", func(t *testsnap.Tape) {
			for range 4 {
				t.Train()
			}
		}, leaks.NoLimit},
		{"inference", func(t *testsnap.Tape) { call(t, false) }, leaks.NoLimit},
		{"forward passes that keep their activations", func(t *testsnap.Tape) { call(t, true) }, leaks.KeepsForwards},
		{"one forward pass that keeps its activations", func(t *testsnap.Tape) {
			for i := range 6 {
				t.Alloc(layer(i, "main"), 64)
			}
		}, leaks.KeepsForwards},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tape := testsnap.NewTape()
			test.record(tape)
			r := recorded.Tape(tape)
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
	calls := func(t *testsnap.Tape, stacks ...string) {
		for range 30 {
			for _, stack := range stacks {
				t.Run(2, stack)
			}
			t.Alloc("x.py|keep\n"+stacks[0], 64<<10)
		}
	}
	tests := []struct {
		name   string
		record func(t *testsnap.Tape)
		method steps.Method
		want   string
	}{
		{
			"calls of a model",
			func(t *testsnap.Tape) { calls(t, testsnap.Embedding, testsnap.Inner, testsnap.Head) },
			steps.ByForward,
			"w",
		},
		{"a loop of the script", func(t *testsnap.Tape) {
			calls(t, testsnap.UserLine("a"), testsnap.UserLine("b"), testsnap.UserLine("c"), testsnap.UserLine("d"))
		},
			steps.ByUserSites, "s"},
		{"a loop, and more", func(t *testsnap.Tape) {
			calls(t, testsnap.UserLine("a"), testsnap.UserLine("b"), testsnap.UserLine("c"), testsnap.UserLine("d"))
			t.Run(1, testsnap.UserLine("after"))
		}, steps.ByUserSites, "w"},
		{"layers written by hand, and a head", func(t *testsnap.Tape) {
			calls(t, testsnap.UserLine("attend"))
			t.Alloc(testsnap.UserLine("head"), 64)
		}, steps.ByUserSites, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tape := testsnap.NewTape()
			test.record(tape)
			r := recorded.Tape(tape)
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
		j.iteration(func(saved []testsnap.Tensor) []testsnap.Tensor { j.Alloc(testsnap.Engine, 8<<10); return saved })
	}
	r := recorded.Tape(j.Tape)
	l := r.Leaks()
	if verdicts(l.Leaks) != "s" || l.Leaks[0].Frame != stacks.NoFrame {
		t.Errorf("found %+v", l.Leaks)
	}
}
