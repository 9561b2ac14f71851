package job

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/internal/container"
	"github.com/memviz-go/memviz/pkg/units"
)

// Bounds on input.
const (
	maxLine        = 1 << 20   // bytes of a line
	maxDigests     = 1 << 14   // of all files
	maxDigestBytes = 512 << 20 // of the lines of all files
	maxObjects     = 4096      // in a line, that is opening braces
)

// schemaStart is the schema without its number.
const schemaStart = "memviz.digest/"

// lineStart is how every line begins. In a JSON string quotes are escaped, so it cannot
// occur elsewhere in a line.
var lineStart = []byte(`{"schema":"` + schemaStart)

// DigestSet is the digests of a job, from any number of files. Its zero value is empty.
// The order and repetition of files and lines do not change it.
type DigestSet struct {
	entries []entry
	seen    map[identity]int // in entries
	bytes   int64
	texts   map[string]string // of call sites, which most ranks share
}

type entry struct {
	digest Digest
	sum    lineSum
}

// lineSum is a hash of a line.
type lineSum [sha256.Size]byte

// identity distinguishes digests of one device of one file. Copies of a file under other names
// count as different files, as with snapshots.
type identity struct {
	sha256 string
	device int
	path   string
	rank   string  // if given by the process, else empty: names are read again, all together
	line   lineSum // of a digest without the hash of its file, else zero
}

// openLines returns the lines of a file of digests, as they are or packed with gzip or zstd,
// also in several members. ok is false if the file is something else, or a pipe, which could
// not be read again.
func openLines(path string) (lines io.ReadCloser, ok bool, err error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	if in, ok := linesIn(container.Source{Reader: f, At: f}); ok {
		return struct {
			io.Reader
			io.Closer
		}{in, f}, true, nil
	}
	return nil, false, f.Close()
}

// OpenDigests is openLines for a pipe, which cannot be read twice. If ok is false,
// nothing was consumed.
func OpenDigests(pipe *bufio.Reader) (lines io.Reader, ok bool) {
	head, _ := pipe.Peek(pipe.Size())
	if _, ok := linesIn(container.Source{Reader: bytes.NewReader(head)}); !ok {
		return nil, false
	}
	return linesIn(container.Source{Reader: pipe})
}

// linesIn returns the lines of digests in a source.
func linesIn(source container.Source) (lines io.Reader, ok bool) {
	payload, err := container.Open(source, container.Limits{})
	if err != nil || payload.Kind != container.JSON {
		return nil, false
	}
	in := bufio.NewReader(payload)
	head, _ := in.Peek(len(lineStart))
	return in, bytes.Equal(head, lineStart)
}

// IsDigestFile reports whether a file holds digests.
func IsDigestFile(path string) bool {
	lines, ok, err := openLines(path)
	if err != nil || !ok {
		return false
	}
	lines.Close()
	return true
}

// ReadFile adds the digests of a file. ok is false if the file is something else.
func (s *DigestSet) ReadFile(path string) (ok bool, err error) {
	lines, ok, err := openLines(path)
	if err != nil || !ok {
		return ok, err
	}
	defer lines.Close()
	if err := s.Read(lines, filepath.Base(path)); err != nil {
		return true, fmt.Errorf("%s: %w", path, err)
	}
	return true, nil
}

