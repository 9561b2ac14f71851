package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

type ranksOptions struct {
	answerOptions
	rows int
}

func ranksCommand(t *terminal) *cli.Command {
	var o ranksOptions
	return &cli.Command{
		Name:      "ranks",
		Usage:     "compare the ranks of one job, and name the one that differs",
		ArgsUsage: "SNAPSHOT...",
		Description: "Ranks are read from the names of the files: rank3.pickle, snap_rank-3.pickle.gz,\n" +
			"tp1_pp0.pickle, rank_3/snap.pickle. A directory stands for all snapshots in it.\n\n" +
			"    memviz ranks snapshots/\n" +
			"    memviz ranks 'snapshots/rank*.pickle'\n" +
			"    memviz ranks rank0.pickle rank1.pickle --format json",
		Flags:  o.flags(t, "ranks", "outliers>0", rowsFlag(&o.rows, 20)),
		Action: action(t, func(args []string) error { return o.compare(t, args) }),
	}
}

func (o *ranksOptions) compare(t *terminal, args []string) error {
	if slices.Contains(args, stdinName) {
		return misuse("ranks are told apart by the names of files, so they cannot come from standard input")
	}
	if err := o.check(); err != nil {
		return err
	}
	files, err := findSources(args)
	if err != nil {
		return err
	}
	files.dropRepeated()
	read, err := o.readRanks(t, files)
	if err != nil {
		return err
	}
	files.warnSkipped(t)
	sheet := answer.Ranks(read.summaries, read.unreadable, o.rows)
	sheet.Redacted(o.redact.Redaction())
	sheet.Salvaged(read.salvaged)
	for i := range read.salvaged {
		warnSalvaged(t, &read.salvaged[i])
	}
	return o.print(t, sheet)
}

// dropRepeated leaves each file once.
func (s *sources) dropRepeated() {
	seen := map[string]bool{}
	s.files = slices.DeleteFunc(s.files, func(file source) bool {
		clean := filepath.Clean(file.path)
		repeated := seen[clean]
		seen[clean] = true
		return repeated
	})
}

// ranksRead is what a comparison of ranks needs of their files.
type ranksRead struct {
	summaries  []compare.RankSummary
	unreadable []answer.UnreadableRank
	salvaged   []answer.Input // of files that were read in part, without their devices
}

// ranksMemory bounds, in bytes of files, what is read at the same time. A
// snapshot takes up to about as much memory as its file has bytes.
const ranksMemory = 4 << 30

// readRanks reads several files at once, and keeps of each only its summary. A
// file that cannot be read does not keep the others from being compared.
func (o *ranksOptions) readRanks(t *terminal, files *sources) (*ranksRead, error) {
	all := &ranksRead{}
	paths := files.paths()
	names, ranks := displayNames(paths), compare.NameRanks(paths)
	room := semaphore.NewWeighted(ranksMemory)
	g, ctx := errgroup.WithContext(context.Background())
	g.SetLimit(runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	progress := t.progress("reading ranks", func(n int64) string { return fmt.Sprintf("%d of %d", n, len(paths)) })
	done := 0
	silent := func(string) func(done, total int64) { return func(done, total int64) {} }
	for i, file := range files.files {
		g.Go(func() error {
			weight := min(fileSize(file.path), ranksMemory)
			if err := room.Acquire(ctx, weight); err != nil {
				return err
			}
			defer room.Release(weight)
			in, err := o.openInput(t, file.path, names[i], silent)
			var summary []compare.RankSummary
			if err == nil {
				summary = answer.RankOf(&in, ranks[i])
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case file.found && snapshot.IsSomethingElse(err):
				files.skip(file.path, "data of something else")
			case err != nil:
				all.unreadable = append(all.unreadable, o.unreadable(names[i], err))
			case in.Snapshot.Salvaged != nil:
				part := &snapshot.Snapshot{Format: in.Snapshot.Format, Salvaged: in.Snapshot.Salvaged}
				all.salvaged = append(all.salvaged, answer.Input{Name: in.Name, Source: &analysis.Source{Snapshot: part}})
			}
			all.summaries = append(all.summaries, summary...)
			done++
			progress(int64(done), int64(len(paths)))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(all.unreadable, func(a, b answer.UnreadableRank) int { return strings.Compare(a.File, b.File) })
	slices.SortFunc(all.salvaged, func(a, b answer.Input) int { return strings.Compare(a.Name, b.Name) })
	if len(all.summaries) == 0 && len(all.unreadable) > 0 {
		return nil, fmt.Errorf("none of %d files could be read; the first: %s", len(paths), all.unreadable[0].Error)
	}
	return all, nil
}

// unreadable says of a file why it could not be read. The words are not shown
// where names are redacted, because they quote the file.
func (o *ranksOptions) unreadable(name string, err error) answer.UnreadableRank {
	if o.redact.Redaction().Any() {
		return answer.UnreadableRank{File: o.redact.FileName(name),
			Error: "cannot be read; what is wrong is said without --redact"}
	}
	return answer.UnreadableRank{File: name, Error: err.Error()}
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
