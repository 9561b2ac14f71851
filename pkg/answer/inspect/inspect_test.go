package inspect

import (
	"reflect"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

func TestInspectedInShort(t *testing.T) {
	for want, v := range map[string]Contents{
		"nothing": {}, "users": {Users: []string{"x"}}, "addresses": {Addresses: 1}, "times": {Times: 1},
		"secrets, texts, addresses, times": {Secrets: []string{"x"}, Texts: []string{"x"}, Addresses: 2, Times: 3},
	} {
		if got := v.inShort(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestInspect(t *testing.T) {
	c := redact.NewCensus()
	answertest.Fits(t, "inspect", Answer(&Report{Name: "empty.html", Census: c}, 3))
	c.Function("/home/alice/train.py", "train")
	c.Text("the secret run, password=hunter22")
	c.File("acme.pickle")
	s := Answer(&Report{Name: "a.html", Program: "memviz", Redacted: []string{"paths"}, Census: c, Addresses: 7,
		Times: 9, FirstTime: "2026-01-01T00:00:00Z", Foreign: 1}, 3)
	answertest.Fits(t, "inspect", s)
	for condition, want := range map[string]bool{"paths>0": true, "users==1": true, "hosts>0": false, "secrets>0": true,
		"addresses>=7": true, "times>9": false} {
		parsed, err := answer.ParseCondition("inspect", condition)
		if err != nil {
			t.Fatal(err)
		}
		if _, holds, err := parsed.Holds(s); err != nil || holds != want {
			t.Errorf("%s holds: %v, %v", condition, holds, err)
		}
	}
}

// TestInspectWords: what is said only of some reports, and the rows of each kind.
func TestInspectWords(t *testing.T) {
	c := redact.NewCensus()
	for _, in := range []*Report{
		{Census: c}, {Census: c, FirstTime: "2026-01-01T00:00:00Z"}, {Census: c, Foreign: 1},
	} {
		text := strings.Join(strings.Fields(string(answertest.Written(t, Answer(in, 3), sheet.Text))), " ")
		for said, want := range map[string]bool{
			"The recording began at 2026-01-01T00:00:00Z.": in.FirstTime != "",
			"1 script or style is not of this memviz.":     in.Foreign == 1,
			"began at": in.FirstTime != "", "not of this memviz": in.Foreign == 1, "--redact all": false,
		} {
			if strings.Contains(text, said) != want {
				t.Errorf("%+v: %q is said: %v\n%s", in, said, !want, text)
			}
		}
	}
	c.Text("the secret run, password=hunter22")
	if text := string(answertest.Written(t, Answer(&Report{Census: c}, 3), sheet.Text)); !strings.Contains(text,
		"--redact all") {
		t.Errorf("nothing is advised for\n%s", text)
	}
	rows := (&Contents{Users: []string{"a", "b", "c"}, Addresses: 1200}).table(2).Rows
	want := [][]any{{"secrets", "0", ""}, {"users", "3", sheet.Name("a")}, {"", "", sheet.Name("b")}, {"hosts", "0",
		""}}
	if !reflect.DeepEqual(rows[:4], want) || !reflect.DeepEqual(rows[len(rows)-2], []any{"addresses", "1,200", ""}) {
		t.Errorf("rows %v, want %v first", rows, want)
	}
}
