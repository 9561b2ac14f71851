package job_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer"
	. "github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestStates compares curves and call sites with every state of recordings.
func TestStates(t *testing.T) {
	compared := 0
	eachRecording(t, func(t *testing.T, in *answer.Input, r *analysis.Recording) {
		d := DigestOf(r)
		checkCurves(t, r, &d)
		if r.Device.States() < 20_000 {
			compared += checkSites(t, r, &d)
		}
	})
	if compared == 0 {
		t.Error("no site was compared in any step")
	}
}

// TestRandomRecordings does so with recordings that no allocator makes, and reads their
// digests back.
func TestRandomRecordings(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	compared, many := 0, false
	for range 200 {
		in := answer.NewInput("random", randomSnapshot(random))
		for _, r := range in.Recordings {
			d := DigestOf(r)
			checkCurves(t, r, &d)
			compared += checkSites(t, r, &d)
			failures := r.OOMs(0)
			many = many || len(failures) > MaxOOMs
			for i, o := range d.OOMs {
				f := &failures[len(failures)-len(d.OOMs)+i]
				if o.State != f.State() || o.RequestedBytes != f.Requested {
					t.Errorf("request %d of %d failed in state %d, want %d", i, len(failures), o.State, f.State())
				}
			}
			if got := readAll(t, line(t, d)); len(got) != 1 || got[0].Error != "" {
				t.Errorf("it cannot be read: %+v", got)
			}
		}
	}
	if compared == 0 || !many {
		t.Errorf("%d sites were compared in steps; a recording with many failed requests: %t", compared, many)
	}
}

// randomSnapshot has events of any kind, size and time at a few addresses, and segments
// that have nothing to do with them.
func randomSnapshot(random *rand.Rand) *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasAnnotations: true, HasSettings: true})
	stacks := []snapshot.StackID{0}
	for i := range 1 + random.IntN(10) {
		stacks = append(stacks, c.Stack(
			snapshot.FrameText{File: "??", Name: fmt.Sprintf("at::_ops::op%d::call(x)", i/2)},
			snapshot.FrameText{File: "/home/user/train.py", Line: int32(i), Name: fmt.Sprintf("layer%d", i/3)}))
	}
	sizes := []int64{0, 1, 512, 1 << 20, 1 << 41, -1, 1 << 43, random.Int64()}
	actions := []snapshot.Action{snapshot.Alloc, snapshot.Alloc, snapshot.Alloc, snapshot.FreeRequested,
		snapshot.FreeCompleted, snapshot.FreeCompleted, snapshot.Free, snapshot.SegmentAlloc, snapshot.SegmentFree,
		snapshot.OOM, snapshot.SnapshotTaken}
	steps, now := random.IntN(40), int64(1_700_000_000_000_000)
	for step := range steps + 1 {
		c.Annotation(fmt.Sprintf("ProfilerStep#%d", step), true, now)
		for range random.IntN(60) {
			now += random.Int64N(50) - 5
			c.Event(0, snapshot.EventText{Action: actions[random.IntN(len(actions))],
				Addr: 1<<30 + uint64(random.IntN(12))<<20,
				Size: sizes[random.IntN(len(sizes))], Stack: stacks[random.IntN(len(stacks))], TimeMicros: now})
		}
		now += 100
		c.Annotation(fmt.Sprintf("ProfilerStep#%d", step), false, now)
	}
	for i := range random.IntN(3) {
		at := 1<<30 + uint64(i)<<22
		c.Segment(snapshot.Segment{Address: at, TotalSize: 4 << 20, SizeClass: snapshot.SizeClassLarge},
			snapshot.Block{Address: at, Size: 1 << 20, RequestedSize: 1 << 20,
				State: snapshot.ActiveAllocated})
	}
	return c.Snapshot()
}

