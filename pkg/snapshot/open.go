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
	// Progress, if set, is called after about every MiB with the bytes read and the size
	// of the file, 0 if that is not known. It may be called from another goroutine, and
	// once more after the snapshot is read.
	Progress func(read, size int64)
	// Limits bound what the file can ask for. Zero fields have defaults.
	Limits pickle.Limits
	// Container bounds unpacking. Its Bytes and Ratio are ignored: Limits has them.
	Container container.Limits
	// Salvage reads as much as possible of a file that is cut off, damaged or beyond a
	// limit. Snapshot.Salvaged then says how far reading came. If nothing could be read
	// it is still an error.
	Salvage bool
}

// Open reads the snapshot in the file at path, in any encoding and whatever its name: a
// pickle of protocol 0 to 5 from Python or C++, JSON, a file of torch.save or a page of
// _memory_viz, also packed with gzip or zstd. Nothing in the file is executed. Errors
// wrap an [*Error], which has the Problem; their text names the file, what is wrong and
// where, and what to do.
func Open(path string) (*Snapshot, error) { return OpenWith(path, Options{}) }

// OpenWith is [Open] with options.
func OpenWith(path string, o Options) (*Snapshot, error) {
	f, err := os.Open(path)
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err // the path is named below
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
		return ReadWith(&watchedReader{ReadSeeker: f, size: info.Size(), progress: o.Progress}, info.Size(), o)
	}
	return ReadPipe(f, o) // such as /dev/stdin
}

// Read reads a snapshot of size bytes from the start of r, as [Open] does. A size of 0
// means that it is not known; zero limits have defaults.
func Read(r io.ReadSeeker, size int64, limits pickle.Limits) (*Snapshot, error) {
	return ReadWith(r, size, Options{Limits: limits})
}

// ReadWith is [Read] with options. It ignores o.Progress; wrap r to report progress.
func ReadWith(r io.ReadSeeker, size int64, o Options) (*Snapshot, error) {
	s, err := read(r, size, o, wayStream)
	if errors.Is(err, pickle.ErrOtherWay) {
		salvaged := s
		s, err = read(r, size, o, wayGopickle)
		if err != nil && o.Salvage && !errors.Is(err, pickle.ErrForbidden) && !errors.Is(err, pickle.ErrNotPickle) {
			// Neither decoder can read all of it: take the attempt that gets further.
			other, otherErr := read(r, size, o, wayOther)
			if otherErr == nil && other.Salvaged != nil &&
				(salvaged == nil || other.Salvaged.Events >= salvaged.Salvaged.Events) {
				return other, nil
			}
		}
		if err != nil && salvaged != nil {
			return salvaged, nil
		}
	}
	if damaged := new(Damaged); !o.Salvage && errors.As(err, &damaged) && damaged.Events == 0 {
		o.Salvage = true // so that the error can say what salvaging would find
		if part, partErr := ReadWith(r, size, o); partErr == nil && part.Salvaged != nil {
			err = &Damaged{Events: part.Salvaged.Events, Err: damaged.Err}
		}
	}
	return s, explain(err)
}

// The decoders of package pickle, as Format.Way names them: pickle.Stream, pickle.Load,
// which reads the opcodes that Stream does not support, and pickle.LoadJSON.
const (
	wayStream   = "stream"
	wayGopickle = "gopickle"
	wayOther    = "translated" // salvages the pickles that need pickle.Load
	wayJSON     = "json"
)

// read reads with one decoder. With Salvage, it may return the beginning of the snapshot
// together with pickle.ErrOtherWay.
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
	case way == wayOther:
		res, err = pickle.SalvageOther(payload, b, o.Limits)
	case way == wayGopickle:
		res, err = pickle.Load(payload, b, o.Limits)
	case o.Salvage:
		res, err = pickle.Salvage(payload, payload.Size, b, o.Limits)
	default:
		res, err = pickle.Stream(payload, payload.Size, b, o.Limits)
	}
	if err == nil && payload.Cut {
		res.Partial, err = true, io.ErrUnexpectedEOF
	}
	if err != nil {
		err = b.damaged(err)
		s := b.salvaged(res, err)
		if s != nil {
			s.Format.Way = way
		}
		if s != nil && !errors.Is(err, pickle.ErrOtherWay) {
			err = nil
		}
		return s, err
	}
	b.s.Format.Way = way
	return b.finish(res)
}

// container returns o.Container with the bounds of Limits.
func (o *Options) container() container.Limits {
	limits, c := o.Limits.WithDefaults(), o.Container
	c.Bytes, c.Ratio, c.Salvage = limits.Input, limits.Ratio, o.Salvage
	return c
}

// readerAt is r if it can be read at any offset; nil for a pipe.
func readerAt(r io.ReadSeeker) io.ReaderAt {
	if watched, ok := r.(*watchedReader); ok && readerAt(watched.ReadSeeker) == nil {
		return nil
	}
	at, _ := r.(io.ReaderAt)
	return at
}

// Kind is what a file is, detected from its content.
type Kind = container.Kind

// Kinds of files that commands treat differently from a snapshot.
const (
	KindReport  = container.Report  // an HTML report of memviz
	KindVizPage = container.VizPage // an HTML page of torch's _memory_viz, with a snapshot in it
	KindEmpty   = container.Empty
)

// FileKind is the kind of the file at path after unpacking: a zip with a report in it is
// a KindReport. It reads the first bytes only. The error is the system's, or says that
// the file cannot be unpacked.
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

// ReadPipe reads a snapshot from a reader that cannot seek, without holding it in
// memory. A snapshot that needs pickle.Load, which begins again at the start, is read
// if that shows within the first 32 MiB. A zip, whose directory is at its end, is held
// in memory, up to 64 MiB.
func ReadPipe(r io.Reader, o Options) (*Snapshot, error) {
	p := &pipe{in: r}
	return ReadWith(&watchedReader{ReadSeeker: p, progress: o.Progress}, 0, o)
}

// keptBytes is how much of a pipe is kept in memory in case it has to be read again.
// Snapshots that were pickled again with an old protocol show that in their first bytes.
const keptBytes = 32 << 20

var errOneReading = errors.New("it needs a second reading, which a pipe allows for its first 32 MiB only")

// pipe can seek back to its start until more than keptBytes have been read.
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
	if p.at == int64(len(p.kept)) { // all bytes so far are kept
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

// watchedReader reports how far reading has come.
type watchedReader struct {
	io.ReadSeeker
	size     int64
	progress func(read, size int64) // may be nil

	read, reported int64 // bytes read, now and when progress was last called
}

func (w *watchedReader) Read(b []byte) (int, error) {
	n, err := w.ReadSeeker.Read(b)
	w.reached(n)
	return n, err
}

// ReadAt fails unless the underlying reader has it, see readerAt.
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
	if w.progress != nil && (w.read-w.reported >= progressEvery || w.read == w.size && n > 0) {
		w.reported = w.read
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
		w.read, w.reported = at, at
	}
	return at, err
}
