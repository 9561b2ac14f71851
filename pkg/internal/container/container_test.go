package container

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

// Contents to wrap in tests; they do not matter here.
const (
	aPickle = "\x80\x04}\x94."
	aJSON   = `{"segments": []}`
	aTensor = "\x80\x02}q\x00X\x01\x00\x00\x00wq\x01ctorch._utils\n_rebuild_tensor_v2\nq\x02((X"
	legacy  = "\x80\x02" + legacyMagic + "\x80\x02M\xe9\x03." +
		"\x80\x02}q\x00(X\x0d\x00\x00\x00little_endianq\x01\x88u."
)

func gzipped(data string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must(io.WriteString(z, data))
	must(0, z.Close())
	return b.String()
}

func zstded(data string) string {
	z, err := zstd.NewWriter(nil)
	must(0, err)
	return string(z.EncodeAll([]byte(data), nil))
}

// zipped is a zip of entries: name, data, name, data, ...
func zipped(method uint16, entries ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: entries[i], Method: method})
		must(0, err)
		must(io.WriteString(w, entries[i+1]))
	}
	must(0, z.Close())
	return b.String()
}

func vizPage(data string) string {
	return "\n<!DOCTYPE html>\n<html>\n<head>\n</head>\n<body>\n<script type=\"module\">\nimport {add_local_files} " +
		"from \"https://cdn.example/MemoryViz.js\"\n" +
		`const local_files = [{"name": "snapshot.pickle", "base64": "` +
		base64.StdEncoding.EncodeToString([]byte(data)) +
		"\"}]\nadd_local_files(local_files, 'Active Memory Timeline')\n</script>\n</body>\n"
}

func must(_ any, err error) {
	if err != nil {
		panic(err)
	}
}

func source(data string) Source {
	return Source{Reader: strings.NewReader(data), At: strings.NewReader(data), Size: int64(len(data))}
}

// pipe is a source that can be read only once, byte by byte.
func pipe(data string) Source { return Source{Reader: iotest.OneByteReader(strings.NewReader(data))} }

func TestOpen(t *testing.T) {
	for _, tt := range []struct {
		name, data, want string
		kind             Kind
		layers           []Kind
	}{
		{"plain", aPickle, aPickle, Pickle, nil},
		{"protocol 0", "(dp0\n.", "(dp0\n.", Pickle, nil},
		{"an empty dict of protocol 0", "}p0\n.", "}p0\n.", Pickle, nil},
		{"items before their dict", "(X\x01\x00\x00\x00aNd.", "(X\x01\x00\x00\x00aNd.", Pickle, nil},
		{"None, dropped", "N0(dp0\n.", "N0(dp0\n.", Pickle, nil},
		{"JSON", " \n" + aJSON, " \n" + aJSON, JSON, nil},
		{"gzip", gzipped(aPickle), aPickle, Pickle, []Kind{Gzip}},
		{"zstd", zstded(aPickle), aPickle, Pickle, []Kind{Zstd}},
		{"gzip in zstd in gzip", gzipped(zstded(gzipped(aJSON))), aJSON, JSON, []Kind{Gzip, Zstd, Gzip}},
		{"torch.save", zipped(zip.Store, "snap/data.pkl", aPickle, "snap/byteorder", "little", "snap/version", "3\n"),
			aPickle, Pickle, []Kind{Zip}},
		{"torch.save, deflated, gzipped",
			gzipped(zipped(zip.Deflate, "archive/version", "3\n", "archive/data.pkl", aPickle)), aPickle, Pickle,
			[]Kind{Gzip, Zip}},
		{"torch.save before 1.6", legacy + aPickle + "\x80\x02]q\x00.", aPickle + "\x80\x02]q\x00.", Pickle,
			[]Kind{TorchLegacy}},
		{"a zip of one file", zipped(zip.Deflate, "a/", "", "a/snap.pickle.gz", gzipped(aPickle), "__MACOSX/a", "x"),
			aPickle, Pickle, []Kind{Zip, Gzip}},
		{"a page", vizPage(aPickle + "\x00\x00"), aPickle + "\x00\x00", Pickle, []Kind{VizPage}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for way, src := range map[string]Source{"file": source(tt.data), "pipe": pipe(tt.data)} {
				p, err := Open(src, Limits{})
				if err != nil {
					t.Fatalf("%s: %v", way, err)
				}
				got, err := io.ReadAll(p)
				if err != nil || string(got) != tt.want {
					t.Errorf("%s: it holds %q (%v), want %q", way, got, err, tt.want)
				}
				if p.Kind != tt.kind || !slices.Equal(p.Layers, tt.layers) {
					t.Errorf("%s: %v in %v, want %v in %v", way, p.Kind, p.Layers, tt.kind, tt.layers)
				}
			}
		})
	}
}

