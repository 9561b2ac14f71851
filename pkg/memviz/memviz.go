// Package memviz reads PyTorch GPU memory snapshots, reports what held memory at
// any moment, and writes reports. For a Go program this is all it takes:
//
//	file, err := memviz.Open("snap.pickle")
//	...
//	for _, d := range file.Devices {
//		for _, site := range d.Sites(d.Totals.PeakState) { ... }
//	}
//
// It builds on package snapshot, which reads and writes the files, and package
// replay, which turns events into allocations. The API of these three packages is
// stable across versions; all others may change.
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
	Devices  []*Device // devices with events or segments, by ordinal

	input answer.Input
}

// Device is the recorded history of one GPU: its allocations, totals, anomalies
// and whether the replay ends in the allocator's own state (AddsUp).
type Device struct {
	*replay.Device
	Label string // as PyTorch writes it: "cuda:0"

	recording *analysis.Recording
}

// Site is a place in the code with the memory it holds in one state.
type Site struct {
	// Name is "file:line:function" of the innermost frame in user code. If no user
	// code is on the stack, it names the operator or the innermost frame. It is
	// empty for allocations without a recorded stack.
	Name string
	// UserCode says that the frame is neither torch's, Python's nor an installed
	// package's.
	UserCode    bool
	Bytes       int64 // requested, of the live allocations made there
	Allocations int
}

// Open reads and replays the snapshot at path, in any encoding that
// [snapshot.Open] reads, with the same errors, or the snapshot in a report. It is an
// error if a report holds several, which [OpenAll] returns, or too little to restore
// its snapshot.
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

// OpenAll is like [Open] but accepts reports of several snapshots. It returns them in
// the order and under the names of the report.
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

// Sites returns the sites that hold memory in a state, largest first. Their bytes
// sum up to the active bytes of that state. It panics if the device does
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
// bytes. It returns the errors of w.
func WriteReport(w io.Writer, files ...*File) error {
	in := make([]answer.Input, len(files))
	for i, f := range files {
		in[i] = f.input
	}
	return report.WriteHTML(w, Program(), in)
}
