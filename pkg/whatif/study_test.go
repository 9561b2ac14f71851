package whatif

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// outcome is what a setting would have done, wherever the driver puts its ranges.
func outcome(conf string, peak int64, failed int) Outcome {
	return Outcome{
		Setting: Setting{Conf: conf},
		Served:  &Served{ReservedPeak: peak, FailedOf: failed},
		Least:   peak, Most: peak, FromStart: peak,
	}
}

// TestBetter holds what a change of settings has to save to be advised: more than
// 2 % of the recorded settings' peak.
func TestBetter(t *testing.T) {
	const recorded = 5000 // of which 2 % are 100
	tests := []struct {
		name   string
		change func(o, recorded *Outcome)
		want   bool
	}{
		{"saves a byte more than 2 %", func(o, _ *Outcome) { o.Most = 4899 }, true},
		{"saves 2 %", func(o, _ *Outcome) { o.Most = 4900 }, false},
		{"saves 2 % of the lowest peak under the recorded settings", // 4950, of which 2 % are 99
			func(o, r *Outcome) { o.Most, r.Least = 4851, 4950 }, false},
		{"saves a byte more of it", func(o, r *Outcome) { o.Most, r.Least = 4850, 4950 }, true},
		{"as much from the recorded start", func(o, _ *Outcome) { o.Most, o.FromStart = 4000, recorded }, true},
		{"more from the recorded start", func(o, _ *Outcome) { o.Most, o.FromStart = 4000, recorded+1 }, false},
		{"serves what failed, with a higher peak", func(o, r *Outcome) { o.Most, r.FailedOf = 9000, 1 }, true},
		{"serves what failed, at the recorded peak", func(o, r *Outcome) { r.FailedOf = 1 }, true},
		{"fails where nothing did", func(o, _ *Outcome) { o.Most, o.FailedOf = 10, 1 }, false},
		{"the start does not fit", func(o, _ *Outcome) { o.Most, o.TooMuch = 10, true }, false},
		{"both fail", func(o, r *Outcome) { o.Most, o.FailedOf, r.FailedOf = 10, 1, 2 }, false},
	}
	for _, test := range tests {
		x, reference := outcome("a:1", recorded, 0), outcome("", recorded, 0)
		test.change(&x, &reference)
		if got := x.better(&reference); got != test.want {
			t.Errorf("%s: better %t", test.name, got)
		}
	}
}

// TestOrder sorts outcomes that each differ from the next in one thing.
func TestOrder(t *testing.T) {
	calls := outcome("d:1", 80, 0)
	calls.Calls = Calls{Mallocs: 1, Frees: 1, Maps: 1, Unmaps: 1}
	big := outcome("f:1", 5, 0)
	big.TooMuch = true
	want := []Outcome{
		outcome("a:1,b:2,c:3", 70, 0), outcome("b:1", 80, 0), calls, outcome("e:1,f:2", 80, 0), big,
		outcome("g:1", 6, 1),
	}
	for i := range want {
		for j := range want {
			if got := want[i].compare(&want[j]); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%s against %s: %d", want[i].Setting.Conf, want[j].Setting.Conf, got)
			}
		}
	}
	if n := (Calls{Mallocs: 1, Frees: 20, Maps: 300, Unmaps: 4000}).All(); n != 4321 {
		t.Errorf("%d calls in all, want 4321", n)
	}
}

// TestLowerBound adds up 1000 bytes, rounded to 1024, and 512; frees the first; fails to get
// 2048; and gets 1000 again. The failed request decides: 512+2048.
func TestLowerBound(t *testing.T) {
	c := program{{snapshot.Alloc, 0x1000, 1000}, {snapshot.Alloc, 0x2000, 512}, {snapshot.Free, 0x1000, 1000},
		{snapshot.OOM, 0, 2048}, {snapshot.Alloc, 0x3000, 1000}, {snapshot.OOM, 0, -1}}
	run := runOf(c.composer("").Snapshot())
	if got := run.LowerBound(); got != 2560 {
		t.Errorf("lower bound %d, want 2560", got)
	}
	for limit, hopeless := range map[int64]bool{0: false, 2559: true, 2560: false, 2561: false} {
		if got := (&Study{Run: run, Limit: Limit{Bytes: limit}}).Hopeless(); got != hopeless {
			t.Errorf("limit %d: hopeless %t", limit, got)
		}
	}
	if event, failed := run.FirstFailure(); event != 3 || !failed || run.Failed != 2 || run.Requests != 5 ||
		run.Waits() {
		t.Errorf("first failure %d %t, %d of %d failed, waits %t", event, failed, run.Failed, run.Requests, run.Waits())
	}
	without := program{{snapshot.Alloc, 0x1000, 1000}, {snapshot.Alloc, 0x2000, 512}, {snapshot.Free, 0x1000, 1000},
		{snapshot.Alloc, 0x3000, 1000}}
	run = runOf(without.composer("").Snapshot())
	if got := run.LowerBound(); got != 1536 {
		t.Errorf("lower bound %d, want 1536", got)
	}
	if _, failed := run.FirstFailure(); failed {
		t.Error("a failure in a recording without any")
	}
}

