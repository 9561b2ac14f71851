package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/memviz-go/memviz/pkg/units"
)

// The outputs of memviz ranks that are measured.
const (
	ranksText = "memviz ranks"
	ranksPage = "memviz ranks -o"
)

// jobBenchmark measures memviz ranks on the digests of all ranks of a job.
type jobBenchmark struct {
	noHooks
	memviz, html string
}

// parse reads a number of ranks.
func (*jobBenchmark) parse(size string) (*input, error) {
	ranks, err := parseSize(size, map[string]int{"": 1, "k": 1 << 10}, 1<<16)
	return &input{name: strconv.Itoa(ranks), ranks: ranks}, err
}

func (b *jobBenchmark) start(_ context.Context, p *programs) error {
	b.memviz, b.html = p.memviz, filepath.Join(p.dir, "job.html")
	return nil
}

// generateJob makes the digests of a job, and concatenates them.
func (p *programs) generateJob(ctx context.Context, in *input) error {
	folder := filepath.Join(p.dir, in.name)
	stages := min(4, in.ranks)
	if _, err := runProgram(ctx, p.gen, "job", "--ranks", in.name, "--stages", strconv.Itoa(stages), "--noise", "normal",
		"--as", "digests", "-o", folder); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl.gz"))
	if err != nil {
		return err
	}
	in.path = filepath.Join(p.dir, in.name+".jsonl.gz")
	joined, err := os.Create(in.path)
	if err != nil {
		return err
	}
	defer joined.Close()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil {
			_, err = joined.Write(data)
		}
		if err != nil {
			return err
		}
		in.bytes += int64(len(data))
	}
	return joined.Close()
}

func (b *jobBenchmark) measure(ctx context.Context, in *input, r *results) error {
	for subject, args := range map[string][]string{
		ranksText: {"ranks", in.path},
		ranksPage: {"ranks", in.path, "-o", b.html},
	} {
		used, err := runProgram(ctx, b.memviz, args...)
		if err == nil && subject == ranksPage {
			used.output, err = sizeOf(b.html)
		}
		if err != nil {
			return err
		}
		r.addUsage(in, subject, used)
	}
	return nil
}

func (*jobBenchmark) report(r *results) ([]*table, []budget) {
	measured := r.table("Measured, medians", []string{ranksText, ranksPage}, func(in *input) string {
		return fmt.Sprintf("%s ranks, digests of %s", units.Count(in.ranks), units.Bytes(in.bytes))
	}, r.figure(wall, units.Duration, 1e6), r.figure(cpu, units.Duration, 1e6), r.figure(memory, units.Bytes, 1),
		r.figure(output, units.Bytes, 1))
	of := func(ranks, figure string) float64 { return median(r.samples[measure{ranks, ranksPage, figure}]) }
	return []*table{measured}, []budget{
		{"page, 1,024 ranks: CPU", of("1024", cpu), 2, " s"},
		{"page, 1,024 ranks: memory", of("1024", memory) / 1e6, 150, " MB"},
		{"page, 4,096 ranks: size", of("4096", output) / 1e6, 2, " MB"},
	}
}
