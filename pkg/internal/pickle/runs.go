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

	last int32 // the run met last
}

type run struct {
	start, end int32 // in runs.text
	list       Container
	next       [4]int32 // runs that followed this one, the latest first: programs repeat themselves
}

// maxRunText bounds what is remembered, in bytes.
const maxRunText = 32 << 20

func newRuns() runs {
	return runs{seed: maphash.MakeSeed(), known: map[uint64]int32{}, all: make([]run, 1)}
}

// find looks at what follows a mark. If it is a run that was met before, it
// gives the list, and how many bytes its opcodes have. If it is another run, it
// gives its bytes alone.
func (r *runs) find(buf []byte) (list Container, text []byte, ok bool) {
	for _, next := range r.all[r.last].next {
		if text := r.textOf(next); next > 0 && bytes.HasPrefix(buf, text) {
			r.follow(next)
			return r.all[next].list, text, true
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

// follow notes that run i is the next one.
func (r *runs) follow(i int32) {
	next := &r.all[r.last].next
	at := len(next) - 1
	for w, known := range next {
		if known == i {
			at = w
		}
	}
	copy(next[1:at+1], next[:at])
	next[0], r.last = i, i
}

// add remembers what the opcodes of a run made.
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
