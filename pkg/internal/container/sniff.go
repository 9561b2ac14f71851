package container

import (
	"bytes"
	"unicode/utf8"
)

// headBytes is how much of the start of a file tells what it is.
const headBytes = 64 << 10

// magics are the bytes at a fixed place that tell a kind for certain.
var magics = []struct {
	at    int
	magic string
	kind  Kind
}{
	{0, "\x1f\x8b", Gzip},
	{0, "\x28\xb5\x2f\xfd", Zstd},
	{0, "PK\x03\x04", Zip},
	{0, "PK\x05\x06", Zip}, // an empty one
	{0, "SQLite format 3\x00", SQLite},
	{0, "version https://git-lfs", GitLFS},
	{0, "\x89PNG\r\n\x1a\n", Image},
	{0, "\xff\xd8\xff", Image},
	{0, "GIF8", Image},
	{0, "\xfd7zXZ\x00", Compression},
	{0, "BZh91AY&SY", Compression}, // bzip2 -9, which is what everyone writes
	{0, "\x04\x22\x4d\x18", Compression},
	{0, "7z\xbc\xaf\x27\x1c", Archive},
	{257, "ustar", Archive},
	{0, "\xff\xfe", UTF16},
	{0, "\xfe\xff", UTF16},
}

// sniff tells what a file is by its first bytes, headBytes of them where there
// are as many.
func sniff(head []byte) Kind {
	if len(head) == 0 {
		return Empty
	}
	for _, m := range magics {
		if len(head) >= m.at && bytes.HasPrefix(head[m.at:], []byte(m.magic)) {
			return m.kind
		}
	}
	if head[0] == protocolOpcode {
		return sniffPickle(head)
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case len(text) == 0:
		return Text
	case text[0] == '<':
		return sniffHTML(text)
	case text[0] == '{', text[0] == '[':
		return sniffJSON(text)
	case mayBeOldPickle(head):
		return Pickle
	case isText(head):
		return Text
	}
	return Binary
}

// mayBeOldPickle reports whether head begins with a dict, a list or an import
// of protocol 0 or 1, which have no magic.
func mayBeOldPickle(head []byte) bool {
	for _, begin := range []string{"(d", "(l", "}q", "}r", "}(", "]q", "]r", "]("} {
		if bytes.HasPrefix(head, []byte(begin)) {
			return true
		}
	}
	module, _, ok := bytes.Cut(head, []byte("\n"))
	return ok && len(module) > 1 && module[0] == 'c' && isName(module[1:])
}

// isName reports whether b is a dotted name of Python.
func isName(b []byte) bool {
	for _, c := range b {
		if c != '_' && c != '.' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

// isText reports whether head is UTF-8 without control characters, but for a
// character that is cut at its end.
func isText(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n <= 1 {
			return len(head) < utf8.UTFMax && !utf8.FullRune(head)
		} else if r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != '\x1b' {
			return false
		}
		head = head[n:]
	}
	return true
}
