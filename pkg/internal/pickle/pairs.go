package pickle

import "encoding/binary"

// pairsAhead bounds the bytes of a key and its value, with the opcode that memoizes the
// value, if the value is neither a string nor a list with items.
const pairsAhead = 3 * lookahead

// pairs executes the opcodes after the mark of a dict, as long as they are of the kind
// that most of torch's files consist of: a GET for each key, and values that are numbers, GETs, short strings or
// lists that runs knows; then SETITEMS, and the next such dict. It does what run would do
// in less than half the time, because it keeps what it needs in locals. It leaves to run
// every other opcode, every possible error, and the end of the window.
func (d *decoder) pairs() error {
	buf, pos, stack, words := d.buf, d.pos, d.stack, d.memo.words
leave:
	for pos <= d.end-pairsAhead && len(stack)+2 <= cap(stack) {
		var i, next int
		switch buf[pos] {
		case opLongBinGet:
			i, next = int(binary.LittleEndian.Uint32(buf[pos+1:])), pos+5
		case opBinGet:
			i, next = int(buf[pos+1]), pos+2
		case opSetItems:
			d.op, d.opAt, d.pos, d.stack = opSetItems, d.base+int64(pos), pos+1, stack
			if err := d.setItems(); err != nil || !d.nextDict() {
				return err
			}
			pos, stack, words = d.pos, d.stack, d.memo.words
			continue
		default:
			break leave
		}
		if i >= len(words) {
			break
		}
		stack, pos = append(stack, d.memo.value(words[i])), next

		var v Value
		switch buf[pos] {
		case opLongBinGet, opBinGet:
			i, next = int(buf[pos+1]), pos+2
			if buf[pos] == opLongBinGet {
				i, next = int(binary.LittleEndian.Uint32(buf[pos+1:])), pos+5
			}
			if i >= len(words) {
				break leave
			}
			v = d.memo.value(words[i])
		case opBinInt1:
			v, next = pack(Int, uint64(buf[pos+1])), pos+2
		case opBinInt2:
			v, next = pack(Int, uint64(binary.LittleEndian.Uint16(buf[pos+1:]))), pos+3
		case opBinInt:
			v, next = d.heap.integer(int64(int32(binary.LittleEndian.Uint32(buf[pos+1:])))), pos+5
		case opLong1:
			n := int(buf[pos+1])
			if n > 8 {
				break leave
			}
			unused := 64 - 8*n
			v = d.heap.integer(int64(binary.LittleEndian.Uint64(buf[pos+2:])<<unused) >> unused)
			next = pos + 2 + n
		case opShortBinUnicode:
			n := int(buf[pos+1])
			if next = pos + 2 + n; next > d.end-lookahead || int64(n) > d.limits.StringBytes {
				break leave
			}
			v = d.heap.Text(buf[pos+2 : next])
		case opEmptyList:
			if int64(len(d.heap.objects)) >= d.limits.Objects {
				break leave
			}
			v, next = d.heap.object(EmptyList), pos+1
		default:
			break leave
		}
		stack, pos = append(stack, v), next

		if buf[pos] == opMemoize && int64(len(words)) < d.limits.Memo {
			d.memo.add(v)
			words = d.memo.words
			pos++
		}
		if buf[pos] == opMark {
			if v.Type() != Object || d.heap.at(v).Kind != EmptyList || d.runs.off {
				break
			}
			list, text, ok := d.runs.find(buf[pos+1 : d.end])
			if !ok {
				break
			}
			d.heap.set(v, list)
			pos += 1 + len(text)
		}
	}
	d.pos, d.stack = pos, stack
	return nil
}

// nextDict begins another dict where its opcodes, up to the mark, come next.
func (d *decoder) nextDict() bool {
	if d.pos > d.end-lookahead || string(d.buf[d.pos:d.pos+3]) != string([]byte{opEmptyDict, opMemoize, opMark}) ||
		len(d.stack) == cap(d.stack) || int64(len(d.marks)) >= d.limits.Depth ||
		int64(len(d.heap.objects)) >= d.limits.Objects || int64(d.memo.len()) >= d.limits.Memo {
		return false
	}
	v := d.heap.object(EmptyDict)
	d.memo.add(v)
	d.stack = append(d.stack, v)
	d.marks = append(d.marks, len(d.stack))
	d.pos += 3
	return true
}
