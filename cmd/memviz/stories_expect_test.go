package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// expectation is a command of an expect.txt and the required parts of its answer. The
// format is described in examples/README.md.
type expectation struct {
	command string
	first   string   // the site that must be named before any other; "": no requirement
	lines   []string // in any order
}

func parseExpectations(text string) (all []expectation, err error) {
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if command, is := strings.CutPrefix(line, "$ "); is {
			all = append(all, expectation{command: command})
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("line %d is before any command", i+1)
		}
		last := &all[len(all)-1]
		if site, is := strings.CutPrefix(line, "first "); is {
			last.first = site
		} else {
			last.lines = append(last.lines, line)
		}
	}
	for _, e := range all {
		if e.first == "" && len(e.lines) == 0 {
			return nil, fmt.Errorf("no expectation for %q", e.command)
		}
	}
	return all, nil
}

// site is a place as answers name it, without the folders of its file.
var site = regexp.MustCompile(`[\w-]+\.py:\d+(?:→\d+)?:[\w<>]+`)

// missing lists what an answer lacks.
func (e *expectation) missing(answer string) (lacks []string) {
	flat := strings.Join(strings.Fields(answer), " ")
	if named := site.FindString(flat); e.first != "" && named != e.first {
		lacks = append(lacks, fmt.Sprintf("names %q first, not %q", named, e.first))
	}
	for _, line := range e.lines {
		if !hasInOrder(flat, strings.Split(strings.Join(strings.Fields(line), " "), "...")) {
			lacks = append(lacks, fmt.Sprintf("does not say %q", line))
		}
	}
	return lacks
}

// hasInOrder reports whether a text has all parts, each after the one before.
func hasInOrder(text string, parts []string) bool {
	for _, part := range parts {
		_, rest, found := strings.Cut(text, strings.TrimSpace(part))
		if !found {
			return false
		}
		text = rest
	}
	return true
}

// checkExpectations compares memviz's answers with expect.txt, which must say at least
// once which site comes first.
func (s *story) checkExpectations(t *testing.T) {
	expected, err := parseExpectations(s.read(t, "expect.txt"))
	if err != nil {
		t.Fatal(err)
	}
	culprits := 0
	for _, e := range expected {
		if e.first != "" {
			culprits++
		}
	}
	if culprits == 0 {
		t.Error("no command has to name a site first")
	}
	for _, path := range s.snapshots {
		s.loaded(t, path)
	}
	for _, e := range expected {
		answer := s.ask(t, e.command)
		for _, lack := range e.missing(answer) {
			t.Errorf("$ %s\n%s%s", e.command, answer, lack)
		}
	}
}

func TestExpectations(t *testing.T) {
	const answer = "cuda:0 keeps growing\n\n  Allocated at\n  /home/ada/train.py:41:validate.\n  5 MiB  " +
		"…/b/model.py:9:forward\n"
	for _, test := range []struct{ text, lacks string }{
		{"$ memviz leaks x\ncuda:0 keeps growing\nfirst train.py:41:validate", "[]"},
		{"# why\n$ memviz leaks x\n\nkeeps growing Allocated at ... model.py", "[]"},
		{"$ memviz leaks x\nfirst model.py:9:forward",
			`[names "train.py:41:validate" first, not "model.py:9:forward"]`},
		{"$ memviz leaks x\nnothing keeps growing", `[does not say "nothing keeps growing"]`},
		{"$ memviz leaks x\nmodel.py ... train.py", `[does not say "model.py ... train.py"]`},
	} {
		expected, err := parseExpectations(test.text)
		if err != nil || len(expected) != 1 || expected[0].command != "memviz leaks x" {
			t.Fatalf("%q: %v %+v", test.text, err, expected)
		}
		if got := fmt.Sprint(expected[0].missing(answer)); got != test.lacks {
			t.Errorf("%q: lacks %s, want %s", test.text, got, test.lacks)
		}
	}
	for _, text := range []string{"keeps growing", "$ memviz leaks x\n# nothing else"} {
		if _, err := parseExpectations(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
