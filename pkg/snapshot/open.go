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
		s, err = Read(&watchedReader{ReadSeeker: f, size: info.Size(), progress: o.Progress}, info.Size(), pickle.Limits{})
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
	if size == 0 {
		return nil, errEmpty
	}
	return readEitherWay(r, size, limits)
}

var errEmpty = errors.New("the file is empty; the job may have died before it wrote the snapshot")

// readEitherWay takes 0 for a size that is not known.
func readEitherWay(r io.ReadSeeker, size int64, limits pickle.Limits) (*Snapshot, error) {
	s, err := read(r, size, limits, wayStream)
	if errors.Is(err, pickle.ErrOtherWay) {
		s, err = read(r, size, limits, wayGopickle)
	}
	return s, explain(err)
}

// The two ways through package pickle; Format.Way names the one taken.
const (
	wayStream   = "stream"
	wayGopickle = "gopickle"
)

// Truncated says how far a file could be read that ends in the middle.
type Truncated struct {
	Events int
	Err    error
}

func (t *Truncated) Error() string {
	return fmt.Sprintf("%v (%d events had been read); copy the file again, or dump the snapshot again", t.Err, t.Events)
}

func (t *Truncated) Unwrap() error { return t.Err }

func read(r io.ReadSeeker, size int64, limits pickle.Limits, way string) (*Snapshot, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	in, size, err := unwrap(r, size)
	if err != nil {
		return nil, err
	}
	b := newBuilder(size)
	var res *pickle.Result
	if way == wayStream {
		res, err = pickle.Stream(in, size, b, limits)
	} else {
		res, err = pickle.Load(in, b, limits)
	}
	if errors.Is(err, pickle.ErrTruncated) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, &Truncated{Events: b.events.Len(), Err: err}
	} else if err != nil {
		return nil, err
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
