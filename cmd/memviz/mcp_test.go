package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/sync/errgroup"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// startMCP connects a client of the SDK over a pipe to memviz mcp with flags.
func startMCP(t *testing.T, flags ...string) *mcp.ClientSession {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ended := make(chan string, 1)
	go func() {
		var stderr strings.Builder
		status := run(append([]string{"mcp"}, flags...), toServer, fromServer, &stderr)
		fromServer.Close()
		ended <- fmt.Sprintf("%d %s", status, &stderr)
	}()
	session := connect(t, &mcp.IOTransport{Reader: toClient, Writer: fromClient})
	t.Cleanup(func() {
		session.Close()
		if got := <-ended; got != "0 " {
			t.Errorf("memviz mcp ends with %s", got)
		}
	})
	return session
}

func connect(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// toolResult is the result of a tool call.
type toolResult struct {
	text       string // of all its parts
	structured []byte
	isError    bool
}

func callTool(t *testing.T, session *mcp.ClientSession, name string, arguments map[string]any) toolResult {
	t.Helper()
	result, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s %v: %v", name, arguments, err)
	}
	r := toolResult{isError: result.IsError}
	for _, content := range result.Content {
		r.text += content.(*mcp.TextContent).Text
	}
	if result.StructuredContent != nil {
		if r.structured, err = json.Marshal(result.StructuredContent); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// toolCalls has calls of all tools that answer with JSON, with the equivalent command lines.
var toolCalls = []struct {
	tool      string
	arguments map[string]any
	command   string
}{
	{"stats", map[string]any{"files": []string{"training-loop/snapshot.pickle.gz"}, "capacity": "80GiB"},
		"--capacity 80GiB training-loop/snapshot.pickle.gz"},
	{"top", map[string]any{"files": []string{"./reused-blocks"}, "by": "family", "rows": 3, "churn": true},
		"--by family --rows 3 --churn reused-blocks"},
	{"leaks", map[string]any{"files": []string{"leaking-loss/snap*"}, "device": 0}, "--device 0 leaking-loss/snap*"},
	{"oom", map[string]any{"files": []string{"out-of-memory/snapshot.pickle.gz"}}, "out-of-memory/snapshot.pickle.gz"},
	{"whatif", map[string]any{"files": []string{"out-of-memory/snapshot.pickle.gz"},
		"set": []string{"expandable_segments:True", "max_split_size_mb:128"}},
		"--set expandable_segments:True --set max_split_size_mb:128 out-of-memory/snapshot.pickle.gz"},
	{"predict", map[string]any{"files": []string{"128=what-fits/128.pickle.gz", "256=what-fits/256.pickle.gz"},
		"largest": true, "capacity": "80GiB", "multiple_of": 64},
		"--largest --capacity 80GiB --multiple-of 64 128=what-fits/128.pickle.gz 256=what-fits/256.pickle.gz"},
	{"diff", map[string]any{"files": []string{"checkpointing/before.pickle.gz", "checkpointing/after.pickle.gz"},
		"at": "backward"}, "--at backward checkpointing/before.pickle.gz checkpointing/after.pickle.gz"},
	{"ranks", map[string]any{"files": []string{"one-rank-dies/rank*.pickle.gz"}}, "one-rank-dies/rank*.pickle.gz"},
	{"events", map[string]any{"files": []string{"reused-blocks/snapshot.pickle.gz"}, "to": "20"},
		"--to 20 reused-blocks/snapshot.pickle.gz"},
	{"segments", map[string]any{"files": []string{"reused-blocks/snapshot.pickle.gz"}, "at": "peak"},
		"--at peak reused-blocks/snapshot.pickle.gz"},
	{"inspect", map[string]any{"files": []string{"report.html"}}, "report.html"},
}

// TestMCPAnswers compares every tool with its command: the same JSON, valid under the
// schema of the tool, and the same text.
func TestMCPAnswers(t *testing.T) {
	root := t.TempDir()
	for _, story := range []string{"training-loop", "leaking-loss", "out-of-memory", "what-fits", "checkpointing",
		"one-rank-dies", "reused-blocks"} {
		from := os.DirFS(filepath.Join("..", "..", "examples", story))
		if err := os.CopyFS(filepath.Join(root, story), from); err != nil {
			t.Fatal(err)
		}
	}
	inRoot := func(args ...string) []byte {
		t.Helper()
		command := exec.Command("memviz", args...)
		command.Dir = root
		out, err := command.Output()
		if err != nil {
			t.Fatalf("memviz %s: %v", args, err)
		}
		return out
	}
	inRoot("trace", "-q", "reused-blocks/snapshot.pickle.gz", "-o", "report.html")

	session := startMCP(t, "--root", root, "--max-result", "1GiB")
	schemas := outputSchemas(t, session)
	for _, call := range toolCalls {
		got := callTool(t, session, call.tool, call.arguments)
		if got.isError {
			t.Errorf("%s: %s", call.tool, got.text)
			continue
		}
		validate(t, schemas[call.tool], got.structured)
		args := append([]string{call.tool}, strings.Fields(call.command)...)
		if want := inRoot(append(args, "--format", "json")...); !bytes.Equal(got.structured, reordered(t, want)) {
			t.Errorf("%s says %.300s, the command %.300s", call.tool, got.structured, reordered(t, want))
		}
		if want := firstLine(string(inRoot(args...))); firstLine(got.text) != want {
			t.Errorf("%s says\n%s, the command\n%s", call.tool, got.text, want)
		}
		delete(schemas, call.tool)
	}
	for tool := range schemas {
		t.Errorf("%s was not called", tool)
	}
}

// firstLine returns the first line; the wrapping of the others depends on the width.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line[:min(len(line), 60)]
}

// reordered re-encodes JSON as the SDK's client does.
func reordered(t *testing.T, text []byte) []byte {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func outputSchemas(t *testing.T, session *mcp.ClientSession) map[string]*jsonschema.Schema {
	t.Helper()
	schemas := map[string]*jsonschema.Schema{}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if tool.OutputSchema == nil {
			continue
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(tool.Name, tool.OutputSchema); err != nil {
			t.Fatal(err)
		}
		if schemas[tool.Name], err = c.Compile(tool.Name); err != nil {
			t.Fatal(err)
		}
	}
	return schemas
}

func validate(t *testing.T, schema *jsonschema.Schema, text []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("%.200s: %v", text, err)
	}
}

// TestMCPTools shows what agents are offered, with and without --write.
func TestMCPTools(t *testing.T) {
	var text strings.Builder
	app := newApp(newTerminal(nil, nil, nil))
	for _, flags := range [][]string{nil, {"--write"}, {"--redact", "all"}} {
		fmt.Fprintf(&text, "memviz mcp --root . %s\n", strings.Join(flags, " "))
		session := startMCP(t, append([]string{"--root", t.TempDir()}, flags...)...)
		for tool, err := range session.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			if flags != nil && tool.Name != "trace" && tool.Name != "diff" {
				fmt.Fprintf(&text, "\n%s, as above", tool.Name)
				continue
			}
			if tool.Description == "" {
				t.Errorf("%s is not described", tool.Name)
			}
			fmt.Fprintf(&text, "\n%s\n", tool.Name)
			if tool.Annotations.ReadOnlyHint {
				text.WriteString("  it only reads\n")
			}
			input := tool.InputSchema.(map[string]any)
			properties := input["properties"].(map[string]any)
			var names []string
			for name := range properties {
				names = append(names, name)
			}
			slices.Sort(names)
			for _, name := range names {
				p := properties[name].(map[string]any)
				fmt.Fprintf(&text, "  %s, %v", name, p["type"])
				if name == "files" || namesFile(findFlag(app.Command(tool.Name), strings.ReplaceAll(name, "_", "-"))) {
					text.WriteString(", below the root")
				}
				if p["default"] != nil {
					fmt.Fprintf(&text, ", else %v", p["default"])
				}
				if slices.Contains(input["required"].([]any), any(name)) {
					text.WriteString(", required")
				}
				text.WriteString("\n")
				if said, _ := p["description"].(string); said == "" || strings.ContainsAny(said, "`") ||
					strings.Contains(said, "--") {
					t.Errorf("%s of %s is described as %q", name, tool.Name, said)
				}
			}
		}
		text.WriteString("\n")
	}
	testkit.GoldenFile(t, filepath.Join("testdata", "mcp_tools.txt"), []byte(text.String()))
}

