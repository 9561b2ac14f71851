package snapshot

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// loop is a training-shaped snapshot of n events with stacks of 40 frames.
func loop(n int) *Snapshot {
	c := NewComposer(Format{HasPoolID: true, HasTime: true, HasSettings: true, HasAnnotations: true,
		HasCompileContext: true, HasUserMetadata: true})
	stacks := make([]StackID, 200)
	for i := range stacks {
		frames := make([]FrameText, 40)
		for j := range frames {
			frames[j] = FrameText{File: fmt.Sprintf("model%d.py", j%7), Line: int32(i%13 + j),
				Name: fmt.Sprintf("forward%d", j)}
		}
		frames[0].Name = fmt.Sprint("op", i)
		stacks[i] = c.Stack(frames...)
	}
	for i := 0; i < n; i += 3 {
		at := EventText{Action: Alloc, Addr: 0x7f0000000000 + uint64(i/3%5000)*4096, Size: int64(i%4096 + 1),
			Stack: stacks[i%len(stacks)], TimeMicros: int64(i)}
		c.Event(0, at)
		at.Action = FreeRequested
		c.Event(0, at)
		at.Action = FreeCompleted
		c.Event(0, at)
	}
	return c.Snapshot()
}

func BenchmarkRead(b *testing.B) {
	data := write(b, loop(200_000), 4)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(bytes.NewReader(data), int64(len(data)), pickle.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
