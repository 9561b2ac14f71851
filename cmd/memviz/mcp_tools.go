package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

// toolKind is a command that agents can call, with its options.
type toolKind struct {
	command string
	about   string // for the agent, with units
	min     int    // fewest files
	max     int    // most files; 0: any number
	writes  bool   // a file, without an answer
	reveals bool   // names, even with redaction
}

var toolKinds = []toolKind{
	{command: "stats", min: 1, about: "Totals of each device: peaks of active and reserved memory, steps, " +
		"fragmentation, what the peak need not hold, and whether the numbers add up. Call it first. In bytes."},
	{command: "top", min: 1, about: "What holds memory at a moment (at), a row for each call site or another " +
		"kind (by), the largest first. In bytes, with the number of allocations."},
	{command: "leaks", min: 1, about: "What survives the steps of a training loop, again and again, in bytes per " +
		"step. It needs a recording of 4 steps or more."},
	{command: "oom", min: 1, about: "Why a request ran out of memory: what it asked for, what was free, who held " +
		"the rest, what would have helped. In bytes."},
	{command: "whatif", min: 1, about: "Predicted peaks in bytes of the same run under other settings of PyTorch's " +
		"allocator, and with changes of the training such as checkpointing."},
	{command: "predict", min: 2, about: "Predicted peaks in bytes at another batch size or sequence length, from " +
		"two or more recordings, each with its size X."},
	{command: "diff", min: 2, max: 2, about: "What a second recording holds more or less than the first, by call " +
		"site, in bytes."},
	{command: "ranks", min: 1, about: "Which ranks of one job differ from those that do the same work: who ran out " +
		"of memory first, who holds more, on which memory grows. In bytes."},
	{command: "events", min: 1, about: "What the allocator did, event by event, with a running total in bytes. " +
		"Ask for a part with from, to and grep: recordings have millions of events."},
	{command: "segments", min: 1, about: "The memory map at a moment: each segment with its blocks, how much of it " +
		"is free, and what keeps it. In bytes."},
	{command: "inspect", min: 1, max: 1, reveals: true, about: "Which paths, names, users and secrets a report " +
		"holds, before it is given to others."},
	{command: "trace", min: 1, writes: true, about: "Write the report of recordings, one HTML file that works " +
		"offline, to output. It replaces older reports, and no other file."},
}

func toolNames() string {
	names := make([]string, len(toolKinds))
	for i, kind := range toolKinds {
		names[i] = kind.command
	}
	return strings.Join(names, ", ")
}

// tool is a command with the options that an agent may set, by argument name.
type tool struct {
	command *cli.Command
	kind    toolKind
	options map[string]cli.Flag
}

// forTerminals are options that are useless to an agent.
var forTerminals = []string{"one-line", "open", "zip", "help"}

// newTool makes a tool of a command. Agents cannot change redaction, limits or the format of
// answers.
func newTool(command *cli.Command, kind toolKind, write bool) *tool {
	t := &tool{command, kind, map[string]cli.Flag{}}
	for _, flag := range command.Flags {
		name := flag.Names()[0]
		category := flag.(cli.CategorizableFlag).GetCategory()
		toWrite := name == "output" || name == "max-size" || name == "omit"
		if category == "" && !slices.Contains(forTerminals, name) && (write || !toWrite) || name == "salvage" {
			t.options[strings.ReplaceAll(name, "-", "_")] = flag
		}
	}
	return t
}

// schema is the part of a JSON Schema that tools need.
type schema struct {
	Type        string             `json:"type"`
	Description string             `json:"description,omitempty"`
	Default     any                `json:"default,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	MinItems    int                `json:"minItems,omitempty"`
	MaxItems    int                `json:"maxItems,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Additional  *bool              `json:"additionalProperties,omitempty"`
}

func (t *tool) describe() *mcp.Tool {
	no := false
	input := &schema{Type: "object", Required: []string{"files"}, Additional: &no, Properties: map[string]*schema{
		"files": {Type: "array", Items: &schema{Type: "string"}, MinItems: t.kind.min, MaxItems: t.kind.max,
			Description: "paths: " + t.command.ArgsUsage + "; a folder stands for all snapshots in it, and a " +
				"pattern such as rank*.pickle for the files of such names"}}}
	if t.kind.writes {
		input.Required = append(input.Required, "output")
	}
	for name, flag := range t.options {
		input.Properties[name] = schemaOf(flag)
	}
	if output := input.Properties["output"]; output != nil {
		output.Description = "the path of an HTML page to write, too; an older one of memviz is replaced"
	}
	described := &mcp.Tool{
		Name:        t.command.Name,
		Description: t.kind.about,
		InputSchema: input,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.options["output"] == nil, DestructiveHint: &no,
			IdempotentHint: true, OpenWorldHint: &no},
	}
	if text, ok := answer.Schema(t.command.Name); ok {
		described.OutputSchema = withLeftOut(text)
	}
	return described
}

