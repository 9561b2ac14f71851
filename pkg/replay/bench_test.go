package replay_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

func BenchmarkReplay(b *testing.B) {
	const events = 1_000_000
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true})
	for i := 0; i < events; i++ {
		action := []snapshot.Action{alloc, requested, completed}[i%3]
		c.Event(0, snapshot.EventText{Action: action, Addr: uint64(i/3%5000+1) * 512, Size: int64(i/3%4096 + 1)})
	}
	s := c.Snapshot()
	b.ReportAllocs()
	for b.Loop() {
		if d := replay.Replay(s, 0); len(d.Allocations) == 0 {
			b.Fatal("nothing was replayed")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
}
