package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// tenGB is the unpacked size of the bombs below, in bytes.
const tenGB = 10_000_000_000

// TestHostilePacked runs the program on small files that unpack to far more, as
// a file and through a pipe.
func TestHostilePacked(t *testing.T) {
	if testing.Short() {
		t.Skip("memory is measured, of which a program with the race detector takes several times as much")
	}
	const json = `{"segments":[` // spaces may follow, for ever
	for _, tt := range []struct {
		name string
		data []byte
		says string
	}{
		{"a zip of 10 GB of zeros", zipBomb(t, "", 0), "binary data of an unknown kind"},
		{"a zip of 10 GB of spaces", zipBomb(t, json, ' '), "--limit ratio=N"},
		{"a zip of 10 GB of opcodes", zipBomb(t, "\x80\x04](", 'N'), "--limit memory=N"},
		{"a zip of 10 GB of zeros in a zip", zipped(t, zipBomb(t, "", 0)), "binary data of an unknown kind"},
		{"a zip of 10 GB of spaces in a zip", zipped(t, zipBomb(t, json, ' ')), "--limit ratio=N"},
		{"a zip of 65,535 files", manyFiles(t, 65_535), "a zip of 65,535 files"},
		{"a zip in a zip in a zip", zipped(t, zipped(t, zipped(t, zipped(t, zipped(t, []byte("{}")))))),
			"more than 4 files inside one another"},
		{"a zstd of 10 GB of zeros", zstdBomb("", 0), "binary data of an unknown kind"},
		{"a zstd of 10 GB of spaces", zstdBomb(json, ' '), "--limit ratio=N"},
		{"a zstd of 10 GB of opcodes", zstdBomb("\x80\x04](", 'N'), "--limit memory=N"},
		{"a zstd with a window of 3.75 TB", []byte("\x28\xb5\x2f\xfd\x00\xff"), "the zstd cannot be unpacked"},
		{"a page with 10 MB of base64", vizPage(strings.Repeat("gARd", 2_500_000)), "--limit memory=N"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "bomb")
			testkit.WriteFile(t, path, tt.data)
			requireHarmless(t, "file", exec.Command("memviz", "stats", path), tt.says)
			c := exec.Command("memviz", "stats", "-")
			c.Stdin = bytes.NewReader(tt.data)
			requireHarmless(t, "pipe", c, tt.says)
		})
	}
}

// zipBomb makes a zip of one file: the text, then a repeated byte.
func zipBomb(t *testing.T, text string, fill byte) []byte {
	t.Helper()
	const block = 10_000_000
	deflated := append(deflatedPart(t, []byte(text)),
		bytes.Repeat(deflatedPart(t, bytes.Repeat([]byte{fill}, block)), tenGB/block)...)
	deflated = append(deflated, 3, 0) // an empty block, the last
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&zip.FileHeader{Name: "snapshot.pickle", Method: zip.Deflate,
		CompressedSize64: uint64(len(deflated)), UncompressedSize64: uint64(len(text)) + tenGB})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(deflated); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// deflatedPart returns a part of a DEFLATE stream that any other may follow.
func deflatedPart(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zstdBomb makes a zstd frame of the text and a repeated byte (RFC 8878, 3.1.1).
func zstdBomb(text string, fill byte) []byte {
	const (
		block  = 128 << 10 // the largest possible
		header = block<<3 | 1<<1
	)
	data := append([]byte("\x28\xb5\x2f\xfd\x00\x38"), byte(len(text))<<3, 0,
		0) // no size, a window of 128 KiB; a raw block
	data = append(data, text...)
	repeated := []byte{header & 0xff, header >> 8 & 0xff, header >> 16, fill}
	data = append(data, bytes.Repeat(repeated, tenGB/block)...)
	return append(data, 1, 0, 0) // an empty raw block, the last
}

// zipped is a zip of one file.
func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("inner.zip")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func manyFiles(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := range n {
		if _, err := z.CreateHeader(&zip.FileHeader{Name: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// vizPage makes a page of _memory_viz with the given base64 in it.
func vizPage(base64 string) []byte {
	return []byte("<!DOCTYPE html>\n<script>\nimport {add_local_files} from " +
		"\"https://cdn.jsdelivr.net/gh/pytorch/pytorch@main/torch/utils/viz/MemoryViz.js\"\n" +
		`const local_files = [{"name": "snapshot.pickle", "base64": "` + base64 + `"}]` +
		"\nadd_local_files(local_files)\n</script>\n")
}
