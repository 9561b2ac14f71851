// Package redact gives the names in a snapshot other names, before anything is
// concluded from it or written.
//
// A pseudonym is stable: with one salt, the same name has the same pseudonym in
// every file. It stands for a part of a name, so that folders stay folders, and
// keeps what rules go by (analysis.Words) and an extension that everybody uses.
// Public names stay as they are: those of torch, of Python and of packages that
// everybody has (public.go).
//
// What is not a name stays: lines, sizes, addresses, times, handles.
package redact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"hash"
	"regexp"
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

// kind is what a pseudonym stands for. The same text of two kinds has two
// pseudonyms.
type kind string

const (
	kindFolder   kind = "dir"
	kindFile     kind = "file"
	kindFunction kind = "fn"
	kindSymbol   kind = "id"   // a C++ name
	kindText     kind = "text" // a text that somebody wrote
	kindKey      kind = "key"  // of a dict or a setting
)

// alphabet has no letters that are read as digits, and no u, so that no words
// come about.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// tokenLength is how many letters of five bits a pseudonym has. Of a hundred
// thousand names two have the same with a chance of one in two hundred.
const tokenLength = 8

// pseudonyms remembers the pseudonym of each text.
type pseudonyms struct {
	mac   hash.Hash
	known map[[2]string]string
}

func newPseudonyms(salt []byte) *pseudonyms {
	return &pseudonyms{mac: hmac.New(sha256.New, salt), known: map[[2]string]string{}}
}

// of is the pseudonym of a text, such as fn_3f9a2c7k.
func (p *pseudonyms) of(k kind, text string) string {
	key := [2]string{string(k), text}
	if name, seen := p.known[key]; seen {
		return name
	}
	p.mac.Reset()
	p.mac.Write([]byte(k))
	p.mac.Write([]byte{0})
	p.mac.Write([]byte(text))
	sum := p.mac.Sum(nil)
	name := []byte(k + "_")
	for _, b := range sum[:tokenLength] {
		name = append(name, alphabet[b%32])
	}
	p.known[key] = string(name)
	return string(name)
}

// pseudonym is what one looks like.
var pseudonym = regexp.MustCompile(`(?:dir|file|fn|id|text|key)_[0-9a-hjkmnp-tv-z]{8}`)

// pseudonymHints are how each begins.
var pseudonymHints = []string{"dir_", "file_", "fn_", "id_", "text_", "key_"}
