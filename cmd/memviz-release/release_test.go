package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/cmd/internal/build"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// stem is the prefix of the released file names in these tests.
const stem = "memviz-0.0.1-rc.1"

// otherTarget is packed as a zip. CI compiles for it elsewhere, which takes as long as all other
// compiling here.
var otherTarget = build.Target{OS: "windows", Arch: "arm64"}

// TestRelease releases a commit twice, from clones in different folders and with different
// environments. All files must be identical and have the expected contents.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("builds memviz")
	}
	targets := []build.Target{{OS: "linux", Arch: "amd64"}, otherTarget}
	source, first := released(t, "a", targets)
	t.Setenv("GOFLAGS", "-tags=other")
	t.Setenv("GOAMD64", "v3")
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("TZ", "Asia/Kathmandu")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "tar.umask")
	t.Setenv("GIT_CONFIG_VALUE_0", "0077")
	_, second := released(t, "a longer name", targets)

	names := namesIn(t, first)
	want := []string{"SHA256SUMS", stem + "-linux-amd64.tar.gz", stem + "-source.tar.gz", stem + "-windows-arm64.zip",
		stem + ".cdx.json", "memviz.rb", "recipe.yaml"}
	if !slices.Equal(names, want) {
		t.Fatalf("files %q, want %q", names, want)
	}
	if got := namesIn(t, second); !slices.Equal(got, names) {
		t.Errorf("the second time the files are %q", got)
	}
	var sums strings.Builder
	for _, name := range names {
		content := read(t, first, name)
		if !bytes.Equal(content, read(t, second, name)) {
			t.Errorf("%s differs the second time", name)
		}
		if name != "SHA256SUMS" {
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name)
		}
	}
	if got := string(read(t, first, "SHA256SUMS")); got != sums.String() {
		t.Errorf("SHA256SUMS is\n%s, want\n%s", got, sums.String())
	}

	var binaries [][]byte // Linux, Windows
	linux := untar(t, read(t, first, stem+"-linux-amd64.tar.gz"))
	windows := unzip(t, read(t, first, stem+"-windows-arm64.zip"))
	for _, unpacked := range []map[string]unpackedFile{linux, windows} {
		for name, file := range unpacked {
			if !file.time.Equal(source.Time) {
				t.Errorf("%s is of %s, the commit of %s", name, file.time, source.Time)
			}
			mode := fs.FileMode(0o644)
			if strings.HasPrefix(filepath.Base(name), "memviz") {
				mode = 0o755
				binaries = append(binaries, file.content)
			}
			if file.mode != mode {
				t.Errorf("%s has mode %o", name, file.mode)
			}
		}
	}
	if len(binaries) != 2 {
		t.Fatalf("%d binaries", len(binaries))
	}
	requireBinary(t, source, binaries[0])
	notices := string(linux[stem+"-linux-amd64/NOTICES"].content)
	requireComponents(t, read(t, first, stem+".cdx.json"), notices, linkedInto(t, source, binaries[0]))
	requirePackages(t, source, first, sums.String())
	requireInstructions(t, first)
	if mode := untar(t, read(t, first, stem+"-source.tar.gz"))[stem+"/go.mod"].mode; mode != 0o644 {
		t.Errorf("go.mod in the source has mode %o", mode)
	}
}

// cloned clones HEAD into a folder with the given name.
func cloned(t *testing.T, folder string) (dir string) {
	t.Helper()
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		t.Skip("this is not a git checkout")
	}
	dir = filepath.Join(t.TempDir(), folder)
	git := exec.Command("git", "clone", "--quiet", "--no-hardlinks", strings.TrimSpace(string(root)), dir)
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git clone: %v\n%s", err, out)
	}
	return dir
}

// released releases a clone of HEAD in a folder with the given name.
func released(t *testing.T, folder string, targets []build.Target) (source *build.Source, out string) {
	t.Helper()
	clone, out := cloned(t, folder), t.TempDir()
	source, err := build.Open(t.Context(), clone, "v0.0.1-rc.1")
	if err != nil {
		t.Fatal(err)
	}
	source.Flags = []string{"-pgo=off"} // as in make test, so that most packages are compiled already
	compile := func(ctx context.Context, target build.Target, file string) error {
		if target == otherTarget {
			return os.WriteFile(file, []byte("a program for "+target.String()), 0o700)
		}
		return source.Binary(ctx, target, file)
	}
	if err := release(t.Context(), source, compile, targets, out); err != nil {
		t.Fatal(err)
	}
	if err := release(t.Context(), source, compile, targets, out); err == nil {
		t.Error("a release was written over another one")
	}
	return source, out
}

// requireBinary runs the binary with an empty environment, if this system can run it.
func requireBinary(t *testing.T, source *build.Source, binary []byte) {
	t.Helper()
	if bytes.Contains(binary, []byte(source.Dir)) {
		t.Error("the binary names the folder that it was built in")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return
	}
	file := filepath.Join(t.TempDir(), "memviz")
	testkit.WriteProgram(t, file, string(binary))
	c := exec.Command(file, "version", "--format", "json")
	c.Env = []string{}
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var said struct{ Version, Commit string }
	if err := json.Unmarshal(out, &said); err != nil || said.Version != "0.0.1-rc.1" || said.Commit != source.Commit {
		t.Errorf("it says %s, %v", out, err)
	}
}

// requireInstructions follows the README's installation instructions with an empty home. The
// release is a local folder, not a web page.
func requireInstructions(t *testing.T, dir string) {
	t.Helper()
	for _, program := range []string{"sh", "curl", "sha256sum", "tar"} {
		if _, err := exec.LookPath(program); err != nil || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
			t.Log("README's instructions are for Linux with curl, sha256sum and tar, and were not tried")
			return
		}
	}
	readme := string(read(t, "..", "..", "README.md"))
	_, section, _ := strings.Cut(readme, "\n## Install\n")
	_, block, _ := strings.Cut(section, "\n```\n")
	script, _, _ := strings.Cut(block, "\n```\n")
	released := regexp.MustCompile(`https://\S+/releases/download/v\$v`)
	_, rest, _ := strings.Cut(script, " ")
	if len(released.FindAllString(script, -1)) != 1 || !strings.HasPrefix(script, "v=") {
		t.Fatalf("README says to install a release by\n%s", script)
	}
	script = "v=0.0.1-rc.1 " + rest
	script = released.ReplaceAllLiteralString(script, "file://"+dir)
	sh := exec.Command("sh", "-e", "-c", script)
	sh.Dir = t.TempDir()
	sh.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	out, err := sh.CombinedOutput()
	if err != nil || !strings.Contains(string(out), stem+"-linux-amd64.tar.gz: OK\n") ||
		!strings.Contains(string(out), "\nmemviz 0.0.1-rc.1\n") {
		t.Errorf("README's instructions print %v\n%s", err, out)
	}
}
