package export

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/memviz-go/memviz/pkg/units"
)

// object writes one JSON object, key after key, into a reused buffer: a row of a large
// recording must not cost an allocation for each of its values.
type object struct{ buf []byte }

func (o *object) reset() { o.buf = append(o.buf[:0], '{') }

// end returns the whole object, valid until the next reset.
func (o *object) end() []byte { return append(o.buf, '}') }

// key begins a value.
func (o *object) key(name string) {
	if last := o.buf[len(o.buf)-1]; last != '{' {
		o.buf = append(o.buf, ',')
	}
	o.buf = append(o.buf, '"')
	o.buf = append(o.buf, name...)
	o.buf = append(o.buf, `":`...)
}

func (o *object) null(name string) {
	o.key(name)
	o.buf = append(o.buf, "null"...)
}

func (o *object) number(name string, n int64) {
	o.key(name)
	o.buf = strconv.AppendInt(o.buf, n, 10)
}

func (o *object) truth(name string, is bool) {
	o.key(name)
	o.buf = strconv.AppendBool(o.buf, is)
}

func (o *object) text(name, text string) {
	o.key(name)
	o.buf = appendText(o.buf, text)
}

func (o *object) texts(name string, list []string) {
	o.key(name)
	o.buf = append(o.buf, '[')
	for i, text := range list {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = appendText(o.buf, text)
	}
	o.buf = append(o.buf, ']')
}

// open begins a nested object; shut ends it.
func (o *object) open(name string) {
	o.key(name)
	o.buf = append(o.buf, '{')
}

func (o *object) shut() { o.buf = append(o.buf, '}') }

// appendText appends a text as JSON, with terminal control characters escaped.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return append(b, escaped(text)...)
		}
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}

func escaped(text string) []byte {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	e.Encode(text) // a string can always be encoded
	return units.EscapeJSON(bytes.TrimSuffix(line.Bytes(), []byte("\n")))
}
