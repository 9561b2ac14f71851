package codec

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/base64"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/internal/space"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif/measures"
)

// TestMeasuredSpaces: a report holds for each measure the tensors of the predicted layout,
// with their lives, sizes, places and blocks, and is written again with the same bytes.
func TestMeasuredSpaces(t *testing.T) {
	spaces, copies := 0, 0
	for _, file := range []string{"out-of-memory/snapshot", "checkpointing/before", "sharded-optimizer/rank0",
		"one-rank-dies/rank2", "kv-cache/snapshot", "training-loop/snapshot"} {
		s, err := snapshot.Open(filepath.Join("..", "..", "..", "examples", file+".pickle.gz"))
		if err != nil {
			t.Fatal(err)
		}
		f := encodedFile(t, s)
		back := readAgain(t, f)
		if !reflect.DeepEqual(back.all(), f.all()) {
			t.Errorf("%s: what was read is written in another way", file)
		}
		measured := f.view.Devices[0].Measures
		lines, best := measured.Lines, measured.Best
		for i := range lines {
			line := &lines[i]
			if line.Space == nil {
				t.Errorf("%s: %s has no layout", file, line.Key)
				continue
			}
			o := best.Lines[i].Outcome
			layout := measures.Trace(best.Run, best.Limit, o).Layout
			device := back.devices[0].(*deviceReader)
			columns := device.measured[line.Space.Payload].columns
			tensors, err := device.editedTensors(columns)
			if err != nil {
				t.Fatal(err)
			}
			read, err := device.readMeasure(columns.raw, line.Space.Unit)
			if err != nil {
				t.Fatal(err)
			}
			events := device.view.Events
			frame, err := read.frame(device, line.Space.Unit, events, func(n uint64) int32 { return int32(n - 1) })
			if err != nil {
				t.Fatal(err)
			}
			places, blocks, err := space.Decode(frame, tensorsOf(tensors, device.tensors()), read.codes())
			if err != nil {
				t.Fatal(err)
			}
			active := make([]int64, events+2)
			reserved := make([]int64, events+2)
			for _, r := range frame.Reservations {
				reserved[r.Reserved+1] += int64(r.Size) * line.Space.Unit
				reserved[min(int(r.Returned), events)+1] -= int64(r.Size) * line.Space.Unit
			}
			// Of each tensor of the layout there is one, at its place.
			type tensor struct {
				first, last int
				bytes       int64
				block       int64
			}
			want := map[tensor]int{}
			for request, life := range layout.Lifetimes {
				x := tensor{int(life.Start) + 1, int(life.End), life.Bytes, layout.Block[request]}
				if life.End < 0 {
					x.last = events
				}
				if layout.Addr[request] != 0 && x.first <= x.last {
					want[x]++
				}
			}
			for i, x := range tensors {
				if places[i] == space.Outside {
					t.Errorf("%s, %s: tensor %d is nowhere", file, line.Key, i)
				}
				want[tensor{x.first, x.last, x.bytes, int64(blocks[i]) * line.Space.Unit}]--
				active[x.first] += x.bytes
				active[x.last+1] -= x.bytes
			}
			for x, n := range want {
				if n != 0 {
					t.Fatalf("%s, %s: %d tensors like %+v are missing", file, line.Key, n, x)
				}
			}
			checkApart(t, file+" "+line.Key, tensors, places, blocks, events)
			var now, peak, held, most int64
			for k := range active[:events+1] {
				now += active[k]
				held += reserved[k]
				peak, most = max(peak, now), max(most, held)
			}
			if peak > o.Active || most != o.Reserved {
				t.Errorf("%s, %s: %d bytes active and %d reserved, want %d and %d", file, line.Key, peak, most,
					o.Active, o.Reserved)
			}
			spaces++
			copies += len(tensors) - device.count("size")
		}
	}
	if spaces < 12 || copies == 0 {
		t.Errorf("%d layouts, with %d tensors more than recorded", spaces, copies)
	}
}

// checkApart: no two tensors overlap in a few states.
func checkApart(t *testing.T, name string, tensors []editedTensor, places, blocks []uint32, events int) {
	t.Helper()
	for state := 0; state <= events; state += max(1, events/50) {
		var live []int
		for i, x := range tensors {
			if x.first <= state && state <= x.last {
				live = append(live, i)
			}
		}
		slices.SortFunc(live, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
		for n, i := range live[min(1, len(live)):] {
			if below := live[n]; places[below]+blocks[below] > places[i] {
				t.Fatalf("%s: tensors %d and %d overlap in state %d", name, below, i, state)
			}
		}
	}
}

// TestHostileMeasures: edits that point elsewhere, or end after the last state, are refused.
func TestHostileMeasures(t *testing.T) {
	s, err := snapshot.Open(filepath.Join("..", "..", "..", "examples", "checkpointing", "before.pickle.gz"))
	if err != nil {
		t.Fatal(err)
	}
	f := encodedFile(t, s)
	p := f.devices[0].(*deviceWriter)
	best := f.view.Devices[0].Measures.Best
	back := readAgain(t, f)
	device := back.devices[0].(*deviceReader)
	refused := func(edit func(list []editedTensor)) bool {
		prediction := measures.Trace(best.Run, best.Limit, best.Lines[0].Outcome)
		m := newMeasuredSpace(p.Pile, prediction, poolColumn(p.Pile, p.pools))
		edit(m.edits)
		var raw []byte
		c := m.pack()
		reader := flate.NewReader(io.MultiReader(bytes.NewReader(c.packed), strings.NewReader(lastBlock)))
		raw, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		_, err = device.readMeasure(raw, m.frame.Unit)
		return err != nil
	}
	if refused(func([]editedTensor) {}) {
		t.Fatal("what memviz wrote is refused")
	}
	for name, edit := range map[string]func(list []editedTensor){
		"another allocation": func(list []editedTensor) { list[len(list)-1].of = 1 << 30 },
		"before the first":   func(list []editedTensor) { list[0].later = -1 << 20 },
		"after the last":     func(list []editedTensor) { list[0].last += 1 << 20 },
		"another size":       func(list []editedTensor) { list[0].bytes = 1 << 50 },
	} {
		if !refused(edit) {
			t.Errorf("%s: not refused", name)
		}
	}
}

// encodedFile is the payloads of a snapshot.
func encodedFile(t *testing.T, s *snapshot.Snapshot) *File {
	t.Helper()
	in := []answer.Input{answer.NewInput("", s)}
	r := recording.New("memviz test", in, true)
	_, rules := recording.RuleTable(in)
	f := NewFile(0, &r.Files[0], &in[0], rules)
	f.Encode(nil, StartSearch(in))
	return f
}

// readAgain is a file that is read from what was written, and packed again.
func readAgain(t *testing.T, f *File) *File {
	t.Helper()
	p := NewPayloads()
	for _, e := range f.all() {
		if e.id == "" {
			continue
		}
		size, packed := int64(0), []byte{}
		for _, c := range e.chunks {
			size += c.rawBytes
			packed = append(packed, c.packed...)
		}
		packed = append(packed, lastBlock...)
		p.Add(e.id, strconv.FormatInt(size, 10), []byte(base64.StdEncoding.EncodeToString(packed)))
	}
	r := recording.New("memviz test", []answer.Input{*f.in}, true)
	r.Files[0] = *f.view
	again, _, err := ReadFile(r, 0, p)
	if err != nil {
		t.Fatal(err)
	}
	again.encodeSaved()
	return again
}
