package replay

import (
	"bytes"
	"encoding/json"
	"strings"
)

// dict is metadata that the program gave as a dict, which torch writes as JSON, in the order of the text.
type dict struct {
	keys, values []string
	rest         string // the line that torch appended
}

// parseDict reads metadata that is a JSON object. A value that is not text stays JSON.
func parseDict(text string) (d dict, ok bool) {
	if !strings.HasPrefix(text, "{") {
		return dict{}, false
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return dict{}, false
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return dict{}, false
		}
		var raw json.RawMessage
		if decoder.Decode(&raw) != nil {
			return dict{}, false
		}
		var value string
		if json.Unmarshal(raw, &value) != nil || bytes.Equal(raw, []byte("null")) {
			value = string(raw)
		}
		d.keys, d.values = append(d.keys, key.(string)), append(d.values, value)
	}
	if _, err := decoder.Token(); err != nil {
		return dict{}, false
	}
	d.rest = strings.TrimSpace(text[decoder.InputOffset():])
	return d, true
}

// String returns the dict as key=value, key=value.
func (d dict) String() string {
	var b strings.Builder
	for i, key := range d.keys {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(key + "=" + d.values[i])
	}
	if d.rest != "" {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(d.rest)
	}
	return b.String()
}
