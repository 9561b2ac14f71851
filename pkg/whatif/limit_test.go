package whatif

import (
	"math"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// program is a recording of one stream, an event a line, without stacks.
type program []struct {
	action snapshot.Action
	addr   uint64
	size   int64
}

// composer records the events of a program, for segments to be added.
func (p program) composer(conf string) *snapshot.Composer {
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true, HasSettings: true})
	c.Trace(0)
	c.Setting("PYTORCH_CUDA_ALLOC_CONF", conf)
	for _, e := range p {
		c.Event(0, snapshot.EventText{Action: e.action, Addr: e.addr, Size: e.size})
	}
	return c
}

func recordingOf(s *snapshot.Snapshot) *analysis.Recording {
	return analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, 0))
}

func emptyRecording() *analysis.Recording { return recordingOf(program{}.composer("").Snapshot()) }

// TestLimit derives the limit of PyTorch's memory from what was refused. Requests
// of 10 MiB or more ask the driver for as much, in whole 2 MiB.
func TestLimit(t *testing.T) {
	none := oom.Retries{Refused: math.MaxInt64}
	grow := func(size int64) program { return program{{snapshot.SegmentAlloc, 1 << 40, size}} }
	tests := []struct {
		name   string
		events program
		found  oom.Retries
		want   Limit
	}{
		{"nothing refused", grow(100 * mib), none, Limit{}},
		{"100 MiB reserved, 11 MiB free, 12 MiB asked for",
			append(grow(100*mib), program{{snapshot.OOM, 11 * mib, 12 * mib}}...),
			none, Limit{Bytes: 111 * mib, From: LimitFailed}},
		{"asked for before anything is reserved",
			append(program{{snapshot.OOM, 111 * mib, 112 * mib}}, grow(100*mib)...),
			none, Limit{Bytes: 111 * mib, From: LimitFailed}},
		{"it was less than the peak", append(program{{snapshot.OOM, 90 * mib, 92 * mib}}, grow(100*mib)...),
			none, Limit{Bytes: 100 * mib, From: LimitFailed, Moved: true}},
		{"it was the peak", append(program{{snapshot.OOM, 100 * mib, 102 * mib}}, grow(100*mib)...),
			none, Limit{Bytes: 100 * mib, From: LimitFailed}},
		{"two that differ by 256 MiB",
			program{{snapshot.OOM, 100 * mib, 400 * mib}, {snapshot.OOM, 356 * mib, 400 * mib}},
			none, Limit{Bytes: 356 * mib, From: LimitFailed}},
		{"two that differ by more",
			program{{snapshot.OOM, 356*mib + 1, 400 * mib}, {snapshot.OOM, 100 * mib, 400 * mib}},
			none, Limit{Bytes: 356*mib + 1, From: LimitFailed, Moved: true}},
		{"the device has exactly what was asked for: a limit of the process",
			append(grow(100*mib), program{{snapshot.OOM, 12 * mib, 12 * mib}}...),
			none, Limit{Bytes: 100 * mib, From: LimitRefused, Below: 112 * mib}},
		{"what was refused is no more than the peak",
			append(program{{snapshot.OOM, 200 * mib, 100 * mib}}, grow(100*mib)...),
			none, Limit{Moved: true}},
		{"two retries without stacks", grow(100 * mib), oom.Retries{Refused: 120 * mib, List: make([]oom.Retry, 2)},
			Limit{}},
		{"three of them", grow(100 * mib), oom.Retries{Refused: 120 * mib, List: make([]oom.Retry, 3)},
			Limit{Bytes: 100 * mib, From: LimitRefused, Below: 120 * mib}},
		{"one that its stack proves", grow(100 * mib),
			oom.Retries{Refused: 120 * mib, List: []oom.Retry{{Certain: true}}},
			Limit{Bytes: 100 * mib, From: LimitRefused, Below: 120 * mib}},
	}
	for _, test := range tests {
		s := test.events.composer("").Snapshot()
		var peak int64
		for _, e := range test.events {
			if e.action == snapshot.SegmentAlloc {
				s.Segments = append(s.Segments, snapshot.Segment{Address: e.addr, TotalSize: e.size})
				peak += e.size
			}
		}
		d := replay.Replay(s, 0)
		if d.Totals.ReservedPeakBytes != peak {
			t.Fatalf("%s: peak %d", test.name, d.Totals.ReservedPeakBytes)
		}
		if got := limitOf(d, layout.SettingsOf(s), &test.found); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// TestAsked: what a request asks the driver for.
func TestAsked(t *testing.T) {
	tests := []struct {
		conf   string
		action snapshot.Action
		size   int64
		want   int64
	}{
		{"", snapshot.Alloc, 1, 2 * mib},
		{"", snapshot.Alloc, mib, 2 * mib},
		{"", snapshot.Alloc, mib + 1, 20 * mib},
		{"", snapshot.OOM, -5, 2 * mib},
		{"", snapshot.Alloc, 11*mib + 1, 12 * mib},
		{"roundup_power2_divisions:2", snapshot.Alloc, 17 * mib, 24 * mib},
		{"roundup_power2_divisions:2", snapshot.OOM, 17 * mib, 18 * mib}, // is rounded already
		{"expandable_segments:True", snapshot.Alloc, mib, 2 * mib},
		{"expandable_segments:True", snapshot.Alloc, mib + 1, 20 * mib},
		{"expandable_segments:True", snapshot.Alloc, 40 * mib, 40 * mib},
		{"expandable_segments:True", snapshot.Alloc, 40*mib + 1, 60 * mib},
	}
	for _, test := range tests {
		s := program{{test.action, 0x1000, test.size}}.composer(test.conf).Snapshot()
		if got := oom.Asked(replay.Replay(s, 0).Events, 0, layout.SettingsOf(s)); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}

// TestReleasesWithoutStacks: 60 MiB are reserved, 40 of them are given back, and a request follows; later
// 100 MiB are reserved. The release belongs to the request if the device never had room for the 60 and what
// was asked for.
func TestReleasesWithoutStacks(t *testing.T) {
	const kept, released, fresh, later = 1 << 40, 2 << 40, 3 << 40, 4 << 40
	tests := []struct {
		name   string
		conf   string
		size   int64 // of the request
		action snapshot.Action
		cached bool // it is served without a new segment
		owned  bool
		below  int64 // what the device cannot have had
	}{
		{"102 MiB, more than ever", "", 42 * mib, snapshot.Alloc, false, true, 102 * mib},
		{"100 MiB, as much as later", "", 40 * mib, snapshot.Alloc, false, false, math.MaxInt64},
		{"it failed", "", 30 * mib, snapshot.OOM, false, true, 90 * mib},
		{"it needed nothing new", "", 42 * mib, snapshot.Alloc, true, false, math.MaxInt64},
		{"a free of something else", "", 42 * mib, snapshot.Free, true, false, math.MaxInt64},
		{
			"perhaps not all was given back",
			"max_split_size_mb:200",
			30 * mib,
			snapshot.Alloc,
			false,
			true,
			math.MaxInt64,
		},
		{
			"garbage collection",
			"garbage_collection_threshold:0.5",
			30 * mib,
			snapshot.Alloc,
			false,
			true,
			math.MaxInt64,
		},
	}
	for _, test := range tests {
		p := program{{snapshot.SegmentAlloc, kept, 20 * mib}, {snapshot.SegmentAlloc, released, 40 * mib},
			{snapshot.SegmentFree, released, 40 * mib}}
		final := map[uint64]int64{kept: 20 * mib, later: 80 * mib}
		if test.action == snapshot.Alloc && !test.cached {
			p = append(p, program{{snapshot.SegmentAlloc, fresh, test.size}}...)
			final[fresh], final[later] = test.size, 80*mib-test.size
		}
		p = append(p, program{{test.action, fresh, test.size}, {snapshot.SegmentAlloc, later, final[later]}}...)
		s := p.composer(test.conf).Snapshot()
		for addr, size := range final {
			s.Segments = append(s.Segments, snapshot.Segment{Address: addr, TotalSize: size})
		}
		r := recordingOf(s)
		x := r.Retries()
		owner, owned := x.Owners[2]
		collected := strings.HasPrefix(test.conf, "garbage")
		if owned != test.owned || owned && p[owner].action != test.action || x.Refused != test.below ||
			(len(x.List) == 1) != (owned && !collected) || x.Certain() != (test.action == snapshot.OOM) {
			t.Errorf("%s: owned %t by event %d, refused %d, retries %+v", test.name, owned, owner, x.Refused, x.List)
		}
	}
}

// TestReserve: a request that failed because an expandable segment has too few addresses says nothing of memory,
// and is served where the segment has more.
func TestReserve(t *testing.T) {
	const conf = "expandable_segments:True,expandable_segments_reserve:0.0625G" // 64 MiB, in pages 80
	run := ran(t, conf, 1<<30, nil, func(a *allocator.Allocator) {
		if _, err := a.Alloc(80*mib, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Alloc(81*mib, 0); err == nil {
			t.Fatal("81 MiB have found room in a segment of 80 MiB")
		}
		if _, err := a.Alloc(80*mib, 0); err != nil {
			t.Fatal(err)
		}
	})
	if !run.Proof.Holds() || run.Failed != 1 || run.Limit != (Limit{Addresses: true}) {
		t.Fatalf("%+v, %d requests failed, limit %+v", run.Proof, run.Failed, run.Limit)
	}
	if got := run.Recorded().Conf; got != conf {
		t.Errorf("the recorded setting is %s", got)
	}
	if got := formatSettings(&run.settings.Settings); got != conf {
		t.Errorf("written %s, want %s", got, conf)
	}
	for conf, failed := range map[string]int{conf: 1, "expandable_segments:True": 0,
		"expandable_segments:True,expandable_segments_reserve:0.1G": 0, "": 0} {
		x, err := Parse(conf)
		if err != nil {
			t.Fatal(err)
		}
		if p := run.predict(x.Settings, Options{Limit: 1 << 30}); p.FailedOf != failed {
			t.Errorf("%s: %d requests fail, want %d", conf, p.FailedOf, failed)
		}
	}
}

// TestGiven: of a capacity that is given, per_process_memory_fraction leaves a part, unless the recording has more.
func TestGiven(t *testing.T) {
	for conf, want := range map[string]Limit{
		"":                                  {Bytes: 160 * mib, From: LimitGiven},
		"per_process_memory_fraction:0.75":  {Bytes: 120 * mib, From: LimitGiven, Share: 0.75},
		"per_process_memory_fraction:0.625": {Bytes: 100 * mib, From: LimitGiven, Share: 0.625},
		"per_process_memory_fraction:0.5":   {Bytes: 160 * mib, From: LimitGiven},
	} {
		run := ran(t, conf, 160*mib, nil, func(a *allocator.Allocator) {
			if _, err := a.Alloc(100*mib, 0); err != nil {
				t.Fatal(err)
			}
		})
		if got := run.Study(Question{Capacity: 160 * mib}).Limit; got != want {
			t.Errorf("%q: %+v, want %+v", conf, got, want)
		}
	}
}
