package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/report/compare"
	"github.com/memviz-go/memviz/pkg/report/frame"
	"github.com/memviz-go/memviz/pkg/report/recording"
)

// markup is the HTML of a report, taken apart.
type markup struct {
	json     map[string][]byte // data elements by id
	payloads *codec.Payloads
	texts    []string // all text, attributes and comments outside of scripts and styles
	foreign  int      // scripts and styles that this program does not write
}

// shells are the frames of the pages that hold a report, which memviz reads again.
var shells = []func() *frame.Frame{recording.Frame, compare.Frame}

// takeApart reads the elements of a page in the order in which they stand.
func takeApart(page []byte) (*markup, error) {
	m := &markup{json: map[string][]byte{}, payloads: codec.NewPayloads()}
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
	if _, json := m.json[id]; json || m.payloads.Has(id) {
		return fmt.Errorf("two elements are called %.40q", id)
	}
	isOurs := func(kind func() *frame.Frame) bool { return kind().Has(string(content)) }
	switch {
	case slices.ContainsFunc(shells, isOurs):
	case strings.HasPrefix(id, "packed-"):
		m.foreign++
	case attrs["type"] == "application/json":
		m.json[id] = content
	case attrs["type"] == "text/plain":
		m.payloads.Add(id, attrs["data-bytes"], content)
	default:
		m.foreign++
	}
	return nil
}
