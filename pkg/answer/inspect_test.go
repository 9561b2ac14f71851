package answer

import (
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

// Every answer for programs says what was redacted, and fits its schema with it.
func TestRedactedIsSaid(t *testing.T) {
	for command, value := range values {
		s := &Sheet{value: value}
		if s.provenanceOf() == nil {
			if command != "inspect" { // which quotes the report
				t.Errorf("the answer of %s cannot say what was redacted", command)
			}
			continue
		}
		s.Redacted(snapshot.Redaction{Paths: true, Names: true, Prefixes: true})
		text, err := jsonLine(value)
		if err != nil {
			t.Fatal(err)
		}
		if command != "ranks" { // whose lists are null here
			fits(t, command, s)
		}
		if len(s.elements) != 1 || !strings.Contains(string(text), `"redacted":["paths","names","prefixes"]`) {
			t.Errorf("%s says %s", command, text)
		}
		*s.provenanceOf() = Provenance{}
	}
}