// withLeftOut extends the schema of an answer for lists that were cut.
func withLeftOut(text []byte) map[string]any {
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		panic(err) // schemas are compiled in
	}
	schema["properties"].(map[string]any)[leftOutKey] = map[string]any{"type": "array",
		"items": map[string]any{"type": "string"}, "description": "lists that were cut to keep the result short, " +
			"with how many items each has lost"}
	return schema
}

// optionName matches the names of options in the usage of others.
var optionName = regexp.MustCompile(`--([a-z][a-z-]+)`)

func schemaOf(flag cli.Flag) *schema {
	if b, ok := flag.(*cli.BoolFlag); ok {
		return &schema{Type: "boolean", Description: asArgument(b.Usage)}
	}
	f := flag.(*optionFlag)
	s := &schema{Type: "string", Description: asArgument(f.Usage)}
	if f.Value.String() != "" {
		s.Default = f.Value.String()
	}
	if n, err := strconv.Atoi(f.Value.String()); f.whole {
		s.Type = "integer"
		if err == nil {
			s.Default = n
		}
	}
	if f.repeats {
		return &schema{Type: "array", Items: &schema{Type: "string"},
			Description: strings.TrimSuffix(s.Description, repeatable)}
	}
	return s
}

// asArgument rewrites the usage of a flag for an argument of a tool.
func asArgument(usage string) string {
	return optionName.ReplaceAllStringFunc(strings.ReplaceAll(usage, "`", ""), func(name string) string {
		return strings.ReplaceAll(strings.TrimPrefix(name, "--"), "-", "_")
	})
}

// namesFile reports whether the value of a flag is a path: its placeholder is FILE.
func namesFile(flag cli.Flag) bool {
	f, ok := flag.(*optionFlag)
	return ok && strings.Contains(f.Usage, "`FILE`")
}

// arguments returns the command-line arguments, and the path of the report to write.
func (t *tool) arguments(text []byte, fence *fence) (args []string, output string, err error) {
	given := map[string]any{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &given); err != nil {
			return nil, "", fmt.Errorf("the arguments are not a JSON object: %w", err)
		}
	}
	files, err := stringsOf("files", given["files"])
	switch n := len(files); {
	case err != nil:
		return nil, "", err
	case n < t.kind.min:
		return nil, "", fmt.Errorf("files names too few: %s needs %s", t.command.Name, t.command.ArgsUsage)
	}
	delete(given, "files")
	for _, name := range slices.Sorted(maps.Keys(given)) {
		flag, ok := t.options[name]
		if !ok {
			return nil, "", fmt.Errorf("there is no argument %q; there are files, %s", name,
				strings.Join(slices.Sorted(maps.Keys(t.options)), ", "))
		}
		values, err := valuesOf(name, flag, given[name])
		if err != nil {
			return nil, "", err
		}
		for _, value := range values {
			if namesFile(flag) {
				if value, err = fence.resolve(value); err != nil {
					return nil, "", fmt.Errorf("%s: %w", name, err)
				}
			}
			if name == "output" {
				output = value
			} else {
				args = append(args, "--"+flag.Names()[0]+"="+value)
			}
		}
	}
	if t.kind.writes && output == "" {
		return nil, "", errors.New("output is missing: the path of the report to write")
	}
	return append(append(args, "--"), files...), output, nil
}

// valuesOf returns the values of an argument as strings for a command line.
func valuesOf(name string, flag cli.Flag, value any) ([]string, error) {
	if _, ok := flag.(*cli.BoolFlag); ok {
		b, ok := value.(bool)
		if !ok {
			return nil, fmt.Errorf("%s is true or false", name)
		}
		return []string{strconv.FormatBool(b)}, nil
	}
	if flag.(*optionFlag).repeats {
		return stringsOf(name, value)
	}
	switch value := value.(type) {
	case string:
		return []string{value}, nil
	case float64:
		return []string{strconv.FormatFloat(value, 'f', -1, 64)}, nil
	}
	return nil, fmt.Errorf("%s is a text or a number", name)
}

func stringsOf(name string, value any) ([]string, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("%s is a list of texts", name)
	}
	texts := make([]string, len(list))
	for i := range list {
		if texts[i], ok = list[i].(string); !ok || texts[i] == "" {
			return nil, fmt.Errorf("%s is a list of texts, and none is empty", name)
		}
	}
	return texts, nil
}
