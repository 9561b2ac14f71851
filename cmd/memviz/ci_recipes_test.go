package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// recipe returns the code block in examples/ci.md of a language whose first lines contain a name.
func recipe(t *testing.T, language, name string) string {
	t.Helper()
	text := testkit.ReadFile(t, filepath.Join("..", "..", "examples", "ci.md"))
	for _, block := range strings.Split(string(text), "\n```"+language+"\n")[1:] {
		block, _, _ = strings.Cut(block, "\n```")
		if first := strings.Join(strings.SplitN(block, "\n", 3)[:2], "\n"); strings.Contains(first, name) {
			return block + "\n"
		}
	}
	t.Fatalf("there is no %s", name)
	return ""
}

// standIn makes a stand-in for python: it leaves the recording that the training script
// names after "records".
func standIn(t *testing.T, folder string) {
	t.Helper()
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	script := `#!/bin/sh
story=$(sed -n 's/.*records //p' "$1")
test -n "$story" || exit 1
cp '` + examples + `'/"$story"/snapshot.pickle.gz snap.pickle
! grep -q fails "$1"
`
	testkit.WriteProgram(t, filepath.Join(folder, "python"), script)
}

func needs(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil || runtime.GOOS == "windows" {
			t.Skip(tool + " is not installed, or this is Windows")
		}
	}
}

// TestWorkflowExample checks the workflow against the inputs of the action.
func TestWorkflowExample(t *testing.T) {
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses string
				With map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(recipe(t, "yaml", ".github/workflows/")), &workflow); err != nil {
		t.Fatal(err)
	}
	action := readAction(t)
	used := false
	for _, step := range workflow.Jobs["memory"].Steps {
		if !strings.HasPrefix(step.Uses, "memviz-go/memviz/.github/actions/memviz@v") {
			continue
		}
		used = true
		for name := range step.With {
			if _, ok := action.Inputs[name]; !ok {
				t.Errorf("the action has no input %s", name)
			}
		}
		for name, input := range action.Inputs {
			if input.Required && step.With[name] == "" {
				t.Errorf("the input %s is missing", name)
			}
		}
		for line := range strings.Lines(step.With["commands"]) {
			c := exec.Command("bash", "-c", strings.ReplaceAll("memviz "+line, "snap.pickle", example("training-loop")))
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("memviz %s: %v\n%s", line, err, out)
			}
		}
	}
	if !used {
		t.Error("the action is not used")
	}
	for name, input := range action.Inputs {
		if input.Description == "" {
			t.Errorf("the input %s is not described", name)
		}
	}
}

