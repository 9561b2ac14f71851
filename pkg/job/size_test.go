package job_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	. "github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// crowd is a recording with as many call sites, each with a file, a function and an
// operator of its own, and some steps of noise: nothing in its digest is like anything
// else.
func crowd(sites, steps int) *snapshot.Snapshot {
	random := rand.New(rand.NewPCG(3, 4))
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasAnnotations: true, HasSettings: true})
	now := int64(1_700_000_000_000_000)
	var events []snapshot.EventText
	stacks := make([]snapshot.StackID, sites)
	for i := range stacks {
		word := func() string { return fmt.Sprintf("%x", random.Uint32()) }
		stacks[i] = c.Stack(
			snapshot.FrameText{File: "??", Name: "at::_ops::op" + word() + "::call(at::Tensor const&)"},
			snapshot.FrameText{File: "/home/user/" + word() + "/" + word() + ".py", Line: int32(random.IntN(5000)),
				Name: word()},
			snapshot.FrameText{File: "/home/user/train.py", Line: 12, Name: "main"})
	}
	for step := range steps {
		c.Annotation(fmt.Sprintf("ProfilerStep#%d", step), true, now)
		first := len(events)
		for i, stack := range stacks {
			now += 1 + random.Int64N(1000)
			events = append(events, snapshot.EventText{Action: snapshot.Alloc, Addr: 1<<40 + uint64(i)<<32,
				Size: 1 + random.Int64N(1<<32), Stack: stack, TimeMicros: now})
			if i%3 == 0 {
				continue // it is kept until the end of the step
			}
			e := events[len(events)-1]
			e.Action, e.TimeMicros = snapshot.FreeCompleted, now
			events = append(events, e)
		}
		for _, e := range events[first:] {
			if e.Action == snapshot.Alloc && (e.Addr-1<<40)>>32%3 == 0 {
				e.Action, e.TimeMicros = snapshot.FreeCompleted, now
				events = append(events, e)
			}
		}
		now += 1000
		c.Annotation(fmt.Sprintf("ProfilerStep#%d", step), false, now)
		now += 1000
	}
	for _, e := range events {
		c.Event(0, e)
	}
	return c.Snapshot()
}

// TestSize: a digest stays small whatever is in the recording.
func TestSize(t *testing.T) {
	in := answer.NewInput("crowd", crowd(5000, 40))
	d := DigestOf(in.Recordings[0])
	if len(d.Sites) != MaxSites || d.Rest.Sites != 5000-MaxSites || len(d.Steps) != MaxSteps {
		t.Fatalf("%d sites and %d, %d steps", len(d.Sites), d.Rest.Sites, len(d.Steps))
	}
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	if err := WriteDigests(z, &d); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if size := file.Len(); size > 16<<10 {
		t.Errorf("%d bytes", size)
	}
}
