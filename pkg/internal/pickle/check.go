package pickle

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// check walks all opcodes of one pickle up to STOP and returns its length in bytes. It
// compares every length with the bytes that remain and every memo index with what was
// stored, and refuses everything that imports, calls or builds something, except for
// the pure containers of allowedGlobals.
func check(data []byte, limits Limits) (length int, err error) {
	c := &checker{data: data, limits: limits, held: int64(len(data)), maxHeld: cmp.Or(limits.Memory, loadMemory)}
	for {
		done, err := c.step()
		if err != nil {
			return 0, err
		}
		if done {
			return c.pos, nil
		}
	}
}

// Memory that gopickle and the walker use, in bytes: measured and rounded up.
const (
	costOpcode    = 64  // a boxed value, with its slots on the stack and in a container while they grow
	costGet       = 56  // another reference to such a value
	costText      = 48  // an interned string
	costContainer = 120 // a list, dict or tuple
	costMemo      = 110 // an entry of gopickle's memo and of the checker's
)

type checker struct {
	data   []byte
	limits Limits
	pos    int
	opAt   int
	op     byte

	memo    checkedMemo
	recent  []text // strings pushed just now, for STACK_GLOBAL
	depth   int
	objects int64
	held    int64 // estimate of what Load will use, in bytes
	maxHeld int64 // bound on held
}

func (c *checker) fail(kind error, format string, args ...any) error {
	return &Error{Offset: int64(c.opAt), Op: c.op, What: fmt.Sprintf(format, args...), Err: kind}
}

func (c *checker) over(key, format string, args ...any) error {
	return &Error{Offset: int64(c.opAt), Op: c.op, Limit: key, What: fmt.Sprintf(format, args...), Err: ErrLimit}
}

// spend adds to the estimate of memory.
func (c *checker) spend(bytes int64) error {
	if c.held += bytes; c.held > c.maxHeld {
		return c.over(keyMemory, "a pickle of this kind may take %d bytes to read", c.maxHeld)
	}
	return nil
}

// cost estimates the memory for the current opcode, in bytes.
func (c *checker) cost() int64 {
	switch c.op {
	case opBinGet, opLongBinGet:
		return costGet
	case opMark, opFrame, opMemoize, opBinPut, opLongBinPut, opAppend, opAppends, opSetItem, opSetItems:
		return 0 // they push nothing
	case opUnicode:
		return costOpcode + costText + 3*int64(c.pos-c.opAt) // unescapeText makes a copy, of up to two bytes for one
	case opString, opBinString, opShortBinString, opBinUnicode, opShortBinUnicode, opBinUnicode8:
		return costOpcode + costText + int64(c.pos-c.opAt)
	}
	return costOpcode + int64(c.pos-c.opAt)
}

// take returns the next n bytes.
func (c *checker) take(n uint64) ([]byte, error) {
	if left := uint64(len(c.data) - c.pos); n > left {
		return nil, c.fail(ErrTruncated, "it needs %d bytes, %d are left", n, left)
	}
	b := c.data[c.pos : c.pos+int(n)]
	c.pos += int(n)
	return b, nil
}

func (c *checker) line() (string, error) {
	i := bytes.IndexByte(c.data[c.pos:], '\n')
	if i < 0 {
		return "", c.fail(ErrTruncated, "its line does not end")
	} else if int64(i) > c.limits.StringBytes {
		return "", c.over(keyString, "a line of %d bytes, where %d are allowed", i, c.limits.StringBytes)
	}
	b := c.data[c.pos : c.pos+i]
	c.pos += i + 1
	return string(b), nil
}

// argument reads the argument of the opcode: raw bytes, or one or two lines.
func (c *checker) argument() (raw []byte, lines [2]string, err error) {
	switch shape := opTable[c.op].arg; shape {
	case arg1, arg2, arg4, arg8:
		raw, err = c.take(1 << (shape - arg1))
	case argCount1, argCount4, argCount4Signed, argCount8:
		raw, err = c.counted(shape)
	case argTwoLines:
		if lines[0], err = c.line(); err == nil {
			lines[1], err = c.line()
		}
	case argLine:
		lines[0], err = c.line()
	}
	return raw, lines, err
}

func (c *checker) counted(shape arg) ([]byte, error) {
	width := map[arg]uint64{argCount1: 1, argCount4: 4, argCount4Signed: 4, argCount8: 8}[shape]
	b, err := c.take(width)
	if err != nil {
		return nil, err
	}
	var wide [8]byte
	copy(wide[:], b)
	n := binary.LittleEndian.Uint64(wide[:])
	if shape == argCount4Signed && n > 1<<31-1 {
		return nil, c.fail(ErrMalformed, "a negative length")
	} else if n > uint64(c.limits.StringBytes) {
		return nil, c.over(keyString, "%d bytes in one value, where %d are allowed", n, c.limits.StringBytes)
	}
	return c.take(n)
}

func (c *checker) step() (done bool, err error) {
	c.opAt = c.pos
	op, err := c.take(1)
	if err != nil {
		c.op = opStop
		return false, c.fail(ErrTruncated, "no STOP")
	}
	c.op = op[0]
	if opTable[c.op].arg == argUnknown {
		return false, c.fail(ErrMalformed, "no such opcode")
	}
	raw, lines, err := c.argument()
	if err != nil {
		return false, err
	}
	if err := c.spend(c.cost()); err != nil {
		return false, err
	}
	if err := c.checkOpcode(raw, lines); err != nil {
		return false, err
	}
	return c.op == opStop, nil
}

