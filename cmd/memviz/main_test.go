package main

import (
	"archive/zip"
	"bytes"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memviz-go/memviz/pkg/samples"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testkit"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "memviz" { // as which scripts run this binary
		for _, variable := range []string{"LC_ALL", "LC_CTYPE", "LANG"} { // expected texts are in Unicode
			os.Unsetenv(variable)
		}
	}
	testscript.Main(m, map[string]func(){"memviz": main})
}

// example is the path of an example's snapshot.
func example(story string) string {
	return filepath.Join("..", "..", "examples", story, "snapshot.pickle.gz")
}

// TestScript runs the command as people do; each script is one topic.
func TestScript(t *testing.T) {
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	encodings, err := filepath.Abs(filepath.Join("..", "..", "pkg", "snapshot", "testdata", "encodings"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *testkit.Update,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			env.Setenv("ENCODINGS", encodings)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"bytes":  writeBytes,
			"damage": damage,
			"head":   head,
			"record": record,
			"unzip":  unzip,
		},
	})
}

// writeBytes makes a file of bytes given in hex: bytes FILE HEX...
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: bytes FILE HEX...")
	}
	data, err := hex.DecodeString(strings.Join(args[1:], ""))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}

// head copies the first half of a file: head FROM TO
func head(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: head FROM TO")
	}
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data[:len(data)/2], 0o600))
}

// damage copies a file with a byte in its middle that is no opcode, right behind
// a memo entry: damage FROM TO
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: damage FROM TO")
	}
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	const memoize = 0x94
	i := len(data)/2 + bytes.IndexByte(data[len(data)/2:], memoize)
	data[i+1] = 0xff
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o600))
}

// record writes a snapshot of so many allocations: record FILE N
func record(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: record FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(snapshot.Write(f, samples.Incompressible(n), 4))
	ts.Check(f.Close())
}

// unzip unpacks an archive of one file without a time, as unzipped-NAME: unzip FILE
func unzip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unzip FILE")
	}
	archive, err := zip.OpenReader(ts.MkAbs(args[0]))
	ts.Check(err)
	defer archive.Close()
	if len(archive.File) != 1 {
		ts.Fatalf("%s holds %d files", args[0], len(archive.File))
	}
	entry := archive.File[0]
	if year := entry.Modified.Year(); year > 1980 {
		ts.Fatalf("%s is of the year %d", entry.Name, year)
	}
	r, err := entry.Open()
	ts.Check(err)
	data, err := io.ReadAll(r)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("unzipped-"+entry.Name), data, 0o666))
}
