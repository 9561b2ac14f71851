package codec

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
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

// chunk is a run of columns of a payload, packed without regard to the others,
// so that it can be made again alone. It ends at a byte, and chunks one after
// another are one DEFLATE stream but for the end.
type chunk struct {
	packed   []byte
	rawBytes int64
}

// lastBlock is an empty block that ends a DEFLATE stream.
const lastBlock = "\x03\x00"

// How hard DEFLATE tries. Times are so alike that looking for the longest match takes
// most of a report's time, and makes them two to twelve percent smaller. Levels are of
// klauspost/compress: against those of the standard library that make reports as large,
// 4 and 6, they save a quarter of the time.
const (
	packTimes  = 6
	packOthers = 8
)

// deflaters are compressors to use again, by level. One takes a megabyte to make, and a
// file may have a thousand devices.
var deflaters [flate.BestCompression + 1]sync.Pool

// pack packs the columns that fill makes. tick may be nil.
func pack(level int, tick func(values int), fill func(*columnWriter)) chunk {
	c := &columnWriter{pending: make([]byte, 0, columnBatch+binary.MaxVarintLen64), tick: tick}
	if used, ok := deflaters[level].Get().(*flate.Writer); ok {
		c.deflate = used
		c.deflate.Reset(&c.packed)
	} else {
		c.deflate, _ = flate.NewWriter(&c.packed, level) // errs on an unknown level only
	}
	fill(c)
	c.drain(0)
	c.deflate.Flush() // a bytes.Buffer takes everything
	deflaters[level].Put(c.deflate)
	return chunk{packed: c.packed.Bytes(), rawBytes: c.rawBytes}
}

// element is one payload of the page.
type element struct {
	id     string
	chunks []chunk
}

// packed is a payload of one chunk.
func packed(id string, fill func(*columnWriter)) element {
	return element{id, []chunk{pack(packOthers, nil, fill)}}
}

// packedBytes is its size before base64.
func (e *element) packedBytes() (bytes int) {
	for _, c := range e.chunks {
		bytes += len(c.packed)
	}
	return bytes
}

func (e *element) write(w io.Writer) error {
	rawBytes := int64(0)
	packed := make([]io.Reader, 0, len(e.chunks)+1)
	for _, p := range e.chunks {
		rawBytes += p.rawBytes
		packed = append(packed, bytes.NewReader(p.packed))
	}
	packed = append(packed, bytes.NewReader([]byte(lastBlock)))
	if _, err := fmt.Fprintf(w, `<script type="text/plain" id="%s" data-bytes="%d">`, e.id, rawBytes); err != nil {
		return err
	}
	text := base64.NewEncoder(base64.StdEncoding, w)
	if _, err := io.Copy(text, io.MultiReader(packed...)); err != nil {
		return err
	}
	if err := text.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(w, "</script>\n")
	return err
}

// stringTable gives every text of a file an index; 0 is the empty one.
type stringTable struct {
	texts []string
	index map[string]uint64
}

func newStringTable() *stringTable {
	return &stringTable{texts: []string{""}, index: map[string]uint64{"": 0}}
}

// add is the index of a text. What is no UTF-8 gets U+FFFD, so that the page
// decodes exactly what was counted.
func (t *stringTable) add(text string) uint64 {
	if i, ok := t.index[text]; ok {
		return i
	}
	i := uint64(len(t.texts))
	t.index[text] = i
	t.texts = append(t.texts, strings.ToValidUTF8(text, "\uFFFD"))
	return i
}

// clone is a table that goes on from t without changing it.
func (t *stringTable) clone() *stringTable {
	return &stringTable{texts: slices.Clone(t.texts), index: maps.Clone(t.index)}
}
