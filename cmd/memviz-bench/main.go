// Command memviz-bench measures memviz against its budgets: the commands
// against sha256sum and other readers of pickles, and the page in a headless
// browser. Compared programs run in the same session on the same machine, and
// budgets are ratios where they can be. The snapshots come from
// memviz-gen and are removed at the end.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/nlpodyssey/gopickle/pickle"
	"github.com/urfave/cli/v2"
)

func main() {
	// The temporary folder is removed even if the reader of stdout exits.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	err := run(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "memviz-bench:", err)
		os.Exit(1)
	}
}

// run is the whole program. Tables go to stdout, progress goes to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var files fileBenchmark
	app := &cli.App{
		Name:            "memviz-bench",
		Usage:           "measure memviz against its budgets",
		HideHelpCommand: true,
		Writer:          stdout,
		ErrWriter:       stderr,
		ExitErrHandler:  func(*cli.Context, error) {},
		Commands: []*cli.Command{
			measuring(&cli.Command{
				Name:      "files",
				Usage:     "measure stats, digest and trace against sha256sum, python3 and gopickle",
				ArgsUsage: "[SIZE...]",
				Description: "A SIZE is 10MB, 1GB and so on; the default is 10MB 100MB 500MB 1GB.\n" +
					"python3 with its garbage collector on and gopickle are slow: beyond 100 MB they run only with --slow.",
				Flags: []cli.Flag{&cli.BoolFlag{Name: "slow", Destination: &files.slow,
					Usage: "run the slow readers at every size"}},
			}, &files, "10MB", "100MB", "500MB", "1GB"),
			measuring(&cli.Command{
				Name:      "page",
				Usage:     "measure the page in headless Chromium",
				ArgsUsage: "[ALLOCATIONS|adversarial...]",
				Description: "ALLOCATIONS are 20k, 1M and so on; the default is 20k 200k 1M 5M adversarial.\n" +
					"adversarial is 1M allocations of random lifetimes, of which 100k are live at any time.",
			}, &pageBenchmark{}, "20k", "200k", "1M", "5M", adversarial),
			measuring(&cli.Command{
				Name:      "job",
				Usage:     "measure memviz ranks on the digests of a job",
				ArgsUsage: "[RANKS...]",
				Description: "RANKS are 64, 1k and so on; the default is 64 1k 4k. Making the digests takes longer than\n" +
					"the measurement: about a minute for 4k on two cores.",
			}, &jobBenchmark{}, "64", "1k", "4k"),
			measuring(&cli.Command{
				Name:        "predict",
				Usage:       "measure a prediction from two recordings against memviz stats of one",
				ArgsUsage:   "[EVENTS...]",
				Description: "EVENTS of each recording are 10k, 1M and so on; the default is 1M.",
			}, &predictBenchmark{}, "1M"),
			{
				Name:      "verify",
				Usage:     "compare memviz stats with a replay in Python that shares no code with it",
				ArgsUsage: "SNAPSHOT...",
				Action:    verifyFiles,
			},
			{
				Name:   "gopickle",
				Usage:  "load a pickle through gopickle, and nothing else",
				Hidden: true, // the files benchmark starts it as its own process
				Action: func(c *cli.Context) error {
					// Only files that memviz-gen wrote: gopickle trusts its input.
					_, err := pickle.Load(c.Args().First())
					return err
				},
			},
		},
	}
	return app.RunContext(ctx, args)
}

// measuring is a command that runs a benchmark, at these sizes unless others are given.
func measuring(command *cli.Command, b benchmark, sizes ...string) *cli.Command {
	command.Flags = append(command.Flags,
		&cli.IntFlag{Name: "runs", Value: 3, Usage: "measure everything `N` times"},
		&cli.BoolFlag{Name: "markdown", Usage: "write the tables as Markdown"})
	command.Action = func(c *cli.Context) error { return runBenchmark(c, b, sizes...) }
	return command
}

func verifyFiles(c *cli.Context) error {
	if c.NArg() == 0 {
		return errors.New("verify needs a snapshot")
	}
	python := findPython(c.Context)
	if python == "" {
		return errors.New("verify needs python3")
	}
	programs, err := buildPrograms(c.Context)
	if err != nil {
		return err
	}
	defer programs.remove()
	for _, path := range c.Args().Slice() {
		if err := verify(c.Context, programs.memviz, python, path, c.App.Writer); err != nil {
			return err
		}
	}
	return nil
}
