package answer

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

func TestInspect(t *testing.T) {
	c := redact.NewCensus()
	fits(t, "inspect", Inspect(&Inspected{Name: "empty.html", Census: c}, 3))
	c.Function("/home/alice/train.py", "train")
	c.Text("the secret run, password=hunter22")
	c.File("acme.pickle")
	s := Inspect(&Inspected{Name: "a.html", Program: "memviz", Redacted: []string{"paths"}, Census: c, Addresses: 7,
		Times: 9, FirstTime: "2026-01-01T00:00:00Z", Foreign: 1}, 3)
	fits(t, "inspect", s)
	for condition, want := range map[string]bool{"paths>0": true, "users==1": true, "hosts>0": false, "secrets>0": true,
		"addresses>=7": true, "times>9": false} {
		parsed, err := ParseCondition("inspect", condition)
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
	for _, in := range []*Inspected{
		{Census: c}, {Census: c, FirstTime: "2026-01-01T00:00:00Z"}, {Census: c, Foreign: 1},
	} {
		text := strings.Join(strings.Fields(string(written(t, Inspect(in, 3), Text))), " ")
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
	if text := string(written(t, Inspect(&Inspected{Census: c}, 3), Text)); !strings.Contains(text, "--redact all") {
		t.Errorf("nothing is advised for\n%s", text)
	}
	rows := (&InspectAnswer{Users: []string{"a", "b", "c"}, Addresses: 1200}).table(2).rows
	want := [][]any{{"secrets", "0", ""}, {"users", "3", name("a")}, {"", "", name("b")}, {"hosts", "0", ""}}
	if !reflect.DeepEqual(rows[:4], want) || !reflect.DeepEqual(rows[len(rows)-2], []any{"addresses", "1,200", ""}) {
		t.Errorf("rows %v, want %v first", rows, want)
	}
}

// TestRedactedIsSaid: every answer for programs says what was redacted, and fits its schema with
// it, but for two: one quotes the report, one is not about snapshots.
func TestRedactedIsSaid(t *testing.T) {
	for command, value := range emptyAnswers() {
		s := &Sheet{value: value}
		s.Redacted(snapshot.Redaction{Paths: true, Names: true, Prefixes: true})
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if command == "inspect" || command == "version" {
			continue
		}
		if command != "ranks" { // whose lists are null here
			fits(t, command, s)
		}
		if !strings.Contains(string(text), `"redacted":["paths","names","prefixes"]`) ||
			!strings.Contains(string(written(t, s, Text)), "redacted") {
			t.Errorf("%s says %s", command, text)
		}
	}
}
