package pickle

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"
)

// mend rewrites what gopickle misreads in a pickle that the checker has passed:
// text of protocol 0, whose escapes it keeps, and integers of no bytes, which
// are zero.
func mend(data []byte) []byte {
	if !needsMending(data) {
		return data
	}
	mended := make([]byte, 0, len(data)+len(data)/4)
	for pos := 0; pos < len(data); {
		in, ok := instructionAt(data, pos)
		if !ok {
			return data // not what the checker passed
		}
		switch {
		case in.op == opUnicode:
			text := rawUnicodeEscape(data[in.arg:in.end])
			mended = append(mended, opBinUnicode)
			mended = binary.LittleEndian.AppendUint32(mended, uint32(len(text)))
			mended = append(mended, text...)
		case isEmptyLong(in):
			mended = append(mended, opBinInt1, 0)
		case in.op == opFrame: // its length no longer fits, and it is only a hint
		default:
			mended = append(mended, data[in.start:in.next]...)
		}
		pos = in.next
	}
	return mended
}

func needsMending(data []byte) bool {
	for pos := 0; pos < len(data); {
		in, ok := instructionAt(data, pos)
		if !ok {
			return false
		}
		if in.op == opUnicode || isEmptyLong(in) {
			return true
		}
		pos = in.next
	}
	return false
}

func isEmptyLong(in instruction) bool {
	return (in.op == opLong1 || in.op == opLong4) && in.arg == in.end
}

// rawUnicodeEscape decodes what Python calls that: a byte is a character of
// Latin-1, and \uXXXX or \UXXXXXXXX behind an even number of backslashes is any
// other. The result is UTF-8.
func rawUnicodeEscape(line []byte) []byte {
	text := make([]byte, 0, len(line))
	for i := 0; i < len(line); i++ {
		if line[i] != '\\' || i+1 == len(line) {
			text = utf8.AppendRune(text, rune(line[i]))
			continue
		}
		digits := map[byte]int{'u': 4, 'U': 8}[line[i+1]]
		if code, ok := hexadecimal(line[i+2:], digits); ok {
			text = utf8.AppendRune(text, code)
			i += 1 + digits
			continue
		}
		text = append(text, '\\')
		if line[i+1] == '\\' { // and neither begins an escape
			text = append(text, '\\')
			i++
		}
	}
	return text
}

func hexadecimal(b []byte, digits int) (rune, bool) {
	if digits == 0 || len(b) < digits {
		return 0, false
	}
	code, err := strconv.ParseUint(string(b[:digits]), 16, 31)
	return rune(code), err == nil
}
