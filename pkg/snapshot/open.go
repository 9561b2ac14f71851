package snapshot

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/memviz-go/memviz/pkg/pickle"
)

// Options say how a snapshot is read. The zero value is the default.
type Options struct {
	// Progress hears after every MiB or so how many bytes have been read of
	// size, which is 0 when it cannot be known. It may be called from another
	// goroutine, and once more after the snapshot is read. May be nil.
	Progress func(read, size int64)

	// Limits bound what the file can ask for. Zero fields are the default ones.
	Limits pickle.Limits
	// Salvage makes the most of a file that is cut, damaged or beyond a limit:
	// the Snapshot is what could be read, and its Salvaged says how far that is. It
	// is an error still if that is nothing.
	Salvage bool
}

// Open reads the snapshot in the file at path, gzipped or not. Its errors name
// the file, say what is wrong and where, and what to do.
func Open(path string) (*Snapshot, error) { return OpenWith(path, Options{}) }

// OpenWith is [Open] with options.
func OpenWith(path string, o Options) (*Snapshot, error) {
	f, err := os.Open(path)
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return nil, fmt.Errorf("%s: %w", path, pathErr.Err)
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a directory; name the snapshot files in it", path)
	}
	var s *Snapshot
	if info.Mode().IsRegular() {
		s, err = ReadWith(&watchedReader{ReadSeeker: f, size: info.Size(), progress: o.Progress}, info.Size(), o)
	} else { // such as /dev/stdin
		s, err = ReadPipe(f, o)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Read reads a snapshot of size bytes from the start of r. Zero limits are the
// default ones.
func Read(r io.ReadSeeker, size int64, limits pickle.Limits) (*Snapshot, error) {
	return ReadWith(r, size, Options{Limits: limits})
}

// ReadWith is [Read] with options. Progress is for who makes r.
func ReadWith(r io.ReadSeeker, size int64, o Options) (*Snapshot, error) {
	if size == 0 {
		return nil, errEmpty
	}
	return readEitherWay(r, size, o)
}

var errEmpty = errors.New("the file is empty; the job may have died before it wrote the snapshot")

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

// The two ways through package pickle; Format.Way names the one taken.
const (
	wayStream   = "stream"
	wayGopickle = "gopickle"
)

// read reads in one way. With Salvage, it may return a part of the snapshot next
// to the error that the other way is needed.
func read(r io.ReadSeeker, size int64, o Options, way string) (*Snapshot, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	packed := &countedReader{Reader: r}
	in, size, err := unwrap(packed, size)
	if err != nil {
		return nil, err
	}
	in = &boundedReader{in: in, packed: packed, ratio: o.Limits.WithDefaults().Ratio}
	b := newBuilder(size, o.Limits)
	var res *pickle.Result
	switch {
	case way == wayGopickle:
		res, err = pickle.Load(in, b, o.Limits)
	case o.Salvage:
		res, err = pickle.Salvage(in, size, b, o.Limits)
	default:
		res, err = pickle.Stream(in, size, b, o.Limits)
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

// unwrap takes gzip off; it says 0 for a size that it cannot know.
func unwrap(r io.Reader, size int64) (io.Reader, int64, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := in.Peek(2); string(magic) != "\x1f\x8b" {
		return in, size, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, 0, fmt.Errorf("damaged gzip: %w", err)
	}
	return z, 0, nil
}

// explain adds what to do.
func explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, pickle.ErrNotPickle), errors.Is(err, ErrNotSnapshot):
		return fmt.Errorf("%w; expected what torch.cuda.memory._dump_snapshot() writes", err)
	}
	return err
}