// TestGitLab runs the script of the job as GitLab does, against a server with a release
// and the artifact of the default branch.
func TestGitLab(t *testing.T) {
	needs(t, "bash", "curl", "sha256sum", "tar")
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the recipe is for Linux on amd64")
	}
	var file struct {
		Memory struct {
			Variables    map[string]string
			BeforeScript []string `yaml:"before_script"`
			Script       []string
			Artifacts    struct{ Paths []string }
		}
	}
	if err := yaml.Unmarshal([]byte(recipe(t, "yaml", ".gitlab-ci.yml")), &file); err != nil {
		t.Fatal(err)
	}
	job := file.Memory
	releases := release(t, "v"+job.Variables["VERSION"])
	var base []byte // the artifact of the default branch
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/projects/5/jobs/artifacts/main/raw/memory.html" || r.FormValue("job") != "memory" ||
			r.Header.Get("JOB-TOKEN") != "secret" || base == nil {
			http.NotFound(w, r)
			return
		}
		w.Write(base)
	}))
	defer server.Close()
	for _, tt := range []struct {
		train  string
		status int
		pages  int
		says   string
	}{
		{"# records training-loop", 0, 1, "no growth of a call site"},
		{"# records leaking-loss", exitHolds, 2, "suspects>0"},
		{"# records training-loop\n# fails", 1, 2, "no growth of a call site"},
		{"# nothing", exitError, 0, "snap.pickle: no such file"},
	} {
		folder := t.TempDir()
		standIn(t, folder)
		testkit.WriteFile(t, filepath.Join(folder, "train.py"), tt.train+"\n")
		c := exec.Command("bash", "-eo", "pipefail", "-c", strings.Join(append(job.BeforeScript, job.Script...), "\n"))
		c.Dir = folder
		c.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "CI_JOB_TOKEN=secret")
		predefined := strings.NewReplacer("$CI_API_V4_URL", server.URL, "$CI_PROJECT_ID", "5", "$CI_DEFAULT_BRANCH",
			"main")
		for name, value := range job.Variables {
			if name == "RELEASES" {
				value = releases
			}
			c.Env = append(c.Env, name+"="+predefined.Replace(value))
		}
		out, err := c.CombinedOutput()
		if got := c.ProcessState.ExitCode(); got != tt.status || !strings.Contains(string(out), tt.says) {
			t.Errorf("%q exits with %d (%v):\n%s", tt.train, got, err, out)
		}
		pages := 0
		for _, name := range job.Artifacts.Paths {
			if page, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
				pages++
				if name == "memory.html" && base == nil {
					base = page
				}
			}
		}
		if pages != tt.pages {
			t.Errorf("%q leaves %d pages, want %d:\n%s", tt.train, pages, tt.pages, out)
		}
	}
}

// TestBisect has git find the commit of a repository that adds a leak.
func TestBisect(t *testing.T) {
	needs(t, "git", "sh", "sed", "grep")
	folder := t.TempDir()
	standIn(t, folder)
	script := recipe(t, "sh", "bisect.sh")
	testkit.WriteFile(t, filepath.Join(folder, "bisect.sh"), script)
	repository := filepath.Join(folder, "repository")
	if err := os.Mkdir(repository, 0o777); err != nil {
		t.Fatal(err)
	}
	in := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(name, args...)
		c.Dir = repository
		c.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "GIT_CONFIG_GLOBAL="+os.DevNull,
			"GIT_CONFIG_SYSTEM="+os.DevNull)
		return c
	}
	git := func(args ...string) string {
		t.Helper()
		c := in("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.org"}, args...)...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "--quiet")
	const good, bad, skipped = 0, 1, 125
	var commits []string
	firstBad := -1
	for i, version := range []struct {
		train string
		is    int
	}{
		{"# records training-loop", good},
		{"# records mixed-precision", good},
		{"raise SyntaxError", skipped}, // no snapshot
		{"# records mixed-precision\n# and fails", good},
		{"# records reused-blocks", good},
		{"# records leaking-loss", bad},
		{"# records some-steps", skipped}, // too few to judge
		{"# records leaking-loss\n# and fails", bad},
		{"# records leaking-loss\n# with a comment", bad},
		{"# records leaking-loss\n# with another", bad},
	} {
		text := fmt.Sprintf("# version %d\n%s\n", i, version.train)
		testkit.WriteFile(t, filepath.Join(repository, "train.py"), text)
		git("add", "train.py")
		git("commit", "--quiet", "-m", fmt.Sprintf("Version %d", i))
		commits = append(commits, strings.TrimSpace(git("rev-parse", "HEAD")))
		c := in("sh", "../bisect.sh")
		out, err := c.CombinedOutput()
		if got := c.ProcessState.ExitCode(); got != version.is {
			t.Errorf("%q has status %d (%v), want %d:\n%s", version.train, got, err, version.is, out)
		}
		if version.is == bad && firstBad < 0 {
			firstBad = i
		}
	}
	git("bisect", "start", commits[len(commits)-1], commits[0])
	out := git("bisect", "run", "sh", "../bisect.sh")
	if !strings.Contains(out, commits[firstBad]+" is the first bad commit") {
		t.Errorf("git looks for %s and says\n%s", commits[firstBad], out)
	}
}
