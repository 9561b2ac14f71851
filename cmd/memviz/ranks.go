package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/ranks"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

type ranksOptions struct {
	digestsOptions
	printOptions
	rows int
	page jobPage
}

func ranksCommand(t *terminal) *cli.Command {
	var o ranksOptions
	return &cli.Command{
		Name:      "ranks",
		Usage:     "compare the ranks of a job, and name the ones that differ",
		ArgsUsage: "SNAPSHOT|DIGEST...",
		Description: "Ranks that hold as many tensors at the same call sites are a group, such as the stage of a\n" +
			"pipeline, and each rank is compared with its group. Ranks that ran out of memory, recorded\n" +
			"fewer steps or keep growing are named too.\n\n" +
			"Ranks are read from the names of the files: rank3.pickle, snap_rank-3.pickle.gz,\n" +
			"tp1_pp0.pickle, rank_3/snap.pickle; --rank-pattern helps with others. A directory stands\n" +
			"for all snapshots in it, or for the digests if there are none; memviz digest makes these\n" +
			"where the snapshots lie. Files of several runs or steps, and those written when memory ran\n" +
			"out, are compared each with their own kind.\n\n" +
			"    memviz ranks snapshots/\n" +
			"    memviz ranks 'snapshots/rank*.pickle' --rows 50\n" +
			"    memviz ranks rank0.pickle rank1.pickle --format json\n\n" +
			"-o writes a page of all ranks instead. The report of each rank is in it while --max-size\n" +
			"allows, those of ranks with findings first; with digests alone, the page links to what\n" +
			"memviz digest --report named:\n\n" +
			"    memviz ranks snapshots/ -o job.html",
		Flags: o.inputOptions.flags(append(o.printOptions.flags(t, "ranks", "outliers>0", rowsFlag(&o.rows, 20),
			rankPatternFlag(&o.pattern)), o.page.flags()...)...),
		Action: action(t, func(args []string) error { return o.compare(t, args) }),
	}
}

// rankPatternFlag is for file names that [job.Names] does not recognise.
func rankPatternFlag(to **job.Pattern) cli.Flag {
	return option("rank-pattern", "", "read ranks from the paths of the files with the regular expression `REGEX`, "+
		"such as 'worker-(?P<rank>[0-9]+)'; it may have groups iteration and run, too", to, job.ParsePattern)
}

func (o *ranksOptions) compare(t *terminal, args []string) error {
	if err := o.page.checkFlags(); err != nil {
		return err
	}
	o.takesDigests = true
	files, err := o.find(t, args, &o.page.output)
	if err != nil {
		return err
	}
	files.dropRepeated()
	var read []answer.Input // what is said of each snapshot as a whole, without its devices
	o.read = func(in *answer.Input) {
		s := in.Snapshot
		read = append(read, answer.Input{Name: in.Name, Source: &analysis.Source{
			Snapshot: &snapshot.Snapshot{Format: s.Format, Salvaged: s.Salvaged, Redaction: s.Redaction}}})
	}
	list, err := o.collect(t, files)
	if err != nil {
		return err
	}
	files.warnSkipped(t)
	unread, all := countUnread(list)
	if len(list) > 0 && unread == all {
		return fmt.Errorf("none of %d files could be read; the first: %s: %s", all, list[0].File.Path, list[0].Error)
	}
	jobs := job.Jobs(list)
	if o.page.path != "" {
		if err := o.page.save(t, &o.inputOptions, files, jobs); err != nil {
			return err
		}
		return errUnread(unread, all)
	}
	sheet := ranks.Answer(jobs, o.rows)
	slices.SortFunc(read, func(a, b answer.Input) int { return strings.Compare(a.Name, b.Name) })
	answer.MarkSalvaged(sheet, read)
	for i := range read {
		warnSalvaged(t, &read[i])
	}
	if err := o.print(t, sheet); err != nil {
		return err
	}
	return errUnread(unread, all)
}

// collect makes digests of snapshots and reports, and reads files of digests.
func (o *ranksOptions) collect(t *terminal, files *sources) ([]job.Digest, error) {
	var set job.DigestSet
	made := *files
	made.files = nil
	for _, file := range files.files {
		var isDigests bool
		var err error
		if file.path == stdinName {
			isDigests, err = readPipe(t, &set)
		} else {
			isDigests, err = set.ReadFile(file.path)
		}
		if err != nil {
			return nil, err
		}
		if !isDigests {
			made.files = append(made.files, file)
		}
	}
	read := set.Digests()
	if err := o.checkRedacted(read); err != nil {
		return nil, err
	}
	o.hashes = len(read) > 0
	fresh, err := o.digests(t, &made)
	if err != nil {
		return nil, err
	}
	files.skipped = made.skipped
	list := read
	if len(fresh) > 0 { // of which some may be of the same files
		for _, d := range append(read, fresh...) {
			if err := set.Add(d); err != nil {
				return nil, err
			}
		}
		list = set.Digests()
	}
	if o.pattern != nil {
		rename(list, o.pattern)
	}
	return list, nil
}

// readPipe adds the digests on standard input. If there are none, the input can still be read from
// the start.
func readPipe(t *terminal, set *job.DigestSet) (ok bool, err error) {
	in := bufio.NewReaderSize(t.stdin, 64<<10)
	t.stdin = in
	lines, ok := job.OpenDigests(in)
	if !ok {
		return false, nil
	}
	return true, set.Read(lines, stdinShown)
}

// checkRedacted refuses --redact for digests with names, which cannot be replaced any more.
func (o *ranksOptions) checkRedacted(list []job.Digest) error {
	for i := range list {
		done := list[i].Redacted
		if list[i].Error == "" && (o.redact.Paths && done != "all" && done != "paths" ||
			o.redact.Names && done != "all" && done != "names") {
			return misuse("--redact cannot replace the names in a digest; use it with memviz digest")
		}
	}
	return nil
}

// rename reads the ranks of all digests again with a pattern, except ranks from the environment.
func rename(list []job.Digest, pattern *job.Pattern) {
	paths := make([]string, len(list))
	for i := range list {
		paths[i] = list[i].File.Path
	}
	for i, name := range job.Names(paths, pattern) {
		if list[i].Name.From != job.FromEnvironment && paths[i] != "" {
			list[i].Name = name
		}
	}
}

// countUnread counts the files that could not be read, and all files.
func countUnread(list []job.Digest) (unread, all int) {
	files := map[job.File]bool{}
	for i := range list {
		if d := &list[i]; !files[d.File] {
			files[d.File] = true
			all++
			if d.Error != "" {
				unread++
			}
		}
	}
	return unread, all
}

// dropRepeated removes files that are named more than once.
func (s *sources) dropRepeated() {
	seen := map[string]bool{}
	s.files = slices.DeleteFunc(s.files, func(file source) bool {
		clean := filepath.Clean(file.path)
		repeated := seen[clean]
		seen[clean] = true
		return repeated
	})
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
