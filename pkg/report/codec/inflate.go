package codec

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// What a report may hold that is read again. Reports of 20 million events stay
// below, and hostile ones take less than 512 MB of memory.
const (
	maxRaw         = 1 << 27 // bytes of all payloads, unpacked
	maxAllocations = 1 << 23 // of a device
	maxEvents      = 1 << 40
)

// packedPayload is the text of a payload element.
type packedPayload struct {
	bytes string // data-bytes
	text  []byte // base64
}

// Payloads are the payloads of a page, unpacked up to a total size.
type Payloads struct {
	packed map[string]packedPayload // by id
	left   int64                    // bytes that may still be unpacked
}

// NewPayloads has none yet.
func NewPayloads() *Payloads {
	return &Payloads{packed: map[string]packedPayload{}, left: maxRaw}
}

// Has reports whether there is a payload with that id.
func (in *Payloads) Has(id string) bool {
	_, is := in.packed[id]
	return is
}

// Add adds a payload: base64, and the size in bytes that was written beside it.
func (in *Payloads) Add(id, announced string, text []byte) {
	in.packed[id] = packedPayload{announced, text}
}

// inflate unpacks one payload. It never holds more than was announced.
func (in *Payloads) inflate(p packedPayload) ([]byte, error) {
	size, err := strconv.ParseInt(p.bytes, 10, 64)
	if err != nil || size < 0 {
		return nil, fmt.Errorf("its size is said to be %.40q", p.bytes)
	}
	if in.left -= size; in.left < 0 {
		return nil, fmt.Errorf("the payloads have more than %d bytes", maxRaw)
	}
	packed := make([]byte, base64.StdEncoding.DecodedLen(len(p.text)))
	n, err := base64.StdEncoding.Decode(packed, p.text)
	if err != nil {
		return nil, err
	}
	source := bytes.NewReader(packed[:n])
	var raw bytes.Buffer // grows as bytes come, not as they are announced
	if _, err := io.Copy(&raw, io.LimitReader(flate.NewReader(source), size+1)); err != nil {
		return nil, err
	}
	if int64(raw.Len()) != size {
		return nil, fmt.Errorf("%d bytes or more, announced as %d", raw.Len(), size)
	}
	if source.Len() > 0 {
		return nil, errors.New("there is more behind its end")
	}
	return raw.Bytes(), nil
}
