// Package pickle decodes pickles into values. Every quantity is bounded by [Limits] and
// nothing in a pickle is ever executed. It knows nothing of PyTorch.
//
// There are two decoders for pickles, and both feed the same [Builder]:
//
//   - [Stream] reads the opcodes that torch writes (protocols 2 to 5, plain
//     containers) in one pass over a stream. A value is one word, the memo is a
//     slice, strings are interned, and a container that the Builder recognises
//     becomes a row of its tables instead of a dict.
//   - [Load] reads everything else that a legitimate file may hold. It uses gopickle,
//     after a checker has walked all opcodes, compared every length with the bytes
//     that remain, and refused every global that is not on a short list of pure
//     containers.
//
// Stream returns [ErrOtherWay] when it meets something that only Load can decode.
//
// [Salvage] reads as much as it can of a cut or damaged pickle of the first kind, and
// [SalvageOther] of the second kind, whose opcodes it translates for Stream.
//
// [LoadJSON] reads the same values from JSON text, for the same Builder.
package pickle

import (
	"errors"
	"fmt"
)

// A Builder decides how lists and dicts are stored as they are filled. It may keep
// them in the heap ([Heap.Store]), or recognise them and keep a row in a table of its
// own; the Container that it returns then refers to that row.
//
// It must not keep the slices that it is given.
type Builder interface {
	// SetItems puts pairs (key, value, key, value, ...) into the dict d.
	SetItems(h *Heap, d Container, pairs []Value) (Container, error)
	// Append puts items at the end of the list l.
	Append(h *Heap, l Container, items []Value) (Container, error)
	// Held estimates the memory that the Builder's tables take, in bytes.
	Held() int64
}

// Result is a decoded pickle.
type Result struct {
	Heap     *Heap
	Root     Value
	Protocol int
	Bytes    int64 // up to and including STOP

	Partial bool  // Salvage read only the beginning
	Reading Value // with Partial: the key of the root dict whose value is incomplete, or None
}

// The ways in which decoding fails. An [*Error] wraps one of these and says where.
var (
	// ErrNotPickle: the bytes do not begin as a pickle does.
	ErrNotPickle = errors.New("not a pickle")
	// ErrTruncated: the input ends before STOP, as after a crash or a full disk.
	ErrTruncated = errors.New("the file ends in the middle")
	// ErrMalformed: the opcodes are not valid together.
	ErrMalformed = errors.New("damaged pickle")
	// ErrForbidden: the pickle asks to import or call something.
	ErrForbidden = errors.New("refused")
	// ErrLimit: a bound of Limits is exceeded.
	ErrLimit = errors.New("over a limit")
	// ErrOtherWay: Stream does not support this opcode, or this order; Load may.
	ErrOtherWay = errors.New("needs the second way")
)

// Error describes a defect of a pickle and its position.
type Error struct {
	Offset int64 // of the opcode, from the start of the pickle
	Op     byte
	What   string // one clause
	Limit  string // with ErrLimit: the key of the bound that is exceeded, see Bounds
	Err    error  // one of the package's sentinel errors
	Global string // with ErrForbidden: the global that is refused, such as os.system
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
