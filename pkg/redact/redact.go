// Package redact gives the names in a snapshot other names, before anything is
// concluded from it or written.
//
// A pseudonym is stable: with one salt, the same name has the same pseudonym in
// every file. It stands for a part of a name, so that folders stay folders, and
// keeps what rules go by (analysis.Words) and an extension that everybody uses.
// Public names stay as they are: those of torch, of Python and of packages that
// everybody has (public.go, symbols_public.go).
//
// What is not a name stays: lines, sizes, addresses, times, handles.
package redact

import (
	"crypto/rand"
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Options say what gets other names. The zero value leaves everything.
type Options struct {
	Paths bool     // files of code, file names of snapshots, and paths in any other text
	Names bool     // functions, and every text that somebody wrote: annotations, metadata, settings
	Keep  []string // folders whose paths, and the functions in them, stay as they are
	Strip []string // folders that are cut from the front of paths
	Salt  []byte   // see NewSalt; never part of any output
}

// NewSalt is a salt that nobody knows, so that no two runs can be compared.
func NewSalt() []byte {
	salt := make([]byte, 32)
	rand.Read(salt) // never fails
	return salt
}

// Snapshot gives the names in s other names, in place. It has to come before
// anything is read from s. Every text that the model does not account for goes.
func (o *Options) Snapshot(s *snapshot.Snapshot) {
	if done := o.Redaction(); done.Any() {
		newWorker(o).snapshot(s)
		r := &s.Redaction
		r.Paths, r.Names, r.Prefixes = r.Paths || o.Paths, r.Names || o.Names, r.Prefixes || done.Prefixes
	}
}

// Redaction is what a snapshot says of itself afterwards.
func (o *Options) Redaction() snapshot.Redaction {
	return snapshot.Redaction{Paths: o.Paths, Names: o.Names, Prefixes: len(o.Strip) > 0}
}

// FileName is the name of a snapshot's file as it may be shown. What says of
// which rank it is stays.
func (o *Options) FileName(name string) string {
	if !o.Paths {
		return name
	}
	return newWorker(o).fileName(name)
}

// worker renames the texts of one snapshot.
type worker struct {
	*Options
	p           *pseudonyms
	keep, strip []string // slashed, with a slash at the end
}

func newWorker(o *Options) *worker {
	return &worker{Options: o, p: newPseudonyms(o.Salt), keep: folders(o.Keep), strip: folders(o.Strip)}
}

func folders(paths []string) []string {
	var list []string
	for _, path := range paths {
		if path = slashed(path); path != "" {
			list = append(list, strings.TrimSuffix(path, "/")+"/")
		}
	}
	return list
}

// slashed is a path with forward slashes, whatever system recorded it.
func slashed(path string) string { return strings.ReplaceAll(path, `\`, "/") }

// isKept reports whether a path lies in a folder that stays as it is.
func (w *worker) isKept(path string) bool {
	path = slashed(path)
	for _, folder := range w.keep {
		if strings.HasPrefix(path, folder) {
			return true
		}
	}
	return false
}
