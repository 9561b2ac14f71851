package pickle

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// LoadJSON reads the same values from JSON text: objects are dicts, arrays are lists.
// It accepts the output of Python's json module, NaN and Infinity included. It is an
// error if anything but white space follows the value.
func LoadJSON(r io.Reader, b Builder, limits Limits) (*Result, error) {
	j := &jsonReader{
		jsonText: jsonText{in: bufio.NewReaderSize(r, 64<<10), limits: limits.WithDefaults()},
		heap:     newHeap(), build: b,
	}
	root, err := j.document()
	if err != nil {
		return nil, err
	}
	return &Result{Heap: j.heap, Root: root, Bytes: j.at}, nil
}

// ErrJSON: the text is not JSON.
var ErrJSON = errors.New("damaged JSON")

// jsonError says what is wrong with a JSON text and where.
type jsonError struct {
	Offset int64
	What   string // one clause
	Err    error  // ErrJSON, ErrTruncated, ErrLimit, or the reader's error
}

func (e *jsonError) Error() string { return fmt.Sprintf("%v at byte %d: %s", e.Err, e.Offset, e.What) }

func (e *jsonError) Unwrap() error { return e.Err }

// jsonBatch is how many items of an array a Builder gets at a time, as with
// pickles.
const jsonBatch = batchSize

// jsonReader feeds a Builder in the order in which Stream does.
type jsonReader struct {
	jsonText
	heap  *Heap
	build Builder
	stack []Value // values that wait for their container

	checked int64 // offset at which bounded last checked
}

func (j *jsonReader) document() (Value, error) {
	if err := j.skipMark(); err != nil {
		return 0, err
	}
	root, err := j.value(0)
	if err != nil {
		return 0, err
	}
	switch c, err := j.token(); {
	case err == nil:
		return 0, j.fail(ErrJSON, "%q after the end", c)
	case !errors.Is(err, ErrTruncated):
		return 0, err
	}
	return root, nil
}

func (j *jsonReader) value(depth int) (Value, error) {
	if err := j.bounded(); err != nil {
		return 0, err
	}
	c, err := j.token()
	if err != nil {
		return 0, err
	}
	switch c {
	case '{', '[':
		if int64(depth) >= j.limits.Depth {
			return 0, OverLimit(keyDepth, j.at, "more than %d containers inside one another", j.limits.Depth)
		} else if int64(len(j.heap.objects)) >= j.limits.Objects {
			return 0, OverLimit(keyObjects, j.at, "more than %d objects and arrays", j.limits.Objects)
		}
		if c == '{' {
			return j.object(depth)
		}
		return j.array(depth)
	case '"':
		return j.str()
	}
	word, err := j.word(c)
	if err != nil {
		return 0, err
	}
	return j.scalar(word)
}

func (j *jsonReader) str() (Value, error) {
	s, err := j.quoted()
	if err != nil {
		return 0, err
	}
	return j.heap.Text(s), nil
}

// boundEvery is the number of bytes read between two checks of the bounds on memory
// and input.
const boundEvery = 64 << 10

// bounded checks the bounds on memory and input every boundEvery bytes.
func (j *jsonReader) bounded() error {
	if j.at < j.checked+boundEvery {
		return nil
	}
	j.checked = j.at
	held := 8*int64(len(j.stack)) + j.heap.held() + j.build.Held()
	if most := j.limits.MemoryFor(j.at); held > most {
		return OverLimit(keyMemory, j.at, "%d bytes are held of what was read so far, where %d are allowed", held, most)
	} else if j.at > j.limits.Input {
		return OverLimit(keyInput, j.at, "it goes on after %d bytes", j.limits.Input)
	}
	return nil
}

func (j *jsonReader) push(v Value) error {
	if int64(len(j.stack)) >= j.limits.Stack {
		return OverLimit(keyValues, j.at, "more than %d values waiting for their container", j.limits.Stack)
	}
	j.stack = append(j.stack, v)
	return nil
}

// object reads pairs up to the closing brace.
func (j *jsonReader) object(depth int) (Value, error) {
	v, base := j.heap.object(EmptyDict), len(j.stack)
	for {
		c, err := j.token()
		if err != nil {
			return 0, err
		}
		if c == '}' && len(j.stack) == base {
			return v, nil
		} else if c != '"' {
			return 0, j.fail(ErrJSON, "%q where a key should begin", c)
		}
		key, err := j.str()
		if err != nil {
			return 0, err
		}
		if err := j.expect(':'); err != nil {
			return 0, err
		}
		if err := j.push(key); err != nil {
			return 0, err
		}
		item, err := j.value(depth + 1)
		if err != nil {
			return 0, err
		}
		if err := j.push(item); err != nil {
			return 0, err
		}
		if last, err := j.closes('}'); err != nil {
			return 0, err
		} else if last {
			return v, j.fill(v, base)
		}
	}
}

// array reads items up to the closing bracket.
func (j *jsonReader) array(depth int) (Value, error) {
	v, base := j.heap.object(EmptyList), len(j.stack)
	if empty, err := j.peek(']'); err != nil || empty {
		return v, err
	}
	for {
		item, err := j.value(depth + 1)
		if err != nil {
			return 0, err
		}
		if err := j.push(item); err != nil {
			return 0, err
		}
		last, err := j.closes(']')
		if err != nil {
			return 0, err
		}
		if last || len(j.stack)-base >= jsonBatch {
			if err := j.fill(v, base); err != nil {
				return 0, err
			}
		}
		if last {
			return v, nil
		}
	}
}

// fill hands the values above base to the Builder.
func (j *jsonReader) fill(v Value, base int) error {
	items := j.stack[base:]
	j.stack = j.stack[:base]
	filled, err := j.heap.at(v), error(nil)
	if filled.Kind == EmptyDict {
		filled, err = j.build.SetItems(j.heap, filled, items)
	} else {
		filled, err = j.build.Append(j.heap, filled, items)
	}
	switch {
	case errors.Is(err, ErrLimit):
		return j.fail(ErrLimit, "a container is too large")
	case errors.Is(err, ErrOtherWay), errors.Is(err, ErrMalformed):
		return j.fail(ErrJSON, "a container makes no sense")
	case err != nil:
		return err
	}
	j.heap.set(v, filled)
	return nil
}
