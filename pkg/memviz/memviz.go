// Package memviz reads PyTorch GPU memory snapshots, says what held memory at
// any moment, and writes reports. It is the short way for a Go program:
//
//	file, err := memviz.Open("snap.pickle")
//	...
//	for _, d := range file.Devices {
//		for _, site := range d.Sites(d.Totals.PeakState) { ... }
//	}
//
// Behind it stand the package snapshot, which reads and writes the files, and
// the package replay, which turns events into allocations. These three packages
// keep their interface from version to version; all others may change.
//
// Time is counted in states: state k is the allocator before event k, so a
// device with n events has the states 0 to n. Bytes are requested bytes of live
// allocations unless they are called reserved.
package memviz

import (
	"fmt"
	"io"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// File is one snapshot, replayed.
type File struct {
	Snapshot *snapshot.Snapshot
	Devices  []*Device // those with events or segments, by ordinal

	input answer.Input
}

// Device is the recorded history of one GPU: its allocations, totals, anomalies
// and whether the replay ends in the allocator's own state (AddsUp).
type Device struct {
	*replay.Device
	Label string // as PyTorch writes it: "cuda:0"

	recording *analysis.Recording
}

// Site is a place in the code with what it holds in one state.
type Site struct {
	// Name is "file:line:function" of the innermost frame in user code. Where no
	// user code is on the stack it names the operator or the innermost frame, and
	// it is empty for allocations without a recorded stack.
	Name string
	// UserCode says that the frame is neither torch's, Python's nor an installed
	// package's.
	UserCode    bool
	Bytes       int64 // requested, of the live allocations made there
	Allocations int
}

// Open reads and replays the snapshot at path, in any encoding that
// [snapshot.Open] reads, with the same errors, or the one that a report holds. It
// is an error if a report holds several, which [OpenAll] gives, or too little to
// stand for its snapshot.
func Open(path string) (*File, error) {
	files, err := OpenAll(path)
	if err != nil {
		return nil, err
	}
	if len(files) != 1 {
		return nil, fmt.Errorf("%s: the report holds %d snapshots, not one", path, len(files))
	}
	return files[0], nil
}

// OpenAll is [Open] for a report of several snapshots, too. They come in the order
// and under the names that the report has for them.
func OpenAll(path string) ([]*File, error) {
	s, document, err := report.Open(path, snapshot.Options{})
	if err != nil {
		return nil, err
	} else if s != nil {
		return []*File{New(path, s)}, nil
	}
	var files []*File
	for i, of := range document.Report().Files {
		s, origin, err := document.Snapshot(i, 0)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		in, err := answer.NewInputFrom(of.Name, s, origin)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files = append(files, newFile(in))
	}
	return files, nil
}

// New replays a snapshot that has been read or composed. Reports show name.
func New(name string, s *snapshot.Snapshot) *File { return newFile(answer.NewInput(name, s)) }

func newFile(in answer.Input) *File {
	f := &File{Snapshot: in.Snapshot, input: in}
	for i, d := range in.Devices {
		f.Devices = append(f.Devices, &Device{Device: d, Label: in.Snapshot.DeviceLabel(d.ID), recording: in.Recordings[i]})
	}
	return f
}

// Sites says what holds memory in a state, largest first. The bytes of all
// sites sum up to the active bytes of that state. It panics if the device does
// not have the state, which is 0 to the number of events.
func (d *Device) Sites(state int) []Site {
	if state < 0 || state >= d.States() {
		panic(fmt.Sprintf("memviz: state %d of a device that has %d", state, d.States()))
	}
	holding := d.recording.Holders(state, holders.Grouping{By: holders.BySite})
	sites := make([]Site, len(holding.Rows))
	for i := range holding.Rows {
		row := &holding.Rows[i]
		sites[i] = Site{
			Name: row.Key, UserCode: d.recording.Stacks.SiteFrame[row.Stack] != stacks.NoFrame,
			Bytes: row.Bytes, Allocations: row.Allocations,
		}
	}
	return sites
}

// WriteReport writes one HTML report of all files. The same files give the same
// bytes. Errors are those of w.
func WriteReport(w io.Writer, files ...*File) error {
	in := make([]answer.Input, len(files))
	for i, f := range files {
		in[i] = f.input
	}
	return report.WriteHTML(w, Program(), in)
}
