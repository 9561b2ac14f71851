package report

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// markup is the HTML of a report, taken apart.
type markup struct {
	json     map[string][]byte        // data elements by id
	payloads map[string]packedPayload // likewise
	texts    []string                 // all text, attributes and comments outside of scripts and styles
	foreign  int                      // scripts and styles that this program does not write
}

// packedPayload is the text of a payload element.
type packedPayload struct {
	bytes string // data-bytes
	text  []byte // base64
}

// takeApart reads the elements of a page in the order in which they stand.
func takeApart(page []byte) (*markup, error) {
	m := &markup{json: map[string][]byte{}, payloads: map[string]packedPayload{}}
	z := html.NewTokenizer(bytes.NewReader(page))
	raw, attrs := "", map[string]string{} // the script or style that is open
	for {
		switch z.Next() {
		case html.ErrorToken:
			return m, nil // the end; what is missing is missed later
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			if raw = string(name); raw != "script" && raw != "style" {
				raw = ""
			}
			attrs = m.attributes(z)
		case html.EndTagToken:
			raw = ""
		case html.TextToken:
			if raw == "" {
				m.text(string(z.Text()))
			} else if err := m.element(attrs, bytes.Clone(z.Raw())); err != nil {
				return nil, err
			}
		case html.CommentToken:
			m.text(string(z.Text()))
		}
	}
}

// Values of attributes that are no text, although they look like a key or a password: the
// hashes of scripts and styles that a policy allows, and paths of the static curve.
var (
	policyHash = regexp.MustCompile(`'sha256-[A-Za-z0-9+/]{43}='`)
	curveLines = regexp.MustCompile(`^M[0-9.]+ [0-9.]+([hv]-?[0-9.]+)*$`)
)

func (m *markup) attributes(z *html.Tokenizer) map[string]string {
	attrs := map[string]string{}
	for more := true; more; {
		var key, value []byte
		if key, value, more = z.TagAttr(); len(key) > 0 {
			attrs[string(key)] = string(value)
			if !curveLines.Match(value) {
				m.text(policyHash.ReplaceAllString(string(value), ""))
			}
		}
	}
	return attrs
}

func (m *markup) text(text string) {
	if text = strings.TrimSpace(text); text != "" {
		m.texts = append(m.texts, text)
	}
}

// element keeps the content of a script or style.
func (m *markup) element(attrs map[string]string, content []byte) error {
	id := attrs["id"]
	_, json := m.json[id]
	_, payload := m.payloads[id]
	if json || payload {
		return fmt.Errorf("two elements are called %.40q", id)
	}
	isOurs := func(kind func() *shell) bool { return kind().has(string(content)) }
	switch {
	case slices.ContainsFunc(shells, isOurs):
	case strings.HasPrefix(id, "packed-"):
		m.foreign++
	case attrs["type"] == "application/json":
		m.json[id] = content
	case attrs["type"] == "text/plain":
		m.payloads[id] = packedPayload{attrs["data-bytes"], content}
	default:
		m.foreign++
	}
	return nil
}

// What a report may hold that is read again. Reports of 20 million events stay
// below, and hostile ones take less than 512 MB of memory.
const (
	maxPage        = 1 << 27 // bytes of the file
	maxRaw         = 1 << 27 // bytes of all payloads, unpacked
	maxAllocations = 1 << 23 // of a device
	maxEvents      = 1 << 40
)

// inflater unpacks payloads, as far as the limit goes.
type inflater struct {
	left int64 // bytes
}

// inflate unpacks one payload. It never holds more than was announced.
func (in *inflater) inflate(p packedPayload) ([]byte, error) {
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