// checkCurves holds each state against its column, and each column against the states
// that its share of the stretch touches.
func checkCurves(t *testing.T, r *analysis.Recording, d *Digest) {
	t.Helper()
	active, reserved := r.Device.ActiveBytes(), r.Device.ReservedBytes()
	most, least, high := d.MaxBytes(), d.MinBytes(), d.ReservedBytes()
	n := d.Curves.PerStep
	if len(most) != n*d.Stretches() || len(least) != len(most) || len(high) != len(most) || len(most) > Columns {
		t.Fatalf("%d columns of %d in %d stretches", len(most), n, d.Stretches())
	}
	unit, unitReserved := d.PeakBytes/UnitsOfPeak+1, d.ReservedPeakBytes/UnitsOfPeak+1
	last := len(active) - 1
	if n := len(d.Steps); d.Curves.Tail != (n == 0 || d.Steps[n-1].End < last) {
		t.Errorf("there is a tail: %t", d.Curves.Tail)
	}
	for stretch := range d.Stretches() {
		from, to := 0, last
		if stretch < len(d.Steps) {
			from, to = d.Steps[stretch].Start, d.Steps[stretch].End
		} else if stretch > 0 {
			from = d.Steps[stretch-1].End
		}
		for k := range n {
			at := stretch*n + k
			var highest, lowest, highestReserved int64
			lowest = d.PeakBytes
			for state := from; state <= to; state++ {
				part := (state - from) * n // in units of a state's share
				states := to - from + 1
				inside := part < (k+1)*states && part+n > k*states // their shares overlap
				if inside {
					highest, lowest = max(highest, active[state]), min(lowest, active[state])
					highestReserved = max(highestReserved, reserved[state])
				}
			}
			if most[at] > highest+unit || least[at] < lowest-unit || high[at] > highestReserved+unitReserved {
				t.Fatalf("column %d: %d to %d, reserved %d; its states have %d to %d, reserved %d", at, least[at],
					most[at], high[at], lowest, highest, highestReserved)
			}
		}
		for state, k := from, 0; state <= to; state++ {
			for k+1 < n && (k+1)*(to-from+1)/n <= state-from { // the last column that begins there or before
				k++
			}
			at := stretch*n + k
			if active[state] > most[at] || active[state] < least[at] || reserved[state] > high[at] {
				t.Fatalf("column %d: state %d has %d, reserved %d, outside of %d to %d, reserved %d", at, state,
					active[state], reserved[state], least[at], most[at], high[at])
			}
		}
	}
	few := d.Curves.FewPerStep
	for at := range few * d.Stretches() {
		total := slices.Max(most[at*n/few:][:n/few])
		var of int64
		for family := range families.Count {
			if curve := d.FamilyBytes(family); curve != nil {
				of += curve[at]
			}
		}
		if difference := of - total; difference > 14*unit || difference < -14*unit {
			t.Errorf("column %d of families: %d, in all %d", at, of, total)
		}
	}
}

// checkSites counts what each call site holds in every state, and returns how many
// were compared over steps.
func checkSites(t *testing.T, r *analysis.Recording, d *Digest) (compared int) {
	t.Helper()
	live := map[string][]Tensors{} // by path and state
	pathOf := PathsOf(r)
	byFamily := map[string]*[families.Count]int64{}
	byText := map[string]map[string]int64{} // bytes that are allocated, by path and the text of the site
	for i := range r.Device.Allocations {
		a := &r.Device.Allocations[i]
		path := pathOf(a.Stack)
		if live[path] == nil {
			live[path] = make([]Tensors, r.Device.States())
			byFamily[path], byText[path] = &[families.Count]int64{}, map[string]int64{}
		}
		byFamily[path][r.Families().Family(i)] += a.Size
		byText[path][r.Stacks.Site(a.Stack).String()] += a.Size
		end := r.Device.States() - 1
		if a.End != replay.None {
			end = int(a.End)
		}
		for state := int(a.Start) + 1; state <= end; state++ {
			live[path][state].Bytes += a.Size
			live[path][state].Count++
		}
	}
	var complete []Step
	for _, s := range d.Steps {
		if s.Complete {
			complete = append(complete, s)
		}
	}
	complete = complete[max(0, len(complete)-SiteSteps):]
	if d.Rest.Sites+len(d.Sites) != len(live) {
		t.Errorf("%d sites and %d, want %d", len(d.Sites), d.Rest.Sites, len(live))
	}
	for _, s := range d.Sites {
		at := live[s.Path]
		if bytes := byFamily[s.Path]; bytes[s.Family] != slices.Max(bytes[:]) {
			t.Errorf("%s is said to be of family %d; its bytes are %v", s.Site, s.Family, bytes)
		}
		for text, bytes := range byText[s.Path] {
			if bytes > byText[s.Path][s.Site] && len(byText[s.Path]) == 2 {
				t.Errorf("%s has fewer bytes than %s, which has the same path", s.Site, text)
			}
		}
		want := Site{Peak: at[d.PeakState]}
		if d.StepEnd != nil {
			want.StepEnd = at[*d.StepEnd]
		}
		alive := at
		if len(complete) > 0 {
			alive = at[complete[0].Start : complete[len(complete)-1].End+1]
		}
		for _, held := range alive {
			want.Alive = max(want.Alive, held.Count)
		}
		var peaks []int64
		for _, step := range complete {
			most := int64(0)
			for _, held := range at[step.Start : step.End+1] {
				most = max(most, held.Bytes)
			}
			peaks = append(peaks, most)
		}
		if slices.Sort(peaks); len(peaks) > 0 {
			want.StepPeak = (peaks[(len(peaks)-1)/2] + peaks[len(peaks)/2]) / 2
			compared++
		}
		if got := (Site{Peak: s.Peak, StepEnd: s.StepEnd, StepPeak: s.StepPeak, Alive: s.Alive}); got != want {
			t.Errorf("%s: %+v, want %+v", s.Site, got, want)
		}
	}
	return compared
}
