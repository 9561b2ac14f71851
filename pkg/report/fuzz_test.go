package report

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// FuzzPayload makes a recording of arbitrary bytes and asks that everything in
// it comes back out of the page, and all that counts out of the smallest page.
func FuzzPayload(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("alloc and free, alloc and free, and a little more of the same"))
	f.Add(bytes.Repeat([]byte{0, 3, 7, 0x80, 0xff}, 60))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := []answer.Input{answer.NewInput("fuzz", fuzzed(data))}
		d := Encode("memviz test", in, nil)
		full := written(t, d)
		checkFile(t, full, 0, &in[0])
		checkSame(t, contents(readBack(t, d)), contents(in[0].Snapshot))
		checkForgotten(t, in[0])
		var tooLarge *TooLargeError
		if err := d.Fit(1); !errors.As(err, &tooLarge) {
			t.Fatalf("the report fits into a byte: %v", err)
		}
		checkSmaller(t, full, written(t, d), d, in)
	})
}

// fuzzed composes a recording of two devices. A few addresses and sizes return
// often, so that events meet; now and then one is arbitrary.
func fuzzed(data []byte) *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasTime: len(data)%2 == 0, HasPoolID: true})
	next := func() byte {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return b
	}
	number := func() uint64 {
		b := next()
		if b < 0xe0 {
			return uint64(b%8) << 9
		}
		var wide [8]byte
		copy(wide[:], data)
		data = data[min(8, len(data)):]
		return binary.LittleEndian.Uint64(wide[:])
	}
	stack := func() snapshot.StackID {
		depth := int(next() % 4)
		frames := make([]snapshot.FrameText, depth)
		for i := range frames {
			b := next()
			frames[i] = snapshot.FrameText{File: string([]byte{b, '.', 'p', 'y'}), Line: max(0, int32(b)-9),
				Name: string([]byte{'f', b % 8})}
		}
		return c.Stack(frames...)
	}
	for len(data) > 0 {
		b := next()
		device := snapshot.DeviceID(b >> 7)
		if b&0x70 == 0x70 {
			c.Segment(snapshot.Segment{Device: device, Address: number(), TotalSize: int64(number())},
				snapshot.Block{Address: number(), Size: int64(number()), RequestedSize: int64(number()), Stack: stack(),
					State: snapshot.BlockState(b % 3)})
			continue
		}
		if b&0x70 == 0x60 {
			c.Annotation(string([]byte{next() % 4}), b&0x08 != 0, int64(number()))
			continue
		}
		e := snapshot.EventText{
			Action: snapshot.Action(b % uint8(snapshot.FirstUnknownAction+1)), Addr: number(), Size: int64(number()),
			Stream: number(),
			Stack:  stack(), TimeMicros: int64(number()),
		}
		if b&0x08 != 0 {
			e.Context, e.Metadata = string([]byte{next()}), string([]byte{next(), next()})
		}
		c.Event(device, e)
	}
	return c.Snapshot()
}
