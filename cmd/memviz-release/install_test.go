package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/memviz-go/memviz/cmd/internal/build"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestInstall runs go install as somebody without a checkout does: the module comes from a proxy,
// here a folder, as the archive that Go makes of a commit. It must contain the embedded files.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds memviz")
	}
	checkout := cloned(t, "memviz")
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	const version = "v0.0.1-rc.1"
	proxy := t.TempDir()
	versions := filepath.Join(proxy, build.Module, "@v")
	if err := os.MkdirAll(versions, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"list": version + "\n", version + ".info": `{"Version":"` + version + `"}`,
		version + ".mod": string(read(t, checkout, "go.mod")),
	} {
		testkit.WriteFile(t, filepath.Join(versions, name), content)
	}
	archive, err := os.Create(filepath.Join(versions, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	memviz := module.Version{Path: build.Module, Version: version}
	if err := zip.CreateFromVCS(archive, memviz, checkout, "HEAD", ""); err != nil {
		t.Fatal(err)
	}

	home := t.TempDir()
	// A module cache can serve as a proxy, without a network.
	downloads := filepath.ToSlash(filepath.Join(strings.TrimSpace(string(cache)), "cache", "download"))
	// Without -trimpath, every module would be recompiled for its folder in the new cache, and
	// without -pgo=off for memviz's profile.
	install := exec.Command("go", "install", "-modcacherw", build.Command+"@latest")
	install.Dir = home
	install.Env = append(os.Environ(), "GOPROXY=file://"+slashed(proxy)+",file://"+slashed(downloads), "GOSUMDB=off",
		"GOFLAGS=-trimpath -pgo=off", "GOBIN="+home, "GOMODCACHE="+filepath.Join(home, "modules"), "GOWORK=off")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	installed := filepath.Join(home, build.Target{OS: runtime.GOOS, Arch: runtime.GOARCH}.Executable())
	out, err := exec.Command(installed, "version", "--format", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var said struct{ Version string }
	if err := json.Unmarshal(out, &said); err != nil || said.Version != "0.0.1-rc.1" {
		t.Errorf("it says %s, %v", out, err)
	}
	report := filepath.Join(home, "report.html")
	snapshot := filepath.Join(checkout, "examples", "training-loop", "snapshot.pickle.gz")
	if out, err := exec.Command(installed, "trace", snapshot, "-o", report).CombinedOutput(); err != nil {
		t.Fatalf("trace: %v\n%s", err, out)
	}
	if page := string(read(t, report)); !strings.Contains(page, "memviz 0.0.1-rc.1") || len(page) < 100_000 {
		t.Errorf("the report has %d bytes", len(page))
	}
}

// slashed converts a path to one in a URL; Windows paths begin with a drive letter.
func slashed(path string) string { return "/" + strings.TrimPrefix(filepath.ToSlash(path), "/") }