// TestNotSnapshots has at least one row for each kind that holds no snapshot.
func TestNotSnapshots(t *testing.T) {
	seen := map[Kind]bool{}
	for _, tt := range []struct {
		name, data string
		kind       Kind
	}{
		{"nothing", "", Empty},
		{"nothing in a gzip", gzipped(""), Empty},
		{"Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", GitLFS},
		{"nsys", "SQLite format 3\x00\x10\x00", SQLite},
		{"timeline, JSON", "[[1700, 1800], [[0, 1], [2, 3]]]", MemoryTimeline},
		{"timeline of nothing", "[[], []]", MemoryTimeline},
		{"timeline, raw, gzipped", gzipped("[[-1, 0, 512, 1], [1700, 1, 512, 1]]"), MemoryTimeline},
		{"timeline, page", "<html>\n<head><meta charset=\"utf-8\" /><title>GPU Memory Timeline " +
			"HTML</title></head>\n<body>\n  <img src='data:image/png;base64,iVBO'>", MemoryTimeline},
		{"kineto", "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [", ChromeTrace},
		{"Chrome trace", `{"traceEvents":[{"ph":"X"}]}`, ChromeTrace},
		{"Chrome trace, events alone", `[{"name": "a", "ph": "X", "ts": 1}]`, ChromeTrace},
		{"model, torch.save", zipped(zip.Store, "model/data.pkl", aTensor, "model/byteorder", "little", "model/data/0",
			"\x00\x00"), Checkpoint},
		{"model, TorchScript", zipped(zip.Store, "m/data.pkl", aPickle, "m/code/x.py", "", "m/constants.pkl", aPickle),
			Checkpoint},
		{"model, pickled", aTensor, Checkpoint},
		{"model, pickled with protocol 4",
			"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x01w\x94\x8c\x0ctorch._utils\x94\x8c\x12_rebuild_tensor_v2\x94\x93", Checkpoint},
		{"model, before 1.6", legacy + aTensor, Checkpoint},
		{"report", "<!doctype html>\n<html><head><meta charset=\"utf-8\">\n<meta name=\"generator\" " +
			"content=\"memviz 0.1.0\">", Report},
		{"page", "<!DOCTYPE html><html><body>base64</body></html>", HTML},
		{"page of torch 2.0", "<script>let alloc_data = {\"actions\": []}</script>", HTML},
		{"PNG", "\x89PNG\r\n\x1a\n\x00\x00", Image},
		{"JPEG", "\xff\xd8\xff\xe0", Image},
		{"zip of two", zipped(zip.Store, "a.pickle", aPickle, "b.pickle", aPickle), Archive},
		{"zip of nothing", zipped(zip.Store), Archive},
		{"tar", strings.Repeat("x", 257) + "ustar\x0000", Archive},
		{"xz", "\xfd7zXZ\x00\x00", Compression},
		{"bzip2", "BZh91AY&SY\x00", Compression},
		{"UTF-16", "\xff\xfe{\x00", UTF16},
		{"words", "PK is how zips begin", Text},
		{"spaces", " \n\t", Text},
		{"words cut in a character", "caf\xc3", Text},
		{"ELF", "\x7fELF\x02\x01\x01\x00", Binary},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seen[tt.kind] = true
			for way, src := range map[string]Source{"file": source(tt.data), "pipe": pipe(tt.data)} {
				_, err := Open(src, Limits{})
				var not *NotSnapshotError
				if !errors.As(err, &not) || not.Kind != tt.kind {
					t.Errorf("%s: %v, want %v", way, err, tt.kind)
				}
			}
		})
	}
	for k := range numKinds {
		if k.String() == "" || !k.Holds() && !seen[k] {
			t.Errorf("kind %d, %q, has no name or no test", k, k)
		}
	}
}

