package snapshot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/memviz-go/memviz/pkg/container"
	"github.com/memviz-go/memviz/pkg/pickle"
)

// Options say how a snapshot is read. The zero value is the default.
type Options struct {
	// Progress hears after every MiB or so how many bytes have been read of
	// size, which is 0 when it cannot be known. It may be called from another
	// goroutine, and once more after the snapshot is read. May be nil.
	Progress func(read, size int64)
	// Pickle and Container bound what a file may ask for. Zero fields are the
	// defaults.
	Pickle    pickle.Limits
	Container container.Limits
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
	return readEitherWay(r, size, Options{Pickle: limits})
}

// readEitherWay takes 0 for a size that is not known.
func readEitherWay(r io.ReadSeeker, size int64, o Options) (*Snapshot, error) {
	s, err := read(r, size, o, wayStream)
	if errors.Is(err, pickle.ErrOtherWay) {
		s, err = read(r, size, o, wayGopickle)
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

// Truncated says how far a file could be read that ends in the middle.
type Truncated struct {
	Events int
	Err    error
}

func (t *Truncated) Error() string {
	return fmt.Sprintf("%v (%d events had been read)", t.Err, t.Events)
}

func (t *Truncated) Unwrap() error { return t.Err }

func read(r io.ReadSeeker, size int64, o Options, way string) (*Snapshot, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	payload, err := container.Open(container.Source{Reader: r, At: readerAt(r), Size: size}, o.Container)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, &Truncated{Err: err}
	} else if err != nil {
		return nil, err
	}
	b := newBuilder(payload.Size)
	var res *pickle.Result
	switch {
	case payload.Kind == container.JSON:
		way = wayJSON
		res, err = pickle.LoadJSON(payload, b, o.Pickle)
	case way == wayStream:
		res, err = pickle.Stream(payload, payload.Size, b, o.Pickle)
	default:
		res, err = pickle.Load(payload, b, o.Pickle)
	}
	if errors.Is(err, pickle.ErrTruncated) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, &Truncated{Events: b.events.Len(), Err: err}
	} else if err != nil {
		return nil, err
	}
	b.s.Format.Way = way
	return b.finish(res)
}

// readerAt is r where it can be read anywhere; nil for a pipe.
func readerAt(r io.ReadSeeker) io.ReaderAt {
	if watched, ok := r.(*watchedReader); ok && readerAt(watched.ReadSeeker) == nil {
		return nil
	}
	at, _ := r.(io.ReaderAt)
	return at
}
