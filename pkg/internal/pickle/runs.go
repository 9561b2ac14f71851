package pickle

import (
	"bytes"
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
	all   []run            // all[0] stands for none
	text  []byte           // the opcodes of all runs, APPENDS included
	off   bool             // a memo entry was stored anew

	// Programs repeat themselves: what followed the same two runs last time is
	// the first guess at what comes next.
	last, before int32   // the two runs met last
	next         []int32 // by the two runs before; only a guess, so collisions do no harm
}

type run struct {
	start, end int // in runs.text
	list       Container
}

const guessBits = 16

// maxRunText bounds what is remembered, in bytes.
const maxRunText = 32 << 20

func newRuns() runs {
	return runs{seed: maphash.MakeSeed(), known: map[uint64]int32{}, all: make([]run, 1),
		next: make([]int32, 1<<guessBits)}
}

// find looks at what follows a mark. If it is a run that was met before, it
// gives the list, and how many bytes its opcodes have. If it is another run, it
// gives its bytes alone.
func (r *runs) find(buf []byte) (list Container, text []byte, ok bool) {
	if next := *r.guess(); next > 0 && bytes.HasPrefix(buf, r.textOf(next)) {
		r.before, r.last = r.last, next
		return r.all[next].list, r.textOf(next), true
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

// guess is the place of what followed the last two runs.
func (r *runs) guess() *int32 {
	pair := uint64(uint32(r.before))<<32 | uint64(uint32(r.last))
	return &r.next[pair*0x9e3779b97f4a7c15>>(64-guessBits)]
}

func (r *runs) follow(i int32) {
	*r.guess() = i
	r.before, r.last = r.last, i
}

// add remembers what the opcodes of a run made.
func (r *runs) add(text []byte, list Container) {
	if len(r.text)+len(text) > maxRunText {
		return
	}
	i, start := int32(len(r.all)), len(r.text)
	r.text = append(r.text, text...)
	r.all = append(r.all, run{start: start, end: len(r.text), list: list})
	r.known[maphash.Bytes(r.seed, text)] = i
	r.follow(i)
}

// held is how many bytes that takes, as an estimate.
func (r *runs) held() int64 { return int64(len(r.text)) + 64*int64(len(r.all)) }

// length is how many bytes at the start of buf are GETs and an APPENDS behind
// them; 0 if anything else is found, or the end.
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
