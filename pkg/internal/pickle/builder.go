package pickle

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
	// Held is how many bytes its tables take, as an estimate.
	Held() int64
}

// Result is what a pickle held.
type Result struct {
	Heap     *Heap
	Root     Value
	Protocol int
	Bytes    int64 // up to and including STOP

	Part    bool  // it was read by Salvage, and only in part
	Reading Value // if Part: the key of the root whose value was being read, else None
}
