package pickle

import (
	"errors"
	"io"
)

// lookahead is how many bytes an opcode and its fixed argument need at most.
const lookahead = 16

// source is a window on a stream. Beyond the last byte it holds lookahead zero
// bytes, so that the opcode loop need not check each argument: it is enough to
// see, at the next refill, that it has read past the end.
type source struct {
	r    io.Reader // nil once the input is exhausted
	buf  []byte
	pos  int
	end  int   // bytes of buf that are input; the padding follows
	base int64 // offset of buf[0] in the stream
}

func newSource(r io.Reader, size int) *source {
	return &source{r: r, buf: make([]byte, size+lookahead)}
}

// offset of the next byte in the stream.
func (s *source) offset() int64 { return s.base + int64(s.pos) }

// exhausted reports whether everything was read, and perhaps more than there was.
func (s *source) exhausted() bool { return s.r == nil && s.pos >= s.end }

// refill makes n bytes available at pos if the input has them.
func (s *source) refill(n int) error {
	if s.r == nil {
		return nil
	}
	rest := copy(s.buf, s.buf[s.pos:s.end])
	s.base += int64(s.pos)
	s.pos = 0
	for want := max(n, lookahead); rest < want; {
		if rest == len(s.buf)-lookahead {
			s.buf = append(s.buf[:rest], make([]byte, rest+2*lookahead)...)
		}
		got, err := s.r.Read(s.buf[rest : len(s.buf)-lookahead])
		rest += got
		if errors.Is(err, io.EOF) {
			s.r = nil
			break
		} else if err != nil {
			s.end = rest
			return err
		}
	}
	s.end = rest
	if s.r == nil {
		clear(s.buf[s.end:])
	}
	return nil
}

// take returns the next n bytes, valid until the next call; nil if there are fewer.
func (s *source) take(n int) ([]byte, error) {
	if s.pos+n > s.end {
		if err := s.refill(n); err != nil {
			return nil, err
		}
		if s.pos+n > s.end {
			return nil, nil
		}
	}
	b := s.buf[s.pos : s.pos+n]
	s.pos += n
	return b, nil
}