// TestStudyAsked asks about the usual settings, and about one with other limits.
func TestStudyAsked(t *testing.T) {
	v := readVectors(t)[0]
	run := runOf(v.snapshot(0))
	if !run.Proof.Holds() {
		t.Fatalf("not reproduced: %+v", run.Proof.First)
	}
	if got := len(run.Study(Question{Quick: true}).Outcomes); got != len(usualSettings)-1 {
		t.Errorf("%d outcomes of the usual settings, want all but its own", got)
	}
	one, err := Parse("max_split_size_mb:512")
	if err != nil {
		t.Fatal(err)
	}
	s := run.Study(Question{Settings: []Setting{one}, Quick: true, Capacity: 1})
	if len(s.Outcomes) != 1 || s.Limit != (Limit{Bytes: 1, From: LimitGiven}) || s.Outcomes[0].Options.Limit != 1 ||
		!s.Outcomes[0].Fails() || s.Outcomes[0].ReservedPeak != 0 || s.Best != nil || !s.Hopeless() {
		t.Errorf("with a byte of memory: %+v, %+v", s.Limit, s.Outcomes[0].Served)
	}
	if s = run.Study(Question{Settings: []Setting{one}, Quick: true}); s.Limit != run.Limit {
		t.Errorf("limit %+v, recorded %+v", s.Limit, run.Limit)
	}
}

// Without a known limit, garbage collection is predicted for the recorded peak.
func TestAssumedLimit(t *testing.T) {
	run := grown(t, "", 12<<20, 14<<20)
	collect, err := Parse("garbage_collection_threshold:0.8")
	if err != nil {
		t.Fatal(err)
	}
	settings := []Setting{collect, {}}
	for _, test := range []struct {
		capacity, limit int64
		assumed         bool
	}{{0, 26 << 20, true}, {1 << 30, 1 << 30, false}} {
		s := run.Study(Question{Settings: settings, Capacity: test.capacity, Quick: true})
		for _, o := range s.Outcomes {
			collects := o.Setting.Settings.GCThreshold > 0
			want := test.capacity
			if collects {
				want = test.limit
			}
			if o.Assumed != (collects && test.assumed) || o.Options.Limit != want {
				t.Errorf("capacity %d, %q: assumed %t, limit %d", test.capacity, o.Setting.Conf, o.Assumed,
					o.Options.Limit)
			}
		}
	}
}

// grown is a program that frees each request before it asks for the next, each larger
// than the one before, so that each gets a segment of its own: of 10 MiB or more in whole 2 MiB.
func grown(t *testing.T, conf string, sizes ...int64) *Run {
	t.Helper()
	return ran(t, conf, 80<<30, nil, func(a *allocator.Allocator) {
		for _, size := range sizes {
			release(t, a, ask(t, a, size))
		}
	})
}

