package main

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// openAll opens all sources. Other files in a directory are skipped with a warning. Files that
// cannot be read are counted, unless the answer needs every file; then the first one is an error.
func (o *inputOptions) openAll(t *terminal, files *sources) ([]answer.Input, error) {
	if err := checkStdout(t, files.paths()...); err != nil {
		return nil, err
	}
	names := displayNames(files.paths())
	o.unread, o.named = 0, len(files.files)
	var in []answer.Input
	from := map[int]string{} // by input: the file
	openFile := o.oneByOne(t, files, names)
	if o.sideBySide && o.named > 1 {
		openFile = o.allAtOnce(t, files, names)
	}
	for i, file := range files.files {
		opened, err := openFile(i)
		if file.found && snapshot.IsSomethingElse(err) {
			files.skip(file.path, "data of something else")
			continue
		} else if err != nil && (o.needsEach || o.named == 1) {
			return nil, err
		} else if err != nil {
			t.warn("%v", err)
			o.unread++
			continue
		}
		for j := range opened {
			warnSalvaged(t, &opened[j])
			from[len(in)+j] = o.redact.FileName(names[i])
		}
		in = append(in, opened...)
		if o.opened != nil {
			if err := o.opened(files, opened); err != nil {
				return nil, err
			}
		}
	}
	tellApart(in, from)
	if len(in) == 0 && o.unread > 0 {
		return nil, errUnread(o.unread, o.named)
	} else if len(in) == 0 {
		return nil, files.errNone(files.first)
	}
	files.warnSkipped(t)
	return o.onlyDevice(in)
}

// oneByOne opens each file when it is needed.
func (o *inputOptions) oneByOne(t *terminal, files *sources, names []string) func(i int) ([]answer.Input, error) {
	return func(i int) ([]answer.Input, error) {
		which := ""
		if len(files.files) > 1 {
			which = fmt.Sprintf(" %d of %d", i+1, len(files.files))
		}
		in, _, err := o.openInputs(t, files.files[i].path, names[i], func(stage string) func(done, total int64) {
			return t.bytes(stage + which)
		})
		return in, err
	}
}

// allAtOnce opens all files concurrently, and reports progress over all their bytes.
func (o *inputOptions) allAtOnce(t *terminal, files *sources, names []string) func(i int) ([]answer.Input, error) {
	n := len(files.files)
	in, errs := make([][]answer.Input, n), make([]error, n)
	show := t.bytes("reading " + units.Plural(n, "file", "files"))
	var done, total atomic.Int64
	var wait sync.WaitGroup
	for i, file := range files.files {
		wait.Go(func() {
			var lastDone, lastTotal int64
			in[i], _, errs[i] = o.openInputs(t, file.path, names[i], func(string) func(done, total int64) {
				return func(d, of int64) {
					if of == 0 && lastTotal > 0 { // another stage begins; the bytes stay read
						return
					}
					show(done.Add(d-lastDone), total.Add(of-lastTotal))
					lastDone, lastTotal = d, of
				}
			})
		})
	}
	wait.Wait()
	return func(i int) ([]answer.Input, error) { return in[i], errs[i] }
}

// errUnread counts the files that could not be read, if any. What is wrong with each was
// said before.
func errUnread(unread, files int) error {
	if unread == 0 {
		return nil
	}
	return fmt.Errorf("%d of %s could not be read", unread, units.Plural(files, "file", "files"))
}

// tellApart prefixes the name of an input with the name of its report, if an input from another
// file has the same name.
func tellApart(in []answer.Input, from map[int]string) {
	first := map[string]string{} // by name: the file
	shared := map[string]bool{}
	for i := range in {
		if file, is := first[in[i].Name]; is && file != from[i] {
			shared[in[i].Name] = true
		}
		first[in[i].Name] = from[i]
	}
	for i := range in {
		if shared[in[i].Name] && from[i] != in[i].Name {
			in[i].Name = from[i] + "/" + in[i].Name
		}
	}
}
