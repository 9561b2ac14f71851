package pickle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// dictsOfGets are pickles of rows as torch writes them, and of rows that differ in every
// kind of value that pairs handles and in some that it does not.
func dictsOfGets() [][]byte {
	const begin = "\x80\x04](\x8c\x01k\x94\x8c\x01v\x94"
	longGet := "j" + string(binary.LittleEndian.AppendUint32(nil, 1))
	values := []string{"h\x00", longGet, "K\x07", "M\x07\x01", "J\xff\xff\xff\xff", "\x8a\x00",
		"\x8a\x06\x01\x02\x03\x04\x05\x7f", "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f",
		"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00", "\x8c\x03N/A\x94", "\x8c\x00", "X\x01\x00\x00\x00x\x94",
		"]\x94", "]\x94(h\x00h\x01h\x00e", "]\x94(h\x00h\x01h\x00e", "]\x94(h\x00K\x01e", "](h\x01e",
		"N", "\x88", "G\x3f\xf0\x00\x00\x00\x00\x00\x00", "K\x01K\x02\x86\x94", "}\x94", "}\x94(h\x00h\x01u",
		"h\x02\x94", "K\x01\x94"}
	var files [][]byte
	all := begin
	for _, v := range values {
		row := "}\x94(h\x00K\x01" + longGet + v + "h\x00h\x01u"
		files = append(files, []byte(begin+strings.Repeat(row, 3)+"e."))
		all += "}\x94(h\x00" + v + "h\x01" + v + "u}(h\x00" + v + "u"
	}
	for _, bad := range []string{"\x8a\x0a0123456789", "h\xff", "q\x00", "u", "e", "h\x01h\x01", "\xff"} {
		files = append(files, []byte(all+"}\x94(h\x00K\x01"+longGet+bad+"h\x00h\x01ue."))
	}
	return append(files, []byte(all+"e."))
}

// padding after STOP keeps the end of the window, where shortcuts end, away from a pickle.
var padding = make([]byte, 8*lookahead)

func TestShortcuts(t *testing.T) {
	files, whole := dictsOfGets(), 0
	for _, data := range files {
		requireSameWithoutShortcuts(t, data, Limits{})
		if requireSameWithoutShortcuts(t, slices.Concat(data, padding), Limits{}) {
			whole++
		}
	}
	if whole < 20 || whole == len(files) {
		t.Errorf("%d of %d files can be read", whole, len(files))
	}
	all := slices.Concat(files[len(files)-1], padding)
	for limit := int64(1); limit < 90; limit++ {
		requireSameWithoutShortcuts(t, all, Limits{Objects: limit})
		requireSameWithoutShortcuts(t, all, Limits{Memo: limit})
		if limit < 6 {
			requireSameWithoutShortcuts(t, all, Limits{Depth: limit})
			requireSameWithoutShortcuts(t, all, Limits{StringBytes: limit})
		}
	}
}

// TestShortcutsAtBoundaries slides rows over the end of a chunk.
func TestShortcutsAtBoundaries(t *testing.T) {
	files := dictsOfGets()
	rows := files[len(files)-1][2:]
	frame := append([]byte{opFrame}, make([]byte, 8)...)
	for slide := 0; slide < len(rows); slide += 5 { // not a multiple of a frame's length
		data := append([]byte("\x80\x04"), bytes.Repeat(frame, (chunkSize-slide)/len(frame))...)
		if !requireSameWithoutShortcuts(t, append(data, rows...), Limits{}) {
			t.Fatal("the rows cannot be read")
		}
	}
}

// requireSameWithoutShortcuts reads data with the shortcuts for dicts and lists and without
// them, and reports whether it can be read.
func requireSameWithoutShortcuts(t *testing.T, data []byte, limits Limits) bool {
	t.Helper()
	read := func(off bool) (string, error) {
		d := newDecoder(bytes.NewReader(data), int64(len(data)), &internsText{lists: map[string]uint32{}}, limits)
		d.runs.off = off
		root, err := d.decode()
		if err != nil && len(d.stack) > 0 && d.stack[0].Type() == Object {
			root = d.stack[0]
			d.closeOpen() // as Salvage does
		}
		return fmt.Sprint(err, root, d.opAt, d.memo, d.heap.objects, d.heap.items, d.heap.Strings, d.heap.wide), err
	}
	with, err := read(false)
	if without, _ := read(true); with != without {
		t.Fatalf("%q, limits %+v\nwith shortcuts:    %s\nwithout shortcuts: %s", data, limits, with, without)
	}
	return err == nil
}

// internsText is a keeper that interns lists of strings, as a builder of stacks does.
type internsText struct {
	keeper
	lists map[string]uint32
}

func (b *internsText) Append(h *Heap, l Container, items []Value) (Container, error) {
	if l.Kind == Interned {
		return l, ErrOtherWay
	} else if slices.ContainsFunc(items, func(v Value) bool { return v.Type() != String }) || l.Kind != EmptyList {
		return b.keeper.Append(h, l, items)
	}
	text := fmt.Sprint(items)
	if _, ok := b.lists[text]; !ok {
		b.lists[text] = uint32(len(b.lists))
	}
	return Container{Kind: Interned, Ref: b.lists[text]}, nil
}
