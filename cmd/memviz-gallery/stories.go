package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// story is a folder of examples.
type story struct {
	Name   string
	About  string // a sentence
	Answer string // the first line of memviz's answer
	Kind   *kind
	Pages  []page // the index links to the first
	files  []string
	inputs []answer.Input // of the files
}

// page is an HTML file that memviz writes for a story.
type page struct {
	File    string
	Label   string   // distinguishes the pages of a story; empty for the first
	command []string // of memviz, in the story's folder; without output
}

// kind describes the first page of a story.
type kind struct{ Anchor, Title, About string }

var (
	recording = &kind{"recording", "One recording", "Every tensor of a run, each with the stack that allocated it."}
	compared  = &kind{"comparison", "Two recordings compared",
		"Before and after on one scale, phase under phase, with the difference below."}
	job       = &kind{"job", "All ranks of a job", "Which rank ran out of memory first, holds more, or leaks alone."}
	predicted = &kind{"predicted", "Predicted", "Runs that were never made, concluded from those that were."}
)

// indexRow is a line of the table in examples/README.md.
var indexRow = regexp.MustCompile("(?m)^\\| \\[([a-z0-9-]+)\\]\\([a-z0-9-]+\\) \\| (.+?) \\| .+? \\| " +
	"`[a-z]+`: (.+?) \\|$")

// readStories returns the stories in the order of examples/README.md.
func readStories(examples string) ([]*story, error) {
	table, err := os.ReadFile(filepath.Join(examples, "README.md"))
	if err != nil {
		return nil, err
	}
	var stories []*story
	for _, row := range indexRow.FindAllStringSubmatch(string(table), -1) {
		said := strings.TrimPrefix(strings.TrimPrefix(row[3], "cuda:0"), ":")
		s := &story{Name: row[1], About: strings.ReplaceAll(row[2], "`", ""), Answer: strings.TrimSpace(said)}
		if err := s.read(filepath.Join(examples, s.Name)); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		stories = append(stories, s)
	}
	if len(stories) == 0 {
		return nil, fmt.Errorf("%s/README.md has no table of stories", examples)
	}
	return stories, nil
}

// read reads the snapshots of a story and decides its pages.
func (s *story) read(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if name := entry.Name(); strings.HasSuffix(name, ".pickle.gz") || strings.HasSuffix(name, ".pt") {
			s.files = append(s.files, name)
		}
	}
	s.plan()
	for _, name := range s.files {
		read, err := snapshot.Open(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		s.inputs = append(s.inputs, answer.NewInput(name, read))
	}
	return nil
}

// plan decides the kind and pages of a story from the names of its files.
func (s *story) plan() {
	sizes := map[int]string{}
	var ranks, before, after []string
	for _, file := range s.files {
		switch name := label(file); {
		case strings.HasPrefix(name, "rank"):
			ranks = append(ranks, file)
		case name == "before":
			before = append(before, file)
		case name == "after":
			after = append(after, file)
		default:
			if size, err := strconv.Atoi(name); err == nil {
				sizes[size] = file
			}
		}
	}
	add := func(label string, command ...string) {
		file := s.Name
		if label != "" {
			file += "-" + strings.ReplaceAll(label, " ", "-")
		}
		s.Pages = append(s.Pages, page{file + ".html", label, command})
	}
	switch {
	case len(ranks) > 0:
		s.Kind = job
		add("", append([]string{"ranks"}, ranks...)...)
	case len(sizes) > 1:
		s.Kind = predicted
		s.files = nil
		command := []string{"predict"}
		for _, size := range slices.Sorted(maps.Keys(sizes)) {
			command = append(command, fmt.Sprintf("%d=%s", size, sizes[size]))
			s.files = append(s.files, sizes[size])
		}
		at := strconv.Itoa(2 * slices.Max(slices.Collect(maps.Keys(sizes))))
		add("predicted at "+at, append(command, "--at", at)...)
		for _, file := range s.files {
			add("recorded at "+label(file), "trace", file)
		}
	case len(before) > 0 && len(after) > 0:
		s.Kind = compared
		s.files = append(before, after...)
		add("", append([]string{"diff"}, s.files...)...)
	case len(before) > 0: // one before, several after
		s.Kind = predicted
		add("", append([]string{"trace"}, before...)...)
		for _, file := range s.files {
			if label(file) != "before" {
				add("then "+label(file), "diff", before[0], file)
			}
		}
	default:
		s.Kind = recording
		add("", append([]string{"trace"}, s.files...)...)
	}
}

// label returns the name of a file without its extensions.
func label(file string) string {
	name, _, _ := strings.Cut(file, ".")
	return name
}
