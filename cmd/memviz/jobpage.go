package main

import (
	"fmt"
	"io"
	"path"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/report"
	jobpage "github.com/memviz-go/memviz/pkg/report/job"
	"github.com/memviz-go/memviz/pkg/units"
)

// jobPage is the page that ranks writes in place of an answer in the terminal.
type jobPage struct{ page }

func (o *jobPage) flags() []cli.Flag {
	return []cli.Flag{
		o.flag("write a page of the job to `FILE`, in place of an answer; - is standard output"),
		o.sizeFlag("put the reports of ranks into the page while it stays within `SIZE`, such as 10MB; none lifts the " +
			"limit"),
		o.openFlag(),
	}
}

// save writes the page of jobs, with the reports of the snapshots and reports among files, from
// which the jobs were read.
func (o *jobPage) save(t *terminal, input *inputOptions, files *sources, jobs []*job.Job) error {
	count := 0
	for _, j := range jobs {
		count += len(j.Ranks)
	}
	if count == 1 {
		return misuse("one rank has nothing to be compared with; memviz trace writes its report")
	}
	document, err := jobpage.Encode(program, jobs)
	if err != nil {
		return err
	}
	reports, err := o.embed(t, input, files, jobs, document)
	if err != nil {
		return err
	}
	size, err := o.page.write(t, func(w io.Writer) error { _, err := document.WriteTo(w); return err })
	if err != nil {
		return err
	}
	t.confirm("wrote %s: %s, %s%s", &o.page, units.FileSize(size), units.Plural(count, "rank", "ranks"), reports)
	if count == 2 {
		t.warn("two ranks cannot show which of them is the odd one; memviz diff compares them line by line")
	}
	return o.show(t)
}

// rankSource is the file from which the recording of a rank is read again.
type rankSource struct {
	job, rank int
	file      source
}

// embed puts the reports of ranks into the page while there is room, ranks with findings first.
// The text is how the closing line continues.
func (o *jobPage) embed(t *terminal, input *inputOptions, files *sources, jobs []*job.Job,
	document *jobpage.Document) (string, error) {
	byName := map[string]source{}
	for _, file := range files.files {
		if name := filepath.Base(input.redact.FileName(file.path)); byName[name].path == "" {
			byName[name] = file
		} else {
			byName[name] = source{path: stdinName} // two of a name: the digest does not tell them apart
		}
	}
	var list []rankSource
	for i, j := range jobs {
		for _, rank := range jobpage.ReportOrder(j) {
			file, known := byName[path.Base(j.Ranks[rank].File.Name)]
			if known && file.path != stdinName {
				list = append(list, rankSource{i, rank, file})
			}
		}
	}
	if len(list) == 0 {
		return "", nil
	}
	progress := t.progress("writing reports", func(n int64) string { return fmt.Sprintf("%d of %d", n, len(list)) })
	silent := func(string) func(done, total int64) { return func(done, total int64) {} }
	all := *input
	all.needsAll = true
	for n, from := range list {
		in, isReport, err := all.openInputs(t, from.file.path, filepath.Base(from.file.path), silent)
		if err != nil || isReport && len(in) != 1 {
			continue
		}
		fits, err := document.Embed(from.job, from.rank, report.Encode(program, in, nil), o.maxSize)
		if err != nil {
			return "", err
		}
		if !fits {
			break
		}
		progress(int64(n+1), int64(len(list)))
	}
	n := document.Embedded()
	if n == 0 {
		return ", without their reports, which do not fit; --max-size none includes all", nil
	}
	if n < len(list) {
		return fmt.Sprintf(", with the reports of %d of them; --max-size none includes all", n), nil
	}
	return ", with the report of each", nil
}
