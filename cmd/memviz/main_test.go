package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") != "memviz" { // scripts run this binary as memviz
		for _, variable := range []string{"LC_ALL", "LC_CTYPE", "LANG"} { // expected texts are in Unicode
			os.Unsetenv(variable)
		}
		// Tests measure the memory of child processes, which Linux starts at this process's.
		os.Unsetenv("GOGC")
		debug.SetGCPercent(100)
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
			"bytes":   writeBytes,
			"damage":  damage,
			"gunzip":  unpack,
			"gzip":    pack,
			"head":    head,
			"lines":   lines,
			"ls":      ls,
			"record":  record,
			"replace": replace,
			"status":  status,
			"unzip":   unzip,
		},
	})
}

// writeBytes writes a file of bytes given in hex: bytes FILE HEX...
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: bytes FILE HEX...")
	}
	data, err := hex.DecodeString(strings.Join(args[1:], ""))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}

// head copies the first half of a file, or its first BYTES, or if negative all but the
// last ones: head FROM TO [BYTES]
func head(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: head FROM TO [BYTES]")
	}
	data := ts.ReadFile(args[0])
	n := len(data) / 2
	if len(args) == 3 {
		var err error
		n, err = strconv.Atoi(args[2])
		ts.Check(err)
		if n < 0 {
			n += len(data)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(data[:n]), 0o600))
}

// unpack unpacks NAME.gz as NAME beside it: gunzip FILE
func unpack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gunzip FILE")
	}
	r, err := gzip.NewReader(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	data, err := io.ReadAll(r)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(strings.TrimSuffix(args[0], ".gz")), data, 0o600))
}

// pack packs NAME as NAME.gz beside it: gzip FILE
func pack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gzip FILE")
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := io.WriteString(z, ts.ReadFile(args[0]))
	ts.Check(err)
	ts.Check(z.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".gz"), packed.Bytes(), 0o600))
}

// lines prints the lines of a file that match: lines REGEXP FILE
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines REGEXP FILE")
	}
	pattern, err := regexp.Compile(args[0])
	ts.Check(err)
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		if pattern.MatchString(line) {
			io.WriteString(ts.Stdout(), line)
		}
	}
}

// ls prints the names of all files in the current folder.
func ls(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: ls")
	}
	entries, err := os.ReadDir(ts.MkAbs("."))
	ts.Check(err)
	for _, entry := range entries {
		fmt.Fprintln(ts.Stdout(), entry.Name())
	}
}

// replace prints a file with every match replaced: replace REGEXP NEW FILE
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace REGEXP NEW FILE")
	}
	pattern, err := regexp.Compile(args[0])
	ts.Check(err)
	io.WriteString(ts.Stdout(), pattern.ReplaceAllString(ts.ReadFile(args[2]), args[1]))
}

// status runs a command that exits with a status: status N COMMAND ARGUMENT...
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND ARGUMENT...")
	}
	got, err := 0, ts.Exec(args[1], args[2:]...)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("the exit status is %d", got)
	}
}

// damage copies a file with an invalid opcode in its middle, right after a memo
// entry: damage FROM TO
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

// record writes a snapshot of N allocations: record FILE N
func record(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: record FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(snapshot.Write(f, testsnap.Incompressible(n), 4))
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
