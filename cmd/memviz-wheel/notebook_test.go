package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

var realNotebook = flag.Bool("notebook", false, "also run a notebook in Jupyter's own page, as make notebook does")

// maxNotebook bounds the size of a notebook that shows a small recording, in bytes.
const maxNotebook = 350_000

// testConverted runs a notebook, turns it into a page, and looks at the report in it.
func testConverted(t *testing.T, python string) {
	dir := notebookFolder(t, python)
	jupyter(t, python, dir, "nbconvert", "--log-level=WARN", "--execute", "--inplace", "--to", "notebook", "run.ipynb")
	text := testkit.ReadFile(t, filepath.Join(dir, "run.ipynb"))
	t.Logf("the notebook has %d bytes", len(text))
	if len(text) > maxNotebook || len(text) < maxNotebook/4 {
		t.Errorf("the notebook has %d bytes, want at most %d", len(text), maxNotebook)
	}
	jupyter(t, python, dir, "nbconvert", "--log-level=WARN", "--to", "html", "run.ipynb")
	for _, width := range []int64{1400, 520} {
		p := openPage(t, "file://"+filepath.ToSlash(filepath.Join(dir, "run.html")), width)
		p.checkReport()
		p.screenshot(fmt.Sprintf("nbconvert-%d", width))
		p.requireNoTrouble()
	}
}

// testNotebook runs the notebook as a person does, in the page of a Jupyter server.
func testNotebook(t *testing.T, python string) {
	if !*realNotebook {
		t.Skip("only make notebook starts Jupyter")
	}
	dir := notebookFolder(t, python)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	port := address[strings.LastIndex(address, ":")+1:]
	listener.Close()
	server := jupyterCommand(python, dir, "notebook", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port="+port,
		"--NotebookApp.port_retries=0", "--NotebookApp.token=", "--NotebookApp.password=")
	said, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Signal(os.Interrupt)
		server.Process.Signal(os.Interrupt) // the second means yes, also for its kernel
		server.Wait()
	})
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.Contains(lines.Text(), "http://"+address) {
		t.Log(lines.Text())
	}
	go func() { // nobody else reads its output
		for lines.Scan() {
		}
	}()
	p := openPage(t, "http://"+address+"/notebooks/run.ipynb", 1400)
	p.until("window.Jupyter?.notebook?.kernel?.is_connected()")
	p.forgetTrouble() // Jupyter's page looks for extensions that are not installed
	p.evaluate("Jupyter.notebook.execute_all_cells()")
	p.checkReport()
	p.until("document.body.innerText.includes('reserved')") // the output of %memviz stats
	p.screenshot("notebook")
	p.requireNoTrouble()
	p.evaluate("Jupyter.notebook.kernel.kill()")
}

// notebookFolder is a folder with the notebook run.ipynb and a kernel for it.
func notebookFolder(t *testing.T, python string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, value any) {
		t.Helper()
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		testkit.WriteFile(t, path, text)
	}
	type object = map[string]any
	write("jupyter/kernels/memviz/kernel.json", object{
		"argv":         []string{python, "-m", "ipykernel_launcher", "-f", "{connection_file}"},
		"display_name": "memviz", "language": "python",
	})
	snapshot := filepath.Join(root(t), "examples", "training-loop", "snapshot.pickle.gz")
	cells := []object{}
	for _, source := range []string{
		fmt.Sprintf("import torch_memviz\ntorch_memviz.show(%q)", snapshot),
		fmt.Sprintf("%%load_ext torch_memviz\n%%memviz stats '%s'", snapshot),
	} {
		cells = append(cells, object{"cell_type": "code", "execution_count": nil, "metadata": object{},
			"outputs": []any{}, "source": source})
	}
	write("run.ipynb", object{
		"cells": cells, "nbformat": 4, "nbformat_minor": 4,
		"metadata": object{"kernelspec": object{"name": "memviz", "display_name": "memviz", "language": "python"}},
	})
	return dir
}

func jupyter(t *testing.T, python, dir string, args ...string) {
	t.Helper()
	output(t, jupyterCommand(python, dir, args...))
}

// jupyterCommand runs a Jupyter program confined to the folder.
func jupyterCommand(python, dir string, args ...string) *exec.Cmd {
	c := exec.Command(python, append([]string{"-m"}, args...)...)
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+dir, "JUPYTER_PATH="+filepath.Join(dir, "jupyter"),
		"JUPYTER_CONFIG_DIR="+dir, "JUPYTER_RUNTIME_DIR="+filepath.Join(dir, "runtime"), "IPYTHONDIR="+dir)
	return c
}
