package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// stdinName stands for standard input among the snapshots, stdinShown where it
// is shown.
const (
	stdinName  = "-"
	stdinShown = "standard input"
)

// inputs reads the snapshots that a command was given, and replays them.
func inputs(c *cli.Context, p *progress) ([]answer.Input, error) {
	files, err := sourcesOf(c)
	if err != nil {
		return nil, err
	}
	return readSources(c, p, files)
}

// readSources reads and replays snapshots. What a directory held beside them is
// skipped, and said to be.
func readSources(c *cli.Context, p *progress, files *search) ([]answer.Input, error) {
	pseudonyms, err := redaction(c)
	if err != nil {
		return nil, err
	}
	options, err := readOptions(c)
	if err != nil {
		return nil, err
	}
	names := displayNames(pathsOf(files.sources))
	in := make([]answer.Input, 0, len(names))
	for i, file := range files.sources {
		which := ""
		if len(files.sources) > 1 {
			which = fmt.Sprintf(" %d of %d", i+1, len(files.sources))
		}
		options.Progress = p.bytes("reading" + which)
		s, err := openSnapshot(file.path, c.App.Reader, options)
		if file.found && snapshot.IsSomethingElse(err) {
			files.skip(file.path, "data of something else")
			continue
		} else if err != nil {
			return nil, advised(err)
		}
		p.stage("replaying" + which)
		name := redactInput(pseudonyms, names[i], s)
		in = append(in, answer.NewInput(name, s))
		sayPart(c, &in[len(in)-1])
	}
	if len(in) == 0 {
		return nil, files.nothing(c.Args().First())
	}
	if err := override(c, in); err != nil {
		return nil, err
	}
	p.end()
	files.say(c.App.ErrWriter)
	return onlyDevice(c, in)
}

func openSnapshot(path string, stdin io.Reader, o snapshot.Options) (*snapshot.Snapshot, error) {
	if path != stdinName {
		return snapshot.OpenWith(path, o)
	}
	s, err := snapshot.ReadPipe(stdin, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stdinShown, err)
	}
	return s, nil
}

// displayNames are the base names of files, with as many of their folders as
// it takes to tell them apart. Whole paths stay out of reports, because reports
// are passed on.
func displayNames(paths []string) []string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = filepath.Base(path)
		if path == stdinName {
			names[i] = stdinShown
		}
	}
	for range 16 {
		times := map[string]int{}
		for _, name := range names {
			times[name]++
		}
		again := false
		for i, name := range names {
			if longer := withParent(paths[i], name); times[name] > 1 && paths[i] != stdinName && longer != name {
				names[i], again = longer, true
			}
		}
		if !again {
			break
		}
	}
	return names
}

// withParent puts one more folder of path in front of name, its end.
func withParent(path, name string) string {
	path, name = filepath.Clean(path), filepath.FromSlash(name)
	if len(path) <= len(name) {
		return name
	}
	parent := filepath.Base(path[:len(path)-len(name)])
	if parent == string(filepath.Separator) || parent == "." || parent == ".." {
		return name
	}
	return fmt.Sprintf("%s/%s", parent, filepath.ToSlash(name))
}
