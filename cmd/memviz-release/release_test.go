package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/memviz-go/memviz/cmd/internal/build"
)

// stem begins the names of what these tests release.
const stem = "memviz-0.0.1-rc.1"

// TestRelease releases a commit twice, from clones in folders of different names and by people
// whose environments differ. All files must be the same, and be what they should be.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("builds memviz for two systems")
	}
	targets := []build.Target{{OS: "linux", Arch: "amd64"}, {OS: "windows", Arch: "arm64"}}
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

	var binaries [][]byte
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
	requireComponents(t, read(t, first, stem+".cdx.json"), notices, binaries)
	requirePackages(t, source, first, sums.String())
	if mode := untar(t, read(t, first, stem+"-source.tar.gz"))[stem+"/go.mod"].mode; mode != 0o644 {
		t.Errorf("go.mod in the source has mode %o", mode)
	}
}

// cloned clones HEAD into a folder of that name.
func cloned(t *testing.T, folder string) (dir string) {
	t.Helper()
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		t.Skip("this is no checkout of git")
	}
	dir = filepath.Join(t.TempDir(), folder)
	git := exec.Command("git", "clone", "--quiet", "--no-hardlinks", strings.TrimSpace(string(root)), dir)
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git clone: %v\n%s", err, out)
	}
	return dir
}

// released releases a clone of HEAD in a folder of that name.
func released(t *testing.T, folder string, targets []build.Target) (source *build.Source, out string) {
	t.Helper()
	clone, out := cloned(t, folder), t.TempDir()
	source, err := build.Open(t.Context(), clone, "v0.0.1-rc.1")
	if err != nil {
		t.Fatal(err)
	}
	if err := release(t.Context(), source, targets, out); err != nil {
		t.Fatal(err)
	}
	if err := release(t.Context(), source, targets, out); err == nil {
		t.Error("a release was written over another one")
	}
	return source, out
}

// requireBinary runs the binary without any environment, where it can run.
func requireBinary(t *testing.T, source *build.Source, binary []byte) {
	t.Helper()
	if bytes.Contains(binary, []byte(source.Dir)) {
		t.Error("the binary names the folder that it was built in")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return
	}
	file := filepath.Join(t.TempDir(), "memviz")
	if err := os.WriteFile(file, binary, 0o700); err != nil {
		t.Fatal(err)
	}
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

// requireComponents compares the bill of materials and the notices with what Go wrote into the binaries.
func requireComponents(t *testing.T, bill []byte, notices string, binaries [][]byte) {
	t.Helper()
	linked := map[string]bool{}
	for _, binary := range binaries {
		info, err := buildinfo.Read(bytes.NewReader(binary))
		if err != nil {
			t.Fatal(err)
		}
		linked["pkg:golang/std@"+strings.TrimPrefix(info.GoVersion, "go")] = true
		for _, d := range info.Deps {
			linked["pkg:golang/"+d.Path+"@"+d.Version] = true
		}
	}
	var bom cyclonedx.BOM
	if err := json.Unmarshal(bill, &bom); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, c := range *bom.Components {
		if listed[c.PackageURL] = true; !linked[c.PackageURL] && !strings.HasPrefix(c.PackageURL, "pkg:npm/") {
			t.Errorf("%s is in no binary", c.PackageURL)
		}
		if title := strings.TrimSpace(c.Name + " " + c.Version); !strings.Contains(notices, "\n"+title+"\n") {
			t.Errorf("%s has no notice", title)
		}
		if len(*c.Licenses) == 0 {
			t.Errorf("%s has no licence", c.PackageURL)
		}
	}
	for url := range linked {
		if !listed[url] {
			t.Errorf("%s is not in the bill of materials", url)
		}
	}
	if !listed["pkg:npm/echarts@5.6.0"] || !listed["pkg:npm/zrender@5.6.1"] {
		t.Error("ECharts is not in the bill of materials")
	}
	for _, text := range []string{"Apache License", "The Apache Software Foundation", "Baidu", "The Go Authors"} {
		if !strings.Contains(notices, text) {
			t.Errorf("%q is not in the notices", text)
		}
	}

	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	dir := filepath.Join(strings.TrimSpace(string(module)), "schema")
	for url, file := range map[string]string{
		"http://cyclonedx.org/schema/bom-1.6.schema.json":  "bom-1.6.schema.json",
		"http://cyclonedx.org/schema/spdx.schema.json":     "spdx.schema.json",
		"http://cyclonedx.org/schema/jsf-0.82.schema.json": "jsf-0.82.schemax.json",
	} {
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(read(t, dir, file)))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource(url, schema); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := compiler.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(bill))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
}

// requirePackages finds the checksums in the formula and the recipe.
func requirePackages(t *testing.T, source *build.Source, dir, sums string) {
	t.Helper()
	sumOf := map[string]string{}
	for line := range strings.Lines(sums) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sumOf[name] = sum
	}
	formula := string(read(t, dir, "memviz.rb"))
	const archive = stem + "-linux-amd64.tar.gz"
	download := "/releases/download/v0.0.1-rc.1/" + archive + "\"\n      sha256 \"" + sumOf[archive] + "\"\n"
	if !strings.Contains(formula, download) || strings.Contains(formula, "windows") {
		t.Errorf("the formula is\n%s", formula)
	}
	var recipe struct {
		Source  struct{ URL, SHA256 string }
		Context struct{ Version string }
		Build   struct {
			Script struct{ Env map[string]string }
		}
	}
	if err := yaml.Unmarshal(read(t, dir, "recipe.yaml"), &recipe); err != nil {
		t.Fatal(err)
	}
	const packed = stem + "-source.tar.gz"
	if !strings.HasSuffix(recipe.Source.URL, "/releases/download/v0.0.1-rc.1/"+packed) ||
		recipe.Source.SHA256 != sumOf[packed] || recipe.Context.Version != source.Version {
		t.Errorf("the recipe is %+v", recipe)
	}
	if flags := recipe.Build.Script.Env["LDFLAGS_GO"]; flags != source.LinkerFlags() {
		t.Errorf("the recipe links with %s, and releases with %s", flags, source.LinkerFlags())
	}
}

type unpackedFile struct {
	content []byte
	mode    fs.FileMode
	time    time.Time
}

func untar(t *testing.T, packed []byte) map[string]unpackedFile {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]unpackedFile{}
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if header.Uid != 0 || header.Gid != 0 {
			t.Errorf("%s belongs to %d:%d", header.Name, header.Uid, header.Gid)
		}
		files[header.Name] = unpackedFile{content, fs.FileMode(header.Mode), header.ModTime}
	}
}

func unzip(t *testing.T, packed []byte) map[string]unpackedFile {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]unpackedFile{}
	for _, f := range archive.File {
		content, err := fs.ReadFile(archive, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = unpackedFile{content, f.Mode(), f.Modified}
	}
	return files
}

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func read(t *testing.T, elements ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return content
}
