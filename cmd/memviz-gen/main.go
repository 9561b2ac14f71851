// Command memviz-gen makes snapshots of simulated runs, for examples and tests.
// It executes the lines of a script as Python would, on a model of PyTorch's
// caching allocator, so stacks, events, addresses and segments are what PyTorch
// would have recorded. The same story and seed give the same bytes.
package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

func main() {
	if err := run(os.Args, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "memviz-gen:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	app := &cli.App{
		Name:            "memviz-gen",
		Usage:           "make a snapshot of a simulated run",
		ArgsUsage:       "STORY|SCENARIO|PROGRAM|SHAPE",
		Description:     describe(),
		HideHelpCommand: true,
		Writer:          stdout,
		ExitErrHandler:  func(*cli.Context, error) {},
		Commands:        []*cli.Command{jobCommand()},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"},
				Usage: "write to `FILE`, gzipped if its name ends in .gz"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "seed of the run's random numbers"},
			&cli.StringFlag{Name: "take", Usage: "which `FILE` of a story with several, such as after.pickle.gz"},
			&cli.IntFlag{Name: "rank", Usage: "which process of a job to write, 0 to 7"},
			&cli.Int64Flag{Name: "x", Usage: "size of a program: the length of its sequences, or its batch",
				Value: 256},
			&cli.IntFlag{Name: "steps", Usage: "training steps of a program (default: its own)"},
			&cli.IntFlag{Name: "protocol", Value: 4, Usage: "pickle protocol, 2 to 5"},
			&cli.IntFlag{Name: "events", Value: 53_000, Usage: "events of a shape; 53,000 make about 10 MB"},
			&cli.IntFlag{Name: "live", Value: 9_500, Usage: "tensors of a shape that are live at the same time"},
		},
		Action: func(c *cli.Context) error {
			if c.String("output") == "" {
				return errors.New("-o FILE is missing: where to write the snapshot")
			}
			if c.NArg() > 1 {
				return fmt.Errorf("unexpected argument %q: "+
					"one story, scenario or shape at a time, with options before it", c.Args().Get(1))
			}
			if p := c.Int("protocol"); p < 2 || p > 5 {
				return fmt.Errorf("protocol %d is not one of 2 to 5", p)
			}
			if rank := c.Int("rank"); rank < 0 || rank >= jobSize {
				return fmt.Errorf("rank %d is not one of 0 to %d", rank, jobSize-1)
			}
			made, write, err := makeSnapshot(c)
			if err != nil {
				return err
			}
			if c.IsSet("protocol") || write == nil {
				write = func(w io.Writer, s *snapshot.Snapshot) error { return snapshot.Write(w, s, c.Int("protocol")) }
			}
			return writeFile(c.String("output"), func(w io.Writer) error { return write(w, made) })
		},
	}
	return app.Run(args)
}

// makeSnapshot makes the requested snapshot and returns how to write it.
func makeSnapshot(c *cli.Context) (*snapshot.Snapshot, func(io.Writer, *snapshot.Snapshot) error, error) {
	name, seed := c.Args().First(), c.Uint64("seed")
	if s, k := storyOf(name, c.String("take")); s != nil {
		made, err := s.record(k, seed)
		return made, k.write, err
	}
	for i := range scenarios {
		if scenarios[i].name == name {
			made, err := scenarios[i].record(seed, c.Int("rank"))
			return made, nil, err
		}
	}
	if program := sizedProgram(name); program != nil {
		if c.Int64("x") < 1 {
			return nil, nil, fmt.Errorf("size %d is not above zero", c.Int64("x"))
		}
		longer := *program
		if n := c.Int("steps"); n > 0 {
			longer.steps = n
		}
		made, err := longer.record(seed, c.Int64("x"), ample)
		return made, nil, err
	}
	for _, shape := range shapes {
		if shape.name == name {
			made, err := shape.make(seed, c.Int("events"), c.Int("live"))
			return made, nil, err
		}
	}
	if s, _ := storyOf(name, ""); s != nil {
		return nil, nil, fmt.Errorf("the story %s has no file %q", name, c.String("take"))
	}
	return nil, nil, fmt.Errorf("unknown story, scenario or shape %q\n%s", name, describe())
}

// storyOf returns a story and its take with that file name, the first if none is given.
func storyOf(name, file string) (*story, *take) {
	for i := range stories {
		s := &stories[i]
		for j := range s.takes {
			if k := &s.takes[j]; s.name == name && (file == "" || k.name() == file) {
				return s, k
			}
		}
	}
	return nil, nil
}

func describe() string {
	var b strings.Builder
	b.WriteString("Stories:\n")
	for _, s := range stories {
		fmt.Fprintf(&b, "  %-22s %s\n", s.name, s.about)
	}
	b.WriteString("\nScenarios, of which the truth is known and the seed decides the rest:\n")
	for _, s := range scenarios {
		fmt.Fprintf(&b, "  %-25s %s\n", s.name, s.about)
		if s.truth.site != "" {
			fmt.Fprintf(&b, "  %-25s = %s\n", "", s.truth)
		}
	}
	b.WriteString("\nPrograms, at the size that --x says:\n" + describeSized())
	b.WriteString("\nShapes, as large as --events and --live say:\n")
	for _, s := range shapes {
		fmt.Fprintf(&b, "  %-22s %s\n", s.name, s.about)
	}
	return b.String()
}

// writeFile writes a file with the output of write, gzipped if its name ends in .gz.
func writeFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			os.Remove(path) // half a snapshot is useless
		}
	}()
	if !strings.HasSuffix(path, ".gz") {
		return write(f)
	}
	// Without a name and a time in its header, so that equal input gives equal bytes.
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := write(z); err != nil {
		return err
	}
	return z.Close()
}
