package container

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// Kind is the kind of a file, detected from its bytes.
type Kind uint8

const (
	Binary Kind = iota // unknown, and not text

	// Formats of a snapshot.
	Pickle
	JSON

	// Layers around it.
	Gzip
	Zstd
	Zip         // torch.save, or an archive of one file
	TorchLegacy // torch.save before 1.6, or without _use_new_zipfile_serialization
	VizPage     // a page of torch's _memory_viz, with the snapshot in it

	// Files that hold no snapshot.
	Empty
	GitLFS
	SQLite
	MemoryTimeline // of torch.profiler's export_memory_timeline
	ChromeTrace
	Checkpoint // tensors, as torch.save writes them
	Report     // of memviz
	HTML
	Image
	Archive     // of several files, or of an unsupported kind
	Compression // of an unsupported kind
	UTF16
	Text

	numKinds
)

// names are the kinds as used in sentences, with an article.
var names = [numKinds]string{
	Binary:         "binary data of an unknown kind",
	Pickle:         "a pickle",
	JSON:           "JSON",
	Gzip:           "a gzip",
	Zstd:           "a zstd",
	Zip:            "a zip",
	TorchLegacy:    "a file of torch.save",
	VizPage:        "a page of torch's _memory_viz",
	Empty:          "an empty file",
	GitLFS:         "a Git LFS pointer to a file that was not downloaded",
	SQLite:         "an SQLite database, such as Nsight Systems exports",
	MemoryTimeline: "a timeline of torch.profiler's export_memory_timeline, which has neither tensors nor stacks",
	ChromeTrace:    "a Chrome trace, such as torch.profiler exports",
	Checkpoint:     "a checkpoint with tensors",
	Report:         "a memviz report",
	HTML:           "an HTML page without a snapshot in it",
	Image:          "an image",
	Archive:        "an archive",
	Compression:    "compressed in a way that memviz does not read",
	UTF16:          "text in UTF-16",
	Text:           "text",
}

func (k Kind) String() string { return names[k] }

// noun is the name without its article.
func (k Kind) noun() string { return strings.TrimPrefix(k.String(), "a ") }

// Holds reports whether a snapshot may be in a file of this kind.
func (k Kind) Holds() bool { return k >= Pickle && k <= VizPage }

// headBytes is how much of the start of a file is used to detect its kind.
const headBytes = 64 << 10

// magics are the magic numbers of kinds, with their offsets.
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
	{0, "BZh91AY&SY", Compression}, // bzip2 -9, the default
	{0, "\x04\x22\x4d\x18", Compression},
	{0, "7z\xbc\xaf\x27\x1c", Archive},
	{257, "ustar", Archive},
	{0, "\xff\xfe", UTF16},
	{0, "\xfe\xff", UTF16},
}

// sniff detects the kind of a file from its first headBytes bytes, or all if it is shorter.
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

// mayBeOldPickle reports whether head begins with a dict, a list, a mark and a key, or an
// import of protocol 0 or 1, which have no magic number. Text may begin so, too; then
// decoding reports that it is not a pickle.
func mayBeOldPickle(head []byte) bool {
	for _, begin := range []string{
		"(d", "(l", "}p", "}q", "}r", "}(", "}X", "}U", "}V", "}S'", "]p", "]q", "]r", "](", "(X", "(U", "(V", "(S'", "(}",
		"(]", "N0",
	} {
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

// isText reports whether head is UTF-8 without control characters. A character that is
// cut off at the end counts as text.
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

// pageMarks identify kinds of HTML pages, near their start.
var pageMarks = []struct {
	mark string
	kind Kind
}{
	{`<meta name="generator" content="memviz `, Report},
	{`<title>GPU Memory Timeline HTML</title>`, MemoryTimeline},
}

func sniffHTML(head []byte) Kind {
	for _, m := range pageMarks {
		if bytes.Contains(head, []byte(m.mark)) {
			return m.kind
		}
	}
	if vizPayload().Match(head) {
		return VizPage
	}
	return HTML
}

var (
	// vizPayload ends where the base64 of the snapshot begins in torch's page. Compiling it
	// takes milliseconds, and most files are not pages.
	vizPayload = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`local_files\s*=\s*\[\s*\{[^{}]{0,1000}"base64"\s*:\s*"`)
	})
	// timelineStart is a list of lists, as no snapshot is: its lists hold dicts.
	timelineStart = regexp.MustCompile(`^\[\s*\[`)
	// traceKey is a top-level key that only Chrome traces have.
	traceKey = regexp.MustCompile(`^\{\s*"(?:` +
		`schemaVersion|traceEvents|displayTimeUnit|deviceProperties|traceName|otherData)"`)
	// traceEvent begins a Chrome trace that is a bare list of events with a phase.
	traceEvent = regexp.MustCompile(`^\[\s*\{[^{}]*"ph"\s*:`)
)

func sniffJSON(head []byte) Kind {
	switch {
	case timelineStart.Match(head):
		return MemoryTimeline
	case traceKey.Match(head), traceEvent.Match(head):
		return ChromeTrace
	}
	return JSON
}

// protocolOpcode begins every pickle of protocol 2 and later.
const protocolOpcode = 0x80

// legacyMagic is the end of the first pickle in torch.save's older container: an
// integer, as LONG1, and STOP.
const legacyMagic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."

// legacyHeaders is how many pickles come before the object in that container: the magic
// number, the protocol, and facts about the machine.
const legacyHeaders = 3

// tensorMarks import the function that rebuilds a tensor, in protocols 2 and 4. No
// snapshot has a string that contains the first, or that is the second.
var tensorMarks = [][]byte{[]byte("ctorch._utils\n_rebuild_"), []byte("\x8c\x0ctorch._utils\x94\x8c")}

// sniffPickle detects the kind of a file that begins with a pickle.
func sniffPickle(head []byte) Kind {
	for _, mark := range tensorMarks {
		if bytes.Contains(head, mark) {
			return Checkpoint
		}
	}
	if _, ok := legacyLength(head); ok {
		return TorchLegacy
	}
	return Pickle
}

// legacyLength is how many bytes come before the object in torch.save's older
// container. It is not ok if head is not the start of one.
func legacyLength(head []byte) (n int, ok bool) {
	for i := range legacyHeaders {
		length, ok := pickle.Length(head[n:])
		if !ok || i == 0 && !bytes.HasSuffix(head[:length], []byte(legacyMagic)) {
			return 0, false
		}
		n += length
	}
	return n, true
}
