package container

import (
	"errors"
	"fmt"
	"io"
)

var (
	// ErrDamaged: a layer around the snapshot cannot be taken off.
	ErrDamaged = errors.New("damaged file")
	// ErrLimit: a bound of Limits is exceeded.
	ErrLimit = errors.New("over a limit")
	// ErrHeld: a zip that cannot be read from its end is too large to be kept.
	ErrHeld = errors.New("a zip is read from its end")
)

// LimitError is ErrLimit with the field of Limits that is exceeded.
type LimitError struct {
	Limit string // "bytes" or "ratio"
	What  string // was found
}

func (e *LimitError) Error() string { return fmt.Sprintf("%v: %s", ErrLimit, e.What) }

func (e *LimitError) Is(err error) bool { return err == ErrLimit }

// NotSnapshotError says that a file is something else.
type NotSnapshotError struct {
	Kind   Kind
	Layers []Kind // in which it was found, the outermost first
	Detail string // what more there is to say, may be empty
}

func (e *NotSnapshotError) Error() string {
	if e.Kind == Empty && len(e.Layers) == 0 {
		return "the file is empty"
	}
	text := "this is " + e.Kind.String()
	if e.Detail != "" {
		text += ", " + e.Detail
	}
	for i := len(e.Layers) - 1; i >= 0; i-- {
		text += " in " + e.Layers[i].String()
	}
	return text
}

// damaged says which layer could not be taken off.
func damaged(layer Kind, err error) error {
	switch {
	case errors.Is(err, ErrLimit), errors.Is(err, ErrDamaged), errors.Is(err, ErrHeld), errors.Is(err, errCut):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &cut{layer}
	}
	return fmt.Errorf("%w: the %s cannot be unpacked: %w", ErrDamaged, layer.noun(), err)
}

// cut is a layer that ends too early.
type cut struct{ layer Kind }

var errCut = &cut{}

func (c *cut) Error() string { return "the " + c.layer.noun() + " ends in the middle" }

func (c *cut) Is(err error) bool { return err == errCut }

func (c *cut) Unwrap() error { return io.ErrUnexpectedEOF }
