package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// actionFile is the part of an action.yml that the tests read.
type actionFile struct {
	Inputs map[string]struct {
		Description string
		Default     string
		Required    bool
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, Name, If, Shell, Uses, Run string
			Env, With                      map[string]string
		}
	}
}

func readAction(t *testing.T) *actionFile {
	t.Helper()
	text := testkit.ReadFile(t, filepath.Join("..", "..", ".github", "actions", "memviz", "action.yml"))
	a := &actionFile{}
	in := yaml.NewDecoder(bytes.NewReader(text))
	if err := in.Decode(a); err != nil {
		t.Fatal(err)
	}
	if a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Fatalf("it has %d steps and uses %q", len(a.Runs.Steps), a.Runs.Using)
	}
	return a
}

// runner runs the steps of an action as a GitHub runner does, in a folder. Artifacts
// and comments are files.
type runner struct {
	*testing.T
	action          *actionFile
	folder          string // with work, temp, artifacts, and comments.json
	inputs, context map[string]string
	environment     []string // of all steps

	summary, log string // of the last job
	outputs      map[string]string
}

func newRunner(t *testing.T) *runner {
	needs(t, "bash", "curl", "jq", "xargs", "tar")
	r := &runner{T: t, action: readAction(t), folder: t.TempDir()}
	for _, folder := range []string{"work", "temp"} {
		if err := os.Mkdir(filepath.Join(r.folder, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	r.write("comments.json", "[]")
	testkit.WriteProgram(t, filepath.Join(r.folder, "bin", "gh"), fakeGH)
	r.inputs = map[string]string{"snapshots": "snap.pickle", "releases": release(t, "v0.9.0"), "version": "v0.9.0"}
	r.context = map[string]string{"github.action_ref": "", "github.base_ref": "",
		"github.action_path": filepath.Join("..", "..", ".github", "actions", "memviz"),
		"runner.temp":        filepath.Join(r.folder, "temp"), "github.token": "secret"}
	return r
}

// fakeGH implements the part of GitHub's command line that the action uses.
const fakeGH = `#!/bin/bash
set -e
test "$GH_TOKEN" = secret
case "$1 $2" in
"run list")
  test "$*" = "run list --repo ada/gpt --workflow memory.yml --branch main --event push --status success \
--limit 1 --json databaseId --jq .[0].databaseId // empty"
  if [ -e "$FOLDER/artifacts/main" ]; then echo '[{"databaseId": 42}]'; else echo '[]'; fi |
    jq -r '.[0].databaseId // empty' ;;
"run download")
  test "$*" = "run download 42 --repo ada/gpt --name memviz --dir $RUNNER_TEMP/memviz/base"
  cp -r "$FOLDER/artifacts/main" "$RUNNER_TEMP/memviz/base" ;;
"api --paginate")
  test "$3" = repos/ada/gpt/issues/7/comments
  jq -r "$5" "$FOLDER/comments.json" ;;
"api --silent")
  test -z "$FORK"
  test "$6" = --field
  file=${7#body=@}
  case "$4 $5" in
  "POST repos/ada/gpt/issues/7/comments") edit='. + [{id: 900, user: {type: "Bot"}, body: $body}]' ;;
  "PATCH repos/ada/gpt/issues/comments/900") edit='map(if .id == 900 then .body = $body else . end)' ;;
  *) exit 1 ;;
  esac
  jq --rawfile body "$file" "$edit" "$FOLDER/comments.json" > "$FOLDER/new.json"
  mv "$FOLDER/new.json" "$FOLDER/comments.json" ;;
*) exit 1 ;;
esac
`

// replacedRelease is a release whose files do not match its SHA256SUMS.
const replacedRelease = "v0.0.1"

// release serves a release that has this program, and one that somebody has replaced.
func release(t *testing.T, version string) (url string) {
	t.Helper()
	program, err := exec.LookPath("memviz")
	if err != nil {
		t.Fatal(err)
	}
	binary := fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\"\n", program)
	name := fmt.Sprintf("memviz-%s-%s-%s", strings.TrimPrefix(version, "v"), runtime.GOOS, runtime.GOARCH)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	archive := tar.NewWriter(z)
	header := &tar.Header{Name: name + "/memviz", Mode: 0o755, Size: int64(len(binary))}
	if err := archive.WriteHeader(header); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(archive, binary); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	sums := fmt.Sprintf("%x  memviz-other.tar.gz\n%x  %s.tar.gz\n", sha256.Sum256(nil),
		sha256.Sum256(packed.Bytes()), name)
	replaced := func(text string) string { return strings.ReplaceAll(text, version[1:], replacedRelease[1:]) }
	files := map[string][]byte{
		"/" + version + "/" + name + ".tar.gz":                   packed.Bytes(),
		"/" + version + "/SHA256SUMS":                            []byte(sums),
		"/" + replacedRelease + "/" + replaced(name) + ".tar.gz": []byte("something else"),
		"/" + replacedRelease + "/SHA256SUMS":                    []byte(replaced(sums)),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if content, ok := files[r.URL.Path]; ok {
			w.Write(content)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func (r *runner) write(name, content string) {
	r.Helper()
	testkit.WriteFile(r, filepath.Join(r.folder, filepath.FromSlash(name)), content)
}

// record puts a story's recording where training would have written it.
func (r *runner) record(story string) {
	r.Helper()
	r.write("work/snap.pickle", string(testkit.ReadFile(r, example(story))))
}

// expression matches a workflow's ${{ expression }}.
var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

// expand replaces the expressions in a text with their values.
func (r *runner) expand(text string) string {
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		return r.value(expression.FindStringSubmatch(e)[1])
	})
}

// value evaluates an expression: names and texts joined by || and &&, == and !=.
func (r *runner) value(e string) string {
	truth := map[bool]string{true: "true", false: ""}
	if left, right, ok := strings.Cut(e, " || "); ok {
		if v := r.value(left); v != "" {
			return v
		}
		return r.value(right)
	}
	if left, right, ok := strings.Cut(e, " && "); ok {
		return truth[r.value(left) != "" && r.value(right) != ""]
	}
	if left, right, ok := strings.Cut(e, " == "); ok {
		return truth[r.value(left) == r.value(right)]
	}
	if left, right, ok := strings.Cut(e, " != "); ok {
		return truth[r.value(left) != r.value(right)]
	}
	if strings.HasPrefix(e, "'") {
		return strings.Trim(e, "'")
	}
	if name, ok := strings.CutPrefix(e, "inputs."); ok {
		input, known := r.action.Inputs[name]
		if !known {
			r.Errorf("unknown input %s", name)
		}
		if value, given := r.inputs[name]; given {
			return value
		}
		return r.expand(input.Default)
	}
	if value, ok := r.outputs[e]; ok || strings.HasPrefix(e, "steps.") {
		return value
	}
	value, ok := r.context[e]
	if !ok {
		r.Errorf("the expression %q is not known", e)
	}
	return value
}

// job runs all steps until one fails, and reports whether none did.
func (r *runner) job() bool {
	r.Helper()
	r.summary, r.log, r.outputs = "", "", map[string]string{}
	for _, name := range []string{"summary", "path"} {
		r.write(name, "")
	}
	paths := []string{filepath.Join(r.folder, "bin")}
	for _, step := range r.action.Runs.Steps {
		if step.If != "" && r.value(step.If) == "" {
			continue
		}
		switch {
		case strings.HasPrefix(step.Uses, "actions/upload-artifact@"):
			r.upload(r.expand(step.With["path"]))
			continue
		case strings.HasPrefix(step.Uses, "actions/setup-go@"):
			if _, err := os.Stat(r.expand(step.With["go-version-file"])); err != nil {
				r.Error(err)
			}
			continue
		case step.Shell != "bash" || step.Uses != "":
			r.Fatalf("the step %q runs in %q and uses %q", step.Name, step.Shell, step.Uses)
		case expression.MatchString(step.Run):
			r.Fatalf("the step %q holds an expression, which would be part of the script", step.Name)
		}
		r.write("script.sh", step.Run)
		r.write("output", "")
		c := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", filepath.Join(r.folder, "script.sh"))
		c.Dir = filepath.Join(r.folder, "work")
		here, err := os.Getwd()
		if err != nil {
			r.Fatal(err)
		}
		c.Env = append(os.Environ(), "FOLDER="+r.folder, "RUNNER_TEMP="+r.context["runner.temp"],
			"RUNNER_OS="+map[string]string{"linux": "Linux", "darwin": "macOS"}[runtime.GOOS],
			"RUNNER_ARCH="+map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH],
			"GITHUB_OUTPUT="+filepath.Join(r.folder, "output"), "GITHUB_PATH="+filepath.Join(r.folder, "path"),
			"GITHUB_STEP_SUMMARY="+filepath.Join(r.folder, "summary"), "GITHUB_REPOSITORY=ada/gpt",
			"GITHUB_SERVER_URL=https://github.example", "GITHUB_RUN_ID=43", "GITHUB_WORKFLOW_REF="+
				"ada/gpt/.github/workflows/memory.yml@refs/pull/7/merge")
		c.Env = append(c.Env, r.environment...)
		for name, value := range step.Env {
			value := r.expand(value)
			if name == "SOURCE" {
				value = filepath.Join(here, value)
			}
			c.Env = append(c.Env, name+"="+value)
		}
		// Only the program that the action installed may be found.
		before := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(folder string) bool {
			_, err := os.Stat(filepath.Join(folder, "memviz"))
			return err == nil
		})
		c.Env = append(c.Env, "PATH="+strings.Join(append(paths, before...), string(filepath.ListSeparator)))
		out, err := c.CombinedOutput()
		r.log += string(out)
		r.summary = r.read("summary")
		for line := range strings.Lines(r.read("output")) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			r.outputs["steps."+step.ID+".outputs."+name] = value
		}
		paths = append(strings.Fields(r.read("path")), filepath.Join(r.folder, "bin"))
		if err != nil {
			return false
		}
	}
	return true
}

