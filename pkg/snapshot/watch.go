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
	w.read += int64(n)
	if w.progress != nil && (w.read-w.told >= progressEvery || w.read == w.size && n > 0) {
		w.told = w.read
		w.progress(w.read, w.size)
	}
	return n, err
}

func (w *watchedReader) Seek(offset int64, whence int) (int64, error) {
	at, err := w.ReadSeeker.Seek(offset, whence)
	if err == nil {
		w.read, w.told = at, at
	}
	return at, err
}