// TestDamage: damaged files are reported as such, and cut ones are distinguished.
func TestDamage(t *testing.T) {
	noise := make([]byte, 300_000)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	long := "\x80\x04" + string(noise)
	flip := func(s string, at int) string { return s[:at] + string(s[at]^0x55) + s[at+1:] }
	for _, tt := range []struct {
		name, data string
		limits     Limits
		want       error
		says       string
	}{
		{"gzip's start", "\x1f\x8b\x07\x00\x00\x00\x00\x00\x00\x00", Limits{}, ErrDamaged,
			"the gzip cannot be unpacked"},
		{"gzip's sum", flip(gzipped(long), len(gzipped(long))-6), Limits{}, ErrDamaged, "checksum"},
		{"half a gzip", gzipped(long)[:150_000], Limits{}, io.ErrUnexpectedEOF, "the gzip ends in the middle"},
		{"two bytes of gzip", "\x1f\x8b", Limits{}, io.ErrUnexpectedEOF, "the gzip ends in the middle"},
		{"zstd", flip(zstded(long), len(zstded(long))-2), Limits{}, ErrDamaged, "the zstd cannot be unpacked"},
		{"half a zstd", zstded(long)[:150_000], Limits{}, io.ErrUnexpectedEOF, "the zstd ends in the middle"},
		{"half a zip", zipped(zip.Store, "x/data.pkl", long)[:150_000], Limits{}, io.ErrUnexpectedEOF,
			"the zip ends in the middle"},
		{"zip's sum", flip(zipped(zip.Store, "x/data.pkl", long), 200_000), Limits{}, ErrDamaged, "checksum"},
		{"half a page", vizPage(long)[:150_000], Limits{}, io.ErrUnexpectedEOF, "_memory_viz ends in the middle"},
		{"no base64", strings.Replace(vizPage(long), `: "gA`, `: "g!`, 1), Limits{}, ErrDamaged,
			"_memory_viz cannot be unpacked"},
		{"a bomb", gzipped("\x80\x04" + strings.Repeat("N", 1<<20)), Limits{FreeBytes: 1 << 18}, ErrLimit,
			"250 times its size"},
		{"a bomb in a zip", zipped(zip.Deflate, "data.pkl", "\x80\x04"+strings.Repeat("N", 1<<20)),
			Limits{FreeBytes: 1 << 18}, ErrLimit, "250 times its size"},
		{"too large", zstded(long), Limits{Bytes: 1 << 17}, ErrLimit, "131072 bytes"},
		{"too deep", gzipped(gzipped(gzipped(aPickle))), Limits{Layers: 2}, ErrLimit, "2 files inside"},
		{"too many entries", zipped(zip.Store, slices.Repeat([]string{"entry", ""}, 1000)...),
			Limits{DirectoryBytes: 20_000}, ErrLimit, "entries"},
		{"a large zip in a gzip", gzipped(zipped(zip.Store, "data.pkl", long)), Limits{HeldBytes: 1 << 17}, ErrZipSize,
			"128 KiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Open(source(tt.data), tt.limits)
			if err == nil {
				_, err = io.Copy(io.Discard, p)
			}
			if !errors.Is(err, tt.want) || !strings.Contains(fmt.Sprint(err), tt.says) {
				t.Errorf("%v is not %v, or does not say %q", err, tt.want, tt.says)
			}
		})
	}
}

// TestStreams: no more of a large file is read than is asked for, whatever its layers.
func TestStreams(t *testing.T) {
	data := "\x80\x04" + strings.Repeat("0123456789abcdef", 1<<16)
	for name, packed := range map[string]string{"plain": data, "page": vizPage(data), "before 1.6": legacy + data} {
		r := strings.NewReader(packed)
		if _, err := Open(Source{Reader: r}, Limits{}); err != nil {
			t.Fatal(err)
		}
		if read := len(packed) - r.Len(); read > 3*headBytes {
			t.Errorf("%s: %d bytes were read before anyone asked", name, read)
		}
	}
}

// TestBrokenReader: the reader's own error is passed on.
func TestBrokenReader(t *testing.T) {
	gone := errors.New("the other end is gone")
	for name, start := range map[string]string{"at once": "", "in a gzip": gzipped(aPickle)[:5],
		"in a pickle": aPickle[:3]} {
		p, err := Open(Source{Reader: io.MultiReader(strings.NewReader(start), iotest.ErrReader(gone))}, Limits{})
		if err == nil {
			_, err = io.ReadAll(p)
		}
		if !errors.Is(err, gone) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
