package answer_test

import (
	"io"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/strip"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// FuzzAnswers asks everything of recordings that no allocator would make. There
// must be an answer, and rows must add up.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte{2, 1, 9, 2, 3, 4, 9, 1, 0, 1, 9, 2, 1, 1, 9, 1, 14, 0, 200, 0})
	f.Add([]byte{7, 0, 255, 1, 2, 0, 100, 1, 10, 0, 255, 0, 8, 1, 1, 1, 4, 3, 90, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := answer.NewInput("fuzz.pickle", fuzzed(data[:min(len(data), 4000)]))
		list := []answer.Input{in}
		for _, s := range []*sheet.Sheet{
			stats.Answer(list, stats.Options{Rows: 3, Every: stats.Every{Events: 2}}),
			stats.Answer(list, stats.Options{Every: stats.Every{Micros: 50}, Capacity: 1 << 30}),
			answertest.Asked(leaks.Answer(list, leaks.Options{Rows: 3})), answertest.Asked(oom.Answer(list,
				oom.Options{Rows: 3})),
			answertest.Asked(oom.Answer(list, oom.Options{Capacity: 1 << 21})),
			answertest.Asked(diff.Answer(&in, &in, diff.Options{Rows: 3})), ranksOf(in, in,
				in), answertest.Asked(segments.Answer(list, answer.Peak, 20)),
			answertest.Asked(events.Answer(list, events.Options{})), answertest.Asked(whatif.Answer(list,
				whatif.Options{Capacity: 1 << 30})),
		} {
			if s == nil {
				continue // a moment or a device that is not there
			}
			for _, format := range sheet.Formats {
				if err := s.Write(io.Discard, format, sheet.Look{}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, r := range in.Recordings {
			predicted, _ := whatif.PredictAll(r)
			strip.Cards(r, predicted)
			for by := range holders.ByCount {
				h := r.Holders(r.Device.Totals.PeakState, holders.Grouping{By: holders.By(by)})
				if sum := bytesOf(h.Rows); sum != r.Device.Totals.PeakBytes {
					t.Fatalf("by %s: %d of %d bytes", holders.By(by), sum, r.Device.Totals.PeakBytes)
				}
			}
		}
	})
}

// fuzzed makes four bytes an event of a snapshot with stacks of every phase.
func fuzzed(data []byte) *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasPoolID: true})
	py := func(file, name string) snapshot.FrameText { return snapshot.FrameText{File: file, Line: 7, Name: name} }
	native := func(name string) snapshot.FrameText { return snapshot.FrameText{File: "??", Name: name} }
	const torch = "/lib/python3.12/site-packages/torch/"
	stacks := []snapshot.StackID{
		0,
		c.Stack(native("at::_ops::mm::call(at::Tensor const&)"), py(torch+"nn/modules/module.py", "_call_impl"),
			py("/a/model.py", "forward"), py("/a/train.py", "main")),
		c.Stack(native("at::_ops::mm::call(at::Tensor const&)"), native("torch::autograd::Engine::thread_main(x)")),
		c.Stack(py(torch+"optim/adam.py", "step"), py(torch+"optim/optimizer.py", "wrapper"),
			py("/a/train.py", "main")),
		c.Stack(native("gc_collect_main"), py("/a/train.py", "main")),
		c.Stack(py(torch+"autograd/__init__.py", "backward"), py("/a/train.py", "main")),
		c.Stack(py(testsnap.HostileTexts[0], testsnap.HostileTexts[1])),
	}
	now := int64(0)
	for ; len(data) >= 4; data = data[4:] {
		now += int64(int8(data[3])) // clocks step back, too
		size := int64(data[2]) << (data[1] % 40)
		if data[2] == 255 {
			size = -size
		}
		c.Event(snapshot.DeviceID(data[0]>>6&1), snapshot.EventText{
			Action: snapshot.Action(data[0] % 16), Addr: uint64(data[1]) << 21, Size: size, Stream: uint64(data[3] % 3),
			Stack: stacks[int(data[3])%len(stacks)], TimeMicros: now,
		})
		if data[0]&32 != 0 {
			c.Annotation("ProfilerStep#"+string(rune('0'+data[1]%10)), data[0]&16 != 0, now)
		}
		if data[0] == 99 {
			c.Segment(snapshot.Segment{Address: uint64(data[1]) << 21, TotalSize: size,
				SizeClass: snapshot.SizeClass(data[2] % 3), Expandable: data[3]%2 == 0},
				snapshot.Block{Address: uint64(data[1]) << 21, Size: size, RequestedSize: size - 1,
					State: snapshot.BlockState(data[3] % 3)})
		}
	}
	return c.Snapshot()
}

func bytesOf(rows []holders.Row) int64 {
	var sum int64
	for i := range rows {
		sum += rows[i].Bytes
	}
	return sum
}
