package main

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// checkers are commands that read a snippet without running it, by the extension of its
// file.
var checkers = map[string][]string{
	".py":   {"python3", "-m", "py_compile"},
	".sh":   {"bash", "-n"},
	".yaml": nil, // TestKubernetesSnippet
}

// Snippets are whole programs that fit a terminal.
func TestSnippets(t *testing.T) {
	files, err := snippets.ReadDir("snippets")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d snippets, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(file.Name(), func(t *testing.T) {
			text, ok := snippetText(strings.TrimSuffix(file.Name(), filepath.Ext(file.Name())))
			if !ok {
				t.Fatal("it is not printed")
			}
			for line := range strings.Lines(string(text)) {
				if len(strings.TrimSuffix(line, "\n")) > sheet.DefaultWidth {
					t.Errorf("a line of %d columns: %s", len(line)-1, line)
				}
			}
			if records := bytes.Contains(text, []byte("._record_memory_history")); records &&
				!bytes.Contains(text, []byte(`options["record_pinned_host_memory"] = True`)) {
				t.Error("it does not record pinned host memory where torch can")
			}
			check, known := checkers[filepath.Ext(file.Name())]
			if !known {
				t.Fatal("nothing checks it")
			}
			if check == nil {
				return
			}
			if _, err := exec.LookPath(check[0]); err != nil {
				t.Skip(check[0] + " is not installed")
			}
			path := filepath.Join(t.TempDir(), file.Name())
			testkit.WriteFile(t, path, text)
			if out, err := exec.Command(check[0], append(check[1:], path)...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestKubernetesSnippet validates the manifests with the schema of Kubernetes, which
// rejects misspelt keys, and checks the shell in them.
func TestKubernetesSnippet(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("testdata/kubernetes.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := snippetText("k8s")
	misspelt := bytes.ReplaceAll(text, []byte("suspend:"), []byte("suspnd:"))
	if err := schema.Validate(manifests(t, misspelt)[2]); err == nil {
		t.Error("the schema accepts a misspelt key")
	}
	kinds := ""
	for _, manifest := range manifests(t, text) {
		kinds += manifest.(map[string]any)["kind"].(string) + " "
		if err := schema.Validate(manifest); err != nil {
			t.Error(err)
		}
		for _, script := range scriptsIn(manifest) {
			if _, err := exec.LookPath("bash"); err != nil {
				t.Skip("bash is not installed")
			}
			if out, err := exec.Command("bash", "-n", "-c", script).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		}
	}
	if kinds != "Job Service Job " {
		t.Errorf("manifests of %s", kinds)
	}
}

func manifests(t *testing.T, text []byte) (all []any) {
	t.Helper()
	for in := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var manifest any
		if err := in.Decode(&manifest); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, manifest)
	}
}

// scriptsIn returns the arguments of all commands in a manifest.
func scriptsIn(value any) (scripts []string) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			if list, ok := v.([]any); ok && key == "args" {
				scripts = append(scripts, list[0].(string))
			}
			scripts = append(scripts, scriptsIn(v)...)
		}
	case []any:
		for _, v := range value {
			scripts = append(scripts, scriptsIn(v)...)
		}
	}
	return scripts
}
