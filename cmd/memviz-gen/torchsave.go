package main

import (
	"archive/zip"
	"bytes"
	"io"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// saved writes a snapshot as torch.save() does: a zip archive whose members are
// in a folder with the file's name, stored, and aligned so that tensors could be mapped.
func saved(name string) func(io.Writer, *snapshot.Snapshot) error {
	return func(w io.Writer, s *snapshot.Snapshot) error {
		var pickled bytes.Buffer
		if err := snapshot.Write(&pickled, s, 2); err != nil {
			return err
		}
		z := &archive{Writer: zip.NewWriter(w), folder: name}
		z.add("data.pkl", pickled.Bytes())
		z.add(".format_version", []byte("1"))
		z.add(".storage_alignment", []byte("64"))
		z.add("byteorder", []byte("little"))
		z.add("version", []byte("3\n"))
		z.add(".data/serialization_id", []byte("0636067202001033740500005781107225590000"))
		if z.err != nil {
			return z.err
		}
		return z.Close()
	}
}

// savedSegments saves what torch.cuda.memory_snapshot() returns: a list of segments.
func savedSegments(w io.Writer, s *snapshot.Snapshot) error {
	list := *s
	list.Format.BareList = true
	return saved("segments")(w, &list)
}

// archive is a zip file under way.
type archive struct {
	*zip.Writer
	folder string
	offset int // of the next member
	err    error
}

const (
	alignment  = 64
	headerSize = 30 // of a member, before its name
	footerSize = 16 // of a member's sizes, which follow its data
)

// add stores a member so that its data begins at a multiple of alignment; the gap is an
// extra field of the header, named FB as torch names it.
func (z *archive) add(name string, data []byte) {
	name = z.folder + "/" + name
	begin := z.offset + headerSize + len(name) + 4
	gap := (alignment - begin%alignment) % alignment
	extra := append([]byte{'F', 'B', byte(gap), 0}, bytes.Repeat([]byte{'Z'}, gap)...)
	if z.err == nil {
		var member io.Writer
		member, z.err = z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Extra: extra})
		if z.err == nil {
			_, z.err = member.Write(data)
		}
	}
	z.offset = begin + gap + len(data) + footerSize
}
