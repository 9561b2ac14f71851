package answer

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// example is one of the committed examples.
func example(t *testing.T, story string) Input {
	t.Helper()
	s, err := snapshot.Open(filepath.Join("..", "..", "examples", story, "snapshot.pickle.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return NewInput(story+".pickle", s)
}

// Every answer on the examples, as people read it, and its JSON held against
// the schema.
func TestAnswersOnExamples(t *testing.T) {
	training, leaking, oom := example(t, "training-loop"), example(t, "leaking-loss"), example(t, "out-of-memory")
	all := []Input{training, leaking, oom}
	capacity := OOMOptions{Capacity: 5 << 30, Rows: 5}
	asking := WhatIfOptions{Capacity: 5 << 30, Settings: []whatif.Setting{
		setting(t, ""), setting(t,
			"max_split_size_mb:64,max_non_split_rounding_mb:40,garbage_collection_threshold:0.6"),
	}}
	for _, test := range []struct {
		command string
		ask     func() (*Sheet, error)
	}{
		{"leaks", func() (*Sheet, error) { return Leaks(all, LeaksOptions{Rows: 5}) }},
		{"oom", func() (*Sheet, error) { return OOM(all, OOMOptions{Rows: 5}) }},
		{"oom_capacity", func() (*Sheet, error) { return OOM(all[2:], capacity) }},
		{"diff", func() (*Sheet, error) { return Diff(&training, &leaking, DiffOptions{Rows: 5}) }},
		{"diff_same", func() (*Sheet, error) { return Diff(&oom, &oom, DiffOptions{Rows: 5}) }},
		{"whatif", func() (*Sheet, error) { return WhatIf(all, WhatIfOptions{}) }},
		{"whatif_asked", func() (*Sheet, error) { return WhatIf(all[2:], asking) }},
		{"predict", func() (*Sheet, error) { return predicted(t), nil }},
		{"top_layer", func() (*Sheet, error) {
			return Top(all, TopOptions{At: Peak, Grouping: holders.Grouping{By: holders.ByLayer}, Rows: 9})
		}},
		{"top_module", func() (*Sheet, error) {
			return Top(all[:1], TopOptions{At: Peak, Grouping: holders.Grouping{By: holders.ByModule}, Rows: 5})
		}},
		{"top_churn", func() (*Sheet, error) { return Top(all, TopOptions{At: Peak, Churn: true, Rows: 5}) }},
		{"ranks", func() (*Sheet, error) { return ranksOf(all...), nil }},
		{"ranks_two", func() (*Sheet, error) { return ranksOf(training, leaking), nil }},
	} {
		s, err := test.ask()
		if err != nil {
			t.Fatal(err)
		}
		command, _, _ := bytes.Cut([]byte(test.command), []byte("_"))
		fits(t, string(command), s)
		text := written(t, s, Text)
		fitsTerminal(t, string(text))
		testkit.Golden(t, test.command+".txt", append(text, written(t, s, Markdown)...))
	}
}

func setting(t *testing.T, conf string) whatif.Setting {
	t.Helper()
	s, err := whatif.Parse(conf)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ranksOf(in ...Input) *Sheet {
	list := []job.Digest{{Error: "the file is empty"}}
	list[0].File.Name, list[0].File.Path = "rank9.pickle", "rank9.pickle"
	list[0].Name.From = job.FromOrder
	for i := range in {
		for _, r := range in[i].Recordings {
			d := job.DigestOf(r)
			d.File.Name, d.File.Path = in[i].Name, in[i].Name
			d.File.SHA256 = fmt.Sprint(i) // equal files are several ranks here
			list = append(list, d)
		}
	}
	return Ranks(job.Jobs(list), 2)
}

// A hostile snapshot gives answers too, which fit a terminal and their schemas.
func TestAnswersOnHostile(t *testing.T) {
	in := NewInput("\x1b[31mhostile\n.pickle", testsnap.Hostile())
	for command, ask := range map[string]func() (*Sheet, error){
		"leaks": func() (*Sheet, error) { return Leaks([]Input{in}, LeaksOptions{Rows: 5}) },
		"oom":   func() (*Sheet, error) { return OOM([]Input{in}, OOMOptions{Rows: 5, Capacity: 1}) },
		"whatif": func() (*Sheet, error) {
			return WhatIf([]Input{in}, WhatIfOptions{Settings: []whatif.Setting{{Conf: testsnap.HostileTexts[0]}}})
		},
		"diff":  func() (*Sheet, error) { return Diff(&in, &in, DiffOptions{Rows: 5}) },
		"ranks": func() (*Sheet, error) { return ranksOf(in), nil },
	} {
		s, err := ask()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		fits(t, command, s)
		for _, format := range []Format{Text, Markdown} {
			printable(t, string(written(t, s, format)))
		}
		fitsTerminal(t, string(written(t, s, Text)))
	}
}
