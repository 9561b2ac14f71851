package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/units"
)

// snapshotFile is a snapshot that the programs read.
type snapshotFile struct {
	mb, events int
	path       string
	bytes      int64
}

// entry is a program on a file: what each round took. Rounds of all entries
// were measured in turns, so the same index is the same round.
type entry struct {
	program string
	file    *snapshotFile
	rounds  []usage // empty: not run
}

// contest is all that was measured.
type contest struct {
	files   []*snapshotFile
	entries []*entry // by file, then program
}

// benchFiles measures the commands and prints what came out.
func benchFiles(c *cli.Context, asked []string) error {
	ctx := c.Context
	sizes, err := parseAll(asked, []string{"10MB", "100MB", "500MB", "1GB"}, parseMegabytes)
	if err != nil {
		return err
	}
	w, err := openWorkshop(ctx, c.App.ErrWriter)
	if err != nil {
		return err
	}
	defer w.close()
	contestants, err := programs(ctx, w)
	if err != nil {
		return err
	}
	result, err := makeFiles(ctx, w, sizes)
	if err != nil {
		return err
	}
	if err := result.measure(ctx, w, contestants, c.Int("runs"), c.Bool("slow")); err != nil {
		return err
	}
	var disk int64
	for _, f := range result.files {
		disk += f.bytes
	}
	measured := measuredTable(result)
	measured.title = fmt.Sprintf("%s; %s", measured.title, machine())
	measured.notes = append(measured.notes,
		fmt.Sprintf("The snapshots took %s of disk and are removed again.", units.Bytes(disk)))
	tables := []*table{measured, ratioTable(result)}
	if growth := growthTable(result); len(growth.rows) > 0 {
		tables = append(tables, growth)
	}
	tables = append(tables, budgetTable(fileBudgets(result)))
	if err := writeTables(c.App.Writer, c.Bool("markdown"), tables...); err != nil {
		return err
	}
	return verifyLargest(ctx, w, result, c.App.Writer)
}

func makeFiles(ctx context.Context, w *workshop, sizes []int) (*contest, error) {
	result := &contest{}
	for _, mb := range sizes {
		f := &snapshotFile{mb: mb, events: mb * eventsPerMB}
		var err error
		if f.path, f.bytes, err = w.generate(ctx, strconv.Itoa(mb)+"MB", "training-shaped", f.events,
			9_500); err != nil {
			return nil, err
		}
		result.files = append(result.files, f)
	}
	return result, nil
}

// measure runs everything in turns, round after round.
func (r *contest) measure(ctx context.Context, w *workshop, contestants []program, rounds int, slow bool) error {
	for _, f := range r.files {
		for i := range contestants {
			r.entries = append(r.entries, &entry{program: contestants[i].name, file: f})
		}
	}
	for round := range rounds {
		for i, f := range r.files {
			w.say("round %d of %d: %s", round+1, rounds, nameMegabytes(f.mb))
			if err := warm(f.path); err != nil {
				return err
			}
			for j := range contestants {
				p := &contestants[j]
				if p.upTo > 0 && f.mb > p.upTo && !slow {
					continue
				}
				used, err := p.run(ctx, f.path)
				if err != nil {
					return err
				}
				e := r.entries[i*len(contestants)+j]
				e.rounds = append(e.rounds, used)
			}
		}
	}
	return nil
}

// of is a program on the file of a size, or an entry without rounds.
func (r *contest) of(program string, mb int) *entry {
	for _, e := range r.entries {
		if e.program == program && e.file.mb == mb {
			return e
		}
	}
	return &entry{program: program, file: &snapshotFile{mb: mb}}
}

// The figures of an entry, by round.
func (e *entry) each(of func(usage) float64) []float64 {
	figures := make([]float64, len(e.rounds))
	for i, u := range e.rounds {
		figures[i] = of(u)
	}
	return figures
}

func wall(u usage) float64   { return u.wall.Seconds() }
func cpu(u usage) float64    { return u.cpu.Seconds() }
func output(u usage) float64 { return float64(u.output) }
func peak(u usage) float64   { return float64(u.peak) }

// ratio compares two entries round by round.
func ratio(e, to *entry, of func(usage) float64) float64 {
	return medianRatio(e.each(of), to.each(of))
}

// peakOfFile is the peak memory in relation to the file.
func (e *entry) peakOfFile() float64 { return median(e.each(peak)) / float64(e.file.bytes) }
