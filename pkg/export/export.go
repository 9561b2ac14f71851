// Package export writes recordings in the formats of other programs: pprof, Perfetto,
// spreadsheets, data frames and databases.
//
// Numbers are exact and have the same names as in the JSON of memviz's answers. Bytes
// are requested bytes of allocations unless they are called reserved; events are counted
// from 0, and state k is the allocator before event k. Text comes from the snapshot,
// redacted or not; each format escapes it where it writes it.
//
// Output is streamed. Only the profile of pprof is held in memory, with one sample
// for each stack and its labels.
//
// A new format is a new file with a [Format], and a row in [Formats].
package export

import (
	"bufio"
	"io"
	"os"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Format is a file format that recordings can be exported to.
type Format struct {
	Name   string
	Binary bool     // it cannot be shown on a terminal
	Takes  []Option // the options that apply to it

	write func(w *bufio.Writer, in []answer.Input, o *Options) error
	// isOurs reports whether a file with these first headSize bytes was made by write.
	isOurs func(head []byte) bool
}

const headSize = 4 << 10

// Formats are all formats, the one for other profilers first.
var Formats = []*Format{pprofFormat, perfettoFormat, csvFormat, jsonlFormat, sqliteFormat}

// Option is an option that only some formats take.
type Option uint8

const (
	AtOption      Option = iota // Options.At
	TableOption                 // Options.Table
	MinSizeOption               // Options.MinSize
)

// Options of an export.
type Options struct {
	Program string         // the writing program, for files that name it
	At      *answer.Moment // nil: the peak, and the end for segments
	Table   *Table         // for formats that write one; nil: the allocations
	MinSize int64          // bytes from which a tensor gets its own slice
	Omit    Omission
}

// Omission says what to leave out of an export.
type Omission struct {
	Addresses bool // are empty, and streams are numbers instead of handles
	Times     bool // are empty; events keep their order
}

// Write writes all devices of the inputs. Options that the format does not take are
// ignored.
func (f *Format) Write(w io.Writer, in []answer.Input, o Options) error {
	if !slices.Contains(f.Takes, AtOption) {
		o.At = nil
	}
	if o.Table == nil {
		o.Table = Tables[0]
	}
	b := bufio.NewWriterSize(w, 1<<16)
	if err := f.write(b, in, &o); err != nil {
		return err
	}
	return b.Flush()
}

// IsFile reports whether a file is an export, which may be replaced by another one.
func IsFile(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headSize))
	return err == nil && slices.ContainsFunc(Formats, func(f *Format) bool { return f.isOurs(head) })
}

// addresses reports whether the addresses of a recording are written. A report may have lost them.
func (o *Options) addresses(r *analysis.Recording) bool {
	return !o.Omit.Addresses && !r.Origin.AddressesLost && !r.Snapshot.Redaction.Addresses
}

// times reports whether the times of a recording are written.
func (o *Options) times(r *analysis.Recording) bool {
	return !o.Omit.Times && !r.Snapshot.Redaction.Times && len(r.Device.Events.TimeMicros) > 0
}

// redacted lists what is not exported as recorded: paths, names, addresses, times.
func (o *Options) redacted(as snapshot.Redaction) []string {
	as.Addresses, as.Times = as.Addresses || o.Omit.Addresses, as.Times || o.Omit.Times
	return trust.RedactedKeys(as)
}
