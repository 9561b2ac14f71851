package pickle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"unicode/utf8"

	gopickle "github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"
)

// unpickle runs gopickle and turns its panics on malformed input into errors.
func unpickle(data []byte) (root any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	u := gopickle.NewUnpickler(bytes.NewReader(data))
	u.FindClass = func(module, name string) (any, error) {
		if class, ok := allowedGlobals[module+"."+name]; ok {
			return class, nil
		}
		return nil, fmt.Errorf("%s.%s is refused", module, name)
	}
	return u.Load()
}

// allowedGlobals are the globals that a legitimate snapshot may import: pure
// containers, which post-processed files hold, and the wrappers that libtorch's
// pickler puts around lists and dicts. All are implemented here; none runs other code.
var allowedGlobals = map[string]types.Callable{
	"collections.OrderedDict":            &types.OrderedDictClass{},
	"collections.defaultdict":            construct(func([]any) (any, error) { return types.NewDict(), nil }),
	"builtins.dict":                      construct(dict),
	"builtins.list":                      construct(listOf),
	"builtins.tuple":                     construct(tupleOf),
	"builtins.set":                       construct(listOf),
	"builtins.frozenset":                 construct(listOf),
	"__builtin__.dict":                   construct(dict),
	"__builtin__.list":                   construct(listOf),
	"__builtin__.tuple":                  construct(tupleOf),
	"__builtin__.set":                    construct(listOf),
	"__builtin__.frozenset":              construct(listOf),
	"torch.jit._pickle.restore_type_tag": construct(first),
	"torch.jit._pickle.build_intlist":    construct(first),
	"torch.jit._pickle.build_boollist":   construct(first),
	"torch.jit._pickle.build_doublelist": construct(first),
}

// construct makes a function a callable of gopickle.
type construct func(args []any) (any, error)

func (f construct) Call(args ...any) (any, error) { return f(args) }

// first returns its first argument: restore_type_tag(obj, tag), build_intlist(obj).
func first(args []any) (any, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("a wrapper around nothing")
	}
	return args[0], nil
}

// items returns the elements of the only argument, if there is one.
func items(args []any) ([]any, error) {
	if len(args) == 0 {
		return nil, nil
	}
	switch v := args[0].(type) {
	case *types.List:
		return *v, nil
	case *types.Tuple:
		return *v, nil
	}
	return nil, fmt.Errorf("a container made of something that is not a list")
}

func listOf(args []any) (any, error) {
	if len(args) == 1 {
		if list, ok := args[0].(*types.List); ok {
			return list, nil // nothing changes it later, so it need not be copied
		}
	}
	elements, err := items(args)
	return types.NewListFromSlice(elements), err
}

func tupleOf(args []any) (any, error) {
	if len(args) == 1 {
		if tuple, ok := args[0].(*types.Tuple); ok {
			return tuple, nil
		}
	}
	elements, err := items(args)
	return types.NewTupleFromSlice(elements), err
}

func dict(args []any) (any, error) {
	d := types.NewDict()
	return d, setPairs(d, args)
}

// setPairs fills a dict from a list of pairs.
func setPairs(d types.DictSetter, args []any) error {
	pairs, err := items(args)
	for _, p := range pairs {
		pair, ok := p.(*types.Tuple)
		if !ok || len(*pair) != 2 {
			return fmt.Errorf("a dict made of something that is not a pair")
		}
		d.Set((*pair)[0], (*pair)[1])
	}
	return err
}

// forGopickle rewrites the opcodes that gopickle misreads, in a pickle that the checker
// has accepted: text of protocol 0, whose escapes it does not decode, long integers of
// no bytes, which are zero, and INT of more than 64 bits, such as addresses from 2^63 on.
func forGopickle(data []byte) []byte {
	if !isMisread(data) {
		return data
	}
	rewritten := make([]byte, 0, len(data)+len(data)/4)
	for pos := 0; pos < len(data); {
		in, ok := instructionAt(data, pos)
		if !ok {
			return data // the checker would have refused it
		}
		switch {
		case in.op == opUnicode:
			text := unescapeText(data[in.arg:in.end])
			rewritten = append(rewritten, opBinUnicode)
			rewritten = binary.LittleEndian.AppendUint32(rewritten, uint32(len(text)))
			rewritten = append(rewritten, text...)
		case isEmptyLong(in):
			rewritten = append(rewritten, opBinInt1, 0)
		case isWideInt(data, in):
			rewritten = append(rewritten, opLong)
			rewritten = append(rewritten, bytes.TrimSpace(data[in.arg:in.end])...)
			rewritten = append(rewritten, "L\n"...)
		case in.op == opFrame: // its length is no longer right, and it is only a hint
		default:
			rewritten = append(rewritten, data[in.start:in.next]...)
		}
		pos = in.next
	}
	return rewritten
}

// isMisread reports whether gopickle would misread any opcode.
func isMisread(data []byte) bool {
	for pos := 0; pos < len(data); {
		in, ok := instructionAt(data, pos)
		if !ok {
			return false
		}
		if in.op == opUnicode || isEmptyLong(in) || isWideInt(data, in) {
			return true
		}
		pos = in.next
	}
	return false
}

// isWideInt reports whether the argument of an INT, a line, is an integer beyond int64.
func isWideInt(data []byte, in instruction) bool {
	const digits = 18 // that fit any int64
	if in.op != opInt || in.end-in.arg <= digits {
		return false
	}
	_, err := strconv.ParseInt(string(bytes.TrimSpace(data[in.arg:in.end])), 10, 64)
	return errors.Is(err, strconv.ErrRange)
}

func isEmptyLong(in instruction) bool {
	return (in.op == opLong1 || in.op == opLong4) && in.arg == in.end
}

// unescapeText decodes Python's encoding raw_unicode_escape to UTF-8: a byte is a
// character of Latin-1, and \uXXXX or \UXXXXXXXX after an even number of backslashes
// is any other.
func unescapeText(line []byte) []byte {
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
		if line[i+1] == '\\' { // neither begins an escape
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

// boxingPercent is GOGC while values are boxed. The program lowers it for columns,
// which hold no pointers; boxed values are all pointers to follow, and hardly any is
// garbage before the end, so collecting as often would be wasted.
const boxingPercent = 30

// boxing counts the Loads under way.
var boxing struct {
	sync.Mutex
	callers int
	before  int // GOGC before the first of them
}

// startBoxing raises GOGC to boxingPercent until the returned function is called. It
// never lowers it.
func startBoxing() (stop func()) {
	boxing.Lock()
	defer boxing.Unlock()
	if boxing.callers++; boxing.callers == 1 {
		boxing.before = debug.SetGCPercent(boxingPercent)
		if boxing.before < 0 || boxing.before > boxingPercent {
			debug.SetGCPercent(boxing.before)
		}
	}
	return stopBoxing
}

func stopBoxing() {
	boxing.Lock()
	defer boxing.Unlock()
	if boxing.callers--; boxing.callers == 0 {
		debug.SetGCPercent(boxing.before)
	}
}
