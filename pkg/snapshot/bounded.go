package snapshot

import (
	"io"

	"github.com/memviz-go/memviz/pkg/pickle"
)

// countedReader counts what is read.
type countedReader struct {
	io.Reader
	n int64
}

func (c *countedReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

// boundedReader is what a file unpacks to. It ends in an error where that is far
// more than any snapshot packs into so few bytes: a decompression bomb.
type boundedReader struct {
	in     io.Reader
	packed *countedReader // what in reads
	ratio  int64          // pickle.Limits.Ratio

	n int64
}

func (r *boundedReader) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	r.n += int64(n)
	if r.n > pickle.UnpackAnyway && r.n-pickle.UnpackAnyway > r.ratio*r.packed.n {
		return n, pickle.OverLimit("ratio", r.n, "%d bytes of the file unpack to more than %d", r.packed.n, r.n)
	}
	return n, err
}
