package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
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
func (k *kit) takeApart(page []byte) (*markup, error) {
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
			} else if err := m.element(k, attrs, bytes.Clone(z.Raw())); err != nil {
				return nil, err
			}
		case html.CommentToken:
			m.text(string(z.Text()))
		}
	}
}

// policyHash is a script or style that the policy allows.
var policyHash = regexp.MustCompile(`'sha256-[A-Za-z0-9+/]{43}='`)

func (m *markup) attributes(z *html.Tokenizer) map[string]string {
	attrs := map[string]string{}
	for more := true; more; {
		var key, value []byte
		if key, value, more = z.TagAttr(); len(key) > 0 {
			attrs[string(key)] = string(value)
			m.text(policyHash.ReplaceAllString(string(value), ""))
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
func (m *markup) element(k *kit, attrs map[string]string, content []byte) error {
	id := attrs["id"]
	_, json := m.json[id]
	_, payload := m.payloads[id]
	if json || payload {
		return fmt.Errorf("two elements are called %.40q", id)
	}
	switch {
	case attrs["type"] == "application/json":
		m.json[id] = content
	case attrs["type"] == "text/plain":
		m.payloads[id] = packedPayload{attrs["data-bytes"], content}
	case !slices.Contains([]string{k.styles, k.theme, k.echarts, k.viewer}, string(content)):
		m.foreign++
	}
	return nil
}