// fencedFolder makes a folder with a secret beside it, and links that lead to both.
func fencedFolder(t *testing.T) (root, outside string) {
	t.Helper()
	folder := t.TempDir()
	root, outside = filepath.Join(folder, "root"), filepath.Join(folder, "outside")
	snapshot := testkit.ReadFile(t, example("training-loop"))
	for _, name := range []string{"root/runs/a.pickle.gz", "root/runs/b.pickle.gz", "outside/secret.pickle.gz"} {
		testkit.WriteFile(t, filepath.Join(folder, filepath.FromSlash(name)), snapshot)
	}
	for link, target := range map[string]string{
		"root/runs/latest.pickle.gz": filepath.Join(root, "runs", "b.pickle.gz"),
		"root/away":                  outside,
		"root/mixed/inside.pickle":   filepath.Join(root, "runs", "a.pickle.gz"),
		"root/mixed/away.pickle":     filepath.Join(outside, "secret.pickle.gz"),
		"root/dangling.html":         filepath.Join(outside, "new.html"),
	} {
		path := filepath.Join(folder, filepath.FromSlash(link))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Skip("this system has no links: ", err)
		}
	}
	return root, outside
}

// TestMCPFence asks for files outside the root, by every way to name one.
func TestMCPFence(t *testing.T) {
	root, outside := fencedFolder(t)
	secret := filepath.Join(outside, "secret.pickle.gz")
	if err := exec.Command("mkfifo", filepath.Join(root, "pipe.pickle")).Run(); err != nil {
		t.Log("there are no pipes: ", err) // then the pipe is a missing file
	}
	session := startMCP(t, "--root", root, "--write")
	const leads = "leads out of the folder that may be used; name a path below it"
	files := func(names ...string) map[string]any { return map[string]any{"files": names} }
	with := func(arguments map[string]any, name string, value any) map[string]any {
		arguments[name] = value
		return arguments
	}
	const a = "runs/a.pickle.gz"
	for _, tt := range []struct {
		tool      string
		arguments map[string]any
		says      string
	}{
		{"stats", files(secret), leads},
		{"stats", files("../outside/secret.pickle.gz"), leads},
		{"stats", files("away/secret.pickle.gz"), leads},
		{"stats", files("away/nothing.pickle"), leads},
		{"stats", files("away/secret*"), leads},
		{"stats", files("*/secret*"), leads},
		{"stats", files("../*"), leads},
		{"stats", files("away"), leads},
		{"stats", files(".."), leads},
		{"stats", files("/"), leads},
		{"stats", files("mixed/away.pickle"), leads},
		{"stats", files("-"), "standard input cannot be read here"},
		{"stats", files(a, secret), leads},
		{"stats", files("no/such.pickle"), "no such file"},
		{"stats", files("pipe.pickle"), "pipe.pickle"},
		{"stats", files("*.pickle"), "pipe.pickle"},
		{"ranks", files(a, secret), leads},
		{"diff", files(a, secret), leads},
		{"predict", with(files("1="+a, "2="+secret), "at", "3"), leads},
		{"inspect", files(secret), leads},
		{"inspect", files("-"), "standard input cannot be read here"},
		{"top", with(files(a), "families", secret), leads},
		{"trace", with(files(secret), "output", "out.html"), leads},
		{"trace", with(files(a), "output", filepath.Join(outside, "out.html")), leads},
		{"trace", with(files(a), "output", "away/out.html"), leads},
		{"trace", with(files(a), "output", "dangling.html"), "it is a link to a file that does not exist"},
		{"trace", with(files(a), "output", "-"), "standard input cannot be read here"},
		{"trace", with(files(a), "output", a), "it is an input"},
		{"trace", with(files(a), "output", "runs/b.pickle.gz"), "memviz did not write"},
		{"trace", files(a), "output is missing"},
		{"diff", with(files(a, a), "output", "../out.html"), leads},
		{"stats", with(files(a), "limit", "memory=1TiB"), `there is no argument "limit"`},
		{"stats", with(files(a), "fail_if", "peak>1"), `there is no argument "fail_if"`},
		{"trace", with(with(files(a), "output", "o.html"), "open", true), `there is no argument "open"`},
		{"stats", with(files(a), "rows", "0"), "not a whole number above zero"},
		{"stats", with(files(a), "rows", []string{"1"}), "rows is a text or a number"},
		{"stats", with(files(a), "summary", "yes"), "summary is true or false"},
		{"stats", with(files(a), "capacity", "1GiB --format=json"), "is not a size such as 80GiB"},
		{"stats", files("--help"), "no such file"},
		{"stats", map[string]any{"files": []string{}}, "files names too few: stats needs SNAPSHOT..."},
		{"predict", files(a), "files names too few: predict needs X1=SNAPSHOT X2=SNAPSHOT..."},
		{"stats", map[string]any{"files": a}, "files is a list of texts"},
		{"stats", map[string]any{"files": []any{1}}, "files is a list of texts"},
		{"stats", map[string]any{}, "files is a list of texts"},
	} {
		got := callTool(t, session, tt.tool, tt.arguments)
		if !got.isError || !strings.Contains(got.text, tt.says) || got.structured != nil {
			t.Errorf("%s %v says %s, %s, want %q", tt.tool, tt.arguments, got.text, got.structured, tt.says)
		}
		if strings.Contains(got.text, root) {
			t.Errorf("%s %v names the root: %s", tt.tool, tt.arguments, got.text)
		}
	}
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 1 {
		t.Errorf("outside are %v (%v)", entries, err)
	}
	for _, tt := range []struct {
		files []string
		peaks int // files that are answered for
		says  string
	}{
		{[]string{"runs/latest.pickle.gz"}, 1, ""},
		{[]string{filepath.Join(root, "runs", "a.pickle.gz")}, 1, ""},
		{[]string{"runs"}, 3, ""},
		{[]string{"mixed"}, 1, "mixed/away.pickle (a link that leads elsewhere)"},
		{[]string{"away/../runs/a.pickle.gz"}, 1, ""},
	} {
		got := callTool(t, session, "stats", files(tt.files...))
		if n := strings.Count(string(got.structured), `"adds_up"`); got.isError || n != tt.peaks ||
			!strings.Contains(got.text, tt.says) {
			t.Errorf("%v has %d peaks and says %s", tt.files, n, got.text)
		}
	}
}

