package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// The index of examples/README.md is between these headings.
const (
	indexBegin = "| story | what it is | recorded | first line of the answer |\n|---|---|---|---|\n"
	indexEnd   = "\n\n"
)

// TestStoryIndex compares the table of all stories with their folders: the script's own
// description, whether torch recorded it, and memviz's answer. -update regenerates it in
// its present order, new stories last.
func TestStoryIndex(t *testing.T) {
	path := filepath.Join("..", "..", "examples", "README.md")
	text := testkit.ReadFile(t, path)
	before, rest, found := strings.Cut(string(text), indexBegin)
	table, after, ended := strings.Cut(rest, indexEnd)
	if !found || !ended {
		t.Fatalf("%s has no table that begins with\n%s", path, indexBegin)
	}
	all := stories(t)
	place := func(s story) int { // in the present table
		if i := strings.Index(table, "| ["+s.name+"]"); i >= 0 {
			return i
		}
		return len(table)
	}
	slices.SortStableFunc(all, func(a, b story) int { return cmp.Compare(place(a), place(b)) })
	var rows []string
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) { rows = append(rows, s.row(t)) })
	}
	if *testkit.Update {
		t.Chdir(filepath.Dir(path))
		written := before + indexBegin + strings.Join(rows, "\n") + indexEnd + after
		testkit.WriteFile(t, filepath.Base(path), written)
	} else if got := strings.Join(rows, "\n"); got != table {
		t.Errorf("the stories are\n%s\n%s has\n%s", got, path, table)
	}
}

// row returns the story's line of the index.
func (s *story) row(t *testing.T) string {
	script := s.read(t, "train.py")
	about, _, _ := strings.Cut(strings.TrimPrefix(script, `"""`), "\n")
	recorded := "simulated"
	if s.says != nil {
		recorded = "real, torch " + s.says.Torch
	}
	return fmt.Sprintf("| [%s](%s) | %s | %s | %s |", s.name, s.name, strings.TrimSuffix(about, `"""`), recorded,
		s.firstLine(t))
}

// firstLine returns the first command of expect.txt, and the first line of its answer.
func (s *story) firstLine(t *testing.T) string {
	expected, err := parseExpectations(s.read(t, "expect.txt"))
	if err != nil || len(expected) == 0 {
		t.Fatalf("expect.txt: %v", err)
	}
	command := strings.Fields(expected[0].command)[1]
	answer, _, _ := strings.Cut(s.ask(t, expected[0].command), "\n\n")
	return fmt.Sprintf("`%s`: %s", command, strings.Join(strings.Fields(answer), " "))
}
