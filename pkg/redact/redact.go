// Package redact replaces the names in a snapshot by pseudonyms, before anything is
// computed from it or written.
//
// A pseudonym is stable: with one salt, the same name has the same pseudonym in every
// file. It replaces one part of a path or a qualified name, so that folders stay folders,
// and keeps the words that the analysis looks for (stacks.Words) and common file
// extensions. Public names stay: names from torch, Python and widely used packages
// (public.go).
//
// Everything else stays: line numbers, sizes, addresses, times, handles.
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

// Options say what is replaced. The zero value replaces nothing.
type Options struct {
	Paths bool     // source files, file names of snapshots, and paths in any other text
	Names bool     // functions, and every text that a person wrote: annotations, metadata, settings
	Keep  []string // folders whose paths, and the functions in them, stay as they are
	Strip []string // folders that are removed from the front of paths
	Salt  []byte   // see NewSalt; never part of any output
}

// NewSalt returns a random salt, so that pseudonyms of different runs cannot be compared.
func NewSalt() []byte {
	salt := make([]byte, 32)
	rand.Read(salt) // never fails
	return salt
}

// Snapshot replaces the names in s, in place. It must be called before anything is read
// from s. Strings that no column refers to are dropped.
func (o *Options) Snapshot(s *snapshot.Snapshot) {
	if done := o.Redaction(); done.Any() {
		newWorker(o).snapshot(s)
		r := &s.Redaction
		r.Paths, r.Names, r.Prefixes = r.Paths || o.Paths, r.Names || o.Names, r.Prefixes || done.Prefixes
	}
}

// Redaction is the [snapshot.Redaction] that these options give a snapshot.
func (o *Options) Redaction() snapshot.Redaction {
	return snapshot.Redaction{Paths: o.Paths, Names: o.Names, Prefixes: len(o.Strip) > 0}
}

// FileName redacts the file name of a snapshot. The parts that name a rank stay.
func (o *Options) FileName(name string) string {
	if !o.Paths {
		return name
	}
	return newWorker(o).fileName(name)
}

// worker redacts the texts of one snapshot.
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

// slashed returns a path with forward slashes, whatever system recorded it.
func slashed(path string) string { return strings.ReplaceAll(path, `\`, "/") }

// isKept reports whether a path lies in a folder of Options.Keep.
func (w *worker) isKept(path string) bool {
	path = slashed(path)
	for _, folder := range w.keep {
		if strings.HasPrefix(path, folder) {
			return true
		}
	}
	return false
}

// kind is what a pseudonym replaces. The same text of two kinds has two
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

// alphabet has no letters that look like digits, and no u, to avoid some words.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// tokenLength is how many characters of five bits a pseudonym has. Among a hundred
// thousand names, two share one with a probability of about 1 in 200.
const tokenLength = 8

// pseudonyms remembers the pseudonym of each text.
type pseudonyms struct {
	mac   hash.Hash
	known map[[2]string]string
}

func newPseudonyms(salt []byte) *pseudonyms {
	return &pseudonyms{mac: hmac.New(sha256.New, salt), known: map[[2]string]string{}}
}

// of returns the pseudonym of a text, such as fn_3f9a2c7k.
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

// pseudonym matches a pseudonym.
var pseudonym = regexp.MustCompile(`(?:dir|file|fn|id|text|key)_[0-9a-hjkmnp-tv-z]{8}`)

// Pseudonyms returns the pseudonyms in a text.
func Pseudonyms(text string) []string { return pseudonym.FindAllString(text, -1) }

// pseudonymHints are the prefixes of pseudonyms.
var pseudonymHints = []string{"dir_", "file_", "fn_", "id_", "text_", "key_"}