// TestMCPWrites writes a report and a comparison, twice.
func TestMCPWrites(t *testing.T) {
	root, _ := fencedFolder(t)
	session := startMCP(t, "--root", root, "--write")
	for range 2 {
		got := callTool(t, session, "trace", map[string]any{"files": []string{"runs/a.pickle.gz"}, "output": "a.html"})
		if got.isError || !strings.HasPrefix(got.text, "wrote a.html: ") {
			t.Errorf("trace says %s", got.text)
		}
		got = callTool(t, session, "diff", map[string]any{
			"files": []string{"runs/a.pickle.gz", "a.html"}, "output": "runs/compare.html"})
		if got.isError || got.structured == nil ||
			!strings.Contains(got.text, "wrote "+filepath.Join("runs", "compare.html")) {
			t.Errorf("diff says %s, %s", got.text, got.structured)
		}
	}
	got := callTool(t, session, "stats", map[string]any{"files": []string{"runs/compare.html"}})
	if n := strings.Count(string(got.structured), `"adds_up"`); n != 2 {
		t.Errorf("the comparison holds %d snapshots: %s", n, got.text)
	}
}

// TestMCPBounds asks for more than a result may hold: the result has the beginning of each
// list and the number of missing items.
func TestMCPBounds(t *testing.T) {
	root := filepath.Join("..", "..", "examples")
	const most = 10 << 10
	session := startMCP(t, "--root", root, "--max-result", fmt.Sprint(most, "B"))
	schemas := outputSchemas(t, session)
	arguments := map[string]any{"files": []string{"leaking-loss/snapshot.pickle.gz"}}
	for _, tool := range []string{"events", "segments", "stats", "top"} {
		got := callTool(t, session, tool, arguments)
		if len(got.structured) > most || len(got.text) > most/textShare+100 || got.isError {
			t.Errorf("%s gives %d and %d bytes, %v", tool, len(got.structured), len(got.text), got.isError)
		}
		validate(t, schemas[tool], got.structured)
		if tool != "events" {
			continue
		}
		var is struct {
			Devices []struct{ Events []any }
			LeftOut []string `json:"left_out"`
		}
		if err := json.Unmarshal(got.structured, &is); err != nil {
			t.Fatal(err)
		}
		var left int
		all := countOf(t, "events", filepath.Join(root, "leaking-loss", "snapshot.pickle.gz"))
		for _, text := range is.LeftOut {
			fmt.Sscanf(text, "devices.events: %d more", &left)
		}
		if n := len(is.Devices[0].Events); n == 0 || left == 0 || n+left != all || len(got.structured) < most*9/10 {
			t.Errorf("%d events in %d bytes and %d more, there are %d; %v", n, len(got.structured), left, all,
				is.LeftOut)
		}
		if !strings.Contains(got.text, "... (cut to 2.50 KiB; ask for less)") {
			t.Errorf("the text does not say that it was cut: %.200s", got.text)
		}
	}
}

