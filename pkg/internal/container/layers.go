package container

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/memviz-go/memviz/pkg/units"
)

// unzip opens the one file in a zip that may be a snapshot.
func (o *opener) unzip(src Source) (Source, error) {
	at, size, err := o.readerAt(src)
	if err != nil {
		return Source{}, err
	}
	budget := &directory{ReaderAt: at, left: o.limits.DirectoryBytes}
	z, err := zip.NewReader(budget, size)
	if errors.Is(err, zip.ErrFormat) {
		if inner := o.firstOfZip(at, size); inner != nil && o.limits.Salvage {
			o.cut = true
			return Source{Reader: inner}, nil
		}
		err = io.ErrUnexpectedEOF // the list of entries at the end is missing
	}
	if err != nil {
		return Source{}, damaged(Zip, err)
	}
	budget.listed, budget.read = true, 0
	entry, err := o.entry(z.File)
	if err != nil {
		return Source{}, err
	}
	r, err := entry.Open()
	if err != nil {
		return Source{}, damaged(Zip, err)
	}
	inner := Source{Reader: &bounded{Reader: r, layer: Zip, limits: o.limits,
		packed: func() int64 { return budget.read }}}
	if entry.Method == zip.Store {
		inner.Size = int64(min(entry.UncompressedSize64, uint64(size)))
	}
	return inner, nil
}

// firstOfZip unpacks the first file of a zip by its local header; nil if it cannot. It does
// not end in io.EOF, because the zip is cut.
func (o *opener) firstOfZip(at io.ReaderAt, size int64) io.Reader {
	const fixed = 30 // bytes of the header before the name
	var head [fixed]byte
	if _, err := at.ReadAt(head[:], 0); err != nil || string(head[:4]) != "PK\x03\x04" {
		return nil
	}
	flags, method := binary.LittleEndian.Uint16(head[6:]), binary.LittleEndian.Uint16(head[8:])
	length := int64(binary.LittleEndian.Uint32(head[18:])) // packed; 0 or all ones if it follows the file
	from := fixed + int64(binary.LittleEndian.Uint16(head[26:])) + int64(binary.LittleEndian.Uint16(head[28:]))
	if flags&1 != 0 || from >= size { // it needs a password, or is missing
		return nil
	}
	if length == 0 || length > size-from {
		length = size - from
	}
	packed := &counter{Reader: io.NewSectionReader(at, from, length)}
	var file io.Reader = packed
	switch method {
	case zip.Store:
	case zip.Deflate:
		file = flate.NewReader(packed)
	default:
		return nil
	}
	return &bounded{Reader: unended{file}, layer: Zip, limits: o.limits, packed: func() int64 { return packed.n }}
}

// unended is a reader that ends in an error, because data is missing after it.
type unended struct{ io.Reader }

func (u unended) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// entry chooses the pickle of torch.save, or the only file.
func (o *opener) entry(entries []*zip.File) (*zip.File, error) {
	var files []*zip.File
	var object *zip.File
	for _, f := range entries {
		if strings.HasSuffix(f.Name, "/") || strings.HasPrefix(f.Name, "__MACOSX/") {
			continue
		}
		if files = append(files, f); path.Base(f.Name) == "data.pkl" {
			object = f
		}
	}
	switch {
	case object != nil && holdsTensors(files, object):
		return nil, o.refuse(Checkpoint, "")
	case object != nil:
		files = []*zip.File{object}
	case len(files) != 1:
		return nil, o.refuse(Archive, "a zip of "+units.Plural(len(files), "file", "files"))
	}
	if encrypted := files[0].Flags&1 != 0; encrypted {
		return nil, fmt.Errorf("%w: the zip needs a password", ErrDamaged)
	}
	return files[0], nil
}

// holdsTensors reports whether a zip of torch.save has storages or code beside its
// pickle.
func holdsTensors(files []*zip.File, object *zip.File) bool {
	root := strings.TrimSuffix(object.Name, "data.pkl")
	for _, f := range files {
		if strings.HasPrefix(f.Name, root+"data/") || strings.HasPrefix(f.Name, root+"code/") ||
			f.Name == root+"constants.pkl" {
			return true
		}
	}
	return false
}

// readerAt makes a zip readable from its end, if necessary in memory.
func (o *opener) readerAt(src Source) (io.ReaderAt, int64, error) {
	if src.At != nil {
		return src.At, src.Size, nil
	}
	data, err := io.ReadAll(io.LimitReader(src.Reader, o.limits.HeldBytes+1))
	if err != nil {
		return nil, 0, err
	}
	if int64(len(data)) > o.limits.HeldBytes {
		return nil, 0, fmt.Errorf("%w, and one that comes through a pipe or lies in another file may have %s",
			ErrZipSize, units.Bytes(o.limits.HeldBytes))
	}
	return bytes.NewReader(data), int64(len(data)), nil
}

// directory bounds the bytes read to list the entries of a zip, and then counts the
// bytes read of one entry.
type directory struct {
	io.ReaderAt
	left   int64 // bytes that listing may still read
	listed bool
	read   int64 // bytes read since then
}

func (d *directory) ReadAt(b []byte, off int64) (int, error) {
	if !d.listed {
		if d.left -= int64(len(b)); d.left < 0 {
			d.left = 0
			return 0, fmt.Errorf("%w: the zip has too many entries", ErrLimit)
		}
	}
	n, err := d.ReaderAt.ReadAt(b, off)
	d.read += int64(n)
	return n, err
}

// unwrapPage decodes the snapshot in a page of torch's _memory_viz.
func unwrapPage(r io.Reader, head []byte) (Source, error) {
	start := len(head)
	if at := vizPayload().FindIndex(head); at != nil {
		start = at[1]
	}
	if _, err := io.CopyN(io.Discard, r, int64(start)); err != nil {
		return Source{}, err
	}
	text := base64.NewDecoder(base64.StdEncoding, &stringReader{in: bufio.NewReader(r)})
	return Source{Reader: &pageReader{text}}, nil
}

// pageReader turns errors into errors of a damaged page.
type pageReader struct{ io.Reader }

func (p *pageReader) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = damaged(VizPage, err)
	}
	return n, err
}

// stringReader reads up to the closing quote of a string literal without escapes.
type stringReader struct {
	in   *bufio.Reader
	done bool
}

func (l *stringReader) Read(b []byte) (int, error) {
	if l.done {
		return 0, io.EOF
	}
	n, err := l.in.Read(b)
	for i, c := range b[:n] {
		switch c {
		case '"':
			l.done = true
			return i, nil
		case '\\', '<':
			return i, fmt.Errorf("%w: %q in the base64 of the page", ErrDamaged, c)
		}
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