func ask(t *testing.T, a *allocator.Allocator, size int64) (addr uint64) {
	t.Helper()
	addr, err := a.Alloc(size, 0)
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

func release(t *testing.T, a *allocator.Allocator, addr uint64) {
	t.Helper()
	if err := a.Free(addr); err != nil {
		t.Fatal(err)
	}
}

// ran is the recording of what a program does on a device, without what it did before.
func ran(t *testing.T, conf string, capacity int64, before, program func(a *allocator.Allocator)) *Run {
	t.Helper()
	settings, err := allocator.ParseSettings(conf)
	if err != nil {
		t.Fatal(err)
	}
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasPoolID: true, HasSettings: true})
	c.Setting("PYTORCH_CUDA_ALLOC_CONF", conf)
	c.Trace(0)
	a := allocator.New(settings, allocator.NewSimulatedDriver(capacity))
	if before != nil {
		before(a)
	}
	a.Emit = func(e allocator.Event) {
		addr := e.Addr
		if e.Action == snapshot.OOM {
			addr = uint64(e.DeviceFree)
		}
		c.Event(0, snapshot.EventText{Action: e.Action, Addr: addr, Size: e.Size, Stream: uint64(e.Stream)})
	}
	program(a)
	for _, seg := range a.Segments() {
		var blocks []snapshot.Block
		for _, x := range seg.Blocks {
			blocks = append(blocks, snapshot.Block{Address: x.Address, Size: x.Size, RequestedSize: x.RequestedSize,
				State: x.State})
		}
		c.Segment(snapshot.Segment{Address: seg.Address, TotalSize: seg.TotalSize, SizeClass: seg.SizeClass,
			Expandable: seg.Expandable}, blocks...)
	}
	run := runOf(c.Snapshot())
	if !run.Proof.Holds() {
		t.Fatalf("not reproduced: %+v", run.Proof.First)
	}
	return run
}

// TestPredictLimits predicts 100, 102 and 104 MiB, each freed before the next, with less memory.
func TestPredictLimits(t *testing.T) {
	run := grown(t, "", 100*mib, 102*mib, 104*mib)
	collects := allocator.Settings{GCThreshold: 0.5}
	tests := []struct {
		name            string
		settings        allocator.Settings
		limit           int64
		peak            int64
		frees           int
		retries, failed int
	}{
		{"there is room for all", allocator.Settings{}, 306 * mib, 306 * mib, 0, 0, 0},
		{"for all but a byte", allocator.Settings{}, 306*mib - 1, 202 * mib, 2, 1, 0},
		{"for one at a time", allocator.Settings{}, 104 * mib, 104 * mib, 2, 2, 0},
		{"not for the last, which asks twice", allocator.Settings{}, 103 * mib, 102 * mib, 2, 2, 1},
		{"more than half of it reserved, so what was idle longest goes first", collects, 400 * mib, 206 * mib, 1, 0, 0},
		{"never more than half of it", collects, 408 * mib, 306 * mib, 0, 0, 0},
	}
	for _, test := range tests {
		p := run.predict(test.settings, Options{Limit: test.limit})
		if p.ReservedPeak != test.peak || p.Calls.Frees != test.frees || p.Retries != test.retries ||
			p.FailedOf != test.failed {
			t.Errorf("%s: peak %d MiB, %+v, %d retries, %d fail", test.name, p.ReservedPeak/mib, p.Calls, p.Retries,
				p.FailedOf)
		}
		if test.failed > 0 && p.Failures[0] != (FailedRequest{
			Event: replay.EventIndex(at(run.r.Device.Events, snapshot.Alloc, 2)), Bytes: 104 * mib}) {
			t.Errorf("%s: %+v", test.name, p.Failures)
		}
	}
}

// TestAvoided: a request that failed is served where there is more memory, and given back at once.
func TestAvoided(t *testing.T) {
	run := ran(t, "", 150*mib, nil, func(a *allocator.Allocator) {
		ask(t, a, 100*mib)
		if _, err := a.Alloc(60*mib, 0); err == nil {
			t.Fatal("60 of 50 MiB were served")
		}
		ask(t, a, 40*mib)
	})
	if want := (Limit{Bytes: 150 * mib, From: LimitFailed}); run.Limit != want || run.Failed != 1 {
		t.Errorf("limit %+v", run.Limit)
	}
	same := run.predict(allocator.Settings{}, Options{Limit: 150 * mib})
	if same.Avoided != 0 || same.FailedOf != 1 || !same.Failures[0].Recorded || same.ReservedPeak != 140*mib {
		t.Errorf("with 150 MiB: %+v", same)
	}
	// 40 MiB lie in the segment of 60 then.
	more := run.predict(allocator.Settings{}, Options{Limit: 160 * mib})
	if more.Avoided != 1 || more.FailedOf != 0 || more.ReservedPeak != 160*mib || more.Calls.Mallocs != 2 {
		t.Errorf("with 160 MiB: %+v", more)
	}
}

