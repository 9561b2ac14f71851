package pickle

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Opcodes by their names in CPython's pickletools.
const (
	opMark            = '('
	opStop            = '.'
	opPop             = '0'
	opPopMark         = '1'
	opDup             = '2'
	opFloat           = 'F'
	opInt             = 'I'
	opBinInt          = 'J'
	opBinInt1         = 'K'
	opLong            = 'L'
	opBinInt2         = 'M'
	opNone            = 'N'
	opPersID          = 'P'
	opBinPersID       = 'Q'
	opReduce          = 'R'
	opString          = 'S'
	opBinString       = 'T'
	opShortBinString  = 'U'
	opUnicode         = 'V'
	opBinUnicode      = 'X'
	opAppend          = 'a'
	opBuild           = 'b'
	opGlobal          = 'c'
	opDict            = 'd'
	opEmptyDict       = '}'
	opAppends         = 'e'
	opGet             = 'g'
	opBinGet          = 'h'
	opInst            = 'i'
	opLongBinGet      = 'j'
	opList            = 'l'
	opEmptyList       = ']'
	opObj             = 'o'
	opPut             = 'p'
	opBinPut          = 'q'
	opLongBinPut      = 'r'
	opSetItem         = 's'
	opTuple           = 't'
	opEmptyTuple      = ')'
	opSetItems        = 'u'
	opBinFloat        = 'G'
	opBinBytes        = 'B'
	opShortBinBytes   = 'C'
	opProto           = 0x80
	opNewObj          = 0x81
	opExt1            = 0x82
	opExt2            = 0x83
	opExt4            = 0x84
	opTuple1          = 0x85
	opTuple2          = 0x86
	opTuple3          = 0x87
	opNewTrue         = 0x88
	opNewFalse        = 0x89
	opLong1           = 0x8a
	opLong4           = 0x8b
	opShortBinUnicode = 0x8c
	opBinUnicode8     = 0x8d
	opBinBytes8       = 0x8e
	opEmptySet        = 0x8f
	opAddItems        = 0x90
	opFrozenSet       = 0x91
	opNewObjEx        = 0x92
	opStackGlobal     = 0x93
	opMemoize         = 0x94
	opFrame           = 0x95
	opByteArray8      = 0x96
	opNextBuffer      = 0x97
	opReadOnlyBuffer  = 0x98
)

// arg is the shape of an opcode's argument in the stream.
type arg uint8

const (
	argUnknown      arg = iota // no such opcode
	argNone                    //
	arg1                       // that many bytes
	arg2                       //
	arg4                       //
	arg8                       //
	argCount1                  // a length of one byte, and that many bytes
	argCount4                  //
	argCount4Signed            //
	argCount8                  //
	argLine                    // a line of text
	argTwoLines                //
)

var opTable = [256]struct {
	name string
	arg  arg
}{
	opMark: {"MARK", argNone}, opStop: {"STOP", argNone}, opPop: {"POP", argNone}, opPopMark: {"POP_MARK", argNone},
	opDup: {"DUP", argNone}, opFloat: {"FLOAT", argLine}, opInt: {"INT", argLine}, opBinInt: {"BININT", arg4},
	opBinInt1: {"BININT1", arg1}, opLong: {"LONG", argLine}, opBinInt2: {"BININT2", arg2}, opNone: {"NONE", argNone},
	opPersID: {"PERSID", argLine}, opBinPersID: {"BINPERSID", argNone}, opReduce: {"REDUCE", argNone},
	opString: {"STRING", argLine}, opBinString: {"BINSTRING", argCount4Signed},
	opShortBinString: {"SHORT_BINSTRING", argCount1},
	opUnicode:        {"UNICODE", argLine}, opBinUnicode: {"BINUNICODE", argCount4}, opAppend: {"APPEND", argNone},
	opBuild: {"BUILD", argNone}, opGlobal: {"GLOBAL", argTwoLines}, opDict: {"DICT", argNone},
	opEmptyDict: {"EMPTY_DICT", argNone},
	opAppends:   {"APPENDS", argNone}, opGet: {"GET", argLine}, opBinGet: {"BINGET", arg1},
	opInst:       {"INST", argTwoLines},
	opLongBinGet: {"LONG_BINGET", arg4}, opList: {"LIST", argNone}, opEmptyList: {"EMPTY_LIST", argNone},
	opObj: {"OBJ", argNone},
	opPut: {"PUT", argLine}, opBinPut: {"BINPUT", arg1}, opLongBinPut: {"LONG_BINPUT", arg4},
	opSetItem: {"SETITEM", argNone},
	opTuple:   {"TUPLE", argNone}, opEmptyTuple: {"EMPTY_TUPLE", argNone}, opSetItems: {"SETITEMS", argNone},
	opBinFloat: {"BINFLOAT", arg8}, opBinBytes: {"BINBYTES", argCount4}, opShortBinBytes: {"SHORT_BINBYTES", argCount1},
	opProto: {"PROTO", arg1}, opNewObj: {"NEWOBJ", argNone}, opExt1: {"EXT1", arg1}, opExt2: {"EXT2", arg2},
	opExt4:   {"EXT4", arg4},
	opTuple1: {"TUPLE1", argNone}, opTuple2: {"TUPLE2", argNone}, opTuple3: {"TUPLE3", argNone},
	opNewTrue:  {"NEWTRUE", argNone},
	opNewFalse: {"NEWFALSE", argNone}, opLong1: {"LONG1", argCount1}, opLong4: {"LONG4", argCount4Signed},
	opShortBinUnicode: {"SHORT_BINUNICODE", argCount1}, opBinUnicode8: {"BINUNICODE8", argCount8},
	opBinBytes8: {"BINBYTES8", argCount8},
	opEmptySet:  {"EMPTY_SET", argNone}, opAddItems: {"ADDITEMS", argNone}, opFrozenSet: {"FROZENSET", argNone},
	opNewObjEx: {"NEWOBJ_EX", argNone}, opStackGlobal: {"STACK_GLOBAL", argNone}, opMemoize: {"MEMOIZE", argNone},
	opFrame: {"FRAME", arg8}, opByteArray8: {"BYTEARRAY8", argCount8}, opNextBuffer: {"NEXT_BUFFER", argNone},
	opReadOnlyBuffer: {"READONLY_BUFFER", argNone},
}

func opName(op byte) string {
	if name := opTable[op].name; name != "" {
		return name
	}
	return fmt.Sprintf("0x%02x", op)
}

// instruction is one opcode of a pickle in memory: data[start] is the opcode and
// data[arg:end] its argument, without the length or the newline.
type instruction struct {
	op              byte
	start, arg, end int
	next            int // offset of the next opcode
}

// instructionAt reads the opcode at pos. It is not ok if the opcode is unknown or its
// argument is cut off.
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

// Length returns the length in bytes of the pickle at the start of data, STOP included.
// It is not ok if data holds no complete pickle.
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