// Read adds the digests of a named file, one per line, holding one line in memory at a
// time. A line that cannot be read, such as a last one that is cut, counts as a file that
// could not be read. The error comes from the reader, or means that a schema is newer or
// a bound is exceeded.
func (s *DigestSet) Read(r io.Reader, file string) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for number := 1; ; number++ {
		line, err := readLine(in)
		damaged := err != nil && err != io.EOF
		if damaged && number == 1 && len(line) == 0 {
			return err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := s.addLine(line, fmt.Sprintf("line %d of %s", number, file)); err != nil {
				return err
			}
		} else if damaged { // after the end of a line, so nothing else reports it
			if err := s.Add(broken(nil, fmt.Sprintf("%s: %v", file, err))); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

// readLine reads a line with its end. It skips the rest of one that is too long.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		if room := maxLine - len(line); len(piece) > room {
			piece = piece[:room] // so that it cannot be parsed
		}
		line = append(line, piece...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// addLine adds a line. If a truncated file was concatenated with another, one line holds
// two digests; both are added.
func (s *DigestSet) addLine(line []byte, where string) error {
	if cut := bytes.LastIndex(line, lineStart); cut > 0 {
		if err := s.addLine(line[:cut], where); err != nil {
			return err
		}
		line = line[cut:]
	}
	d, err := parse(line)
	if newer := new(newerError); errors.As(err, &newer) {
		return fmt.Errorf("%s: %w", where, err)
	} else if err != nil {
		d = broken(line, fmt.Sprintf("%s cannot be read: %v", where, err))
	}
	return s.add(d, line)
}

// Add adds a digest that was just made.
func (s *DigestSet) Add(d Digest) error {
	line, err := marshal(&d)
	if err != nil {
		return err
	}
	return s.add(d, bytes.TrimSpace(line))
}

func (s *DigestSet) add(d Digest, line []byte) error {
	if s.seen == nil {
		s.seen = map[identity]int{}
	}
	e := entry{d, sha256.Sum256(line)}
	is := identity{sha256: d.File.SHA256, device: d.Device, path: d.File.Path}
	if d.Name.From == FromEnvironment {
		is.rank = d.Name.Label
	}
	if d.File.SHA256 == "" {
		is.line = e.sum
	}
	if at, seen := s.seen[is]; seen {
		// If two differ, as when one was made with --host, the order must not decide.
		if known := &s.entries[at]; cmp.Or(bytes.Compare(e.sum[:], known.sum[:]),
			strings.Compare(d.Error, known.digest.Error)) < 0 {
			*known = e
		}
		return nil
	}
	if s.bytes += int64(len(line)); len(s.entries) == maxDigests || s.bytes > maxDigestBytes {
		return fmt.Errorf("there are more than %d digests, or more than %d MiB of them", maxDigests, maxDigestBytes>>20)
	}
	s.share(e.digest.Sites)
	s.seen[is] = len(s.entries)
	s.entries = append(s.entries, e)
	return nil
}

// share reuses the texts of other ranks' call sites.
func (s *DigestSet) share(sites []Site) {
	if s.texts == nil {
		s.texts = map[string]string{}
	}
	for i := range sites {
		site := &sites[i]
		for _, text := range []*string{&site.Path, &site.Key, &site.PythonPath, &site.Site, &site.Operator} {
			if known, is := s.texts[*text]; is {
				*text = known
			} else {
				s.texts[*text] = *text
			}
		}
	}
}

// Digests returns the digests sorted by run, iteration, whether memory ran out, rank,
// file and device. The set must not be used any more.
func (s *DigestSet) Digests() []Digest {
	slices.SortFunc(s.entries, func(a, b entry) int {
		return cmp.Or(Compare(&a.digest, &b.digest), bytes.Compare(a.sum[:], b.sum[:]))
	})
	list := make([]Digest, len(s.entries))
	for i := range s.entries {
		list[i] = s.entries[i].digest
		s.entries[i] = entry{}
	}
	*s = DigestSet{}
	return list
}

// Compare orders digests by run, iteration, whether memory ran out, rank, file and
// device.
func Compare(a, b *Digest) int {
	step := func(n *Name) int {
		if n.Step == nil {
			return -1
		}
		return *n.Step
	}
	oom := func(n *Name) int {
		if n.OOM {
			return 1
		}
		return 0
	}
	return cmp.Or(units.Natural(a.Name.Run, b.Name.Run), cmp.Compare(step(&a.Name), step(&b.Name)),
		cmp.Compare(oom(&a.Name), oom(&b.Name)), cmp.Compare(a.Name.Rank, b.Name.Rank),
		units.Natural(a.File.Path, b.File.Path), cmp.Compare(a.Device, b.Device),
		strings.Compare(a.File.Host, b.File.Host))
}

// newerError reports a schema that this version does not know.
type newerError struct{ schema string }

func (e *newerError) Error() string {
	return fmt.Sprintf("the digest has the schema %s, and this memviz reads %s: use a newer one", e.schema, DigestSchema)
}

// parse reads a line and checks it.
func parse(line []byte) (d Digest, err error) {
	if !bytes.HasPrefix(line, lineStart) {
		return d, errors.New("it is not a digest")
	}
	schema, _, _ := bytes.Cut(line[len(`{"schema":"`):min(len(line), 100)], []byte(`"`))
	if !bytes.Equal(schema, []byte(DigestSchema)) {
		return d, &newerError{strings.ToValidUTF8(string(schema), "\uFFFD")}
	}
	if bytes.Count(line, []byte("{")) > maxObjects {
		return d, fmt.Errorf("it has more than %d objects", maxObjects)
	}
	if err := json.Unmarshal(line, &d); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) && int(syntax.Offset) >= len(line) {
			err = errors.New("it ends in the middle")
		}
		return Digest{}, err
	}
	if err := d.check(); err != nil {
		return Digest{}, err
	}
	return d, nil
}

// broken represents a line that cannot be read, with the name and the file if these can
// be.
func broken(line []byte, why string) Digest {
	d := Digest{Schema: DigestSchema, Error: clip(why)}
	named := d
	in := json.NewDecoder(bytes.NewReader(line))
	if _, err := in.Token(); err != nil {
		return d
	}
	for _, value := range []struct {
		key  string
		into any
	}{{"schema", &named.Schema}, {"name", &named.Name}, {"file", &named.File}} {
		if key, err := in.Token(); err != nil || key != value.key || in.Decode(value.into) != nil {
			return d
		}
	}
	if named.check() != nil {
		return d
	}
	return named
}