// TestPredictedFragmentation: of five blocks of 4 MiB in a segment of 20 MiB three are freed, one by one between
// the others, so 12 MiB cannot serve a request of 12 MiB.
func TestPredictedFragmentation(t *testing.T) {
	run := ran(t, "", 1<<30, nil, func(a *allocator.Allocator) {
		var addrs []uint64
		for range 5 {
			addrs = append(addrs, ask(t, a, 4*mib))
		}
		for _, i := range []int{0, 2, 4} {
			release(t, a, addrs[i])
		}
		ask(t, a, 12*mib)
	})
	p := run.predict(allocator.Settings{}, Options{})
	if p.Fragmentation != 12*mib {
		t.Errorf("%d MiB, want 12", p.Fragmentation/mib)
	}
}

// TestAnew: before the recording 100 MiB were live and 60 cached, of which it takes 30. Laid out anew there are
// no cached ones, so the peak is 130 MiB; from the recorded start it stays 160.
func TestAnew(t *testing.T) {
	run := ran(t, "", 1<<30, func(a *allocator.Allocator) {
		ask(t, a, 100*mib)
		release(t, a, ask(t, a, 60*mib))
	}, func(a *allocator.Allocator) { ask(t, a, 30*mib) })
	if n, live, cached := run.PreExisting(); n != 1 || live != 100*mib || cached != 60*mib {
		t.Errorf("%d live with %d MiB, %d cached", n, live/mib, cached/mib)
	}
	for _, quick := range []bool{true, false} {
		o := run.Study(Question{Settings: []Setting{{}}, Quick: quick}).Outcomes[0]
		if !o.Options.Anew || o.ReservedPeak != 130*mib || o.FromStart != 160*mib || o.Least != 130*mib ||
			o.Most != 130*mib || o.Calls != (Calls{Mallocs: 1}) {
			t.Errorf("%+v, %+v", o, o.Served)
		}
	}
	if p := run.predict(allocator.Settings{}, Options{Anew: true, Limit: 99 * mib}); !p.TooMuch {
		t.Error("100 MiB fit in 99")
	}
}

// TestAdvice holds the whole way: 100 MiB in one segment, freed, and 102 MiB in another reserve 202 MiB.
// Expandable segments have pages of 20 MiB, of which six serve both; in steps of an eighth of 64 MiB both are
// rounded up to 104 MiB.
func TestAdvice(t *testing.T) {
	run := grown(t, "", 100<<20, 102<<20)
	if best := run.Study(Question{}).Best; best == nil || best.ReservedPeak != 104<<20 ||
		best.Setting.Conf != "roundup_power2_divisions:8" {
		t.Fatalf("best %+v", best)
	}
	s := run.Study(Question{Settings: []Setting{{Conf: "pages", Settings: allocator.Settings{Expandable: true}}}})
	if s.Reference.ReservedPeak != 202<<20 || s.Best == nil || s.Best.ReservedPeak != 120<<20 {
		t.Fatalf("reference %+v, best %+v", s.Reference.Served, s.Best)
	}
	if s.Best.Least != 120<<20 || s.Best.Most != 120<<20 || s.Best.FromStart != 120<<20 || s.Best.Assumed {
		t.Errorf("best: %d to %d, from the start %d", s.Best.Least, s.Best.Most, s.Best.FromStart)
	}
	e := run.r.Device.Events
	first, second := at(e, snapshot.Alloc, 0), at(e, snapshot.Alloc, 1)
	want := []CurvePoint{{0, 0}, {first + 1, 100 << 20}, {second + 1, 120 << 20}}
	if got := s.Trace(s.Best).Curve; !reflect.DeepEqual(got, want) {
		t.Errorf("curve %v, want %v", got, want)
	}
	if got := s.Reference.Calls; got != (Calls{Mallocs: 2}) {
		t.Errorf("calls of the reference %+v, want two mallocs", got)
	}
	if got := s.Reference.PeakEvent; got != replay.EventIndex(second) {
		t.Errorf("peak of the reference in event %d, want %d", got, second)
	}
	// What is free are whole segments, which empty_cache would give back.
	if p := s.Reference.Served; p.Fragmentation != 0 || p.Retries != 0 || p.FailedOf != 0 || p.Avoided != 0 {
		t.Errorf("reference %+v", p)
	}
}

