package pickle

import (
	"bytes"
	"encoding/binary"
)

// instruction is one opcode of a pickle in memory: data[start] is the opcode,
// data[arg:end] its argument without a length or the end of a line.
type instruction struct {
	op              byte
	start, arg, end int
	next            int // where the next opcode stands
}

// instructionAt reads the opcode at pos. It is not ok if there is no such
// opcode, or if its argument is cut.
func instructionAt(data []byte, pos int) (in instruction, ok bool) {
	if pos >= len(data) {
		return in, false
	}
	in = instruction{op: data[pos], start: pos, arg: pos + 1}
	n := 0
	switch shape := opTable[in.op].arg; shape {
	case argUnknown:
		return in, false
	case arg1, arg2, arg4, arg8:
		n = 1 << (shape - arg1)
	case argCount1, argCount4, argCount4Signed, argCount8:
		width := map[arg]int{argCount1: 1, argCount4: 4, argCount4Signed: 4, argCount8: 8}[shape]
		if width > len(data)-in.arg {
			return in, false
		}
		var wide [8]byte
		copy(wide[:], data[in.arg:in.arg+width])
		in.arg += width
		count := binary.LittleEndian.Uint64(wide[:])
		if count > uint64(len(data)-in.arg) {
			return in, false
		}
		n = int(count)
	case argLine, argTwoLines:
		for range shape - argLine + 1 {
			i := bytes.IndexByte(data[in.arg+n:], '\n')
			if i < 0 {
				return in, false
			}
			n += i + 1
		}
		in.end, in.next = in.arg+n-1, in.arg+n
		return in, true
	}
	in.end = in.arg + n
	in.next = in.end
	return in, in.end <= len(data)
}

// Length is how many bytes the pickle at the start of data has, up to and
// including its STOP. It is not ok if data has no STOP, or no pickle.
func Length(data []byte) (n int, ok bool) {
	for {
		in, ok := instructionAt(data, n)
		if !ok {
			return 0, false
		}
		if n = in.next; in.op == opStop {
			return n, true
		}
	}
}