func (r *runner) read(name string) string {
	r.Helper()
	return string(testkit.ReadFile(r, filepath.Join(r.folder, filepath.FromSlash(name))))
}

// upload stores files as the artifact of this branch.
func (r *runner) upload(pattern string) {
	r.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		r.Fatalf("no file matches %s (%v)", pattern, err)
	}
	branch := "pull"
	if r.context["github.base_ref"] == "" {
		branch = "main"
	}
	for _, file := range files {
		r.write("artifacts/"+branch+"/"+filepath.Base(file), string(testkit.ReadFile(r, file)))
	}
}

// inPullRequest makes the following jobs run in a pull request against main.
func (r *runner) inPullRequest() {
	r.context["github.base_ref"] = "main"
	r.context["github.event.pull_request.number"] = "7"
}

// TestAction runs the action on main, then twice in a pull request that adds a leak.
func TestAction(t *testing.T) {
	r := newRunner(t)
	r.inputs["commands"] = "\n  stats snap.pickle --rows 2 --fail-if 'peak > 70GiB'\n# a comment\n" +
		`leaks "snap.pickle" --fail-if 'suspects>0'` + "\n"
	r.record("training-loop")
	if !r.job() || r.outputs["steps.commands.outputs.verdict"] != "passed" {
		t.Fatalf("on main: %s\n%s", r.log, r.summary)
	}
	for _, want := range []string{"## GPU memory\n", "    memviz stats snap.pickle --rows 2 --fail-if 'peak > 70GiB'\n",
		"1.17 GiB", `    memviz leaks "snap.pickle"`, "no growth of a call site"} {
		if !strings.Contains(r.summary, want) {
			t.Errorf("the summary lacks %q:\n%s", want, r.summary)
		}
	}
	if !strings.Contains(r.read("artifacts/main/report.html"), "<title>") || strings.Contains(r.log, "##") {
		t.Errorf("the log is %s", r.log)
	}

	r.inPullRequest()
	r.record("leaking-loss")
	for _, comments := range []int{1, 1} {
		if r.job() || r.outputs["steps.commands.outputs.verdict"] != "failed" {
			t.Fatalf("a leak passes: %s", r.log)
		}
		for _, want := range []string{"## Against the base branch", "train.py:41:validate",
			"    memviz: failed: suspects>0: suspects is 1"} {
			if !strings.Contains(r.summary, want) {
				t.Errorf("the summary lacks %q:\n%s", want, r.summary)
			}
		}
		for _, want := range []string{"passed: memviz stats", "failed: memviz leaks",
			"::error::A memory check failed"} {
			if !strings.Contains(r.log, want) {
				t.Errorf("the log lacks %q: %s", want, r.log)
			}
		}
		written := r.read("comments.json")
		if n := strings.Count(written, `"id"`); n != comments ||
			!strings.Contains(written, "<!-- memviz: memviz -->\\n### GPU memory against the base branch") ||
			!strings.Contains(written, "(https://github.example/ada/gpt/actions/runs/43)") {
			t.Errorf("%d comments: %s", n, written)
		}
		r.write("comments.json", strings.ReplaceAll(written, "### GPU memory", "### Old"))
	}
	compared := r.outputs["steps.compare.outputs.comparison"]
	if filepath.Base(compared) != "compare.html" ||
		!strings.Contains(r.read("artifacts/pull/compare.html"), "<title>") {
		t.Errorf("the comparison is %q", compared)
	}
	if old := r.read("comments.json"); !strings.Contains(old, "### Old") {
		t.Fatal("the test has not changed the comment")
	}
}

