package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/memviz-go/memviz/cmd/internal/build"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// linkedInto returns the URLs of the modules that Go recorded in a binary, and of those it would
// record in the one for otherTarget.
func linkedInto(t *testing.T, source *build.Source, binary []byte) map[string]bool {
	t.Helper()
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{"pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"): true}
	for _, d := range info.Deps {
		linked["pkg:golang/"+d.Path+"@"+d.Version] = true
	}
	const modules = "{{with .Module}}{{if not .Main}}pkg:golang/{{.Path}}@{{.Version}}{{end}}{{end}}"
	others, err := source.Go(t.Context(), otherTarget, "list", "-deps", "-f", modules, build.Command)
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range strings.Fields(others) {
		linked[url] = true
	}
	return linked
}

// requireComponents compares the bill of materials and the notices with the linked modules.
func requireComponents(t *testing.T, bill []byte, notices string, linked map[string]bool) {
	t.Helper()
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
	content := testkit.ReadFile(t, filepath.Join(elements...))
	return content
}
