package snapshot

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// A pipe gives the same snapshot as a file, whichever way it needs.
func TestReadPipe(t *testing.T) {
	plain := write(t, small(), 4)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(plain); err != nil || z.Close() != nil {
		t.Fatal("gzip does not write")
	}
	// An empty OrderedDict, made and dropped again in front of the rest, is
	// nothing that Stream speaks.
	ordered := append([]byte("\x80\x04ccollections\nOrderedDict\n)R0"), plain[2:]...)
	for _, test := range []struct {
		name string
		data []byte
		way  string
	}{
		{"plain", plain, wayStream},
		{"gzip", zipped.Bytes(), wayStream},
		{"ordered", ordered, wayGopickle},
	} {
		want, err := Read(bytes.NewReader(test.data), int64(len(test.data)), pickle.Limits{})
		if err != nil || want.Format.Way != test.way {
			t.Fatalf("%s: %+v, %v", test.name, want, err)
		}
		got, err := ReadPipe(iotest.OneByteReader(bytes.NewReader(test.data)), Options{})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the pipe's snapshot differs (%v)", test.name, err)
		}
	}
}

func TestReadPipeErrors(t *testing.T) {
	broken := errors.New("the other end is gone")
	for _, test := range []struct {
		name string
		in   io.Reader
		want error
	}{
		{"empty", bytes.NewReader(nil), nil},
		{"broken at once", iotest.ErrReader(broken), broken},
		{"broken", io.MultiReader(bytes.NewReader(write(t, small(), 4)[:100]), iotest.ErrReader(broken)), broken},
		{"text", bytes.NewReader([]byte("hello, world")), nil},
	} {
		if s, err := ReadPipe(test.in, Options{}); s != nil || err == nil || test.want != nil &&
			!errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

// What is near the start of a pipe can be read again, the rest cannot.
func TestPipeSeek(t *testing.T) {
	for _, test := range []struct {
		size int
		want error
	}{{0, nil}, {1, nil}, {keptBytes, nil}, {keptBytes + 1, errOneReading}} {
		data := make([]byte, test.size)
		for i := range data {
			data[i] = byte(i * 7)
		}
		p := &pipe{in: bytes.NewReader(data)}
		for round := range 3 {
			got, err := io.ReadAll(p)
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%d bytes, round %d: %d come back, %v", test.size, round, len(got), err)
			}
			if _, err := p.Seek(0, io.SeekStart); err != test.want {
				t.Errorf("%d bytes, round %d: %v, want %v", test.size, round, err, test.want)
			}
			if test.want != nil {
				break
			}
		}
	}
}

// Progress never steps back in one reading, and ends with the whole file.
func TestProgress(t *testing.T) {
	data := append(write(t, small(), 4), make([]byte, 5*progressEvery/2)...)
	w := &watchedReader{ReadSeeker: bytes.NewReader(data), size: int64(len(data))}
	var told []int64
	w.progress = func(read, size int64) {
		if size != int64(len(data)) {
			t.Errorf("a size of %d, want %d", size, len(data))
		}
		told = append(told, read)
	}
	if _, err := io.Copy(io.Discard, io.LimitReader(w, 1<<40)); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(told) || len(told) != 3 || told[2] != int64(len(data)) {
		t.Errorf("progress was told %v", told)
	}
	if _, err := w.Seek(0, io.SeekStart); err != nil || w.read != 0 {
		t.Errorf("after going back %d are read (%v)", w.read, err)
	}

	path := filepath.Join(t.TempDir(), "snap.pickle")
	if err := os.WriteFile(path, write(t, small(), 4), 0o666); err != nil {
		t.Fatal(err)
	}
	last := make(chan int64, 100)
	s, err := OpenWith(path, Options{Progress: func(read, size int64) { last <- read - size }})
	if err != nil || s.Traces == nil || <-last != 0 {
		t.Errorf("a small file is not told of at its end (%v)", err)
	}
}
