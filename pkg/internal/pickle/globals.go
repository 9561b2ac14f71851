package pickle

import (
	"fmt"

	"github.com/nlpodyssey/gopickle/types"
)

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
