package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// needs are the modules that the Python tests import; the Makefile has the same list.
const needs = "ensurepip, pytest, ipykernel, nbconvert"

// TestInstalled installs the wheel of this system with pip, offline, and uses it.
func TestInstalled(t *testing.T) {
	python := install(t)
	bin := filepath.Dir(python)
	t.Run("the command runs", func(t *testing.T) {
		if out := output(t, exec.Command(filepath.Join(bin, "memviz"), "version")); !strings.HasPrefix(out, "memviz ") {
			t.Errorf("memviz version prints %q", out)
		}
	})
	t.Run("pytest", func(t *testing.T) {
		tests := filepath.Join(root(t), "assets", "python", "tests")
		c := exec.Command(python, "-B", "-m", "pytest", "-q", "-ra", "-p", "no:cacheprovider", tests)
		c.Dir = t.TempDir() // in the root of the sources, Python would import those
		t.Log(output(t, c))
	})
	t.Run("a page of nbconvert", func(t *testing.T) { testConverted(t, python) })
	t.Run("a notebook", func(t *testing.T) { testNotebook(t, python) })
}

// install makes a virtual environment with the wheel of this system and returns its Python.
func install(t *testing.T) (python string) {
	t.Helper()
	system := findPython(t)
	w := wheel{contents: testContents(t), command: "memviz" + exeSuffix()}
	for _, p := range platforms {
		if p.target.OS == runtime.GOOS && p.target.Arch == runtime.GOARCH && w.tags == nil {
			w.tags = p.tags
		}
	}
	if w.tags == nil {
		t.Skip("no wheel for this system")
	}
	// Built with the flags of the tests, so that most packages are compiled already.
	binary := filepath.Join(t.TempDir(), w.command)
	output(t, exec.Command("go", "build", "-o", binary, "github.com/memviz-go/memviz/cmd/memviz"))
	var err error
	if w.binary, err = os.ReadFile(binary); err != nil {
		t.Fatal(err)
	}
	archive, err := w.archive()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), w.fileName())
	testkit.WriteFile(t, file, archive)
	venv := t.TempDir()
	output(t, exec.Command(system, "-m", "venv", "--system-site-packages", venv))
	python = filepath.Join(venv, "bin", "python")
	if runtime.GOOS == "windows" {
		python = filepath.Join(venv, "Scripts", "python.exe")
	}
	output(t, exec.Command(python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check",
		file))
	return python
}

// root is the absolute path of the checkout.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(testkit.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// findPython returns a Python with the needed modules, such as Debian's if the first on the
// path lacks them.
func findPython(t *testing.T) string {
	t.Helper()
	needs := needs
	if *realNotebook {
		needs += ", notebook"
	}
	for _, name := range []string{"python3", "/usr/bin/python3", "python"} {
		if path, err := exec.LookPath(name); err == nil && exec.Command(path, "-c", "import "+needs).Run() == nil {
			return path
		}
	}
	if os.Getenv("MEMVIZ_NEED_PYTHON") != "" {
		t.Fatal("no Python here has " + needs)
	}
	t.Skip("no Python here has " + needs)
	return ""
}

// output returns the stdout of a command; the test fails if the command does.
func output(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	c.Env = append(c.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PIP_CONFIG_FILE="+os.DevNull)
	out, err := c.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("%v: %v\n%s%s", c.Args, err, out, exit.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
