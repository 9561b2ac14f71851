package job_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/memviz-go/memviz/pkg/answer"
	. "github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestReadBack writes the digests of all snapshots and reads them.
func TestReadBack(t *testing.T) {
	read := 0
	for _, path := range append(testkit.Snapshots(t), testkit.Encodings(t)...) {
		in := open(t, path)
		for _, r := range in.Recordings {
			d := DigestOf(r)
			d.File = File{Name: "snap", Path: path, SHA256: "00"}
			var text bytes.Buffer
			if err := WriteDigests(&text, &d); err != nil {
				t.Fatal(err)
			}
			got := readAll(t, text.String())
			if len(got) != 1 || !reflect.DeepEqual(got[0], d) {
				t.Errorf("%s: %+v\nwant %+v", path, got, d)
			}
			read++
		}
	}
	if read == 0 {
		t.Error("nothing was read")
	}
}

// sample is a digest with a name.
func sample(rank int) Digest {
	in := answer.NewInput("snapshot", testsnap.Training())
	d := DigestOf(in.Recordings[0])
	d.Name = Name{Rank: rank, Label: fmt.Sprint(rank), From: "word"}
	d.File = File{Name: fmt.Sprintf("rank%d.pickle", rank), Path: fmt.Sprintf("job/rank%d.pickle", rank), Bytes: 4096,
		SHA256: fmt.Sprintf("%032x", rank)}
	return d
}

func line(t *testing.T, d Digest) string {
	t.Helper()
	var text bytes.Buffer
	if err := WriteDigests(&text, &d); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func readAll(t *testing.T, files ...string) []Digest {
	t.Helper()
	var s DigestSet
	for i, text := range files {
		if err := s.Read(strings.NewReader(text), fmt.Sprintf("file %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	return s.Digests()
}

// TestAnyOrder joins digests in random orders and groups, some of them several times.
func TestAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var lines []string
	for rank := range 12 {
		d := sample(rank)
		d.Name.OOM = rank%5 == 0
		if rank%4 == 1 {
			d.Name.Step = new(rank % 3)
		}
		d.Device = rank % 2
		if rank == 7 {
			d.File.SHA256 = "" // as with --redact paths
		}
		lines = append(lines, line(t, d))
		if rank == 3 {
			d.File.Host = "node1"
			lines = append(lines, line(t, d)) // the same file, made into a digest twice
		}
	}
	lines = append(lines, line(t, Digest{Schema: DigestSchema, File: File{Name: "a", Path: "a"}, Error: "it is empty"}))
	want := readAll(t, lines...)
	if len(want) != len(lines)-1 {
		t.Fatalf("%d digests of %d lines", len(want), len(lines))
	}
	for range 50 {
		files := make([]string, 1+random.IntN(5))
		for range 2 {
			for _, i := range random.Perm(len(lines)) {
				files[random.IntN(len(files))] += lines[i]
			}
		}
		if got := readAll(t, files...); !reflect.DeepEqual(got, want) {
			t.Fatalf("another list: %+v", got)
		}
	}
	for i := 1; i < len(want); i++ {
		if Compare(&want[i-1], &want[i]) > 0 {
			t.Errorf("%+v is in front of %+v", want[i-1].Name, want[i].Name)
		}
	}
}

// TestCopiesOfAFile: ranks with equal files are two ranks all the same.
func TestCopiesOfAFile(t *testing.T) {
	a, b := sample(1), sample(2)
	b.File.SHA256 = a.File.SHA256
	if got := readAll(t, line(t, a)+line(t, b)); len(got) != 2 {
		t.Errorf("%d digests", len(got))
	}
}

// TestNamedTwice: a file whose name was read alone and among others is one file, unless
// its process said which rank it is.
func TestNamedTwice(t *testing.T) {
	a, b := sample(1), sample(1)
	b.Name = Name{Rank: 0, Label: "0", From: "order"}
	if got := readAll(t, line(t, a)+line(t, b)); len(got) != 1 {
		t.Errorf("%d digests", len(got))
	}
	a.Name.From, b.Name.From = FromEnvironment, FromEnvironment
	if got := readAll(t, line(t, a)+line(t, b)); len(got) != 2 {
		t.Errorf("%d digests of two processes", len(got))
	}
}

func packed(t *testing.T, texts ...string) []byte {
	t.Helper()
	var file bytes.Buffer
	for _, text := range texts {
		w := gzip.NewWriter(&file)
		w.Write([]byte(text))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return file.Bytes()
}

// TestEncodings reads digests from files as people have them.
func TestEncodings(t *testing.T) {
	a, b := line(t, sample(0)), line(t, sample(1))
	want := readAll(t, a+b)
	var z bytes.Buffer
	w, err := zstd.NewWriter(&z)
	if err != nil {
		t.Fatal(err)
	}
	w.Write([]byte(a + b))
	w.Close()
	gz := packed(t, a, b)
	for name, test := range map[string]struct {
		file  []byte
		ranks int
		bad   string
	}{
		"not packed":              {[]byte(a + b), 2, ""},
		"no end of the last line": {[]byte(a + strings.TrimSpace(b)), 2, ""},
		"Windows":                 {[]byte(strings.ReplaceAll(a+b, "\n", "\r\n")), 2, ""},
		"empty lines":             {[]byte(a + "\n\n" + b + "\n"), 2, ""},
		"gzip, members":           {gz, 2, ""},
		"zstd":                    {z.Bytes(), 2, ""},
		"a last line that is cut": {[]byte(a + b[:len(b)/2]), 2, "ends in the middle"},
		"cut in the name":         {[]byte(a + b[:40]), 2, "ends in the middle"},
		"gzip, cut in a member":   {gz[:len(gz)-100], 2, "ends in the middle"},
		"a first that is cut":     {[]byte(a[:len(a)/2] + b), 2, "ends in the middle"},
		"garbage between":         {[]byte(a + "garbage\n" + b), 3, "it is not a digest"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(path, test.file, 0o644); err != nil {
				t.Fatal(err)
			}
			var s DigestSet
			if ok, err := s.ReadFile(path); !ok || err != nil {
				t.Fatal(ok, err)
			}
			got := s.Digests()
			if len(got) != test.ranks {
				t.Fatalf("%d digests", len(got))
			}
			if test.bad == "" && !reflect.DeepEqual(got, want) {
				t.Errorf("another list: %+v", got)
			}
			errors := 0
			for i := range got {
				if got[i].Error != "" {
					errors++
					if !strings.Contains(got[i].Error, test.bad) {
						t.Errorf("%s, want %q", got[i].Error, test.bad)
					}
				}
			}
			if (errors > 0) != (test.bad != "") {
				t.Errorf("%d ranks cannot be read", errors)
			}
		})
	}
}

// TestCutLineKeepsItsName: the text before a cut names the rank.
func TestCutLineKeepsItsName(t *testing.T) {
	text := line(t, sample(7))
	got := readAll(t, text[:len(text)/2])
	if len(got) != 1 || got[0].Name.Label != "7" || got[0].File.Name != "rank7.pickle" || got[0].Error == "" {
		t.Errorf("%+v", got)
	}
}
