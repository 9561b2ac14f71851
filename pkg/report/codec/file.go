package codec

import (
	"io"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/report/recording"
)

// devicePacker packs the columns of a device: of a recording (deviceWriter), or
// of a report that was read (deviceReader).
type devicePacker interface {
	shown() *recording.Device
	values() int // about how many all chunks have together
	pack(number int, tick func(values int)) chunk
	packLanes() chunk
	packSpace() chunk          // where the tensors lay; only if shown().Space
	packSpaceAddresses() chunk // likewise
	packPredictedSpace() chunk // only if shown().Predicted.Space
	packMeasures() []element   // those that shown().Measures has
	has(Part) bool             // whether there is anything to leave out
	omit(Part, *stackTable)
}

// File is all payloads of one file, packed.
type File struct {
	number   int // among the files of the report
	in       *answer.Input
	view     *recording.File
	Asked    Omission // see Document.Omit
	devices  []devicePacker
	snapshot *snapshotWriter
	texts    *stringTable // that the devices and the snapshot refer to

	deviceElements    []element
	stackElement      element
	laneElements      []element // by device
	spaceElements     []element // by device; without an id where it is not known where the tensors lay
	addressElements   []element // likewise: of its lanes
	predictedElements []element // likewise, if that is predicted
	measureElements   []element // where they would have lain with measures
	snapshotElement   element   // without an id where there is too little for one

	saved     *stackReader // of a report that was read; else nil
	rest      *columnSet   // likewise, of the snapshot; nil too where there is none
	laneNames []string     // likewise
	unpacked  bool         // likewise, and the elements are still empty: who only looks does not need them
}

// NewFile prepares the payloads of a file of a report; its number is its place among them.
func NewFile(number int, view *recording.File, in *answer.Input, rulePlace map[families.Rule]int) *File {
	f := &File{number: number, in: in, view: view, texts: newStringTable()}
	f.snapshot = &snapshotWriter{in: in, texts: f.texts}
	stacks := allStacks(in.Snapshot)
	for i := range view.Devices {
		pile := recording.NewPile(in.Devices[i], in.Recordings[i].Families())
		f.snapshot.piles = append(f.snapshot.piles, pile)
		p := &deviceWriter{
			Pile:      pile,
			view:      &view.Devices[i],
			rulePlace: rulePlace,
			pools:     in.Recordings[i].Pools(),
			snapshot:  in.Snapshot,
			lanes:     recording.FindLanes(in.Recordings[i]),
			stacks:    stacks,
			texts:     f.texts,
			number:    strings.TrimPrefix(view.Devices[i].Payload, "device-"),
		}
		f.devices = append(f.devices, p)
	}
	f.setElements()
	return f
}

// setElements makes the elements, empty.
func (f *File) setElements() {
	n := len(f.view.Devices)
	f.deviceElements, f.laneElements = make([]element, n), make([]element, n)
	f.spaceElements, f.addressElements, f.predictedElements = make([]element, n), make([]element, n), make([]element, n)
	for i := range f.view.Devices {
		f.deviceElements[i] = element{id: f.view.Devices[i].Payload, chunks: make([]chunk, deviceChunks)}
	}
}

// all are the elements in the order of the page.
func (f *File) all() []element {
	return slices.Concat(f.deviceElements, []element{f.stackElement}, f.laneElements, f.spaceElements,
		f.addressElements, f.predictedElements, f.measureElements, []element{f.snapshotElement})
}

// encodeSaved packs everything of a report that was read, once.
func (f *File) encodeSaved() {
	if !f.unpacked {
		return
	}
	f.unpacked = false
	f.encodeDevices(nil, func() {})
	f.stackElement = packed(f.view.Stacks, f.saved.writeAll)
	f.encodeLanes()
	if f.rest != nil {
		f.snapshotElement = packed(f.view.Snapshot, f.rest.writeAll)
	}
}

// Extent is how many events there are, and about how many values all columns have.
func (f *File) Extent() (events, values int64) {
	for _, p := range f.devices {
		events += int64(p.shown().Events)
		values += int64(p.values())
	}
	return events, values
}

// Encode packs everything. found is what a search of all files finds, and tick hears of
// values now and then.
func (f *File) Encode(tick func(values int), found *Search) {
	f.encodeDevices(tick, func() {
		x := found.in(f.number)
		f.snapshot.differs = x.differs
		for i, p := range f.devices {
			p.(*deviceWriter).setSpaces(x.spaces[i])
		}
	})
	f.encodeSnapshot()
	f.encodeStacks(allStacks(f.in.Snapshot))
	f.encodeLanes()
}

// encodeDevices packs the devices; what needs their spaces comes after it called ready.
func (f *File) encodeDevices(tick func(values int), ready func()) {
	// As many at a time as there are cores, the largest first, for the spaces to be found as soon.
	for i, p := range f.devices {
		var g errgroup.Group
		g.SetLimit(runtime.GOMAXPROCS(0))
		for number := range deviceChunks {
			if number != chunkAddresses {
				g.Go(func() error {
					f.deviceElements[i].chunks[number] = p.pack(number, tick)
					return nil
				})
			}
		}
		g.Wait() // without an error
	}
	ready()
	for i, p := range f.devices {
		f.deviceElements[i].chunks[chunkAddresses] = p.pack(chunkAddresses, tick)
		if s := p.shown().Space; s != nil {
			f.spaceElements[i] = element{s.Payload, []chunk{p.packSpace()}}
		}
		f.encodeSpaceAddresses(i)
		if s := p.shown().Predicted; s != nil && s.Space != nil {
			f.predictedElements[i] = element{s.Space.Payload, []chunk{p.packPredictedSpace()}}
		}
	}
	f.encodeMeasures()
}

// encodeMeasures packs where the tensors would have lain with measures.
func (f *File) encodeMeasures() {
	f.measureElements = nil
	for _, p := range f.devices {
		f.measureElements = append(f.measureElements, p.packMeasures()...)
	}
}

// encodeSpaceAddresses packs the addresses of the lanes of a device, if it has any.
func (f *File) encodeSpaceAddresses(i int) {
	if s := f.view.Devices[i].Space; s != nil {
		f.addressElements[i] = element{s.Addresses, []chunk{f.devices[i].packSpaceAddresses()}}
	}
}

// encodeSnapshot packs what makes a snapshot of the rest.
func (f *File) encodeSnapshot() {
	f.snapshot.spaces = f.snapshot.spaces[:0]
	for _, p := range f.devices {
		f.snapshot.spaces = append(f.snapshot.spaces, p.(*deviceWriter).space)
	}
	f.snapshotElement = packed(f.view.Snapshot, f.snapshot.write)
}

// DropSnapshot leaves it out.
func (f *File) DropSnapshot() {
	f.view.Snapshot, f.rest, f.snapshot, f.snapshotElement = "", nil, nil, element{}
}

// encodeStacks packs the stacks and all texts of the file.
func (f *File) encodeStacks(t *stackTable) {
	f.stackElement = packed(f.view.Stacks, func(c *columnWriter) { writeStacks(c, f.in, t, f.texts.clone()) })
}

// encodeLanes packs the ranges and phases above the charts.
func (f *File) encodeLanes() {
	for i, p := range f.devices {
		f.laneElements[i] = element{f.view.Devices[i].Lanes.Payload, []chunk{p.packLanes()}}
	}
}

// Write writes the payloads as elements of a page.
func (f *File) Write(w io.Writer) error {
	f.encodeSaved()
	for _, e := range f.all() {
		if e.id == "" {
			continue
		}
		if err := e.write(w); err != nil {
			return err
		}
	}
	return nil
}
