package report

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
)

// part is a run of columns of a payload, packed without regard to the others,
// so that it can be made again alone. It ends at a byte, and parts one after
// another are one DEFLATE stream but for the end.
type part struct {
	packed   []byte
	rawBytes int64
}

// lastBlock is an empty block that ends a DEFLATE stream.
const lastBlock = "\x03\x00"

// How hard DEFLATE tries. Times are so alike that looking for the longest match
// takes most of a report's time, and makes them two to nine percent smaller.
const (
	packTimes  = 4
	packOthers = flate.DefaultCompression
)

// pack packs the columns that fill makes. tick may be nil.
func pack(level int, tick func(values int), fill func(*columnWriter)) part {
	c := &columnWriter{pending: make([]byte, 0, columnBatch+binary.MaxVarintLen64), tick: tick}
	c.deflate, _ = flate.NewWriter(&c.packed, level) // errs on an unknown level only
	fill(c)
	c.drain(0)
	c.deflate.Flush() // a bytes.Buffer takes everything
	return part{packed: c.packed.Bytes(), rawBytes: c.rawBytes}
}

// element is one payload of the page.
type element struct {
	id    string
	parts []part
}

func (e *element) write(w io.Writer) error {
	rawBytes := int64(0)
	packed := make([]io.Reader, 0, len(e.parts)+1)
	for _, p := range e.parts {
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
