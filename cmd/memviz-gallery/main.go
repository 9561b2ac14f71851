// Command memviz-gallery writes the pages of all stories in examples, and an index of them with
// a picture of each. All files work offline and from any folder of a web server.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "memviz-gallery:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("memviz-gallery", flag.ContinueOnError)
	memviz := flags.String("memviz", "bin/memviz", "the memviz that writes the pages")
	examples := flags.String("examples", "examples", "the `FOLDER` of the stories")
	out := flags.String("o", "", "write into this `FOLDER`")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if *out == "" || flags.NArg() > 0 {
		return errors.New("use: memviz-gallery -o FOLDER")
	}
	stories, err := readStories(*examples)
	if err != nil {
		return err
	}
	return writeGallery(ctx, *memviz, *examples, *out, stories)
}

// writeGallery writes the pages of stories and their index.
func writeGallery(ctx context.Context, memviz, examples, out string, stories []*story) error {
	// memviz runs in the folders of the stories.
	memviz, err := filepath.Abs(memviz)
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	for _, s := range stories {
		for _, p := range s.Pages {
			args := append(p.command, "--quiet", "-o", filepath.Join(out, p.File))
			command := exec.CommandContext(ctx, memviz, args...)
			command.Dir = filepath.Join(examples, s.Name)
			if output, err := command.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: memviz %q: %w\n%s", s.Name, p.command, err, output)
			}
		}
	}
	var index bytes.Buffer
	if err := writeIndex(&index, stories); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "index.html"), index.Bytes(), 0o666)
}
