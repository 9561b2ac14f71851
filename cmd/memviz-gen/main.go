// Command memviz-gen makes snapshots of training runs that never happened, for
// examples and tests. It drives a model of PyTorch's caching allocator, so
// their addresses, segments and events are what PyTorch would have recorded.
// The same story and seed give the same bytes.
package main

import (
	"compress/gzip"
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
		Usage:           "make a snapshot of a training run that never happened",
		ArgsUsage:       "STORY",
		Description:     describeStories(),
		HideHelpCommand: true,
		Writer:          stdout,
		ExitErrHandler:  func(*cli.Context, error) {},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`, gzipped if its name ends in .gz", Required: true},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "what the run's randomness begins with"},
			&cli.IntFlag{Name: "protocol", Value: 4, Usage: "pickle protocol, 2 to 5"},
		},
		Action: func(c *cli.Context) error {
			s, err := tell(c.Args().First(), c.Uint64("seed"))
			if err != nil {
				return err
			}
			if p := c.Int("protocol"); p < 2 || p > 5 {
				return fmt.Errorf("protocol %d is not one of 2 to 5", p)
			}
			return writeFile(c.String("output"), s, c.Int("protocol"))
		},
	}
	return app.Run(args)
}

func writeFile(path string, s *snapshot.Snapshot, protocol int) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	if !strings.HasSuffix(path, ".gz") {
		return snapshot.Write(f, s, protocol)
	}
	// Without a name and a time in its header, so that equal input gives equal bytes.
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := snapshot.Write(z, s, protocol); err != nil {
		return err
	}
	return z.Close()
}
