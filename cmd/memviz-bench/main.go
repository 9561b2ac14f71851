// Command memviz-bench measures memviz against its budgets, for those who
// change it: the commands against sha256sum and other readers of pickles, and
// the page in a headless browser. Everything is measured in one run on one
// machine and judged as ratios where it can be; the snapshots come from
// memviz-gen and are removed again.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/urfave/cli/v2"
)

func main() {
	// Whatever ends it, a reader of its tables that goes away too, it cleans up.
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
	markdown := &cli.BoolFlag{Name: "markdown", Usage: "write the tables as Markdown"}
	runs := &cli.IntFlag{Name: "runs", Value: 3, Usage: "measure everything `N` times and give medians"}
	app := &cli.App{
		Name:            "memviz-bench",
		Usage:           "measure memviz against its budgets",
		HideHelpCommand: true,
		Writer:          stdout,
		ErrWriter:       stderr,
		ExitErrHandler:  func(*cli.Context, error) {},
		Commands: []*cli.Command{
			{
				Name:      "files",
				Usage:     "measure stats and trace against sha256sum, python3 and gopickle",
				ArgsUsage: "[SIZE...]",
				Description: "A SIZE is 10MB, 1GB and so on; without any, 10MB 100MB 500MB 1GB.\n" +
					"python3 with its collector on and gopickle are slow and left out beyond 100 MB, unless --slow " +
					"asks for it.",
				Flags: []cli.Flag{runs, markdown,
					&cli.BoolFlag{Name: "slow", Usage: "measure the slow yardsticks at every size too"}},
				Action: func(c *cli.Context) error {
					return benchFiles(c, c.Args().Slice())
				},
			},
			{
				Name:      "page",
				Usage:     "measure the page in headless Chromium",
				ArgsUsage: "[ALLOCATIONS|adversarial...]",
				Description: "ALLOCATIONS are 20k, 1M and so on; without any, 20k 200k 1M 5M adversarial.\n" +
					"adversarial is 1M allocations of random lifetimes, of which 100k are live at any time.",
				Flags: []cli.Flag{runs, markdown},
				Action: func(c *cli.Context) error {
					return benchPages(c, c.Args().Slice())
				},
			},
			{
				Name:      "verify",
				Usage:     "compare memviz stats with a replay in Python that shares no code with it",
				ArgsUsage: "SNAPSHOT...",
				Action: func(c *cli.Context) error {
					return verifyFiles(c, c.Args().Slice())
				},
			},
			{
				Name:   "gopickle",
				Usage:  "load a pickle through gopickle, and nothing else",
				Hidden: true, // files starts it as a process of its own
				Action: func(c *cli.Context) error { return loadThroughGopickle(c.Args().First()) },
			},
		},
	}
	return app.RunContext(ctx, args)
}

// machine is what the figures were measured on, in words.
func machine() string {
	return fmt.Sprintf("%d cores, %s/%s, %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}
