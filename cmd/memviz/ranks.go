package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	"github.com/memviz-go/memviz/pkg/answer"
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
		Flags:  answerFlags(rowsFlag),
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
		options, err := readOptions(c)
		if err != nil {
			return nil, err
		}
		read, err := readRanks(c.Context, files, options, p)
		if err != nil {
			return nil, err
		}
		sheet := answer.Ranks(read.summaries, read.unreadable, c.Int("rows"))
		sheet.Salvaged(read.parts)
		for i := range read.parts {
			sayPart(c, &read.parts[i])
		}
		return sheet, nil
	})
}

// ranksRead is what a comparison of ranks needs of their files.
type ranksRead struct {
	summaries  []analysis.RankSummary
	unreadable []answer.UnreadableRank
	parts      []answer.Input // of files that were read in part, without their devices
}

// readRanks reads several files at once, and keeps of each only its summary. A
// file that cannot be read does not keep the others from being compared.
func readRanks(ctx context.Context, files []string, options snapshot.Options, p *progress) (*ranksRead, error) {
	all := &ranksRead{}
	names, ranks := displayNames(files), analysis.NameRanks(files)
	room := semaphore.NewWeighted(ranksMemory)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	read := p.counted("reading ranks", func(n int64) string { return fmt.Sprintf("%d of %d", n, len(files)) })
	done := 0
	for i, file := range files {
		g.Go(func() error {
			weight := min(fileSize(file), ranksMemory)
			if err := room.Acquire(ctx, weight); err != nil {
				return err
			}
			defer room.Release(weight)
			s, err := snapshot.OpenWith(file, options)
			var summary []analysis.RankSummary
			if err == nil {
				in := answer.NewInput(names[i], s)
				summary = answer.RankOf(&in, ranks[i])
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				all.unreadable = append(all.unreadable, answer.UnreadableRank{File: names[i], Error: advised(err).Error()})
			} else if s.Salvaged != nil {
				part := &snapshot.Snapshot{Format: s.Format, Salvaged: s.Salvaged}
				all.parts = append(all.parts, answer.Input{Name: names[i], Snapshot: part})
			}
			all.summaries = append(all.summaries, summary...)
			done++
			read(int64(done), int64(len(files)))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(all.unreadable, func(a, b answer.UnreadableRank) int { return strings.Compare(a.File, b.File) })
	slices.SortFunc(all.parts, func(a, b answer.Input) int { return strings.Compare(a.Name, b.Name) })
	if len(all.summaries) == 0 && len(all.unreadable) > 0 {
		return nil, fmt.Errorf("none of %d files could be read; the first: %s", len(files), all.unreadable[0].Error)
	}
	return all, nil
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// rankFiles are the files that the arguments stand for, each once.
func rankFiles(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		found, err := filesOf(arg)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(files, func(file string) bool {
		clean := filepath.Clean(file)
		was := seen[clean]
		seen[clean] = true
		return was
	}), nil
}

func filesOf(arg string) ([]string, error) {
	if arg == stdinName {
		return nil, errors.New("ranks are told apart by the names of files, so they cannot come from standard input")
	}
	info, err := os.Stat(arg)
	if err == nil && info.IsDir() {
		return snapshotsIn(arg)
	} else if err == nil {
		return []string{arg}, nil
	}
	if !strings.ContainsAny(arg, "*?[") {
		return nil, fmt.Errorf("%s: no such file or directory", arg)
	}
	matches, err := filepath.Glob(arg)
	if err != nil || len(matches) == 0 {
		return nil, fmt.Errorf("no file is called like %s", arg)
	}
	var files []string
	for _, match := range matches {
		found, err := filesOf(match)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

// snapshotsIn are the files in a directory and below it that begin as a
// snapshot does.
func snapshotsIn(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != dir && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.Type().IsRegular() && beginsLikeSnapshot(path):
			files = append(files, path)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		return nil, fmt.Errorf("%s holds no snapshots: no file in it begins like a pickle or a gzip", dir)
	}
	return files, err
}

func beginsLikeSnapshot(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [2]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return false
	}
	return head[0] == 0x80 && head[1] >= 2 && head[1] <= 5 || head == [2]byte{0x1f, 0x8b}
}
