package report

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
)

// columnWriter packs columns as it gets them: varints into DEFLATE into memory,
// which holds far less than the columns themselves. Its writes cannot fail.
type columnWriter struct {
	packed   bytes.Buffer
	deflate  *flate.Writer
	pending  []byte // varints that DEFLATE has not seen yet
	rawBytes int64  // what is in packed, before DEFLATE

	written int              // values since the last tick
	tick    func(values int) // hears of them now and then; may be nil
}

// columnBatch is how many bytes of varints go to DEFLATE at once.
const columnBatch = 1 << 15

// column writes n values.
func (c *columnWriter) column(n int, value func(i int) uint64) {
	c.uvarint(uint64(n))
	for i := range n {
		c.uvarint(value(i))
	}
}

// signed writes n values of either sign.
func (c *columnWriter) signed(n int, value func(i int) int64) {
	c.column(n, func(i int) uint64 { return zigzag(value(i)) })
}

// ascending writes n values that never fall, each as its difference to the one before.
func (c *columnWriter) ascending(n int, value func(i int) uint64) {
	last := uint64(0)
	c.column(n, func(i int) uint64 {
		v := value(i)
		delta := v - last
		last = v
		return delta
	})
}

// signedDelta writes n values as their differences, which may be negative.
func (c *columnWriter) signedDelta(n int, value func(i int) int64) {
	last := int64(0)
	c.signed(n, func(i int) int64 {
		v := value(i)
		delta := v - last
		last = v
		return delta
	})
}

// strings writes texts, as UTF-8.
func (c *columnWriter) strings(texts []string) {
	c.column(len(texts), func(i int) uint64 { return uint64(len(texts[i])) })
	for _, text := range texts {
		c.pending = append(c.pending, text...)
		c.drain(columnBatch)
	}
}

func (c *columnWriter) uvarint(v uint64) {
	c.pending = binary.AppendUvarint(c.pending, v)
	c.written++
	c.drain(columnBatch)
}

// drain hands the pending bytes to DEFLATE when there are at least limit.
func (c *columnWriter) drain(limit int) {
	if len(c.pending) < limit {
		return
	}
	c.rawBytes += int64(len(c.pending))
	c.deflate.Write(c.pending) // a bytes.Buffer takes everything
	c.pending = c.pending[:0]
	if c.tick != nil {
		c.tick(c.written)
		c.written = 0
	}
}

// zigzag maps small numbers of either sign to small unsigned ones: 0, -1, 1, -2, ...
func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }
