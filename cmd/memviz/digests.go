package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// digestsOptions say how digests are made of snapshots.
type digestsOptions struct {
	inputOptions
	host      string       // where the snapshots were recorded
	report    string       // link with placeholders
	rank      *int         // of the only snapshot; nil: in the names
	pattern   *job.Pattern // that finds ranks in the names; nil: as trainers name files
	omitTimes bool
	hashes    bool // digests are to be told from others of the same file

	// read is called for each snapshot that was read, one at a time; it may be nil.
	read func(in *answer.Input)
}

// digestMemory limits the total size, in bytes, of the files read at the same time. Reading a
// snapshot takes up to about the size of its file, or packedMemory times that if it is compressed.
const (
	digestMemory = 4 << 30
	packedMemory = 20
)

// digests makes the digests of snapshots and reports, several files at once, and returns them in
// the order of the files. A file that cannot be read has a digest with the reason.
func (o *digestsOptions) digests(t *terminal, files *sources) ([]job.Digest, error) {
	found := make([]digestsOfFile, len(files.files))
	room := semaphore.NewWeighted(digestMemory)
	g, ctx := errgroup.WithContext(context.Background())
	g.SetLimit(runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	progress := t.progress("reading snapshots", func(n int64) string { return fmt.Sprintf("%d of %d", n, len(found)) })
	done := int64(0)
	for i, file := range files.files {
		g.Go(func() error {
			weight := min(memoryOf(file.path), digestMemory)
			if err := room.Acquire(ctx, weight); err != nil {
				return err
			}
			defer room.Release(weight)
			in, err := o.digestFile(t, file, &found[i])
			mu.Lock()
			defer mu.Unlock()
			if file.found && snapshot.IsSomethingElse(err) {
				files.skip(file.path, "data of something else")
				found[i] = digestsOfFile{}
			} else if err != nil {
				return err
			}
			for j := range in {
				if o.read != nil {
					o.read(&in[j])
				}
			}
			done++
			progress(done, int64(len(found)))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return o.named(found), nil
}

// memoryOf estimates how much memory reading a file takes at most, in bytes.
func memoryOf(path string) int64 {
	size := fileSize(path)
	var magic [2]byte
	if f, err := openRegular(path); err == nil {
		f.Read(magic[:])
		f.Close()
	}
	if slices.Contains([]string{"\x1f\x8b", "\x28\xb5", "PK"}, string(magic[:])) { // gzip, zstd and zip
		return packedMemory * size
	}
	return size
}

// openRegular opens a regular file, which can be read more than once.
func openRegular(path string) (*os.File, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	return os.Open(path)
}

// digestsOfFile holds the digests of each snapshot in a file: one, or several in a report.
type digestsOfFile struct {
	paths   []string // that may say which rank it is
	digests [][]job.Digest
}

// digestFile reads a file and makes its digests. It returns an error only for wrong usage, and for
// a file in a directory that is not a snapshot.
func (o *digestsOptions) digestFile(t *terminal, file source, found *digestsOfFile) ([]answer.Input, error) {
	hashed := make(chan string, 1)
	go func() { hashed <- o.hash(file.path) }()
	silent := func(string) func(done, total int64) { return func(done, total int64) {} }
	in, isReport, err := o.openInputs(t, file.path, filepath.Base(file.path), silent)
	if err == nil && !isReport && file.path == stdinName {
		return nil, misuse("ranks are told apart by the names of files, so a snapshot cannot come from standard input")
	}
	whole := job.File{Bytes: fileSize(file.path), SHA256: <-hashed}
	if !o.redact.Paths {
		whole.Host = o.host
	}
	if err != nil {
		if file.found && snapshot.IsSomethingElse(err) {
			return nil, err
		}
		found.paths = []string{file.path}
		why := "cannot be read; what is wrong is said without --redact" // words of an error quote the file
		if !o.redact.Redaction().Any() {
			why = strings.TrimPrefix(err.Error(), file.path+": ")
		}
		found.digests = [][]job.Digest{{{Schema: job.DigestSchema, File: whole, Error: why}}}
		return nil, nil
	}
	for i := range in {
		name := file.path
		if isReport { // which knows the names of its snapshots
			name = path.Join(filepath.ToSlash(file.path), in[i].Name)
		}
		found.paths = append(found.paths, name)
		found.digests = append(found.digests, o.digestSnapshot(&in[i], whole))
	}
	return in, nil
}

// digestSnapshot makes the digests of the devices of a snapshot.
func (o *digestsOptions) digestSnapshot(in *answer.Input, file job.File) []job.Digest {
	if in.Origin.Predicted != nil {
		return []job.Digest{{Schema: job.DigestSchema, File: file, Error: "this run was predicted, not recorded"}}
	}
	var list []job.Digest
	for _, r := range in.Recordings {
		d := job.DigestOf(r)
		d.File = file
		if o.omitTimes {
			d.OmitTimes()
		}
		list = append(list, d)
	}
	if len(list) == 0 {
		list = []job.Digest{{Schema: job.DigestSchema, File: file, Error: "it holds no memory of a device"}}
	}
	return list
}

// named returns all digests, with their ranks and files.
func (o *digestsOptions) named(found []digestsOfFile) []job.Digest {
	var paths []string
	for i := range found {
		for j := range found[i].paths {
			found[i].paths[j] = lastFolders(found[i].paths[j])
		}
		paths = append(paths, found[i].paths...)
	}
	names := job.Names(paths, o.pattern)
	var list []job.Digest
	for i := range found {
		for j, digests := range found[i].digests {
			for _, d := range digests {
				d.Name = o.rankName(names[j])
				o.nameFile(&d, found[i].paths[j])
				list = append(list, d)
			}
		}
		names = names[len(found[i].paths):]
	}
	return list
}

func (o *digestsOptions) rankName(name job.Name) job.Name {
	if name.Run != "" {
		name.Run = filepath.ToSlash(filepath.Dir(o.redact.FileName(name.Run + "/file")))
	}
	if o.rank != nil {
		name.Rank, name.Label, name.From = *o.rank, strconv.Itoa(*o.rank), job.FromEnvironment
	}
	return name
}

// keptFolders is how many folders of a path a digest keeps. More might reveal whose machine it
// was.
const keptFolders = 3

// lastFolders shortens the path of a file to the part that a digest keeps.
func lastFolders(path string) string {
	parts := strings.Split(filepath.ToSlash(filepath.Clean(path)), "/")
	parts = parts[max(0, len(parts)-keptFolders-1):]
	return strings.TrimPrefix(strings.Join(parts, "/"), "/")
}

func (o *digestsOptions) nameFile(d *job.Digest, at string) {
	if !o.redact.Paths { // else names cannot be read again from it: a pseudonym has no iteration
		d.File.Path = at
	}
	d.File.Name = path.Base(o.redact.FileName(at))
	if o.report != "" && !o.redact.Paths {
		stem, _, _ := strings.Cut(d.File.Name, ".")
		escaped := func(text string) string { return strings.ReplaceAll(url.PathEscape(text), ":", "%3A") }
		d.File.Report = strings.NewReplacer("{rank}", escaped(d.Name.Label), "{name}", escaped(stem)).Replace(o.report)
	}
}

// hash returns the first half of the SHA-256 of a file in hexadecimal, which is enough to
// recognise two digests of one file. It is empty if paths are redacted, because anyone with the
// file could find out which digest belongs to it, and if the file cannot be read.
func (o *digestsOptions) hash(path string) string {
	if !o.hashes || o.redact.Paths || path == stdinName {
		return ""
	}
	f, err := openRegular(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	// The wrapper hides the file's WriteTo, which would read 32 KiB at a time.
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{f}, make([]byte, 1<<20)); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:sha256.Size/2])
}
