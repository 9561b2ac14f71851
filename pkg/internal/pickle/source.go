package pickle

import (
	"errors"
	"io"
)

const (
	// lookahead bounds the bytes of an opcode and its fixed argument.
	lookahead = 16
	// chunkSize is the size of a read.
	chunkSize = 1 << 20
	// headroom before each chunk takes the rest of the previous one.
	headroom = 4 << 10
	// chunksAhead is the number of chunks that are read ahead.
	chunksAhead = 3
)

// source is a window on a stream that another goroutine reads ahead, so that
// copying from the system and unpacking cost no time here. Beyond the last byte
// it holds lookahead zero bytes, so that the opcode loop need not check each
// argument: it is enough to see, at the next refill, that it has read past the
// end.
type source struct {
	full  <-chan chunk
	empty chan<- []byte
	quit  chan struct{}
	done  chan struct{} // closed when nothing is read any more

	buf  []byte
	pos  int
	end  int   // bytes of buf that are input; the padding follows
	base int64 // offset of buf[0] in the stream; below zero while headroom is empty
	eof  bool  // the input ends at end
}

// chunk is a piece of the stream at buf[headroom:headroom+n], with the error
// that ended it.
type chunk struct {
	buf []byte
	n   int
	err error
}

func newSource(r io.Reader) *source {
	full, empty, quit := make(chan chunk, chunksAhead), make(chan []byte, chunksAhead+1), make(chan struct{})
	done := make(chan struct{})
	for range chunksAhead {
		empty <- make([]byte, headroom+chunkSize+lookahead)
	}
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			case buf := <-empty:
				n, err := io.ReadFull(r, buf[headroom:headroom+chunkSize])
				full <- chunk{buf, n, err} // has room for all buffers
				if err != nil {
					return
				}
			}
		}
	}()
	return &source{full: full, empty: empty, quit: quit, done: done}
}

// close ends reading ahead eventually; wait for done before reading the stream again.
func (s *source) close() { close(s.quit) }

// offset of the next byte in the stream.
func (s *source) offset() int64 { return s.base + int64(s.pos) }

// overrun reports whether more was consumed than the input had.
func (s *source) overrun() bool { return s.eof && s.pos > s.end }

// refill makes n bytes available at pos if the input has them.
func (s *source) refill(n int) error {
	for s.end-s.pos < max(n, lookahead) && !s.eof {
		c := <-s.full
		s.append(c)
		if errors.Is(c.err, io.EOF) || errors.Is(c.err, io.ErrUnexpectedEOF) {
			s.eof = true
			clear(s.buf[s.end : s.end+lookahead])
		} else if c.err != nil {
			return c.err
		}
	}
	return nil
}

// append makes the chunk the window, with the rest of the window in front.
func (s *source) append(c chunk) {
	old, rest := s.buf, s.buf[s.pos:s.end]
	offset := s.offset()
	if len(rest) <= headroom {
		s.buf, s.pos, s.end = c.buf, headroom-len(rest), headroom+c.n
		copy(s.buf[s.pos:], rest)
	} else { // a long string
		s.buf = make([]byte, len(rest)+c.n+lookahead)
		s.pos, s.end = 0, len(rest)+c.n
		copy(s.buf, rest)
		copy(s.buf[len(rest):], c.buf[headroom:headroom+c.n])
		s.recycle(c.buf)
	}
	s.recycle(old)
	s.base = offset - int64(s.pos)
}

func (s *source) recycle(buf []byte) {
	if len(buf) == headroom+chunkSize+lookahead {
		select {
		case s.empty <- buf:
		default:
		}
	}
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
