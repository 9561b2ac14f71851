package whatif

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// FuzzRun records a random program, damages the recording where the fuzzer says,
// and asks what would have been. What is whole is reproduced; what is damaged gives
// an answer, and the same one each time.
func FuzzRun(f *testing.F) {
	f.Add(uint64(1), []byte{})
	f.Add(uint64(2), []byte{0, 9, 1, 7})
	f.Add(uint64(3), []byte{0, 40, 0, 3, 0, 80, 3, 200, 1, 0, 4, 9})
	f.Fuzz(func(t *testing.T, seed uint64, damage []byte) {
		s := recorded(seed, damage[:min(len(damage), 200)])
		run := runOf(s)
		if len(damage) < 4 && !run.Proof.Holds() && run.Proof.AddressesOf > 0 {
			t.Fatalf("not reproduced: %+v, %+v", run.Proof, run.Proof.First)
		}
		if p := run.Proof; p.Holds() && (p.Addresses != p.AddressesOf || p.DriverCalls != p.DriverCallsOf) {
			t.Fatalf("holds, but %+v", p)
		}
		study, again := run.Study(Question{}), runOf(s).Study(Question{})
		for i := range study.Outcomes {
			x, y := study.Outcomes[i], again.Outcomes[i]
			if !reflect.DeepEqual(x, y) {
				t.Fatalf("%+v, then %+v", x, y)
			}
			if x.Least > x.ReservedPeak || x.Most < x.ReservedPeak || !x.Fails() &&
				x.ReservedPeak < run.LowerBound()-lost(run) {
				t.Fatalf("%s: peak %d, from %d to %d, at least %d", x.Setting.Conf, x.ReservedPeak, x.Least, x.Most,
					run.LowerBound())
			}
			if limit := x.Options.Limit; limit > 0 && x.ReservedPeak > limit {
				t.Fatalf("%s: peak %d above the limit %d", x.Setting.Conf, x.ReservedPeak, limit)
			}
		}
	})
}

// lost is what an overlap of allocations counts twice in the lower bound.
func lost(run *Run) (bytes int64) {
	if run.r.Device.AddsUp() {
		return 0
	}
	return run.LowerBound()
}

// recorded is the recording of a random program with some events damaged: four
// bytes say which one, and how.
func recorded(seed uint64, damage []byte) *snapshot.Snapshot {
	random := rand.New(rand.NewPCG(seed, 8))
	conf := usualSettings[random.IntN(5)] // those without a memory fraction
	settings, err := allocator.ParseSettings(conf)
	if err != nil {
		panic(err)
	}
	var events []snapshot.EventText
	c := snapshot.NewComposer(snapshot.Format{HasTime: true, HasPoolID: true, HasSettings: true})
	c.Setting("PYTORCH_CUDA_ALLOC_CONF", conf)
	c.Trace(0)
	a := allocator.New(settings, allocator.NewSimulatedDriver((60+random.Int64N(400))<<20))
	stack := snapshot.StackID(0)
	a.Emit = func(e allocator.Event) {
		addr := e.Addr
		if e.Action == snapshot.OOM {
			addr = uint64(e.DeviceFree)
		}
		events = append(events, snapshot.EventText{Action: e.Action, Addr: addr, Size: e.Size, Stream: uint64(e.Stream),
			Stack: stack})
	}
	var live []uint64
	for call := range 30 + random.IntN(120) {
		stack = c.Stack(snapshot.FrameText{File: "program.py", Line: int32(call + 1), Name: "call"})
		at := random.IntN(len(live) + 1)
		switch x := random.IntN(100); {
		case x < 55 || at == len(live):
			if addr, err := a.Alloc(1+random.Int64N(1000<<random.IntN(16)),
				allocator.Stream(256*random.IntN(2))); err == nil {
				live = append(live, addr)
			}
		case x < 60:
			_ = a.RecordStream(live[at], 512)
		case x < 95:
			_ = a.Free(live[at])
			live = append(live[:at], live[at+1:]...)
		case x < 97:
			a.Synchronize()
		default:
			a.EmptyCache()
		}
	}
	for ; len(damage) >= 4 && len(events) > 0; damage = damage[4:] {
		e := &events[(int(damage[0])<<8|int(damage[1]))%len(events)]
		switch damage[2] % 5 {
		case 0:
			e.Action = snapshot.Action(damage[3] % 12)
		case 1:
			e.Addr += uint64(damage[3]) << (damage[2] / 5 % 60)
		case 2:
			e.Size = int64(damage[3]) << (damage[2] / 5 % 60)
		case 3:
			e.Stream = uint64(damage[3] % 3)
		case 4:
			e.Stack = 0
		}
	}
	for _, e := range events {
		c.Event(0, e)
	}
	for _, seg := range a.Segments() {
		var blocks []snapshot.Block
		for _, x := range seg.Blocks {
			blocks = append(blocks, snapshot.Block{Address: x.Address, Size: x.Size, RequestedSize: x.RequestedSize,
				State: x.State})
		}
		c.Segment(snapshot.Segment{
			Address: seg.Address, TotalSize: seg.TotalSize, SizeClass: seg.SizeClass, Expandable: seg.Expandable,
			Stream: c.Stream(uint64(seg.Stream)),
		}, blocks...)
	}
	return c.Snapshot()
}
