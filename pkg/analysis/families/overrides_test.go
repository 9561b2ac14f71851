package families

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

func overrides(t *testing.T, lines ...string) *Overrides {
	t.Helper()
	o, err := ParseOverrides("rules.txt", strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestOverrideFits: one rule against one stack of a user's function in a file,
// called from train.py, with the operator aten::mm.
func TestOverrideFits(t *testing.T) {
	const stack = "at::_ops::mm::call(at::Tensor const&)\nC:\\job\\model.py|Cache.update_kv\n" + loop
	for rule, want := range map[string]bool{
		"cache: function =~ _kv$":                         true,
		"cache: function =~ ^update":                      false,
		"cache: function Cache.*":                         true,
		"cache: function Cache":                           false,
		"cache: function main":                            true,
		"cache: function m?in":                            true,
		"cache: file model.py":                            true,
		"cache: file C:/job/*.py":                         true,
		"cache: file job/model.py":                        false,
		"cache: file */job/*":                             true,
		`cache: file =~ job/model\.py$`:                   true,
		"cache: file model":                               false,
		"cache: frame =~ model.py:2:Cache":                true,
		"cache: frame =~ model.py:2:main":                 false,
		"cache: operator aten::mm":                        true,
		"cache: operator aten::m":                         false,
		"cache: operator =~ m":                            true,
		"  cache :  function   =~   kv  ":                 true,
		"cache: function main\n# cache: function nothing": true,
	} {
		tape := testsnap.NewTape()
		x := tape.Freed(stack, stack)
		f, d := classify(tape, overrides(t, rule))
		if got := f.Reason(ruleOf(t, f, d, x)).Family == Cache; got != want {
			t.Errorf("%s: fits %v, want %v", rule, got, want)
		}
	}
}

// TestOverrideWins holds the rules of several stacks against a loop over
// everything that is said of them.
func TestOverrideWins(t *testing.T) {
	lines := []string{
		"# what this job calls things",
		"activation: function =~ ^nothing",
		"input: operator aten::to",
		"optimizer: file train.py",
		"communication: function =~ step",
		"gradient: file */module.py",
		"workspace: function _apply",
	}
	o := overrides(t, lines...)
	stacks := []string{
		module, step, loading, zeroGrad, native, "",
		"at::_ops::to::call()\n" + module, "lib/x.py|step\nlib/y.py|run", "torch/nn/modules/module.py|_apply",
	}
	tape := testsnap.NewTape()
	tensors := make([]tensor, len(stacks))
	for i, stack := range stacks {
		tensors[i] = tape.Freed(stack, stack)
	}
	builtIn, d := classify(tape, nil)
	f, _ := classify(tape, o)
	for i, stack := range stacks {
		rule := ruleOf(t, f, d, tensors[i])
		line := firstLine(lines, stack)
		if line < 0 {
			if want := ruleOf(t, builtIn, d, tensors[i]); rule != want {
				t.Errorf("%q: rule %d, without overrides %d", stack, rule, want)
			}
			continue
		}
		got := f.Reason(rule)
		family, _, _ := strings.Cut(lines[line], ":")
		if want := fmt.Sprintf("said so by line %d of rules.txt: %s", line+1, lines[line]); got.Because != want ||
			got.Family.Key() != family {
			t.Errorf("%q: %s because %q, want %s because %q", stack, got.Family.Key(), got.Because, family, want)
		}
		if got.Confidence != High || got.Retained {
			t.Errorf("%q: %+v, want no doubt", stack, got)
		}
	}
}

// firstLine is the first rule of TestOverrideWins that fits a stack, or -1.
func firstLine(lines []string, stack string) int {
	for i, line := range lines {
		for f := range strings.SplitSeq(stack, "\n") {
			file, name, python := strings.Cut(f, "|")
			if !python {
				file, name = "??", f
			}
			fits := false
			switch {
			case strings.Contains(line, "nothing"), strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "input"):
				fits = strings.HasPrefix(f, "at::_ops::to")
			case strings.HasPrefix(line, "optimizer"):
				fits = file == "train.py"
			case strings.HasPrefix(line, "communication"):
				fits = strings.Contains(name, "step")
			case strings.HasPrefix(line, "gradient"):
				fits = strings.HasSuffix(file, "/module.py")
			case strings.HasPrefix(line, "workspace"):
				fits = name == "_apply"
			}
			if fits {
				return i
			}
		}
	}
	return -1
}

// TestOverrideNamed: the frame that an override goes by is the one to show.
func TestOverrideNamed(t *testing.T) {
	tape := testsnap.NewTape()
	id := tape.Stack(testsnap.Frames("lib/x.py|inner\nlib/kv.py|update\n" + loop)...)
	other := tape.Stack(testsnap.Frames(step)...)
	st := stacks.Read(tape.Snapshot())
	name := func(id snapshot.StackID) string {
		if st.Named[id] == stacks.NoFrame {
			return ""
		}
		return st.Frame(st.Named[id]).String()
	}
	if got := name(other); got != "torch/optim/adam.py:1:_multi_tensor_adam" {
		t.Errorf("a step is known by %q", got)
	}
	if got := name(id); got != "lib/x.py:1:inner" {
		t.Errorf("code of no kind is known by %q", got)
	}
	overrides(t, "cache: file kv.py").Apply(st)
	if got := name(id); got != "lib/kv.py:2:update" {
		t.Errorf("an override goes by %q", got)
	}
}

func TestOverrideErrors(t *testing.T) {
	many := strings.Repeat("cache: function x\n", maxOverrides+1)
	for text, want := range map[string]string{
		"":                     `^rules.txt: no rule in it; write one like "cache: function =~ kv_cache"$`,
		"# only words":         `^rules.txt: no rule in it`,
		"\n\ncache function x": `^rules.txt:3: "cache function x" has no colon after the family`,
		"caches: function " +
			"x": `^rules.txt:1: "caches" is not a family; there are unknown, parameter, .*, parameter_or_gradient$`,
		"cache: func x":       `^rules.txt:1: "func" is nothing to look at; there are function, file, frame, operator$`,
		"cache: function":     `^rules.txt:1: nothing to hold the function against`,
		"cache: function =~ ": `^rules.txt:1: nothing to hold the function against`,
		"cache: file =~ ([a-z]": "^rules.txt:1: \"\\(\\[a-z\\]\" is not a regular expression: missing closing " +
			"\\): `\\(\\[a-z\\]`$",
		"cache: file =~ " +
			"(x{1000}){9}": `^rules.txt:1: .* is not a regular expression: invalid repeat count`,
		"input: frame \xd60": `^rules.txt:1: not UTF-8; save the file as such$`,
		"# fine\n" + strings.Repeat("x", maxOverrideLine+1): `^rules.txt:2: a line of more than 4096 bytes$`,
		many: `^rules.txt:191: more than 190 rules$`,
	} {
		_, err := ParseOverrides("rules.txt", strings.NewReader(text))
		if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

// FuzzParseOverrides: rules are read or refused, and what is read can be asked.
func FuzzParseOverrides(f *testing.F) {
	for _, seed := range []string{"cache: function =~ kv_cache", "\ufeffcache: file */kv.py\r\n# x",
		"input: frame =~ (a|b)*$", "x:y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseOverrides("rules.txt", strings.NewReader(text))
		if err != nil {
			return
		}
		tape := testsnap.NewTape()
		tape.Freed(module, module)
		families, _ := classify(tape, o)
		families.Reason(families.Rules[0])
	})
}
