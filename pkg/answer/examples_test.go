package answer_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/ranks"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/top"
	whatifanswer "github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// Every answer on the examples, as people read it, and its JSON held against
// the schema.
func TestAnswersOnExamples(t *testing.T) {
	training, leaking, failing := answertest.Example(t, "training-loop"), answertest.Example(t,
		"leaking-loss"), answertest.Example(t, "out-of-memory")
	all := []answer.Input{training, leaking, failing}
	capacity := oom.Options{Capacity: 5 << 30, Rows: 5}
	asking := whatifanswer.Options{Capacity: 5 << 30, Settings: []whatif.Setting{
		setting(t, ""), setting(t,
			"max_split_size_mb:64,max_non_split_rounding_mb:40,garbage_collection_threshold:0.6"),
	}}
	for _, test := range []struct {
		command string
		ask     func() (*sheet.Sheet, error)
	}{
		{"leaks", func() (*sheet.Sheet, error) { return leaks.Answer(all, leaks.Options{Rows: 5}) }},
		{"oom", func() (*sheet.Sheet, error) { return oom.Answer(all, oom.Options{Rows: 5}) }},
		{"oom_capacity", func() (*sheet.Sheet, error) { return oom.Answer(all[2:], capacity) }},
		{"diff", func() (*sheet.Sheet, error) { return diff.Answer(&training, &leaking, diff.Options{Rows: 5}) }},
		{"diff_same", func() (*sheet.Sheet, error) { return diff.Answer(&failing, &failing, diff.Options{Rows: 5}) }},
		{"whatif", func() (*sheet.Sheet, error) { return whatifanswer.Answer(all, whatifanswer.Options{}) }},
		{"whatif_asked", func() (*sheet.Sheet, error) { return whatifanswer.Answer(all[2:], asking) }},
		{"predict", func() (*sheet.Sheet, error) { return predicted(t), nil }},
		{"top_layer", func() (*sheet.Sheet, error) {
			return top.Answer(all, top.Options{At: answer.Peak, Grouping: holders.Grouping{By: holders.ByLayer},
				Rows: 9})
		}},
		{"top_module", func() (*sheet.Sheet, error) {
			return top.Answer(all[:1], top.Options{At: answer.Peak, Grouping: holders.Grouping{By: holders.ByModule},
				Rows: 5})
		}},
		{"top_churn", func() (*sheet.Sheet, error) {
			return top.Answer(all, top.Options{At: answer.Peak, Churn: true, Rows: 5})
		}},
		{"ranks", func() (*sheet.Sheet, error) { return ranksOf(all...), nil }},
		{"ranks_two", func() (*sheet.Sheet, error) { return ranksOf(training, leaking), nil }},
	} {
		s, err := test.ask()
		if err != nil {
			t.Fatal(err)
		}
		command, _, _ := bytes.Cut([]byte(test.command), []byte("_"))
		answertest.Fits(t, string(command), s)
		text := answertest.Written(t, s, sheet.Text)
		answertest.FitsTerminal(t, string(text))
		testkit.Golden(t, test.command+".txt", append(text, answertest.Written(t, s, sheet.Markdown)...))
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

func ranksOf(in ...answer.Input) *sheet.Sheet {
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
	return ranks.Answer(job.Jobs(list), 2)
}

// A hostile snapshot gives answers too, which fit a terminal and their schemas.
func TestAnswersOnHostile(t *testing.T) {
	in := answer.NewInput("\x1b[31mhostile\n.pickle", testsnap.Hostile())
	for command, ask := range map[string]func() (*sheet.Sheet, error){
		"leaks": func() (*sheet.Sheet, error) { return leaks.Answer([]answer.Input{in}, leaks.Options{Rows: 5}) },
		"oom": func() (*sheet.Sheet, error) {
			return oom.Answer([]answer.Input{in}, oom.Options{Rows: 5,
				Capacity: 1})
		},
		"whatif": func() (*sheet.Sheet, error) {
			return whatifanswer.Answer([]answer.Input{in},
				whatifanswer.Options{Settings: []whatif.Setting{{Conf: testsnap.HostileTexts[0]}}})
		},
		"diff":  func() (*sheet.Sheet, error) { return diff.Answer(&in, &in, diff.Options{Rows: 5}) },
		"ranks": func() (*sheet.Sheet, error) { return ranksOf(in), nil },
	} {
		s, err := ask()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		answertest.Fits(t, command, s)
		for _, format := range []sheet.Format{sheet.Text, sheet.Markdown} {
			answertest.Printable(t, string(answertest.Written(t, s, format)))
		}
		answertest.FitsTerminal(t, string(answertest.Written(t, s, sheet.Text)))
	}
}
