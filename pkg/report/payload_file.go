package report

import (
	"io"
	"sync"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer"
)

// devicePacker packs the columns of a device: of a recording (devicePayload), or
// of a report that was read (savedDevice).
type devicePacker interface {
	shown() *Device
	values() int // about how many all chunks have together
	pack(number int, tick func(values int)) chunk
	packLanes() chunk
	has(omission) bool // whether there is anything to leave out
	omit(omission, *stackTable)
}

// filePayload is all payloads of one file, packed.
type filePayload struct {
	in       *answer.Input
	view     *File
	asked    Omission // see Document.Omit
	devices  []devicePacker
	snapshot *snapshotPayload
	texts    *stringTable // that the devices and the snapshot refer to
	elements []element    // of the devices, of the stacks, of the lanes of each device, of the snapshot

	saved     *savedStacks  // of a report that was read; else nil
	rest      *savedColumns // likewise, of the snapshot; nil too where there is none
	laneNames []string      // likewise
	unpacked  bool          // likewise, and the elements are still empty: who only looks does not need them
}

func newFilePayload(view *File, in *answer.Input, rulePlace map[families.Rule]int,
	differs []*differences) *filePayload {
	f := &filePayload{in: in, view: view, texts: newStringTable()}
	f.snapshot = &snapshotPayload{in: in, texts: f.texts, differs: differs}
	stacks := allStacks(in.Snapshot)
	for i := range view.Devices {
		pile := newPile(in.Devices[i], in.Recordings[i].Families())
		f.snapshot.piles = append(f.snapshot.piles, pile)
		f.devices = append(f.devices, &devicePayload{
			pile:      pile,
			view:      &view.Devices[i],
			rulePlace: rulePlace,
			pools:     in.Recordings[i].Pools().Of,
			snapshot:  in.Snapshot,
			stacks:    stacks,
			texts:     f.texts,
		})
	}
	f.setElements()
	return f
}

// setElements makes the elements, empty.
func (f *filePayload) setElements() {
	for i := range f.view.Devices {
		f.elements = append(f.elements, element{id: f.view.Devices[i].Payload, chunks: make([]chunk, deviceChunks)})
	}
	f.elements = append(f.elements, element{id: f.view.Stacks})
	for i := range f.view.Devices {
		f.elements = append(f.elements, element{id: f.view.Devices[i].Lanes.Payload})
	}
	if f.view.Snapshot != "" {
		f.elements = append(f.elements, element{id: f.view.Snapshot})
	}
}

// encodeSaved packs everything of a report that was read, once.
func (f *filePayload) encodeSaved() {
	if !f.unpacked {
		return
	}
	f.unpacked = false
	f.encodeDevices(nil)
	f.elements[len(f.devices)].chunks = []chunk{pack(packOthers, nil,
		func(c *columnWriter) { f.saved.write(c, 0, stackColumns) })}
	f.encodeLanes()
	if f.rest != nil {
		f.elements[len(f.elements)-1].chunks = []chunk{pack(packOthers, nil,
			func(c *columnWriter) { f.rest.write(c, 0, snapshotColumns(len(f.devices))) })}
	}
}

// encode packs everything.
func (f *filePayload) encode(tick func(values int)) {
	f.encodeDevices(tick)
	f.encodeSnapshot()
	f.encodeStacks(allStacks(f.in.Snapshot))
	f.encodeLanes()
}

func (f *filePayload) encodeDevices(tick func(values int)) {
	for i, p := range f.devices {
		var all sync.WaitGroup
		for number := range deviceChunks {
			all.Go(func() { f.elements[i].chunks[number] = p.pack(number, tick) })
		}
		all.Wait()
	}
}

// encodeSnapshot packs what makes a snapshot of the rest.
func (f *filePayload) encodeSnapshot() {
	f.elements[len(f.elements)-1].chunks = []chunk{pack(packOthers, nil, f.snapshot.write)}
}

// dropSnapshot leaves it out.
func (f *filePayload) dropSnapshot() {
	f.view.Snapshot, f.rest, f.snapshot = "", nil, nil
	f.elements = f.elements[:len(f.devices)*2+1]
}

// encodeStacks packs the stacks and all texts of the file.
func (f *filePayload) encodeStacks(t *stackTable) {
	f.elements[len(f.devices)].chunks = []chunk{pack(packOthers, nil, func(c *columnWriter) {
		writeStacks(c, f.in, t, f.texts.clone())
	})}
}

// omit packs again what is another after something was left out. The steps
// before it have been taken.
func (f *filePayload) omit(what omission) {
	var stacks *stackTable
	number := chunkStacks
	switch what {
	case omitAddresses, omitEveryAddress:
		number = chunkAddresses
	case omitTimes, omitEveryTime:
		number = chunkTimes
	case omitInnerFrames:
		stacks = userStacks(f.in, true)
	case omitFreeStacks:
		stacks = userStacks(f.in, false)
	}
	f.encodeSaved()
	switch {
	case f.rest != nil, stacks != nil && f.snapshot != nil:
		f.dropSnapshot()
	case f.snapshot != nil:
		f.snapshot.omit(what)
		f.encodeSnapshot()
	}
	for i, p := range f.devices {
		p.omit(what, stacks)
		f.elements[i].chunks[number] = p.pack(number, nil)
	}
	if stacks != nil {
		f.encodeStacks(stacks)
	}
	if what == omitEveryTime {
		f.encodeLanes()
	}
}

// encodeLanes packs what stands above the charts.
func (f *filePayload) encodeLanes() {
	for i, p := range f.devices {
		f.elements[len(f.devices)+1+i].chunks = []chunk{p.packLanes()}
	}
}

func (f *filePayload) write(w io.Writer) error {
	f.encodeSaved()
	for i := range f.elements {
		if err := f.elements[i].write(w); err != nil {
			return err
		}
	}
	return nil
}
