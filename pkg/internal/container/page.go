package container

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
)

// page is the snapshot in a page of torch's _memory_viz, decoded while it is
// read.
func page(r io.Reader, head []byte) (Source, error) {
	start := len(head) - len(trimToMatch(head))
	if _, err := io.CopyN(io.Discard, r, int64(start)); err != nil {
		return Source{}, err
	}
	return Source{Reader: &named{base64.NewDecoder(base64.StdEncoding, &literal{in: bufio.NewReader(r)})}}, nil
}

// trimToMatch is what stands behind the opening quote of the base64.
func trimToMatch(head []byte) []byte {
	if at := vizPayload.FindIndex(head); at != nil {
		return head[at[1]:]
	}
	return nil
}

// named says of errors that they are in the base64.
type named struct{ io.Reader }

func (n *named) Read(b []byte) (int, error) {
	read, err := n.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = damaged(VizPage, err)
	}
	return read, err
}

// literal reads up to the closing quote of a string without escapes.
type literal struct {
	in   *bufio.Reader
	done bool
}

func (l *literal) Read(b []byte) (int, error) {
	if l.done {
		return 0, io.EOF
	}
	n, err := l.in.Read(b)
	for i, c := range b[:n] {
		switch c {
		case '"':
			l.done = true
			return i, nil
		case '\\', '<':
			return i, fmt.Errorf("%w: %q stands in the base64 of the page", ErrDamaged, c)
		}
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