// TestFailures keeps the first hundred requests that fail and counts them all.
func TestFailures(t *testing.T) {
	x := &server{p: &Served{}}
	for i := range 101 {
		x.fail(FailedRequest{Event: replay.EventIndex(i)})
		if want := min(i+1, 100); len(x.p.Failures) != want || x.p.FailedOf != i+1 {
			t.Fatalf("%d kept of %d", len(x.p.Failures), x.p.FailedOf)
		}
	}
}

func TestUsualSettings(t *testing.T) {
	for conf, few := range map[string]int{"": 3, "max_split_size_mb:128": 3, "max_split_size_mb:300": 4} {
		run := grown(t, conf, 12<<20)
		if got := len(run.Few()); got != few {
			t.Errorf("under %q: few are %d, want %d", conf, got, few)
		}
		own := func(s Setting) bool { return s.Conf == conf }
		if slices.ContainsFunc(run.usual(), own) || slices.ContainsFunc(run.Few(), own) {
			t.Errorf("%q is proposed to a run under it", conf)
		}
	}
}

// TestRecordedSetting writes settings as the variable would have them.
func TestRecordedSetting(t *testing.T) {
	tests := []struct{ conf, key, value, want string }{
		{"", "", "", ""},
		{"max_split_size_mb: 128", "", "", "max_split_size_mb:128"}, // as the file has it, without spaces
		{"max_split_size_mb:128", "max_split_size", "134217728", "max_split_size_mb:128"},
		{"max_split_size_mb:128", "max_split_size", "268435456", "max_split_size_mb:256"},
		{"max_split_size_mb:128", "max_split_size", "-1", ""},
		{"nonsense", "garbage_collection_threshold", "0.75", "garbage_collection_threshold:0.75"},
		{"", "expandable_segments", "True", "expandable_segments:True"},
		{"", "roundup_power2_divisions.1", "4",
			"roundup_power2_divisions:[1:4,2:0,4:0,8:0,16:0,32:0,64:0,128:0,256:0,512:0,1024:0,2048:0,4096:0,8192:0," +
				"16384:0,32768:0]"},
	}
	for _, test := range tests {
		c := snapshot.NewComposer(snapshot.Format{HasSettings: true})
		c.Trace(0)
		c.Setting("PYTORCH_CUDA_ALLOC_CONF", test.conf)
		if test.key != "" {
			c.Setting(test.key, test.value)
		}
		if got := runOf(c.Snapshot()).Recorded().Conf; got != test.want {
			t.Errorf("%q with %s %s: %q, want %q", test.conf, test.key, test.value, got, test.want)
		}
	}
	all := strings.Join([]string{"expandable_segments:True", "max_split_size_mb:64", "max_non_split_rounding_mb:96",
		"garbage_collection_threshold:0.6", "roundup_power2_divisions:8", "large_segment_size_mb:64",
		"throw_on_cudamalloc_oom:True"}, ",")
	s, err := Parse(all)
	if err != nil {
		t.Fatal(err)
	}
	if got := formatSettings(&s.Settings); got != all {
		t.Errorf("written %s, want %s", got, all)
	}
}

// TestRejectedAtLimit reproduces a request that failed at the limit without releasing the cache,
// and shows that a release before the failure would have been another recording.
func TestRejectedAtLimit(t *testing.T) {
	const conf = "throw_on_cudamalloc_oom:True,per_process_memory_fraction:0.5"
	program := func(a *allocator.Allocator) {
		addr, err := a.Alloc(30*mib, 0)
		if err != nil {
			t.Fatal(err)
		}
		release(t, a, addr)
		if _, err := a.Alloc(60*mib, 0); err == nil {
			t.Fatal("60 MiB of 50 were served")
		}
	}
	limit := func(a *allocator.Allocator) { a.SetMemoryFraction(0.5) }
	run := ran(t, conf, 100*mib, limit, program)
	if run.Failed != 1 || run.ReservedPeak() != 30*mib {
		t.Errorf("%d requests failed, %d bytes reserved at the peak", run.Failed, run.ReservedPeak())
	}
	settings := run.settings.Settings
	settings.RejectAtLimit = false
	if run.proveUnder(settings); run.Proof.First == nil {
		t.Error("a failure that releases the cache reproduces one that does not")
	}
	p := run.predict(run.settings.Settings, Options{Limit: 50 * mib})
	if p.ReservedPeak != 30*mib || p.Calls.Frees != 0 {
		t.Errorf("predicted %d bytes and %d frees", p.ReservedPeak, p.Calls.Frees)
	}
}