// TestActionAlone runs it with nothing to compare with, and from a fork.
func TestActionAlone(t *testing.T) {
	r := newRunner(t)
	r.record("training-loop")
	r.inPullRequest()
	if !r.job() || !strings.Contains(r.log, "::notice::There is no report of the base branch") ||
		!strings.Contains(r.summary, "    memviz stats snap.pickle\n") || r.read("comments.json") != "[]" {
		t.Errorf("without a report of the base branch: %s\n%s", r.log, r.summary)
	}
	r.context["github.base_ref"] = ""
	r.job()
	r.inPullRequest()
	r.environment = []string{"FORK=1"}
	if !r.job() || !strings.Contains(r.log, "::warning::The comment cannot be written") {
		t.Errorf("from a fork: %s", r.log)
	}
	r.inputs["comment"], r.inputs["compare"] = "false", "false"
	if !r.job() || strings.Contains(r.log, "::") {
		t.Errorf("alone: %s", r.log)
	}
}

// TestActionFails runs it with inputs that must fail.
func TestActionFails(t *testing.T) {
	for _, tt := range []struct {
		name, input, value string
		says               string // in the log or the summary
	}{
		{"another file under a release's name", "version", replacedRelease, "and SHA256SUMS has"},
		{"no such release", "version", "v9.9.9", "404"},
		{"no snapshot", "snapshots", "nothing.pickle", "    memviz: nothing.pickle: no such file or directory"},
		{"no answer", "commands", "stats nothing.pickle", "no answer: memviz stats nothing.pickle"},
		{"no command", "commands", "draw snap.pickle", `there is no command "draw"`},
		{"half a quote", "commands", "stats 'snap.pickle", "unmatched single quote"},
		{"no condition", "commands", "stats snap.pickle --fail-if peek>1", "did you mean peak"},
		{"damaged", "snapshots", "half.pickle", "half.pickle"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRunner(t)
			r.record("training-loop")
			r.write("work/half.pickle", "\x80\x04half")
			r.inputs[tt.input] = tt.value
			if r.job() || !strings.Contains(r.log+r.summary, tt.says) {
				t.Errorf("it says %s\n%s", r.log, r.summary)
			}
		})
	}
}

