package codec

import (
	"reflect"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestMadeUpAddresses: no two allocations have the same, and those that were kept keep theirs.
func TestMadeUpAddresses(t *testing.T) {
	const base = uint64(1) << 62
	for _, test := range []struct {
		kept map[int]uint64
		want []uint64
	}{
		{nil, []uint64{base, base + 1, base + 2}},
		{map[int]uint64{1: 4096}, []uint64{base, 4096, base + 2}},
		{map[int]uint64{1: base}, []uint64{base + 1, base, base + 3}},
		{map[int]uint64{0: base + 2, 1: base + 1}, []uint64{base + 2, base + 1, base + 5}},
		{map[int]uint64{1: base + 3}, []uint64{base, base + 3, base + 2}}, // beyond the last that is made up
	} {
		address := madeUpAddresses(test.kept, 3)
		var got []uint64
		for i := range 3 {
			got = append(got, address(i, 512))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v: %x, want %x", test.kept, got, test.want)
		}
	}
}

// TestMoveAddresses: where it is not known where the tensors lay, addresses count from 2
// MiB below the lowest one, on whole 2 MiB. What an OOM says is free is none.
func TestMoveAddresses(t *testing.T) {
	const step = 2 << 20
	for _, test := range []struct {
		event, segment, block uint64
		base                  uint64
	}{
		{5*step + 512, 9 * step, 9 * step, 4 * step}, {9 * step, 5*step + 512, 9 * step, 4 * step},
		{9 * step, 9 * step, 5 * step, 4 * step}, {step, 9 * step, 9 * step, 0}, {step - 512, 9 * step, 9 * step, 0},
		{0, 3 * step, 3 * step, 2 * step},
	} {
		c := snapshot.NewComposer(snapshot.Format{})
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: test.event, Size: 512})
		c.Event(0, snapshot.EventText{Action: snapshot.OOM, Addr: 512, Size: 1 << 30})
		c.Segment(snapshot.Segment{Address: test.segment, TotalSize: step},
			snapshot.Block{Address: test.block, Size: step})
		in := answer.NewInput("", c.Snapshot())
		if m := moveAddresses(&in, in.Devices, []*deviceSpace{nil}); m.base != test.base || m.lanes != nil {
			t.Errorf("%+v: the base is %d, with %d lanes", test, m.base, len(m.lanes))
		}
	}
}

func TestFreeKind(t *testing.T) {
	e := &snapshot.Events{Action: []snapshot.Action{snapshot.Alloc, snapshot.FreeRequested, snapshot.FreeCompleted,
		snapshot.Free}}
	for want, a := range map[freeKind]replay.Allocation{
		usualFree:      {FreeRequested: 1, End: 2},
		completedOnly:  {FreeRequested: replay.None, End: 2},
		freedAtOnce:    {FreeRequested: 3, End: 3},
		requestedOnly:  {FreeRequested: 1, End: 1},
		freeUnrecorded: {FreeRequested: replay.None, End: 0},
	} {
		if got := freeKindOf(&a, e); got != want {
			t.Errorf("%+v is of kind %d, want %d", a, got, want)
		}
	}
	if got := freeKindOf(&replay.Allocation{FreeRequested: replay.None, End: replay.None}, e); got != usualFree {
		t.Errorf("what lives to the end is of kind %d", got)
	}
}

func TestCommonSuffix(t *testing.T) {
	type frames = []snapshot.FrameID
	for _, test := range []struct {
		a, b frames
		want int
	}{
		{nil, nil, 0}, {frames{1}, nil, 0}, {frames{1, 2, 3}, frames{9, 2, 3}, 2}, {frames{2, 3}, frames{1, 2, 3}, 2},
		{frames{1, 2, 3}, frames{2, 3}, 2}, {frames{3, 1}, frames{3, 2}, 0}, {frames{1, 2}, frames{1, 2}, 2},
	} {
		if got := commonSuffix(test.a, test.b); got != test.want {
			t.Errorf("%v and %v: %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

// TestFlags: the payload knows all flags of a format and of what was redacted.
func TestFlags(t *testing.T) {
	format, redaction := snapshot.Format{}, snapshot.Redaction{}
	for _, flag := range append(formatFlags(&format), redactionFlags(&redaction)...) {
		*flag = true
	}
	for _, of := range []any{format, redaction} {
		v := reflect.ValueOf(of)
		for i := range v.NumField() {
			if v.Field(i).Kind() == reflect.Bool && !v.Field(i).Bool() {
				t.Errorf("no report holds %s", v.Type().Field(i).Name)
			}
		}
	}
}
