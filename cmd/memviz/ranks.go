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
	"github.com/memviz-go/memviz/pkg/redact"
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
			"tp1_pp0.pickle, rank_3/snap.pickle. A directory stands for all snapshots in it.\n" +
			"Files of several runs or steps, and those written when memory ran out, are compared\n" +
			"each with their own kind.\n\n" +
			"    memviz ranks snapshots/\n" +
			"    memviz ranks 'snapshots/rank*.pickle'\n" +
			"    memviz ranks rank0.pickle rank1.pickle --format json",
		Flags:  o.flags(t, "ranks", "outliers>0", rowsFlag(&o.rows, 20)),
		Action: action(t, func(args []string) error { return o.compare(t, args) }),
	}
}

func (o *ranksOptions) compare(t *terminal, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	files, err := findSources(args)
	if err == nil {
		err = checkStdout(t, files.paths()...)
	}
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
	sheet.Redacted(answer.RedactionOf(read.files))
	sheet.Salvaged(read.files)
	for i := range read.files {
		warnSalvaged(t, &read.files[i])
	}
	if err := o.print(t, sheet); err != nil {
		return err
	}
	if n := len(read.unreadable); n > 0 {
		return errUnread(n, len(files.files))
	}
	return nil
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
	files      []answer.Input // what is said of each snapshot as a whole, without its devices
}

// ranksMemory bounds, in bytes of files, what is read at the same time. A
// snapshot takes up to about as much memory as its file has bytes.
const ranksMemory = 4 << 30

// readRanks reads several files at once, and keeps of each only its summary. A
// file that cannot be read does not keep the others from being compared.
func (o *ranksOptions) readRanks(t *terminal, files *sources) (*ranksRead, error) {
	all := &ranksRead{}
	paths := files.paths()
	names := displayNames(paths)
	found := make([]ranksOfFile, len(paths))
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
			in, isReport, err := o.openInputs(t, file.path, names[i], silent)
			if err == nil && !isReport && file.path == stdinName {
				return misuse("ranks are told apart by the names of files, so a snapshot cannot come from standard input")
			}
			found[i].read(file.path, o.redact.FileName(names[i]), in, isReport)
			mu.Lock()
			defer mu.Unlock()
			if file.found && snapshot.IsSomethingElse(err) {
				files.skip(file.path, "data of something else")
			} else if err != nil {
				all.unreadable = append(all.unreadable, o.unreadable(names[i], err))
			}
			for j := range in {
				s := in[j].Snapshot
				all.files = append(all.files, answer.Input{Name: in[j].Name, Source: &analysis.Source{
					Snapshot: &snapshot.Snapshot{Format: s.Format, Salvaged: s.Salvaged, Redaction: s.Redaction}}})
			}
			done++
			progress(int64(done), int64(len(paths)))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	all.nameRanks(found, &o.redact)
	slices.SortFunc(all.unreadable, func(a, b answer.UnreadableRank) int { return strings.Compare(a.File, b.File) })
	slices.SortFunc(all.files, func(a, b answer.Input) int { return strings.Compare(a.Name, b.Name) })
	if len(all.summaries) == 0 && len(all.unreadable) > 0 {
		return nil, fmt.Errorf("none of %d files could be read; the first: %s", len(paths), all.unreadable[0].Error)
	}
	return all, nil
}

// ranksOfFile is what one file says of ranks: a snapshot of one, a report of as
// many as it holds.
type ranksOfFile struct {
	name      string   // as shown
	paths     []string // that may say which rank it is, one for each summary
	summaries [][]compare.RankSummary
}

func (f *ranksOfFile) read(path, name string, in []answer.Input, isReport bool) {
	f.name, f.paths = name, []string{path}
	for i := range in {
		if isReport { // which knows the names of its snapshots
			f.paths = append(f.paths[:i], path+"/"+in[i].Name)
		}
		f.summaries = append(f.summaries, answer.RankOf(&in[i], compare.RankName{}))
	}
}

// nameRanks says which rank and file each summary is of, once all names are
// known.
func (r *ranksRead) nameRanks(found []ranksOfFile, redact *redact.Options) {
	var paths []string
	files := map[string]int{} // with snapshots of a name
	for i := range found {
		paths = append(paths, found[i].paths...)
		for _, summaries := range found[i].summaries {
			if len(summaries) > 0 {
				files[summaries[0].File]++
			}
		}
	}
	names := compare.NameRanks(paths)
	for i := range names {
		if run := &names[i].Run; *run != "" {
			*run = filepath.ToSlash(filepath.Dir(redact.FileName(*run + "/file")))
		}
	}
	for i := range found {
		for j, summaries := range found[i].summaries {
			for k := range summaries {
				summaries[k].Name = names[j]
				if files[summaries[k].File] > 1 {
					summaries[k].File = found[i].name + "/" + summaries[k].File
				}
			}
			r.summaries = append(r.summaries, summaries...)
		}
		names = names[len(found[i].paths):]
	}
}

// unreadable says of a file why it could not be read. The words are not shown
// where names are redacted, because they quote the file.
func (o *inputOptions) unreadable(name string, err error) answer.UnreadableRank {
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
