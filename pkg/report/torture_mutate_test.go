package report

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// A seed is a sound file that is to be damaged.
type seed struct {
	name string
	data []byte
}

// smallSeeds are small files of every kind, and in every encoding.
func smallSeeds(t *testing.T) []seed {
	seeds := encodingSeeds(t)
	for name, s := range map[string]*snapshot.Snapshot{
		"training": testsnap.Training(), "hostile": testsnap.Hostile(), "state only": testsnap.StateOnly(),
		"one event": testsnap.OneEvent(),
		"cut":       testsnap.Cut(), "bare list": bareList(testsnap.StateOnly()), "legacy": legacy(testsnap.Training()),
		"loop": runsOfLoop(), "GPU and host": gpuAndHost(),
	} {
		for protocol := 2; protocol <= 5; protocol++ {
			var b bytes.Buffer
			if err := snapshot.Write(&b, s, protocol); err != nil {
				t.Fatal(err)
			}
			seeds = append(seeds, seed{fmt.Sprintf("%s, protocol %d", name, protocol), b.Bytes()})
			if protocol == 4 {
				seeds = append(seeds, seed{name + ", gzip", zipped(t, b.Bytes())},
					seed{name + ", the other way", otherWay(b.Bytes())})
			}
		}
	}
	slices.SortFunc(seeds, func(a, b seed) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	return seeds
}

// encodingSeeds are the committed files, one for each encoding and producer.
func encodingSeeds(t *testing.T) []seed {
	paths := testkit.Encodings(t)
	seeds := make([]seed, len(paths))
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		seeds[i] = seed{filepath.Base(path), data}
	}
	return seeds
}

func bareList(s *snapshot.Snapshot) *snapshot.Snapshot {
	s.Format.BareList = true
	return s
}

func legacy(s *snapshot.Snapshot) *snapshot.Snapshot {
	s.Format = snapshot.Format{Legacy: true, HasTraces: true}
	return s
}

// runsOfLoop is a sound recording in which most kinds of events occur.
func runsOfLoop() *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasPoolID: true, HasTime: true, HasSettings: true, HasAnnotations: true,
		HasCompileContext: true, HasUserMetadata: true})
	forward := c.Stack(snapshot.FrameText{File: "??", Name: "at::_ops::mm::call"},
		snapshot.FrameText{File: "model.py", Line: 12, Name: "forward"})
	step := c.Stack(snapshot.FrameText{File: "optim/adam.py", Line: 3, Name: "step"},
		snapshot.FrameText{File: "train.py", Line: 60, Name: "main"})
	const base = 0x7f0000000000
	now := int64(1_700_000_000_000_000)
	event := func(action snapshot.Action, addr uint64, size int64, stack snapshot.StackID) {
		now += 7
		c.Event(0, snapshot.EventText{Action: action, Addr: addr, Size: size, Stack: stack, TimeMicros: now,
			Metadata: "run"})
	}
	event(snapshot.SegmentAlloc, base, 1<<21, forward)
	event(snapshot.Alloc, base, 1<<20, step)
	for i := range uint64(12) {
		addr := base + 1<<20 + i%3*65536
		event(snapshot.Alloc, addr, 60_000, forward)
		event(snapshot.FreeRequested, addr, 60_000, forward)
		event(snapshot.FreeCompleted, addr, 60_000, forward)
	}
	event(snapshot.SnapshotTaken, 0, 1<<20, 0)
	c.Segment(snapshot.Segment{Address: base, TotalSize: 1 << 21, SizeClass: snapshot.SizeClassLarge, Stack: forward},
		snapshot.Block{Address: base, Size: 1 << 20, RequestedSize: 1 << 20, State: snapshot.ActiveAllocated,
			Stack: step},
		snapshot.Block{Address: base + 1<<20, Size: 1 << 20})
	c.Setting("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
	c.Annotation("ProfilerStep#1", true, now-100)
	c.Annotation("ProfilerStep#1", false, now)
	return c.Snapshot()
}

// exampleSeeds are the committed examples, unpacked, because damage to a packed
// file is found by its checksum.
func exampleSeeds(t *testing.T) []seed {
	var seeds []seed
	for _, path := range testkit.Examples(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, seed{filepath.Base(filepath.Dir(path)), data})
	}
	return seeds
}

func zipped(t *testing.T, data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// otherWay is the same pickle behind an opcode that only the second way through
// package pickle knows: NONE, POP. Files of other encodings stay as they are.
func otherWay(data []byte) []byte {
	if len(data) < 2 || data[0] != 0x80 {
		return data
	}
	return slices.Concat(data[:2], []byte("N0"), data[2:])
}

// damages are the ways to damage a file, by name.
var damages = []struct {
	name string
	do   func(r *rand.Rand, data []byte) []byte
}{
	{"flip a bit", func(r *rand.Rand, data []byte) []byte {
		data[r.IntN(len(data))] ^= 1 << r.IntN(8)
		return data
	}},
	{"cut", func(r *rand.Rand, data []byte) []byte { return data[:r.IntN(len(data))] }},
	{"another opcode", func(r *rand.Rand, data []byte) []byte {
		const opcodes = "(.012FIJKLMNRSTUVX]abcdegijlpqrs)tuGhB}\x80\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x90\x91\x93\x94\x95"
		data[r.IntN(len(data))] = opcodes[r.IntN(len(opcodes))]
		return data
	}},
	{"another integer", func(r *rand.Rand, data []byte) []byte {
		widths := map[byte]int{'K': 1, 'M': 2, 'J': 4, 'h': 1, 'j': 4, 0x8a: 8}
		for range 1000 {
			i := r.IntN(len(data))
			if n := widths[data[i]]; n > 0 && i+n < len(data) {
				data[i+1+r.IntN(n)] = byte(r.Uint32())
				break
			}
		}
		return data
	}},
	{"duplicate a range", func(r *rand.Rand, data []byte) []byte {
		from, to := span(r, data)
		return slices.Concat(data[:to], data[from:to], data[to:])
	}},
	{"drop a range", func(r *rand.Rand, data []byte) []byte {
		from, to := span(r, data)
		return slices.Concat(data[:from], data[to:])
	}},
	{"move a range", func(r *rand.Rand, data []byte) []byte {
		from, to := span(r, data)
		at := r.IntN(len(data))
		return slices.Concat(data[:at], data[from:to], data[at:])
	}},
	{"write over a range", func(r *rand.Rand, data []byte) []byte {
		from, to := span(r, data)
		copy(data[r.IntN(len(data)):], bytes.Clone(data[from:to]))
		return data
	}},
	{"some of all", nil}, // see mutant
}

// span is a range of data, most often a short one.
func span(r *rand.Rand, data []byte) (from, to int) {
	from = r.IntN(len(data))
	return from, min(len(data), from+1+r.IntN(1<<r.IntN(12)))
}

// mutant is the n-th damaged file; the same number is the same file.
func mutant(seeds []seed, n int) (from seed, damage int, data []byte) {
	r := rand.New(rand.NewPCG(uint64(n), 2))
	from, damage = seeds[r.IntN(len(seeds))], n%len(damages)
	data = bytes.Clone(from.data)
	if damages[damage].do != nil {
		return from, damage, damages[damage].do(r, data)
	}
	for range 2 + r.IntN(4) {
		if len(data) > 0 {
			data = damages[r.IntN(len(damages)-1)].do(r, data)
		}
	}
	return from, damage, data
}
