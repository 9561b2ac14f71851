package main

import (
	"archive/zip"
	"bytes"
	"io"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

var formatStories = []story{
	{"cpp-stacks", "three steps recorded with C++ frames: the backward pass has names",
		[]take{{all: true, play: threeSteps}}},
	{"protocol-5", "three steps, pickled as Python 3.14 does", []take{{play: threeSteps, encode: protocol5}}},
	{"cpp-writer", "three steps, pickled by torch's C++ code",
		[]take{{play: threeSteps, encode: snapshot.WriteNative}}},
	{"saved-by-torch", "one step, kept with torch.save: the snapshot, and the segments alone", []take{
		{file: "snapshot.pt", play: oneStep, encode: saved("snapshot")},
		{file: "segments.pt", play: oneStep, encode: savedSegments}}},
}

func protocol5(w io.Writer, s *snapshot.Snapshot) error { return snapshot.Write(w, s, 5) }

func threeSteps(p *process) {
	p.main(func() {
		t := p.newMLPRun(512, 2048, 2048, 512)
		for range 3 {
			t.step()
		}
	})
}

func oneStep(p *process) {
	p.main(func() { p.newMLPRun(512, 1024, 512).step() })
}

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
