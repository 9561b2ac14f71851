package main

import (
	"fmt"
	"path"
	"strings"

	"github.com/memviz-go/memviz/examples"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// home is where the examples lie on the machine that simulated runs pretend to be on.
const home = "/home/ada/examples"

// script is the train.py of a story. Its lines are found by their text, so that the
// frames of a run are right wherever the text moves to.
type script struct {
	file  string // as it stands in frames
	lines []string
}

func openScript(story string) (*script, error) {
	name := path.Join(story, "train.py")
	text, err := examples.Python.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return &script{path.Join(home, name), strings.Split(string(text), "\n")}, nil
}

// frame is the line that has this text, but for indentation and a comment behind
// it, in its function. Only one line may have it.
func (s *script) frame(text string) (snapshot.FrameText, error) {
	at := -1
	for i, line := range s.lines {
		code, _, _ := strings.Cut(line, "  #")
		if strings.TrimSpace(code) != text {
			continue
		}
		if at >= 0 {
			return snapshot.FrameText{}, fmt.Errorf("%s: lines %d and %d are both %q", s.file, at+1, i+1, text)
		}
		at = i
	}
	if at < 0 {
		return snapshot.FrameText{}, fmt.Errorf("%s: no line is %q", s.file, text)
	}
	return py(s.file, int32(at+1), s.function(at)), nil
}

// function is the one that a line is in.
func (s *script) function(at int) string {
	indent := indentation(s.lines[at])
	for i := at; i >= 0 && indent > 0; i-- {
		line := s.lines[i]
		if strings.TrimSpace(line) == "" || indentation(line) >= indent {
			continue
		}
		indent = indentation(line)
		if name, is := strings.CutPrefix(strings.TrimSpace(line), "def "); is {
			name, _, _ = strings.Cut(name, "(")
			return name
		}
	}
	return "<module>"
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
