package pickle

import "cmp"

// A Builder decides what becomes of lists and dicts while they fill. It may
// keep them in the heap ([Heap.Store]), or recognise them and keep a row of its
// own, for which the returned Container stands from then on.
//
// The slices it is given are only lent to it.
type Builder interface {
	// SetItems puts pairs (key, value, key, value, ...) into the dict d.
	SetItems(h *Heap, d Container, pairs []Value) (Container, error)
	// Append puts items at the end of the list l.
	Append(h *Heap, l Container, items []Value) (Container, error)
}

// Result is what a pickle held.
type Result struct {
	Heap     *Heap
	Root     Value
	Protocol int
	Bytes    int64 // up to and including STOP
}

// Limits bound what a file can make a decoder do. Zero fields take the values
// of DefaultLimits.
type Limits struct {
	Depth       int   // marks open at the same time
	Stack       int   // values on the stack
	Memo        int   // memo entries
	Objects     int   // lists, dicts and tuples; never more than 2^28
	Stored      int   // tuples, and lists and dicts that no Builder has taken over
	StringBytes int   // length of one string
	TextBytes   int64 // length of all distinct strings together
	LoadBytes   int64 // input of the second way, which holds it in memory
	LoadObjects int   // containers of the second way, which boxes each
}

// DefaultLimits are far above what torch writes (a trace of ten million events
// has 25 million objects) and low enough to stop a hostile file early.
var DefaultLimits = Limits{
	Depth:       256,
	Stack:       1 << 26,
	Memo:        1 << 28,
	Objects:     1 << refBits,
	Stored:      1 << 24,
	StringBytes: 16 << 20,
	TextBytes:   1 << 30,
	LoadBytes:   64 << 20,
	LoadObjects: 4 << 20,
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits
	return Limits{
		Depth:       cmp.Or(l.Depth, d.Depth),
		Stack:       cmp.Or(l.Stack, d.Stack),
		Memo:        cmp.Or(l.Memo, d.Memo),
		Objects:     min(cmp.Or(l.Objects, d.Objects), 1<<refBits),
		Stored:      cmp.Or(l.Stored, d.Stored),
		StringBytes: cmp.Or(l.StringBytes, d.StringBytes),
		TextBytes:   cmp.Or(l.TextBytes, d.TextBytes),
		LoadBytes:   cmp.Or(l.LoadBytes, d.LoadBytes),
		LoadObjects: cmp.Or(l.LoadObjects, d.LoadObjects),
	}
}