// countOf counts the events in the output of a command.
func countOf(t *testing.T, args ...string) int {
	t.Helper()
	var answer struct{ Devices []struct{ Events []any } }
	if err := json.Unmarshal([]byte(stdoutOf(t, append(args, "--format", "json")...)), &answer); err != nil {
		t.Fatal(err)
	}
	return len(answer.Devices[0].Events)
}

// TestMCPRedacts looks for names of the recording in the results of each tool.
func TestMCPRedacts(t *testing.T) {
	root := filepath.Join("..", "..", "examples")
	site := regexp.MustCompile(`"key": ?"([^"]*)"`)
	firstSite := func(session *mcp.ClientSession) string {
		got := callTool(t, session, "top", map[string]any{"files": []string{"training-loop/snapshot.pickle.gz"}})
		key := site.FindStringSubmatch(string(got.structured))
		if key == nil || got.isError || strings.Contains(got.text+string(got.structured), "/home/ada") {
			t.Fatalf("top says %s, %s", got.text, got.structured)
		}
		return key[1]
	}
	session := startMCP(t, "--root", root, "--redact", "all")
	if first, second := firstSite(session), firstSite(session); first != second {
		t.Errorf("%s is %s in the second call", first, second)
	}
	salted := firstSite(startMCP(t, "--root", root, "--redact", "all", "--salt", "of the test"))
	alone := stdoutOf(t, "top", "--redact", "all", "--salt", "of the test", "--format", "json", example("training-loop"))
	if want := site.FindStringSubmatch(alone)[1]; salted != want {
		t.Errorf("with a salt, the first site is %s and not %s", salted, want)
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "inspect",
		Arguments: map[string]any{"files": []string{"report.html"}}}); err == nil {
		t.Error("inspect is offered, which prints names")
	}
}

