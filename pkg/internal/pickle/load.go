package pickle

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/big"

	"github.com/nlpodyssey/gopickle/types"
)

// Load reads one pickle of any protocol through gopickle, after the checker has
// accepted it. It holds the input in memory and boxes every value.
func Load(r io.Reader, b Builder, limits Limits) (*Result, error) {
	limits = limits.WithDefaults()
	data, err := io.ReadAll(io.LimitReader(r, limits.LoadBytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limits.LoadBytes {
		return nil, OverLimit(keySlow, limits.LoadBytes,
			"a pickle of this kind is read in memory, and may have %d bytes", limits.LoadBytes)
	}
	if len(data) == 0 {
		return nil, &Error{Op: opStop, What: "the file is empty", Err: ErrTruncated}
	}
	length, err := check(data, limits)
	var refused *Error
	if errors.As(err, &refused) && data[0] != opProto && refused.Offset < oldBegin && !errors.Is(err, ErrForbidden) {
		return nil, &Error{Op: data[0], What: fmt.Sprintf("it begins with %q", data[:min(len(data), 16)]),
			Err: ErrNotPickle}
	} else if err != nil {
		return nil, err
	}
	defer startBoxing()()
	root, err := unpickle(forGopickle(data[:length]))
	if err != nil {
		what := err.Error() // may hold values of the file
		return nil, &Error{Offset: int64(length), Op: opStop,
			What: fmt.Sprintf("it cannot be put together: %.200q", what), Err: ErrMalformed}
	}
	w := &walker{heap: newHeap(), build: b, limits: limits, seen: map[any]Value{}}
	value, err := w.value(root, 0)
	var located *Error
	if errors.As(err, &located) {
		return nil, err
	} else if err != nil {
		return nil, &Error{Op: opStop, What: "its containers cannot be read", Err: err}
	}
	res := &Result{Heap: w.heap, Root: value, Bytes: int64(length)}
	if data[0] == opProto {
		res.Protocol = int(data[1])
	}
	return res, nil
}

// oldBegin is how many valid bytes make a file a pickle of protocol 0 or 1. They have
// no magic number, so text may begin like one.
const oldBegin = 32

// walker feeds a tree of boxed values to a Builder, in the order in which Stream does.
type walker struct {
	heap   *Heap
	build  Builder
	limits Limits
	seen   map[any]Value // by pointer, so that shared containers stay shared
	text   int64         // bytes of long strings, counted at each reference
}

// Real files refer to a long string once or twice. A hostile file can refer to one a
// million times for two bytes each, and the walker would hash all of it each time.
const (
	longString = 1 << 10
	maxText    = 512 << 20
)

func (w *walker) value(v any, depth int) (Value, error) {
	if int64(depth) > w.limits.Depth {
		return 0, OverLimit(keyDepth, 0, "more than %d containers inside one another", w.limits.Depth)
	}
	switch v := v.(type) {
	case nil:
		return pack(None, 0), nil
	case bool:
		return boolean(v), nil
	case int:
		return w.heap.integer(int64(v)), nil
	case *big.Int:
		return w.integer(v)
	case float64:
		return w.heap.float(v), nil
	case string:
		if len(v) > longString {
			if w.text += int64(len(v)); w.text > maxText {
				return 0, OverLimit("", 0, "long strings are repeated beyond %d bytes", maxText)
			}
		}
		return w.heap.Text([]byte(v)), nil
	case *types.Dict:
		return w.container(v, EmptyDict, pairsOf(v), depth)
	case *types.OrderedDict:
		return w.container(v, EmptyDict, orderedPairs(v), depth)
	case *types.List:
		return w.container(v, EmptyList, *v, depth)
	case *types.Tuple:
		return w.container(v, Tuple, *v, depth)
	}
	return pack(Opaque, 0), nil
}

func (w *walker) integer(i *big.Int) (Value, error) {
	switch {
	case i.IsInt64():
		return w.heap.integer(i.Int64()), nil
	case i.IsUint64():
		return w.heap.unsigned(i.Uint64()), nil
	}
	return pack(Opaque, 0), nil
}

func pairsOf(d *types.Dict) []any {
	pairs := make([]any, 0, 2*len(*d))
	for _, e := range *d {
		pairs = append(pairs, e.Key, e.Value)
	}
	return pairs
}

func orderedPairs(d *types.OrderedDict) []any {
	var pairs []any
	for e := d.List.Front(); e != nil; e = e.Next() {
		if entry, ok := e.Value.(*types.OrderedDictEntry); ok {
			pairs = append(pairs, entry.Key, entry.Value)
		}
	}
	return pairs
}

// once returns the value of a container that was met before, or makes an empty one.
// It exists before its items are walked, so that cycles end.
func (w *walker) once(key any, kind Kind) (v Value, done bool) {
	if v, ok := w.seen[key]; ok {
		return v, true
	}
	v = w.heap.object(kind)
	w.seen[key] = v
	return v, false
}

func (w *walker) all(items []any, depth int) ([]Value, error) {
	values := make([]Value, 0, len(items))
	for _, item := range items {
		v, err := w.value(item, depth+1)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// container walks the items (or pairs) of a container, then hands them to the Builder
// together. key is the pointer that identifies it.
func (w *walker) container(key any, kind Kind, items []any, depth int) (Value, error) {
	v, done := w.once(key, kind)
	if done || len(items) == 0 {
		return v, nil
	}
	if held := w.heap.held() + w.build.Held(); held > cmp.Or(w.limits.Memory, loadMemory) {
		return 0, OverLimit(keyMemory, 0, "a pickle of this kind may take %d bytes to read",
			cmp.Or(w.limits.Memory, loadMemory))
	}
	values, err := w.all(items, depth)
	if err != nil {
		return 0, err
	}
	filled := w.heap.at(v)
	switch kind {
	case EmptyDict:
		filled, err = w.build.SetItems(w.heap, filled, values)
	case EmptyList:
		filled, err = w.build.Append(w.heap, filled, values)
	default:
		filled = w.heap.Store(filled, values)
	}
	if errors.Is(err, ErrOtherWay) {
		err = ErrMalformed // Load is the last decoder to try
	}
	w.heap.set(v, filled)
	return v, err
}
