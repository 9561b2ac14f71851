package pickle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// jsonText splits JSON text into tokens. A string is bounded while it is read.
type jsonText struct {
	in     *bufio.Reader
	limits Limits
	at     int64 // bytes read
	raw    []byte
}

func (j *jsonText) fail(kind error, format string, args ...any) error {
	return &jsonError{Offset: j.at, What: fmt.Sprintf(format, args...), Err: kind}
}

// ended is the error for a read that failed with err.
func (j *jsonText) ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return j.fail(ErrTruncated, "unexpected end")
	}
	return err
}

// skipMark skips the byte order mark of UTF-8 at the start.
func (j *jsonText) skipMark() error {
	if mark, err := j.in.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		j.at = 3
		_, err := j.in.Discard(3)
		return err
	}
	return nil
}

// token returns the next byte that is not white space.
func (j *jsonText) token() (byte, error) {
	for {
		c, err := j.in.ReadByte()
		if err != nil {
			return 0, j.ended(err)
		}
		j.at++
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c, nil
		}
	}
}

func (j *jsonText) unread() {
	if j.in.UnreadByte() == nil {
		j.at--
	}
}

func (j *jsonText) expect(want byte) error {
	c, err := j.token()
	if err == nil && c != want {
		return j.fail(ErrJSON, "%q where %q should be", c, want)
	}
	return err
}

// peek takes the next token if it is c.
func (j *jsonText) peek(c byte) (bool, error) {
	got, err := j.token()
	if err == nil && got != c {
		j.unread()
	}
	return got == c, err
}

// closes reads the end of the container (true) or a comma after an item.
func (j *jsonText) closes(end byte) (bool, error) {
	c, err := j.token()
	if err == nil && c != end && c != ',' {
		return false, j.fail(ErrJSON, "%q where %q or a comma should be", c, end)
	}
	return c == end, err
}

// quoted reads a string after its opening quote. The result is valid until the next
// read.
func (j *jsonText) quoted() ([]byte, error) {
	j.raw = append(j.raw[:0], '"')
	for {
		part, err := j.in.ReadSlice('"')
		j.at += int64(len(part))
		if int64(len(j.raw)+len(part)) > j.limits.StringBytes {
			return nil, OverLimit(keyString, j.at, "a string of more than %d bytes", j.limits.StringBytes)
		}
		if err == nil && len(j.raw) == 1 && bytes.IndexByte(part, '\\') < 0 {
			return part[:len(part)-1], nil
		}
		j.raw = append(j.raw, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		} else if err != nil {
			return nil, j.ended(err)
		}
		if !endsEscaped(j.raw) {
			break
		}
	}
	if bytes.IndexByte(j.raw, '\\') < 0 {
		return j.raw[1 : len(j.raw)-1], nil
	}
	var s string
	if err := json.Unmarshal(j.raw, &s); err != nil {
		return nil, j.fail(ErrJSON, "a string cannot be read")
	}
	return []byte(s), nil
}

// endsEscaped reports whether the quote at the end of b is part of the string.
func endsEscaped(b []byte) bool {
	b = b[:len(b)-1]
	return (len(b)-len(bytes.TrimRight(b, `\`)))%2 == 1
}

// maxJSONWord bounds a number or a literal, in bytes.
const maxJSONWord = 512

// word reads a number or literal that begins with c.
func (j *jsonText) word(c byte) (string, error) {
	j.raw = append(j.raw[:0], c)
	for {
		c, err := j.in.ReadByte()
		if err == io.EOF {
			return string(j.raw), nil
		} else if err != nil {
			return "", j.ended(err)
		}
		j.at++
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c != '.' && c != '-' && c != '+' {
			j.unread()
			return string(j.raw), nil
		}
		if j.raw = append(j.raw, c); len(j.raw) > maxJSONWord {
			return "", j.fail(ErrLimit, "a number of more than %d digits", maxJSONWord)
		}
	}
}

// scalar is the value of a number or literal.
func (j *jsonReader) scalar(word string) (Value, error) {
	switch word {
	case "null":
		return pack(None, 0), nil
	case "true":
		return boolean(true), nil
	case "false":
		return boolean(false), nil
	case "NaN":
		return j.heap.float(math.NaN()), nil
	case "Infinity":
		return j.heap.float(math.Inf(1)), nil
	case "-Infinity":
		return j.heap.float(math.Inf(-1)), nil
	}
	if i, err := strconv.ParseInt(word, 10, 64); err == nil {
		return j.heap.integer(i), nil
	} else if u, err := strconv.ParseUint(word, 10, 64); err == nil {
		return j.heap.unsigned(u), nil
	}
	f, err := strconv.ParseFloat(word, 64)
	if bytes.ContainsAny([]byte(word), "xXpPnNiI_") || err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, j.fail(ErrJSON, "%q is not a value", word)
	}
	if !bytes.ContainsAny([]byte(word), ".eE") {
		return pack(Opaque, 0), nil // an integer of more than 64 bits
	}
	return j.heap.float(f), nil
}
