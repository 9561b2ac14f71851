package snapshot

import (
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/internal/container"
	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// TestRatio: a packed file that unpacks to far more than a snapshot would is not
// unpacked, unless it is asked for.
func TestRatio(t *testing.T) {
	if testing.Short() {
		t.Skip("it unpacks some hundred megabytes")
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	block := strings.Repeat("\x95\x00\x00\x00\x00\x00\x00\x00\x00", 1<<16) // FRAME, which does nothing
	parts := []string{"\x80\x04}(\x8c\x08segments]"}
	for int64(len(parts)*len(block)) < container.DefaultLimits.FreeBytes+40<<20 {
		parts = append(parts, block)
	}
	for _, part := range append(parts, "u.") {
		if _, err := z.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := Read(bytes.NewReader(b.Bytes()), int64(b.Len()), pickle.Limits{})
	var over *container.LimitError
	if !errors.As(err, &over) || over.Limit != "ratio" {
		t.Errorf("%d bytes: %v", b.Len(), err)
	}
	if _, err := Read(bytes.NewReader(b.Bytes()), int64(b.Len()), pickle.Limits{Ratio: 2000}); err != nil {
		t.Errorf("with a higher limit: %v", err)
	}
}

// TestChecksum: what gzip says only at the end of a file counts, too.
func TestChecksum(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(write(t, small(), 4)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	data[len(data)-6] ^= 1
	if _, err := Read(bytes.NewReader(data), int64(len(data)), pickle.Limits{}); !errors.Is(err, gzip.ErrChecksum) {
		t.Errorf("got %v", err)
	}
}