// TestActionHostile gives it names and lines that a shell would execute.
func TestActionHostile(t *testing.T) {
	r := newRunner(t)
	r.record("training-loop")
	const name = "-q $(touch a) `touch b`; touch c '\"::error::x.pickle"
	if err := os.Rename(filepath.Join(r.folder, "work", "snap.pickle"),
		filepath.Join(r.folder, "work", name)); err != nil {
		t.Fatal(err)
	}
	r.inputs["snapshots"] = name
	r.inputs["commands"] = "stats *.pickle $(touch d)\nstats `touch e`\nstats *.pickle; touch f\nstats *.pickle > g\n" +
		"stats *.pickle && touch h\nstats *.pickle | tee i\n-n touch j\n\\'; touch k\n"
	if r.job() || r.outputs["steps.commands.outputs.verdict"] != "failed" {
		t.Errorf("it passes: %s", r.log)
	}
	r.inputs["commands"] = ""
	if !r.job() {
		t.Errorf("a file of a strange name cannot be read: %s\n%s", r.log, r.summary)
	}
	entries, err := os.ReadDir(filepath.Join(r.folder, "work"))
	if err != nil || len(entries) != 1 {
		t.Errorf("there are %v (%v)", entries, err)
	}
}

// TestActionRedacts looks for names of the recording in all that others can see.
func TestActionRedacts(t *testing.T) {
	r := newRunner(t)
	r.inputs["redact"] = "all"
	r.environment = []string{"MEMVIZ_SALT=secret salt"}
	r.record("training-loop")
	if !r.job() {
		t.Fatal(r.log)
	}
	r.inPullRequest()
	r.record("leaking-loss")
	if !r.job() || !strings.Contains(r.summary, "## Against the base branch") {
		t.Fatal(r.log, r.summary)
	}
	for _, name := range []string{"train.py", "model.py", "/home/ada"} {
		if strings.Contains(r.summary+r.log+r.read("comments.json"), name) {
			t.Errorf("it names %s:\n%s", name, r.summary)
		}
	}
}

// TestActionFromSource builds the program of this checkout.
func TestActionFromSource(t *testing.T) {
	if testing.Short() {
		t.Skip("it links a program")
	}
	r := newRunner(t)
	r.inputs["version"] = ""
	r.context["github.action_ref"] = "main"
	r.record("training-loop")
	if !r.job() {
		t.Errorf("%s\n%s", r.log, r.summary)
	}
}
