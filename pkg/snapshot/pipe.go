package snapshot

import (
	"bytes"
	"errors"
	"io"
)

// ReadPipe reads a snapshot, gzipped or not, from what cannot be read twice,
// without holding it in memory. A snapshot that needs the second way through
// package pickle, which begins again at the start, may have keptBytes at most.
func ReadPipe(r io.Reader, o Options) (*Snapshot, error) {
	first := make([]byte, 1)
	if _, err := io.ReadFull(r, first); err == io.EOF {
		return nil, errEmpty
	} else if err != nil {
		return nil, err
	}
	p := &pipe{in: io.MultiReader(bytes.NewReader(first), r)}
	return readEitherWay(&watchedReader{ReadSeeker: p, progress: o.Progress}, 0, o)
}

// keptBytes is how much of a pipe stays in memory in case it has to be read
// again. Torch's own snapshots need that only by their first bytes, when they
// were pickled again with an old protocol.
const keptBytes = 32 << 20

var errOneReading = errors.New("it needs a second reading, which a pipe allows for its first 32 MiB only; save it to a file and name that")

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