// checkOpcode checks the current opcode. STACK_GLOBAL takes a name from the top of the
// stack, so recent is kept only across opcodes that leave the strings there.
func (c *checker) checkOpcode(raw []byte, lines [2]string) error {
	keepRecent := false
	defer func() {
		if !keepRecent {
			c.recent = c.recent[:0]
		}
	}()
	switch c.op {
	case opProto:
		if raw[0] > 5 {
			return c.fail(ErrNotPickle, "protocol %d is not known", raw[0])
		}
	case opMark:
		if c.depth++; int64(c.depth) > c.limits.Depth {
			return c.over(keyDepth, "more than %d containers inside one another", c.limits.Depth)
		}
	case opSetItems, opAppends, opPopMark, opAddItems:
		return c.popMark()
	case opTuple, opList, opDict, opFrozenSet:
		if err := c.popMark(); err != nil {
			return err
		}
		return c.grow()
	case opEmptyDict, opEmptyList, opEmptyTuple, opTuple1, opTuple2, opTuple3, opEmptySet, opReduce:
		return c.grow()
	case opFrame:
		keepRecent = true
		if n := binary.LittleEndian.Uint64(raw); n > uint64(len(c.data)-c.pos) {
			return c.fail(ErrTruncated, "a frame of %d bytes, %d are left", n, len(c.data)-c.pos)
		}
	case opInt, opLong:
		if len(lines[0]) > 64 {
			return c.fail(ErrLimit, "an integer of %d digits", len(lines[0]))
		}
	case opLong1, opLong4:
		if len(raw) > 32 {
			return c.fail(ErrLimit, "an integer of %d bytes", len(raw))
		}
	case opShortBinUnicode, opBinUnicode, opBinUnicode8:
		if !utf8.Valid(raw) {
			break
		}
		keepRecent = true
		c.recent = append(c.recent, text{c.pos - len(raw), c.pos})
	case opMemoize, opPut, opBinPut, opLongBinPut:
		keepRecent = true
		return c.remember(raw, lines[0])
	case opGet, opBinGet, opLongBinGet:
		i, err := c.index(raw, lines[0])
		if err != nil {
			return err
		}
		entry, ok := c.memo.get(i)
		if !ok {
			return c.fail(ErrMalformed, "memo entry %d was never stored", i)
		}
		if entry != noText {
			keepRecent = true
			c.recent = append(c.recent, entry)
		}
	case opGlobal:
		return c.global(lines[0], lines[1])
	case opStackGlobal:
		if len(c.recent) < 2 {
			return c.fail(ErrForbidden, "it imports something by a computed name")
		}
		module, name := c.recent[len(c.recent)-2], c.recent[len(c.recent)-1]
		return c.global(string(c.data[module.from:module.to]), string(c.data[name.from:name.to]))
	case opInst:
		return c.fail(ErrForbidden, "it makes an instance of %q", lines[0]+"."+lines[1])
	case opObj, opNewObj, opNewObjEx, opBuild, opExt1, opExt2, opExt4, opPersID, opBinPersID,
		opByteArray8, opNextBuffer, opReadOnlyBuffer:
		return c.fail(ErrForbidden, "a snapshot holds no such thing")
	}
	return nil
}

func (c *checker) popMark() error {
	if c.depth--; c.depth < 0 {
		return c.fail(ErrMalformed, "no mark")
	}
	return nil
}

func (c *checker) grow() error {
	if c.objects++; c.objects > c.limits.Objects {
		return c.over(keyObjects, "more than %d lists, dicts and tuples", c.limits.Objects)
	}
	return c.spend(costContainer)
}

// index returns the memo index of a GET or PUT.
func (c *checker) index(raw []byte, line string) (int, error) {
	switch len(raw) {
	case 1:
		return int(raw[0]), nil
	case 4:
		return int(binary.LittleEndian.Uint32(raw)), nil
	}
	i, err := strconv.Atoi(line)
	if err != nil || i < 0 {
		return 0, c.fail(ErrMalformed, "memo entry %q", line)
	}
	return i, nil
}

func (c *checker) remember(raw []byte, line string) error {
	i := c.memo.len()
	if c.op != opMemoize {
		var err error
		if i, err = c.index(raw, line); err != nil {
			return err
		}
	}
	if int64(c.memo.len()) >= c.limits.Memo {
		return c.over(keyMemo, "more than %d memo entries", c.limits.Memo)
	} else if err := c.spend(costMemo); err != nil {
		return err
	}
	entry := noText
	if len(c.recent) > 0 {
		entry = c.recent[len(c.recent)-1]
	}
	c.memo.put(i, entry)
	return nil
}

func (c *checker) global(module, name string) error {
	full := module + "." + name
	if _, ok := allowedGlobals[full]; !ok {
		return &Error{Offset: int64(c.opAt), Op: c.op, Global: full, Err: ErrForbidden,
			What: fmt.Sprintf("it asks for %q, which a snapshot never needs; the file may be malicious", full)}
	}
	return nil
}

// text is the range of a string in the checked bytes.
type text struct{ from, to int }

// noText marks a memo entry that is not a string.
var noText = text{-1, -1}

// checkedMemo records which memo entries exist and which of them are strings. Picklers
// number them from 0, so nearly all are dense.
type checkedMemo struct {
	dense  []text
	sparse map[int]text
}

func (m *checkedMemo) len() int { return len(m.dense) + len(m.sparse) }

func (m *checkedMemo) get(i int) (entry text, ok bool) {
	if i < len(m.dense) {
		return m.dense[i], true
	}
	entry, ok = m.sparse[i]
	return entry, ok
}

func (m *checkedMemo) put(i int, entry text) {
	switch {
	case i < len(m.dense):
		m.dense[i] = entry
	case i == len(m.dense):
		delete(m.sparse, i)
		m.dense = append(m.dense, entry)
	default:
		if m.sparse == nil {
			m.sparse = map[int]text{}
		}
		m.sparse[i] = entry
	}
}