// TestMCPBinary connects to the program as agents start it.
func TestMCPBinary(t *testing.T) {
	command := exec.Command("memviz", "mcp", "--root", filepath.Join("..", "..", "examples"))
	session := connect(t, &mcp.CommandTransport{Command: command})
	got := callTool(t, session, "leaks", map[string]any{"files": []string{"leaking-loss/snapshot.pickle.gz"}})
	if got.isError || !strings.Contains(got.text, "train.py:41:validate") || got.structured == nil {
		t.Errorf("leaks says %s", got.text)
	}
	if runtime.GOOS == "linux" { // where open sockets can be listed
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", command.Process.Pid))
		if err != nil || len(files) < 3 {
			t.Errorf("%d files are open (%v)", len(files), err)
		}
		for _, file := range files {
			if what, _ := os.Readlink(file); strings.HasPrefix(what, "socket:") {
				t.Errorf("%s is a %s", file, what)
			}
		}
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// TestMCPAtOnce calls tools at the same time; each gives the same result as alone.
func TestMCPAtOnce(t *testing.T) {
	root := filepath.Join("..", "..", "examples")
	session := startMCP(t, "--root", root)
	call := func(i int) (string, error) {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: []string{"stats", "top", "leaks"}[i%3],
			Arguments: map[string]any{"files": []string{"training-loop/snapshot.pickle.gz"}}})
		if err != nil {
			return "", err
		}
		return result.Content[0].(*mcp.TextContent).Text, nil
	}
	var together [9]string
	var g errgroup.Group
	for i := range together {
		g.Go(func() (err error) {
			together[i], err = call(i)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for i := range together {
		if alone, err := call(i); err != nil || alone == "" || alone != together[i] {
			t.Errorf("call %d gives %q, alone %q (%v)", i, together[i], alone, err)
		}
	}
}

// TestMCPHostileInput sends input that no client would. The server ends or goes on.
func TestMCPHostileInput(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	call := func(arguments string) string {
		return hello + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"stats","arguments":` +
			arguments + "}}\n"
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, input := range map[string]string{
		"nothing":      "",
		"no JSON":      "\x00\xff{]\n",
		"early call":   `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"stats"}}` + "\n",
		"no object":    call("[]"),
		"a number":     call("7"),
		"deep":         call(`{"files":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}"),
		"NUL":          call(`{"files":["a\u0000b"]}`),
		"long name":    call(`{"files":["` + strings.Repeat("x", 1<<20) + `"]}`),
		"many files":   call(`{"files":[` + strings.Repeat(`"x",`, 100_000) + `"x"]}`),
		"half a line":  hello + `{"jsonrpc":"2.0","id":3,"method":"tools/`,
		"endless line": hello + `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 64<<20),
	} {
		var stdout, stderr bytes.Buffer
		status := run([]string{"mcp", "--root", t.TempDir()}, strings.NewReader(input), &stdout, &stderr)
		if status != exitDone && status != exitError || strings.Contains(stderr.String(), "defect") {
			t.Errorf("%s: status %d, %s", name, status, &stderr)
		}
		if stdout.Len() > 1<<20 {
			t.Errorf("%s: an answer of %d bytes", name, stdout.Len())
		}
	}
	runtime.ReadMemStats(&after)
	if held := int64(after.TotalAlloc - before.TotalAlloc); held > 2<<30 {
		t.Errorf("%d bytes were allocated", held)
	}
}

// TestMCPDocument starts memviz as examples/agents.md says, and compares its list of tools
// with the tools offered.
func TestMCPDocument(t *testing.T) {
	examples := filepath.Join("..", "..", "examples")
	text := testkit.ReadFile(t, filepath.Join(examples, "agents.md"))
	_, rest, _ := strings.Cut(string(text), "```json\n")
	block, rest, _ := strings.Cut(rest, "```")
	var configuration struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(block), &configuration); err != nil {
		t.Fatal(err)
	}
	server := configuration.Servers["memviz"]
	command := exec.Command(server.Command, append(server.Args, "--write")...)
	command.Dir = examples
	session := connect(t, &mcp.CommandTransport{Command: command})
	defer session.Close()
	var offered, listed []string
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		offered = append(offered, tool.Name)
	}
	for line := range strings.Lines(rest) {
		if name, _, ok := strings.Cut(line, " | "); ok && strings.HasPrefix(name, "| `") {
			for _, name := range strings.Split(strings.TrimPrefix(name, "| "), ", ") {
				listed = append(listed, strings.Trim(name, "`"))
			}
		}
	}
	slices.Sort(listed)
	if !slices.Equal(offered, listed) {
		t.Errorf("offered are %v, listed %v", offered, listed)
	}
}
