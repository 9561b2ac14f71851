package answer_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/inspect"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// evil is what a name may hold to become more than a name in Markdown. The last word
// of each attack tells whether it stands outside of code.
const evil = "![x](https://e.vil/a.png) [evil](https://e.vil) <img src=https://e.vil> https://e.vil @evil `evil` " +
	"``evil` | evil \\| evil \\\\| evil **evil** \n\n# evil\r- evil\n```\nevil\u2028evil \"evil\" \\"

// spoiled is a snapshot whose every text ends, or begins, with an attack.
func spoiled(s *snapshot.Snapshot, first bool) *snapshot.Snapshot {
	spoil := func(text string) string {
		switch {
		case text == "":
			return evil
		case first:
			return evil + text
		}
		return text + evil
	}
	c := *s
	c.Strings = slices.Clone(s.Strings)
	for i := 1; i < len(c.Strings); i++ {
		c.Strings[i] = spoil(c.Strings[i])
	}
	c.ActionNames = slices.Clone(s.ActionNames)
	for i := range c.ActionNames {
		c.ActionNames[i] = spoil(c.ActionNames[i])
	}
	c.Settings = []snapshot.Setting{{Key: "PYTORCH_CUDA_ALLOC_CONF", Value: "expandable_segments:True,x:" + evil},
		{Key: evil, Value: evil}}
	c.Oddity = snapshot.Oddities{UnknownKeys: map[string]int{evil: 1}, UnknownActions: map[string]int{evil: 2},
		WrongTypes: map[string]int{evil: 3, "event.size": 1}, BadText: 1, LongText: 1}
	return &c
}

// TestMarkdownIsCode: in the Markdown of every answer, all texts of a snapshot are
// code: no parser finds a link, an image, HTML or any of their words beside it.
func TestMarkdownIsCode(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "snapshot.pickle.gz"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	inputs := map[string]*snapshot.Snapshot{"hostile": testsnap.Hostile(), "training": testsnap.Training(),
		"state only": testsnap.StateOnly()}
	for _, path := range paths {
		in := answertest.Example(t, filepath.Base(filepath.Dir(path)))
		inputs[filepath.Base(filepath.Dir(path))] = in.Snapshot
	}
	met := 0
	for story, s := range inputs {
		for _, first := range []bool{false, true} {
			for command, said := range allAnswers(t, answer.NewInput(evil, spoiled(s, first))) {
				markdown := string(answertest.Written(t, said, sheet.Markdown))
				met += strings.Count(markdown, "evil")
				for _, problem := range outsideCode(markdown) {
					t.Errorf("%s on %s: %s", command, story, problem)
				}
				if t.Failed() {
					t.Fatalf("%.4000s", markdown)
				}
			}
		}
	}
	if met < 10_000 {
		t.Errorf("attacks were met %d times", met)
	}
}

// allAnswers asks every command about a snapshot.
func allAnswers(t *testing.T, in answer.Input) map[string]*sheet.Sheet {
	all := []answer.Input{in}
	sheets := map[string]*sheet.Sheet{
		"stats":            stats.Answer(all, stats.Options{Rows: 5, Capacity: 80 << 30}),
		"stats --one-line": stats.Answer(all, stats.Options{OneLine: true}),
		"ranks":            ranksOf(in, in, in), "inspect": inspect.Answer(censusOf(&in), 5),
		"leaks": answertest.Asked(leaks.Answer(all, leaks.Options{Rows: 5})), "oom": answertest.Asked(oom.Answer(all,
			oom.Options{Rows: 5})),
		"whatif": answertest.Asked(whatif.Answer(all, whatif.Options{})), "diff": answertest.Asked(diff.Answer(&in,
			&in, diff.Options{Rows: 5})),
		"events":   answertest.Asked(events.Answer(all, events.Options{To: answertest.EventBound(60)})),
		"segments": answertest.Asked(segments.Answer(all, answer.Peak, 5)),
		"top":      answertest.Asked(top.Answer(all, top.Options{At: answer.Peak, Rows: 5})),
	}
	for command, s := range sheets {
		if s == nil {
			delete(sheets, command)
			continue
		}
		if command != "inspect" {
			answer.MarkRedacted(s, snapshot.Redaction{Paths: true})
		}
	}
	return sheets
}

// outsideCode lists what a parser of Markdown, with the tables and links of GitHub,
// finds of a snapshot beside code.
func outsideCode(markdown string) (problems []string) {
	source := []byte(markdown)
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan, *ast.CodeBlock, *ast.FencedCodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Link, *ast.Image, *ast.AutoLink, *ast.RawHTML, *ast.HTMLBlock, *ast.Heading,
			*extensionast.Strikethrough:
			problems = append(problems, "there is a "+n.Kind().String())
		case *ast.Text:
			if line := string(n.Segment.Value(source)); strings.Contains(line, "evil") {
				problems = append(problems, "as text: "+line)
			}
		}
		return ast.WalkContinue, nil
	})
	pipes := 0 // of the row above; what is in too many cells, parsers drop
	for line := range strings.Lines(markdown) {
		n := strings.Count(line, "|")
		if !strings.HasPrefix(line, "|") {
			n = 0
		} else if pipes > 0 && n != pipes {
			problems = append(problems, "a row has other cells: "+line)
		}
		pipes = n
	}
	return problems
}

// TestOutsideCode: the check of TestMarkdownIsCode finds each attack.
func TestOutsideCode(t *testing.T) {
	for _, markdown := range []string{"![x](https://e.vil/a.png)", "[a](https://e.vil)", "<img src=x>", "https://e.vil",
		"evil",
		"a\n\n# b", "| a |\n| --- |\n| `x | evil` |\n", "`a` evil` b"} {
		if len(outsideCode(markdown)) == 0 {
			t.Errorf("%q passes", markdown)
		}
	}
	for _, markdown := range []string{"`![x](https://e.vil)`", "```\nevil\n```", "| a |\n| --- |\n| `evil` |\n"} {
		if problems := outsideCode(markdown); len(problems) > 0 {
			t.Errorf("%q: %q", markdown, problems)
		}
	}
}
