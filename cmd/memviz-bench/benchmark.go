package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/units"
)

// benchmark is a kind of measurement: of programs on files, of the page, of a job, or of
// predictions.
type benchmark interface {
	// parse reads the size of an input as a person writes it.
	parse(size string) (*input, error)
	// start gets ready to measure with programs; close ends what it started.
	start(context.Context, *programs) error
	close()
	// prepare is called for each input once its snapshot is made.
	prepare(context.Context, *input) error
	// measure is called once a run for each input, and adds to the results.
	measure(context.Context, *input, *results) error
	report(*results) ([]*table, []budget)
	// check is called last, and writes what it found out.
	check(context.Context, *results, io.Writer) error
}

// noHooks implements the optional methods of a benchmark as no-ops.
type noHooks struct{}

func (noHooks) close()                                           {}
func (noHooks) prepare(context.Context, *input) error            { return nil }
func (noHooks) check(context.Context, *results, io.Writer) error { return nil }

// input is a snapshot that memviz-gen makes, or two, or the digests of a job.
type input struct {
	name         string // its size: 1GB, 5M
	shape        string // of memviz-gen
	events, live int
	ranks        int       // of a job; 0 for a snapshot
	steps        int       // of two recordings at different sizes; 0 for one snapshot
	sized        [2]string // these recordings as arguments of memviz predict
	path         string    // of the snapshot, then of the page made of it
	bytes        int64     // size of the file at path
}

// parseSize reads a number with a suffix for a factor.
func parseSize(text string, factors map[string]int, most int) (int, error) {
	digits := strings.TrimRight(text, "bgkmBGKM")
	factor := factors[strings.ToLower(text[len(digits):])]
	n, err := strconv.Atoi(digits)
	if err != nil || factor == 0 || n < 1 || n > most/factor {
		return 0, fmt.Errorf("%q is not a size that can be measured", text)
	}
	return n * factor, nil
}

// runBenchmark makes the inputs, measures them in turn, so that a slow moment of the
// machine slows all of them, and prints the results.
func runBenchmark(c *cli.Context, b benchmark, sizes ...string) error {
	ctx, runs := c.Context, c.Int("runs")
	if c.NArg() > 0 {
		sizes = c.Args().Slice()
	}
	say := func(format string, args ...any) {
		fmt.Fprintf(c.App.ErrWriter, "memviz-bench: "+format+"\n", args...)
	}
	r := &results{samples: map[measure][]float64{}}
	for _, size := range sizes {
		in, err := b.parse(size)
		if err != nil {
			return err
		}
		r.inputs = append(r.inputs, in)
	}
	p, err := buildPrograms(ctx)
	if err != nil {
		return err
	}
	defer p.remove()
	if err := b.start(ctx, p); err != nil {
		return err
	}
	defer b.close()
	for _, in := range r.inputs {
		if err := p.generate(ctx, in); err != nil {
			return err
		}
		what := units.Count(in.events) + " events"
		if in.ranks > 0 {
			what = units.Plural(in.ranks, "rank", "ranks")
		}
		say("made %s, %s, in %s", what, units.Bytes(in.bytes), p.dir)
		if err := b.prepare(ctx, in); err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
	}
	for run := range runs {
		for _, in := range r.inputs {
			say("run %d of %d: %s", run+1, runs, in.name)
			if err := b.measure(ctx, in, r); err != nil {
				return fmt.Errorf("%s: %w", in.name, err)
			}
		}
	}
	tables, budgets := b.report(r)
	tables[0].title += fmt.Sprintf(", %s; %d cores, %s/%s, %s", units.Plural(runs, "run", "runs"), runtime.NumCPU(),
		runtime.GOOS, runtime.GOARCH, runtime.Version())
	if err := writeTables(c.App.Writer, c.Bool("markdown"), append(tables, budgetTable(budgets))...); err != nil {
		return err
	}
	return b.check(ctx, r, c.App.Writer)
}
