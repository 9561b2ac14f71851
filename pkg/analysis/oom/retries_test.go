package oom_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestRetries: two idle segments of 40 and 20 MiB go back to the driver, and what
// follows decides whether a request was refused.
func TestRetries(t *testing.T) {
	const asks, empties = "train.py", "memory.py"
	const kept, first, second, fresh = 1 << 40, 2 << 40, 3 << 40, 4 << 40
	tests := []struct {
		name     string
		conf     string
		releases string // the file whose code gives the segments back, or empty_cache
		action   snapshot.Action
		micros   int64 // between the first release and the request
		want     []oom.Retry
		served   int
	}{
		{"served", "", asks, snapshot.Alloc, 430_000,
			[]oom.Retry{{Event: 6, First: 3, Requested: 90 * mib, Asked: 90 * mib,
				Segments: 2, Flushed: 60 * mib, Micros: 430_000, Served: true, Certain: true}}, 1},
		{"failed", "", asks, snapshot.OOM, 20, []oom.Retry{{Event: 5, First: 3, Requested: 90 * mib, Asked: 90 * mib,
			Segments: 2, Flushed: 60 * mib, Micros: 20, Certain: true}}, 0},
		{"time runs backwards", "", asks, snapshot.Alloc, -5, []oom.Retry{{Event: 6, First: 3, Requested: 90 * mib,
			Asked: 90 * mib, Segments: 2, Flushed: 60 * mib, Served: true, Certain: true}}, 1},
		{"empty_cache", "", empties, snapshot.Alloc, 20, nil, 0},
		{"empty_cache of torch_npu, without times", "npu", "empty_cache", snapshot.Alloc, 0, nil, 0},
		{"sizes alone, without times", "npu", empties, snapshot.Alloc, 0, []oom.Retry{{Event: 6, First: 3,
			Requested: 90 * mib, Asked: 90 * mib, Segments: 2, Flushed: 60 * mib, Served: true}}, 0},
		{"garbage collection", "garbage_collection_threshold:0.8", asks, snapshot.Alloc, 20, nil, 0},
	}
	for _, test := range tests {
		format := snapshot.Format{HasTime: true, HasSettings: true}
		if test.conf == "npu" {
			format = snapshot.Format{HasPoolID: true}
		}
		c := snapshot.NewComposer(format)
		c.Trace(0)
		if test.conf != "npu" {
			c.Setting("PYTORCH_CUDA_ALLOC_CONF", test.conf)
		}
		event := func(action snapshot.Action, addr uint64, size, micros int64, file string) {
			function := "main"
			if file == "empty_cache" {
				function = file
			}
			c.Event(0, snapshot.EventText{Action: action, Addr: addr, Size: size, TimeMicros: 1_000_000 + micros,
				Stack: c.Stack(snapshot.FrameText{File: file, Line: 7, Name: function})})
		}
		event(snapshot.SegmentAlloc, kept, 20*mib, 0, asks)
		event(snapshot.SegmentAlloc, first, 40*mib, 0, asks)
		event(snapshot.SegmentAlloc, second, 20*mib, 0, asks)
		event(snapshot.SegmentFree, first, 40*mib, 10, test.releases)
		event(snapshot.SegmentFree, second, 20*mib, 11, test.releases)
		if test.action == snapshot.OOM {
			event(snapshot.OOM, mib, 90*mib, 10+test.micros, asks)
		} else {
			event(snapshot.SegmentAlloc, fresh, 90*mib, 12, asks)
			event(snapshot.Alloc, fresh, 90*mib, 10+test.micros, asks)
		}
		s := c.Snapshot()
		r := analysis.NewRecording(analysis.NewSource(s), replay.Replay(s, 0))
		got := r.Retries()
		if len(got.List) != len(test.want) || len(got.Served()) != test.served ||
			len(got.List) > 0 && got.List[0] != test.want[0] {
			t.Errorf("%s: %+v", test.name, got.List)
		}
	}
}
