package predict

import (
	"fmt"
	"math"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/analysis/steps"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Refusal is why nothing is predicted.
type Refusal struct {
	Key      string // for programs: "programs_differ"
	Sentence string
	Forcible bool // Options.Force overrides it
}

func refuse(key, format string, args ...any) *Refusal {
	return &Refusal{Key: key, Sentence: fmt.Sprintf(format, args...)}
}

const (
	// leastStacks is the share of requests that need a stack.
	leastStacks = 0.5
	// mostCompiled is the share of requests that compiled code may make.
	mostCompiled = 0.02
	// leastEvident is the share of bytes that need a law which the recordings prove. With
	// wrong labels, at most 77 % have one.
	leastEvident = 0.95
	// mostFalling is the share of bytes that may be less where x is larger.
	mostFalling = 0.02
)

// refuseInputs returns why recordings, each by itself, cannot be compared.
func refuseInputs(given []Given) *Refusal {
	if len(given) < 2 || len(given) > MaxRecordings {
		return refuse("number", "From two to %d recordings can be compared, and there are %d.", MaxRecordings,
			len(given))
	}
	for i, g := range given {
		if i > 0 && g.X == given[i-1].X {
			return refuse("same_x", "Two recordings have the same x, %d: they do not show what depends on it.", g.X)
		}
	}
	for _, g := range given {
		if r := refuseInput(g); r != nil {
			return r
		}
	}
	return nil
}

func refuseInput(g Given) *Refusal {
	r := g.Run.Recording()
	d := r.Device
	switch {
	case r.Origin.Predicted != nil:
		return refuse("not_recorded", "The run at %d was predicted, not recorded, and predictions are made from "+
			"recordings only.", g.X)
	case r.Snapshot.Cut(d.ID):
		return refuse("cut", "%s was read in part, so its requests are not known.", g.Name)
	case len(d.Allocations) == d.PreExisting:
		return refuse("no_history", "%s holds no request for memory: it has no history, or nothing happened in it.",
			g.Name)
	}
	if event, failed := g.Run.FirstFailure(); failed {
		return refuse("failed_request", "In %s a request fails (event %d): what the program would have done after it "+
			"is not recorded. Record at a size that fits.", g.Name, event)
	}
	stacked, compiled := stacksOf(g)
	switch n := float64(len(d.Allocations) - d.PreExisting); {
	case float64(stacked) < leastStacks*n:
		return refuse("no_stacks", "Only %.0f %% of the requests in %s have stacks, by which requests are told apart. "+
			"Record with stacks.", 100*float64(stacked)/n, g.Name)
	case float64(compiled) > mostCompiled*n:
		return refuse("compiled", "In %s compiled code makes requests: its files are generated anew at every size, "+
			"and its autotuning is in the recording. Record without torch.compile.", g.Name)
	}
	return nil
}

// stacksOf counts the requests that have stacks, and those that compiled code makes.
func stacksOf(g Given) (stacked, compiled int) {
	r := g.Run.Recording()
	d := r.Device
	generated := map[snapshot.StackID]bool{}
	activities := r.Activities()
	for i := d.PreExisting; i < len(d.Allocations); i++ {
		id := d.Allocations[i].Stack
		if id == 0 {
			if activities.Alloc(id) != stacks.NoActivity { // Python was recorded: the engine's thread
				stacked++
			}
			continue
		}
		stacked++
		is, known := generated[id]
		if !known {
			for _, frame := range r.Snapshot.Stacks.Frames(id) {
				is = is || stacks.IsGenerated(r.Stacks.Frame(frame).File)
			}
			generated[id] = is
		}
		if is {
			compiled++
		}
	}
	return stacked, compiled
}

// refuseAlignment returns why recordings do not align.
func refuseAlignment(all []*sample, a *alignments) *Refusal {
	small, large := all[0], all[len(all)-1]
	few, many := len(small.requests), len(large.requests)
	growth := float64(many-few) / float64(max(few, 1))
	by := float64(large.X-small.X) / float64(small.X)
	if growth > 0.2 && growth > by/3 && growth < 3*by && contained(a) {
		return refuseGrowth(few, many, small.X, large.X)
	}
	r := refuse("programs_differ", "These are recordings of two different programs, or of one that does other things "+
		"at another size: only %.0f %% of their requests have the same stacks in the same order.", 100*a.least())
	r.Forcible = true
	return r
}

func refuseGrowth(few, many int, small, large int64) *Refusal {
	r := refuse("requests_grow", "There are more requests where x is larger, as with more layers, more micro-batches, "+
		"or tokens that are decoded one by one: %d at %d, %d at %d. Their number can be predicted for no other x.", few,
		small,
		many, large)
	r.Forcible = true
	return r
}

// nearlyEqual: two ratios that differ by less, in percent, count as the same.
const nearlyEqual = 10

// refuseRepetition is for recordings of which only the last steps align. Without an
// optimizer, the repetitions may not be steps but what x counts.
func refuseRepetition(all []*sample) *Refusal {
	small, large := all[0], all[len(all)-1]
	if small.r.Steps().Method <= steps.ByOptimizer {
		return nil
	}
	few, many := small.made(), large.made()
	ratio := float64(many) / float64(max(few, 1)) * float64(small.X) / float64(large.X)
	if many > few && 100*math.Abs(ratio-1) < nearlyEqual {
		return refuseGrowth(few, many, small.X, large.X)
	}
	return nil
}

// made counts the requests of the whole recording.
func (r *sample) made() int { return len(r.r.Device.Allocations) - r.r.Device.PreExisting }

// contained reports whether nearly all requests of the recording at the smallest x are
// also in that at the largest.
func contained(a *alignments) bool {
	n := len(a.all[0].requests)
	return float64(len(a.of[0][len(a.all)-1].pairs)) >= leastAligned*float64(n)
}

// refuseLaws returns why the sizes do not prove their laws.
func refuseLaws(s *Study) *Refusal {
	first, greatest := s.Given[0].X, s.Given[len(s.Given)-1].X
	var r *Refusal
	for i := range s.Bytes {
		b := &s.Bytes[i]
		if float64(b.Falling) > mostFalling*float64(b.Requested) {
			r = refuse("sizes_fall", "Sizes fall as x grows, from %d to %d: the labels are swapped, or x is not what "+
				"was changed.", first, greatest)
			break
		}
	}
	if last := &s.Bytes[len(s.Bytes)-1]; r == nil && last.ByKind[Constant]+last.ByKind[Unknown] == last.Requested &&
		s.EvidentShare() >= leastEvident {
		r = refuse("same_size", "No size depends on x: the recordings at %d and %d were made at the same size, or x "+
			"is not what was changed.", first, greatest)
	}
	if r == nil && s.EvidentShare() < leastEvident {
		r = refuse("no_laws", "Only %.0f %% of the bytes follow a law that these recordings prove, such as c, c x or "+
			"c x^2; the labels %d and %d may be wrong, or x is not all that was changed.",
			100*s.EvidentShare(), first, greatest)
	}
	if r != nil {
		r.Forcible = true
	}
	return r
}
