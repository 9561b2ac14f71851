package pickle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"unicode/utf8"

	gopickle "github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"
)

// unpickle runs gopickle. It panics on some malformed input; that is an error.
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

// allowedGlobals are the names that a legitimate snapshot may import: pure
// containers, which post-processed files hold, and the wrappers that libtorch's
// tagged pickler puts around lists and dicts. None runs any code.
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

// construct is a function of plain data, as gopickle wants a callable.
type construct func(args []any) (any, error)

func (f construct) Call(args ...any) (any, error) { return f(args) }

// first returns its first argument: restore_type_tag(obj, tag), build_intlist(obj).
func first(args []any) (any, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("a wrapper around nothing")
	}
	return args[0], nil
}

// items are the elements of the only argument, if there is one.
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
	return nil, fmt.Errorf("a container made of something that is no list")
}

func listOf(args []any) (any, error) {
	if len(args) == 1 {
		if list, ok := args[0].(*types.List); ok {
			return list, nil // a copy of data is as good as the data
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
			return fmt.Errorf("a dict made of something that is no pair")
		}
		d.Set((*pair)[0], (*pair)[1])
	}
	return err
}

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

// boxingPercent is how much a heap of boxed values may grow before the collector
// looks at it again. A program that holds columns does well with less, but each
// boxed value is a pointer to follow, and hardly any is garbage before the end.
const boxingPercent = 30

// boxing is who boxes values just now.
var boxing struct {
	sync.Mutex
	callers int
	before  int // the percentage without any
}

// startBoxing gives the collector less to do until the function that it returns
// is called. It leaves alone a collector that runs no more often.
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
