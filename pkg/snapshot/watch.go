package snapshot

import "io"

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
