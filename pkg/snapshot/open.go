package snapshot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

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

// Kind is what a file is, detected from its content and not from its name.
type Kind = container.Kind

// Kinds of files that need other treatment than a snapshot.
const (
	KindReport  = container.Report  // an HTML report of memviz
	KindVizPage = container.VizPage // an HTML page of torch's _memory_viz, with a snapshot in it
	KindEmpty   = container.Empty
)

// FileKind is what the file at path is once it is unpacked, from its first bytes:
// a zip with a report in it is a KindReport. The error is the system's, or says
// that the file cannot be unpacked.
func FileKind(path string) (Kind, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	payload, err := container.Open(container.Source{Reader: f, At: f, Size: info.Size()}, container.Limits{})
	var not *container.NotSnapshotError
	switch {
	case errors.As(err, &not):
		return not.Kind, nil
	case err != nil:
		return 0, err
	case slices.Contains(payload.Layers, container.VizPage):
		return KindVizPage, nil
	}
	return payload.Kind, nil
}

// ReadPipe reads a snapshot from what cannot be read twice, without holding it
// in memory. A snapshot that needs the second way through package pickle, which
// begins again at the start, may have keptBytes at most; a zip, whose directory
// stands at its end, is held in memory (container.Limits).
func ReadPipe(r io.Reader, o Options) (*Snapshot, error) {
	p := &pipe{in: r}
	return readEitherWay(&watchedReader{ReadSeeker: p, progress: o.Progress}, 0, o)
}

// keptBytes is how much of a pipe stays in memory in case it has to be read
// again. Torch's own snapshots need that only by their first bytes, when they
// were pickled again with an old protocol.
const keptBytes = 32 << 20

var errOneReading = errors.New("it needs a second reading, which a pipe allows for its first 32 MiB only")

// pipe can go back to its start as long as it is not far from there.
type pipe struct {
	in   io.Reader
	kept []byte // the first bytes; nil once there were more than keptBytes
	at   int64
}

func (p *pipe) Read(b []byte) (int, error) {
	if p.at < int64(len(p.kept)) {
		n := copy(b, p.kept[p.at:])
		p.at += int64(n)
		return n, nil
	}
	n, err := p.in.Read(b)
	if p.at == int64(len(p.kept)) { // no byte is missing between them
		if len(p.kept)+n <= keptBytes {
			p.kept = append(p.kept, b[:n]...)
		} else {
			p.kept = nil
		}
	}
	p.at += int64(n)
	return n, err
}

// Seek only goes to the start.
func (p *pipe) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekStart || p.at > 0 && p.kept == nil {
		return p.at, errOneReading
	}
	p.at = 0
	return 0, nil
}

// progressEvery is how many bytes are read between two calls of Options.Progress.
const progressEvery = 1 << 20

// watchedReader tells how far reading has come.
type watchedReader struct {
	io.ReadSeeker
	size     int64
	progress func(read, size int64) // may be nil

	read, told int64
}

func (w *watchedReader) Read(b []byte) (int, error) {
	n, err := w.ReadSeeker.Read(b)
	w.reached(n)
	return n, err
}

// ReadAt is only for what can be read anywhere.
func (w *watchedReader) ReadAt(b []byte, offset int64) (int, error) {
	at, ok := w.ReadSeeker.(io.ReaderAt)
	if !ok {
		return 0, errOneReading
	}
	n, err := at.ReadAt(b, offset)
	w.reached(n)
	return n, err
}

func (w *watchedReader) reached(n int) {
	w.read += int64(n)
	if w.progress != nil && (w.read-w.told >= progressEvery || w.read == w.size && n > 0) {
		w.told = w.read
		done := w.read
		if w.size > 0 { // the start of a zip is read twice
			done = min(done, w.size)
		}
		w.progress(done, w.size)
	}
}

func (w *watchedReader) Seek(offset int64, whence int) (int64, error) {
	at, err := w.ReadSeeker.Seek(offset, whence)
	if err == nil {
		w.read, w.told = at, at
	}
	return at, err
}
