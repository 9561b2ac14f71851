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
		pseudonyms, err := redaction(c)
		if err != nil {
			return nil, err
		}
		summaries, unreadable, err := readRanks(c.Context, files, pseudonyms, p)
		if err != nil {
			return nil, err
		}
		sheet := answer.Ranks(summaries, unreadable, c.Int("rows"))
		sheet.Redacted(pseudonyms.Redaction())
		return sheet, nil
	})
}

// readRanks reads several files at once, and keeps of each only its summary. A
// file that cannot be read does not keep the others from being compared.
func readRanks(ctx context.Context, files []string, pseudonyms *redact.Options, p *progress) (list []analysis.RankSummary, unreadable []answer.UnreadableRank, err error) {
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
			s, err := snapshot.Open(file)
			var summary []analysis.RankSummary
			if err == nil {
				in := answer.NewInput(redactInput(pseudonyms, names[i], s), s)
				summary = answer.RankOf(&in, ranks[i])
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				unreadable = append(unreadable, unreadableRank(pseudonyms, names[i], err))
			}
			list = append(list, summary...)
			done++
			read(int64(done), int64(len(files)))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, nil, err
	}
	slices.SortFunc(unreadable, func(a, b answer.UnreadableRank) int { return strings.Compare(a.File, b.File) })
	if len(list) == 0 && len(unreadable) > 0 {
		return nil, nil, fmt.Errorf("none of %d files could be read; the first: %s", len(files), unreadable[0].Error)
	}
	return list, unreadable, nil
}

// unreadableRank says of a file why it could not be read. The words are not
// shown where names are redacted, because they quote the file.
func unreadableRank(pseudonyms *redact.Options, name string, err error) answer.UnreadableRank {
	if pseudonyms.Redaction().Any() {
		return answer.UnreadableRank{File: pseudonyms.FileName(name), Error: "cannot be read; what is wrong is said without --redact"}
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
