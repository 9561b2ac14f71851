package redact

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"regexp"
)

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
