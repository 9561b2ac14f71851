package pickle

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// keeper is a Builder that stores everything in the heap.
type keeper struct{}

func (keeper) SetItems(h *Heap, d Container, pairs []Value) (Container, error) {
	return h.Store(d, pairs), nil
}

func (keeper) Append(h *Heap, l Container, items []Value) (Container, error) {
	return h.Store(l, items), nil
}

func (keeper) Held() int64 { return 0 }

// dump writes a value as Python would print it. A container met again inside
// itself is "...", and budget bounds the text of shared structures.
func dump(h *Heap, v Value) string {
	var b strings.Builder
	budget := 10_000
	dumpTo(&b, h, v, map[int]bool{}, &budget)
	return b.String()
}

func dumpTo(b *strings.Builder, h *Heap, v Value, inside map[int]bool, budget *int) {
	if *budget--; *budget < 0 {
		return
	}
	switch v.Type() {
	case None:
		b.WriteString("None")
	case Bool:
		truth, _ := v.Truth()
		b.WriteString(map[bool]string{true: "True", false: "False"}[truth])
	case Int, Wide:
		if i, ok := h.Int64(v); ok {
			b.WriteString(strconv.FormatInt(i, 10))
		} else if u, ok := h.Uint64(v); ok {
			b.WriteString(strconv.FormatUint(u, 10))
		}
	case Float:
		f, _ := h.Float64(v)
		b.WriteString(strconv.FormatFloat(f, 'g', -1, 64))
	case String:
		b.WriteString(strconv.Quote(h.Strings[v.Index()]))
	case Opaque:
		b.WriteString("opaque")
	case Object:
		if inside[v.Index()] {
			b.WriteString("...")
			return
		}
		inside[v.Index()] = true
		dumpContainer(b, h, v, inside, budget)
		delete(inside, v.Index())
	}
}

func dumpContainer(b *strings.Builder, h *Heap, v Value, inside map[int]bool, budget *int) {
	c, _ := h.Container(v)
	brackets := map[Kind]string{EmptyDict: "{}", Dict: "{}", EmptyList: "[]", List: "[]", Tuple: "()"}[c.Kind]
	b.WriteByte(brackets[0])
	for i, item := range h.Items(v) {
		if i > 0 && brackets == "{}" && i%2 == 1 {
			b.WriteString(": ")
		} else if i > 0 {
			b.WriteString(", ")
		}
		dumpTo(b, h, item, inside, budget)
	}
	b.WriteByte(brackets[1])
}

// both decodes data with Stream and Load and returns both results.
func both(t testing.TB, data []byte, limits Limits) (stream, load string, streamErr, loadErr error) {
	t.Helper()
	text := func(res *Result, err error) (string, error) {
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("protocol %d, %d bytes: %s", res.Protocol, res.Bytes, dump(res.Heap, res.Root)), nil
	}
	stream, streamErr = text(Stream(strings.NewReader(string(data)), int64(len(data)), keeper{}, limits))
	load, loadErr = text(Load(strings.NewReader(string(data)), keeper{}, limits))
	return
}
