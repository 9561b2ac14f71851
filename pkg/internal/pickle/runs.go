package pickle

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// runs remembers lists that were written as nothing but GETs, by the bytes of
// those opcodes. While no memo entry changes, equal bytes make equal lists, so a
// list that a Builder interns need not be decoded twice: it is found by
// comparing some hundred bytes. In torch's files nearly all lists of frames are
// of this kind, and they are most of the file.
type runs struct {
	seed  maphash.Seed
	known map[uint64]int32 // by hash: index into all
	all   []run            // all[0] means none
	text  []byte           // the opcodes of all runs, APPENDS included
	off   bool             // a memo entry was stored anew

	last int32 // the run met last
	turn int   // which of the followers of a run is replaced next, modulo their number
}

type run struct {
	start, end int32 // in runs.text
	list       Container
	// Programs repeat themselves, so the next run is looked for first among those that
	// followed this one before. Few of them begin with the same frame: heads has its memo
	// entry. The struct fills a cache line of 64 bytes.
	next  [followers]int32
	heads [followers]uint32
}

const followers = 6

// headEnd is where the bytes of run.heads end in a text: after the first memo entry.
const headEnd = 5

// maxRunText bounds the remembered opcodes, in bytes.
const maxRunText = 32 << 20

func newRuns() runs {
	return runs{seed: maphash.MakeSeed(), known: map[uint64]int32{}, all: make([]run, 1)}
}

// find looks for a run after a mark. For a run that was met before, it returns the
// list and the bytes of its opcodes; for a new run, only the bytes.
func (r *runs) find(buf []byte) (list Container, text []byte, ok bool) {
	if len(buf) >= headEnd {
		head, last := headOf(buf), &r.all[r.last]
		for w := range last.heads {
			if next := last.next[w]; last.heads[w] == head && next > 0 && bytes.HasPrefix(buf, r.textOf(next)) {
				r.last = next
				return r.all[next].list, r.textOf(next), true
			}
		}
	}
	text = buf[:length(buf)]
	if len(text) == 0 {
		return Container{}, nil, false
	}
	i, ok := r.known[maphash.Bytes(r.seed, text)]
	if !ok || !bytes.Equal(r.textOf(i), text) {
		return Container{}, text, false
	}
	r.follow(i)
	return r.all[i].list, text, true
}

func (r *runs) textOf(i int32) []byte { return r.text[r.all[i].start:r.all[i].end] }

func headOf(text []byte) uint32 { return binary.LittleEndian.Uint32(text[headEnd-4:]) }

// follow notes that run i, which was not expected, is the next one.
func (r *runs) follow(i int32) {
	if text := r.textOf(i); len(text) >= headEnd {
		w := r.turn % followers
		r.all[r.last].next[w], r.all[r.last].heads[w] = i, headOf(text)
		r.turn++
	}
	r.last = i
}

// add remembers the list that the opcodes of a run made.
func (r *runs) add(text []byte, list Container) {
	if len(r.text)+len(text) > maxRunText {
		return
	}
	i, start := int32(len(r.all)), int32(len(r.text))
	r.text = append(r.text, text...)
	r.all = append(r.all, run{start: start, end: int32(len(r.text)), list: list})
	r.known[maphash.Bytes(r.seed, text)] = i
	r.follow(i)
}

// held estimates the memory in use, in bytes.
func (r *runs) held() int64 {
	const forRun = 110 // with its map entry
	return int64(len(r.text)) + forRun*int64(len(r.all))
}

// length returns how many bytes at the start of buf are GETs with an APPENDS after
// them; 0 if it finds anything else, or the end of buf.
func length(buf []byte) int {
	for i := 0; i+5 < len(buf); {
		switch buf[i] {
		case opLongBinGet:
			i += 5
		case opBinGet:
			i += 2
		case opAppends:
			if i == 0 {
				return 0
			}
			return i + 1
		default:
			return 0
		}
	}
	return 0
}
