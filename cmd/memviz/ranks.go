package main

import (
	"context"
	"errors"
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
	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

func ranksCommand() *cli.Command {
	return &cli.Command{
		Name:      "ranks",
		Usage:     "compare the ranks of one job, and name the one that differs",
		ArgsUsage: "FILE|DIRECTORY|GLOB...",
		Description: "Ranks are read from the names of the files: rank3.pickle, snap_rank-3.pickle.gz,\n" +
			"tp1_pp0.pickle, rank_3/snap.pickle. A directory stands for all snapshots in it.\n\n" +
			"    memviz ranks snapshots/\n" +
			"    memviz ranks 'snapshots/rank*.pickle'\n" +
			"    memviz ranks rank0.pickle rank1.pickle --format json",
		Flags:  answerFlags("outliers>0", rowsFlag),
		Action: ranks,
	}
}

// ranksMemory bounds, in bytes of files, what is read at the same time. A
// snapshot takes up to about as much memory as its file has bytes.
const ranksMemory = 4 << 30

func ranks(c *cli.Context) error {
	if !c.Args().Present() {
		return misused(c, "no snapshot was named")
	}
	return answered(c, func(p *progress) (*answer.Sheet, error) {
		files, err := rankFiles(c.Args().Slice())
		if err != nil {
			return nil, err
		}
		pseudonyms, err := redaction(c)
		if err != nil {
			return nil, err
		}
		options, err := readOptions(c)
		if err != nil {
			return nil, err
		}
		read, err := readRanks(c.Context, files, options, pseudonyms, p)
		if err != nil {
			return nil, err
		}
		p.end()
		files.say(c.App.ErrWriter)
		sheet := answer.Ranks(read.summaries, read.unreadable, c.Int("rows"))
		sheet.Redacted(pseudonyms.Redaction())
		sheet.Salvaged(read.parts)
		for i := range read.parts {
			sayPart(c, &read.parts[i])
		}
		return sheet, nil
	})
}

// ranksRead is what a comparison of ranks needs of their files.
type ranksRead struct {
	summaries  []compare.RankSummary
	unreadable []answer.UnreadableRank
	parts      []answer.Input // of files that were read in part, without their devices
}

// readRanks reads several files at once, and keeps of each only its summary. A
// file that cannot be read does not keep the others from being compared.
func readRanks(ctx context.Context, files *search, options snapshot.Options, pseudonyms *redact.Options,
	p *progress) (*ranksRead, error) {
	all := &ranksRead{}
	paths := pathsOf(files.sources)
	names, ranks := displayNames(paths), compare.NameRanks(paths)
	room := semaphore.NewWeighted(ranksMemory)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	read := p.counted("reading ranks", func(n int64) string { return fmt.Sprintf("%d of %d", n, len(paths)) })
	done := 0
	for i, file := range files.sources {
		g.Go(func() error {
			weight := min(fileSize(file.path), ranksMemory)
			if err := room.Acquire(ctx, weight); err != nil {
				return err
			}
			defer room.Release(weight)
			s, err := snapshot.OpenWith(file.path, options)
			var summary []compare.RankSummary
			if err == nil {
				in := answer.NewInput(redactInput(pseudonyms, names[i], s), s)
				summary = answer.RankOf(&in, ranks[i])
			}
			mu.Lock()
			defer mu.Unlock()
			if file.found && snapshot.IsSomethingElse(err) {
				files.skip(file.path, "data of something else")
			} else if err != nil {
				all.unreadable = append(all.unreadable, unreadableRank(pseudonyms, names[i], advised(err)))
			} else if s.Salvaged != nil {
				part := &snapshot.Snapshot{Format: s.Format, Salvaged: s.Salvaged}
				all.parts = append(all.parts, answer.Input{Name: pseudonyms.FileName(names[i]), Source: &analysis.Source{Snapshot: part}})
			}
			all.summaries = append(all.summaries, summary...)
			done++
			read(int64(done), int64(len(paths)))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(all.unreadable, func(a, b answer.UnreadableRank) int { return strings.Compare(a.File, b.File) })
	slices.SortFunc(all.parts, func(a, b answer.Input) int { return strings.Compare(a.Name, b.Name) })
	if len(all.summaries) == 0 && len(all.unreadable) > 0 {
		return nil, fmt.Errorf("none of %d files could be read; the first: %s", len(paths), all.unreadable[0].Error)
	}
	return all, nil
}

// unreadableRank says of a file why it could not be read. The words are not
// shown where names are redacted, because they quote the file.
func unreadableRank(pseudonyms *redact.Options, name string, err error) answer.UnreadableRank {
	if pseudonyms.Redaction().Any() {
		return answer.UnreadableRank{File: pseudonyms.FileName(name),
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

// rankFiles are the files that the arguments stand for, each once.
func rankFiles(args []string) (*search, error) {
	files := &search{}
	for _, arg := range args {
		if err := addRanks(files, arg); err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{}
	files.sources = slices.DeleteFunc(files.sources, func(file source) bool {
		clean := filepath.Clean(file.path)
		was := seen[clean]
		seen[clean] = true
		return was
	})
	return files, nil
}

// addRanks adds a file, the snapshots in a directory, or what a pattern matches.
func addRanks(files *search, arg string) error {
	if arg == stdinName {
		return errors.New("ranks are told apart by the names of files, so they cannot come from standard input")
	}
	if _, err := os.Stat(arg); err == nil {
		return files.add(arg)
	}
	if !strings.ContainsAny(arg, "*?[") {
		return fmt.Errorf("%s: no such file or directory", arg)
	}
	matches, err := filepath.Glob(arg)
	if err != nil || len(matches) == 0 {
		return fmt.Errorf("no file is called like %s", arg)
	}
	for _, match := range matches {
		if err := files.add(match); err != nil {
			return err
		}
	}
	return nil
}
