// Package pickle turns pickle bytes into values, bounded in everything and
// without ever executing anything. It knows nothing of PyTorch.
//
// There are two ways in, and both feed the same [Builder]:
//
//   - [Stream] reads the opcodes that torch writes (protocols 2 to 5, plain
//     containers) in one pass over a stream. A value is one word, the memo is a
//     slice, strings are interned, and a container that the Builder recognises
//     becomes a row of its tables instead of a dict.
//   - [Load] reads everything else that a legitimate file may hold, through
//     gopickle, after a checker has walked all opcodes, held every length
//     against the bytes that remain and refused every global by its name that
//     is not on a short list of pure containers.
//
// Stream answers [ErrOtherWay] when it meets an opcode of the second kind.
//
// [LoadJSON] reads the same values from JSON text, for the same Builder.
package pickle

import (
	"errors"
	"fmt"
)

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

// What can be wrong with a pickle. Every error of this package wraps one of
// these in an [*Error] that says where.
var (
	// ErrNotPickle: the bytes do not begin as a pickle does.
	ErrNotPickle = errors.New("not a pickle")
	// ErrTruncated: the input ends before STOP, as after a crash or a full disk.
	ErrTruncated = errors.New("the file ends in the middle")
	// ErrMalformed: the opcodes make no sense together.
	ErrMalformed = errors.New("damaged pickle")
	// ErrForbidden: the pickle asks to import or call something.
	ErrForbidden = errors.New("refused")
	// ErrLimit: a bound of Limits is exceeded.
	ErrLimit = errors.New("over a limit")
	// ErrOtherWay: the stream decoder does not speak this opcode; Load may.
	ErrOtherWay = errors.New("needs the second way")
)

// Error says what is wrong and at which byte.
type Error struct {
	Offset int64 // of the opcode, from the start of the pickle
	Op     byte
	What   string // one clause
	Limit  string // the key of the bound that is exceeded, if Err is ErrLimit
	Err    error  // one of the package's sentinel errors
	Global string // the name that is refused, such as os.system, if that is what is wrong
}

func (e *Error) Error() string {
	if e.Err == ErrNotPickle {
		return fmt.Sprintf("%v: %s", e.Err, e.What)
	}
	if e.Op == 0 {
		return fmt.Sprintf("%v at byte %d: %s", e.Err, e.Offset, e.What)
	}
	return fmt.Sprintf("%v at byte %d (opcode %s): %s", e.Err, e.Offset, opName(e.Op), e.What)
}

func (e *Error) Unwrap() error { return e.Err }
