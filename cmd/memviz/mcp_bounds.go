package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/units"
)

const (
	leastResult = 4 << 10  // bytes: with less, nothing of an answer would remain
	textShare   = 4        // the text of a result has at most this fraction of the JSON's bytes
	longestJSON = 16 << 20 // bound in bytes on the JSON that is searched for lists to cut
)

// leftOutKey is the key that lists the cuts.
const leftOutKey = "left_out"

var errFull = errors.New("the answer is too long")

// shortWriter keeps up to a number of bytes, and then fails.
type shortWriter struct {
	bytes.Buffer
	limit int
	full  bool
}

func (w *shortWriter) Write(b []byte) (int, error) {
	if room := w.limit - w.Len(); len(b) > room {
		w.full = true
		w.Buffer.Write(b[:room])
		return room, errFull
	}
	return w.Buffer.Write(b)
}

// lines returns the kept text, ending with a whole line if something was cut.
func (w *shortWriter) lines() string {
	text := w.String()
	if !w.full {
		return text
	}
	return text[:strings.LastIndexByte(text, '\n')+1] + fmt.Sprintf("... (cut to %s; ask for less)\n",
		units.Bytes(int64(w.limit)))
}

// boundedJSON returns an answer as JSON of at most limit bytes. If it is longer, all its
// lists are cut to as many items as fit, and the number missing from each is reported.
func boundedJSON(said *sheet.Sheet, limit int) (json.RawMessage, error) {
	whole := &shortWriter{limit: longestJSON}
	if err := said.Write(whole, sheet.JSON, sheet.Look{}); whole.full {
		return nil, fmt.Errorf("the answer has more than %s of JSON; ask for a part of it, such as one device or "+
			"fewer events", units.Bytes(longestJSON))
	} else if err != nil {
		return nil, err
	}
	text, longest, err := cutLists(whole.Bytes(), longestJSON, longestJSON)
	if err != nil || len(text) <= limit {
		return text, err
	}
	lost := sort.Search(longest, func(lost int) bool { // items of the longest list
		text, _, err = cutLists(whole.Bytes(), longest-lost, limit)
		return err != nil || len(text) <= limit
	})
	if text, _, err = cutLists(whole.Bytes(), longest-lost, limit); err == nil && len(text) > limit {
		err = fmt.Errorf("the answer does not fit %s of JSON; ask for one file or one device",
			units.Bytes(int64(limit)))
	}
	return text, err
}

// cutLists cuts every list of a JSON text to at most items, and returns the length of the
// longest list. Text longer than limit bytes may end anywhere.
func cutLists(whole []byte, items, limit int) (text json.RawMessage, longest int, err error) {
	c := &jsonCutter{in: json.NewDecoder(bytes.NewReader(whole)), items: items, limit: limit, lost: map[string]int{}}
	c.in.UseNumber()
	if err := c.value(""); err != nil && !errors.Is(err, errFull) {
		return nil, 0, err
	}
	return c.text(), c.longest, nil
}

// jsonCutter copies JSON without the items of lists beyond a number.
type jsonCutter struct {
	in      *json.Decoder
	items   int // bound on the items of a list
	limit   int // bytes after which it stops
	out     bytes.Buffer
	longest int            // length of the longest list
	lost    map[string]int // items by the keys that lead to the list
	lists   []string       // lists that lost items, in order
}

func (c *jsonCutter) value(path string) error {
	token, err := c.in.Token()
	if err != nil {
		return err
	} else if c.out.Len() > c.limit {
		return errFull
	}
	switch token {
	case json.Delim('['):
		return c.list(path)
	case json.Delim('{'):
		return c.object(path)
	}
	return c.write(token)
}

func (c *jsonCutter) list(path string) error {
	c.out.WriteByte('[')
	n := 0
	for ; c.in.More(); n++ {
		if n >= c.items {
			var skipped json.RawMessage
			if err := c.in.Decode(&skipped); err != nil {
				return err
			}
			if c.lost[path] == 0 {
				c.lists = append(c.lists, path)
			}
			c.lost[path]++
			continue
		}
		if n > 0 {
			c.out.WriteByte(',')
		}
		if err := c.value(path); err != nil {
			return err
		}
	}
	c.longest = max(c.longest, n)
	c.out.WriteByte(']')
	_, err := c.in.Token()
	return err
}

func (c *jsonCutter) object(path string) error {
	c.out.WriteByte('{')
	for first := true; c.in.More(); first = false {
		key, err := c.in.Token()
		if err != nil {
			return err
		}
		if !first {
			c.out.WriteByte(',')
		}
		if err := c.write(key); err != nil {
			return err
		}
		c.out.WriteByte(':')
		if err := c.value(strings.TrimPrefix(path+"."+key.(string), ".")); err != nil {
			return err
		}
	}
	c.out.WriteByte('}')
	_, err := c.in.Token()
	return err
}

// write writes a key, a text, a number, true, false or null.
func (c *jsonCutter) write(token json.Token) error {
	text, err := json.Marshal(token)
	c.out.Write(text)
	return err
}

// text returns the copy, with a list of what was cut.
func (c *jsonCutter) text() json.RawMessage {
	text := c.out.Bytes()
	if len(c.lists) > 0 {
		said := make([]string, len(c.lists))
		for i, path := range c.lists {
			said[i] = fmt.Sprintf("%s: %d more", path, c.lost[path])
		}
		left, _ := json.Marshal(said) // strings always marshal
		text = fmt.Appendf(text[:len(text)-1], `,%q:%s}`, leftOutKey, left)
	}
	return units.EscapeJSON(text)
}
