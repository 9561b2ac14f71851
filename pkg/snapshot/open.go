package snapshot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/memviz-go/memviz/pkg/internal/container"
	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// Options say how a snapshot is read. The zero value is the default.
type Options struct {
	// Progress hears after every MiB or so how many bytes have been read of
	// size, which is 0 when it cannot be known. It may be called from another
	// goroutine, and once more after the snapshot is read. May be nil.
	Progress func(read, size int64)
	// Limits bound what the file can ask for. Zero fields are the default ones.
	Limits pickle.Limits
	// Container bounds what unpacking may cost besides; its Bytes and Ratio are
	// those of Limits.
	Container container.Limits
	// Salvage makes the most of a file that is cut, damaged or beyond a limit:
	// the Snapshot is what could be read, and its Salvaged says how far that is. It
	// is an error still if that is nothing.
	Salvage bool
}

// Open reads the snapshot in the file at path, in any encoding and whatever its
// name: a pickle of protocol 0 to 5, from Python or C++, JSON, or what
// torch.save or _memory_viz made of it, also when it is packed with gzip or
// zstd. The file is never executed. Errors are an [*Error], which tells the
// Problem, and name the file, say what is wrong and where, and what to do.
func Open(path string) (*Snapshot, error) { return OpenWith(path, Options{}) }

// OpenWith is [Open] with options.
func OpenWith(path string, o Options) (*Snapshot, error) {
	f, err := os.Open(path)
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err // which does not say the path again
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, explain(err))
	}
	defer f.Close()
	s, err := readFile(f, o)
	if errors.Is(err, errDirectory) {
		return nil, fmt.Errorf("%s %w", path, err)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

var errDirectory = errors.New("is a directory")

func readFile(f *os.File, o Options) (*Snapshot, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, explain(errDirectory)
	case info.Mode().IsRegular():
		return readEitherWay(&watchedReader{ReadSeeker: f, size: info.Size(), progress: o.Progress}, info.Size(), o)
	}
	return ReadPipe(f, o) // such as /dev/stdin
}

// Read reads a snapshot of size bytes from the start of r, as [Open] does. Zero
// limits are the default ones.
func Read(r io.ReadSeeker, size int64, limits pickle.Limits) (*Snapshot, error) {
	return ReadWith(r, size, Options{Limits: limits})
}

// ReadWith is [Read] with options. Progress is for who makes r.
func ReadWith(r io.ReadSeeker, size int64, o Options) (*Snapshot, error) {
	return readEitherWay(r, size, o)
}

// readEitherWay takes 0 for a size that is not known.
func readEitherWay(r io.ReadSeeker, size int64, o Options) (*Snapshot, error) {
	s, err := read(r, size, o, wayStream)
	if errors.Is(err, pickle.ErrOtherWay) {
		part := s
		if s, err = read(r, size, o, wayGopickle); err != nil && part != nil {
			return part, nil
		}
	}
	return s, explain(err)
}

// The ways through package pickle; Format.Way names the one taken. Which of the
// first two it is depends on the opcodes; JSON has one of its own.
const (
	wayStream   = "stream"
	wayGopickle = "gopickle"
	wayJSON     = "json"
)

// read reads in one way. With Salvage, it may return a part of the snapshot next
// to the error that the other way is needed.
func read(r io.ReadSeeker, size int64, o Options, way string) (*Snapshot, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	payload, err := container.Open(container.Source{Reader: r, At: readerAt(r), Size: size}, o.container())
	if err != nil {
		return nil, newBuilder(size, o.Limits).damaged(err)
	}
	b := newBuilder(payload.Size, o.Limits)
	var res *pickle.Result
	switch {
	case payload.Kind == container.JSON:
		way = wayJSON
		res, err = pickle.LoadJSON(payload, b, o.Limits)
	case way == wayGopickle:
		res, err = pickle.Load(payload, b, o.Limits)
	case o.Salvage:
		res, err = pickle.Salvage(payload, payload.Size, b, o.Limits)
	default:
		res, err = pickle.Stream(payload, payload.Size, b, o.Limits)
	}
	if err != nil {
		err = b.damaged(err)
		s := b.salvaged(res, err)
		if s != nil && !errors.Is(err, pickle.ErrOtherWay) {
			err = nil
		}
		return s, err
	}
	b.s.Format.Way = way
	return b.finish(res)
}

// container is what Limits say about unpacking.
func (o *Options) container() container.Limits {
	limits, c := o.Limits.WithDefaults(), o.Container
	c.Bytes, c.Ratio = limits.Input, limits.Ratio
	return c
}

// readerAt is r where it can be read anywhere; nil for a pipe.
func readerAt(r io.ReadSeeker) io.ReaderAt {
	if watched, ok := r.(*watchedReader); ok && readerAt(watched.ReadSeeker) == nil {
		return nil
	}
	at, _ := r.(io.ReaderAt)
	return at
}
