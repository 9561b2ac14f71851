package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// IncompleteError says that a report does not hold its snapshots. It can still be
// written again.
type IncompleteError struct{ Document *Document }

func (e *IncompleteError) Error() string {
	r := e.Document.report
	if len(r.LeftOut) > 0 {
		return fmt.Sprintf("this report was made smaller (--max-size) and lacks %s; name the snapshot instead",
			strings.Join(r.LeftOut, ", "))
	}
	return fmt.Sprintf("this report is of an older memviz (%s), which kept too little; name the snapshot instead",
		r.Program)
}

// Incomplete is an [*IncompleteError] unless a report that was read holds its
// snapshots with everything in them.
func (d *Document) Incomplete() error {
	lacks := func(what string) bool { return what != leftOutPrediction }
	if slices.ContainsFunc(d.report.LeftOut, lacks) ||
		slices.ContainsFunc(d.files, func(f *codec.File) bool { return !f.HoldsSnapshot() }) {
		return &IncompleteError{d}
	}
	return nil
}

// Snapshot makes a snapshot again from file number i of a report that was read.
// All that an answer can depend on is as in the snapshot that the report was
// written from, but for what snapshot.Redaction and analysis.Origin say, and for
// devices that the report does not show. Families are decided anew, but for what
// a person's own rules said of them, which the origin has. It may take so many bytes of memory; 0 stands for
// a limit by the size of the report. The error is [ErrMemory] beyond that, and an
// [*IncompleteError] if the report does not hold enough.
func (d *Document) Snapshot(i int, memory int64) (*snapshot.Snapshot, analysis.Origin, error) {
	if !d.files[i].HoldsSnapshot() {
		return nil, analysis.Origin{}, d.Incomplete()
	}
	if memory == 0 {
		memory = min(maxSnapshot, snapshotFloor+snapshotPerByte*d.bytes)
	}
	return d.files[i].ReadSnapshot(memory)
}

// What a snapshot that is made from a report may take, in bytes: a floor, and a
// hundred times the size of the report. Reports of real recordings take 15 times
// their size.
const (
	snapshotFloor   = 64 << 20
	snapshotPerByte = 100
	maxSnapshot     = 1 << 30
)
