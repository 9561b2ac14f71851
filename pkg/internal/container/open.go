// Package container finds the pickle or the JSON text in a file, by its bytes
// and never by its name.
//
// [Open] detects the kind of a file from its first bytes and removes the layers around
// a snapshot one after another: gzip, zstd, the zip and the older sequence of pickles
// that torch.save writes, an archive of one file, the page that torch's _memory_viz
// writes. For any other file it returns a [NotSnapshotError] that names the kind.
//
// All layers are read as streams, except for a zip from a pipe: its directory is at its
// end, so it is held in memory.
package container

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// Source is a file before any layer is removed.
type Source struct {
	Reader io.Reader   // from its start
	At     io.ReaderAt // the same bytes; nil if they can be read only once, as from a pipe
	Size   int64       // in bytes; 0 if it is not known
}

// Payload is the content of a file with all layers removed.
type Payload struct {
	io.Reader
	Kind   Kind   // Pickle or JSON
	Size   int64  // in bytes, as the file claims; 0 if it is not known
	Layers []Kind // removed layers, outermost first
	Cut    bool   // with Limits.Salvage: the end of a zip is missing
}

// Open removes the layers of a file. More bytes may follow the pickle in a Payload.
// The error is a *NotSnapshotError if the file is something else, wraps ErrDamaged,
// ErrLimit or ErrZipSize, or is the reader's.
func Open(src Source, limits Limits) (*Payload, error) {
	o := &opener{limits: limits.withDefaults()}
	return o.open(src)
}

type opener struct {
	limits Limits
	layers []Kind
	cut    bool
}

func (o *opener) open(src Source) (*Payload, error) {
	in := bufio.NewReaderSize(src.Reader, headBytes)
	head, err := in.Peek(headBytes)
	if len(head) == 0 && err != io.EOF {
		return nil, err
	}
	kind := sniff(head)
	switch {
	case kind == Pickle, kind == JSON:
		return &Payload{Reader: in, Kind: kind, Size: src.Size, Layers: o.layers, Cut: o.cut}, nil
	case !kind.Holds():
		return nil, o.refuse(kind, detail(kind, head))
	case len(o.layers) == o.limits.Layers:
		return nil, fmt.Errorf("%w: more than %d files inside one another", ErrLimit, o.limits.Layers)
	}
	src.Reader = in
	inner, err := o.unwrap(kind, src, head)
	if err != nil {
		return nil, err
	}
	o.layers = append(o.layers, kind)
	return o.open(inner)
}

// unwrap removes one layer. head is the start of src, and not consumed from it.
func (o *opener) unwrap(kind Kind, src Source, head []byte) (Source, error) {
	switch kind {
	case Gzip:
		packed := &counter{Reader: src.Reader}
		z, err := gzip.NewReader(packed)
		if err != nil {
			return Source{}, damaged(kind, err)
		}
		return o.unpacked(kind, z, packed), nil
	case Zstd:
		packed := &counter{Reader: src.Reader}
		z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return Source{}, damaged(kind, err)
		}
		return o.unpacked(kind, z, packed), nil
	case Zip:
		return o.unzip(src)
	case VizPage:
		return unwrapPage(src.Reader, head)
	}
	n, _ := legacyLength(head)
	_, err := io.CopyN(io.Discard, src.Reader, int64(n))
	return Source{Reader: src.Reader, Size: src.Size}, err
}

// maxWindow is the largest zstd window in bytes, as with zstd --long.
const maxWindow = 128 << 20

func (o *opener) unpacked(kind Kind, r io.Reader, packed *counter) Source {
	return Source{Reader: &bounded{Reader: r, layer: kind, limits: o.limits, packed: func() int64 { return packed.n }}}
}

func (o *opener) refuse(kind Kind, detail string) error {
	return &NotSnapshotError{Kind: kind, Layers: slices.Clone(o.layers), Detail: detail}
}

// shown is how many bytes of a file an error quotes.
const shown = 16

// detail quotes the start of a file of no known kind.
func detail(kind Kind, head []byte) string {
	if kind == Text || kind == Binary {
		return fmt.Sprintf("and begins with %q", head[:min(len(head), shown)])
	}
	return ""
}

var (
	// ErrDamaged: a layer around the snapshot cannot be removed.
	ErrDamaged = errors.New("damaged file")
	// ErrLimit: a bound of Limits is exceeded.
	ErrLimit = errors.New("over a limit")
	// ErrZipSize: a zip that can be read only once is too large to be held in memory.
	ErrZipSize = errors.New("a zip is read from its end")
)

// LimitError is an ErrLimit that names the field of Limits that is exceeded.
type LimitError struct {
	Limit string // "bytes" or "ratio"
	What  string // what was found
}

func (e *LimitError) Error() string { return fmt.Sprintf("%v: %s", ErrLimit, e.What) }

func (e *LimitError) Is(err error) bool { return err == ErrLimit }

// NotSnapshotError says that a file is not a snapshot.
type NotSnapshotError struct {
	Kind   Kind
	Layers []Kind // the layers around it, outermost first
	Detail string // may be empty
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

// damaged is the error for a layer that could not be removed because of err.
func damaged(layer Kind, err error) error {
	switch {
	case errors.Is(err, ErrLimit), errors.Is(err, ErrDamaged), errors.Is(err, ErrZipSize), errors.Is(err, errCut):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &cut{layer}
	}
	return fmt.Errorf("%w: the %s cannot be unpacked: %w", ErrDamaged, layer.noun(), err)
}

// cut is the error for a layer that ends too early.
type cut struct{ layer Kind }

var errCut = &cut{}

func (c *cut) Error() string { return "the " + c.layer.noun() + " ends in the middle" }

func (c *cut) Is(err error) bool { return err == errCut }

func (c *cut) Unwrap() error { return io.ErrUnexpectedEOF }
