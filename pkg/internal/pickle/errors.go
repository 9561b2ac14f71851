package pickle

import (
	"errors"
	"fmt"
)

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
