package job

import (
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// DigestSchema names the format. A reader refuses a newer one by its name.
const DigestSchema = "memviz.digest/1"

// Bounds of a digest.
const (
	MaxSteps   = 32   // of Digest.Steps
	SiteSteps  = 16   // last complete steps that the numbers of call sites cover
	Columns    = 1024 // of the curves of active and reserved memory
	fewColumns = 256  // of the curves of families
	MaxSites   = 128  // more than the sites that can each hold a hundredth of the peak
	MaxOOMs    = 8
	MaxLeaks   = 16
)

// Digest is one device of one file, or a file that could not be read. Bytes are
// requested bytes of live allocations unless they are called reserved. State k is the
// allocator before event k. Times are Unix microseconds; they are nil where the file has
// none, or where times were replaced (--omit times).
type Digest struct {
	Schema string `json:"schema" jsonschema:"required"`
	Name   Name   `json:"name" jsonschema:"required"`
	File   File   `json:"file" jsonschema:"required"`
	// Error says why the file could not be read. Only Schema, Name and File are set
	// then.
	Error  string `json:"error,omitempty"`
	Device int    `json:"device"` // ordinal of a GPU; -1: pinned host memory

	Torch     string      `json:"torch,omitempty"`    // version, as far as known
	Settings  [][2]string `json:"settings,omitempty"` // of the allocator, as recorded
	Operators bool        `json:"operators"`          // C++ frames were recorded, so sites have operators

	Events      int    `json:"events"`
	Allocations int    `json:"allocations"`
	FirstMicros *int64 `json:"first_micros,omitempty"` // time of the first event
	SpanMicros  *int64 `json:"span_micros,omitempty"`  // from the first event to the last

	PeakBytes         int64 `json:"peak_bytes"`
	PeakState         int   `json:"peak_state"` // the first that has PeakBytes
	ReservedPeakBytes int64 `json:"reserved_peak_bytes"`
	BaselineBytes     int64 `json:"baseline_bytes"` // in state 0
	FinalBytes        int64 `json:"final_bytes"`    // in the last state

	AddsUp     bool           `json:"adds_up"`
	HistoryCut bool           `json:"history_cut"`         // the ring buffer dropped the beginning
	Partial    bool           `json:"partial"`             // the file was read in part: totals are lower bounds
	Anomalies  map[string]int `json:"anomalies,omitempty"` // by replay.AnomalyKind.Key; only those that occur
	Redacted   string         `json:"redacted,omitempty"`  // what has pseudonyms: "paths", "names" or "all"

	StepMethod string `json:"step_method"` // steps.Method.Key; "none" without steps
	StepsSeen  int    `json:"steps_seen"`  // steps that end in the recording
	Steps      []Step `json:"steps"`       // the last MaxSteps of them
	// StepEnd is the last state between two steps, where all ranks of a job are at the
	// same line of the program; nil where none is known.
	StepEnd      *int  `json:"step_end,omitempty"`
	StepEndBytes int64 `json:"step_end_bytes,omitempty"` // in StepEnd

	// PeakFamilies are bytes by family: unknown, parameter, optimizer, gradient, activation,
	// temporary, input, output, communication, workspace, cache, resident,
	// parameter_or_optimizer, parameter_or_gradient, as families.Family has them.
	PeakFamilies    []int64 `json:"peak_families"`
	StepEndFamilies []int64 `json:"step_end_families,omitempty"` // in StepEnd, in the same order

	Curves Curves `json:"curves"`

	Sites []Site `json:"sites"` // at most MaxSites, by bytes, most first
	Rest  Rest   `json:"rest"`

	OOMs   []OOM  `json:"ooms,omitempty"`   // the last MaxOOMs, in order
	Leaks  []Leak `json:"leaks,omitempty"`  // strong ones first, then by bytes, at most MaxLeaks
	Cached *Cache `json:"cached,omitempty"` // at the peak of reserved memory; nil without segments
}

// Name identifies the process that wrote the file. The snapshot itself does not contain
// its rank.
type Name struct {
	Rank  int    `json:"rank"`  // from 0
	Label string `json:"label"` // as read: "3", "tp1 pp0"
	From  string `json:"from"`  // where the rank was read: "word", "axes", "number", "order", "pattern", "environment"
	Run   string `json:"run,omitempty"`
	Step  *int   `json:"iteration,omitempty"` // training iteration in the name
	OOM   bool   `json:"oom,omitempty"`       // the name says that memory ran out
}

// File is the source of a digest.
type File struct {
	Name string `json:"name"` // base name
	// Path is the text that the rank is read from: the last folders and the name of the
	// file.
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256,omitempty"` // of the file; its first half, in hexadecimal
	Host   string `json:"host,omitempty"`
	Report string `json:"report,omitempty"` // relative link to the rank's own report
}

// Step is one step that ends in the recording: the states Start to End, both
// included.
type Step struct {
	Name              string `json:"name,omitempty"`
	Complete          bool   `json:"complete"` // it begins in the recording too
	Start             int    `json:"start"`    // state
	End               int    `json:"end"`      // state
	PeakBytes         int64  `json:"peak_bytes"`
	ReservedPeakBytes int64  `json:"reserved_peak_bytes"`
	EndBytes          int64  `json:"end_bytes"`
	StartMicros       *int64 `json:"start_micros,omitempty"` // time of its first event
	Micros            *int64 `json:"micros,omitempty"`       // from its first event to the next step's, or to the last
}

// Curves are the maximum and minimum of each column of states. A stretch is one of
// Digest.Steps, or what follows the last one if Tail is set; without steps, the whole
// recording. Every stretch has the same number of columns, so that ranks align without
// times. Numbers are in units of a 4096th of PeakBytes (of ReservedPeakBytes for
// reserved), each as its difference from the one before it. Max is rounded up and Min
// down, so that no state lies outside.
type Curves struct {
	Tail     bool    `json:"tail"`
	PerStep  int     `json:"per_step"`
	Max      []int16 `json:"max"`
	Min      []int16 `json:"min"`
	Reserved []int16 `json:"reserved"` // highest, rounded up
	// Families are curves of the bytes of each family in the state of the column with the
	// most active memory, rounded; each column covers PerStep/FewPerStep columns of the
	// other curves. The curve of a family that never has any bytes is empty.
	FewPerStep int       `json:"few_per_step"`
	Families   [][]int16 `json:"families"`
}

// Tensors are bytes in a number of tensors.
type Tensors struct {
	Bytes int64 `json:"b"`
	Count int   `json:"n"`
}

// Rest sums the call sites that are not listed. At the peak, after the last step and
// throughout the complete steps, none of them holds more than the last listed site holds
// at one of these moments.
type Rest struct {
	Sites   int     `json:"sites"`
	Peak    Tensors `json:"peak"`
	StepEnd Tensors `json:"step_end"`
}

// Site is a call site together with one path to it. Keys are the first half of a
// stacks.Key, in hexadecimal.
type Site struct {
	Path       string `json:"path"`             // of stacks.Keys, with operators
	Key        string `json:"key"`              // Site of stacks.Keys, with operators
	PythonPath string `json:"python,omitempty"` // Path without operators; empty if equal to it
	Site       string `json:"site"`             // file:line:function
	Operator   string `json:"op,omitempty"`
	Family     int    `json:"family"` // families.Family with the most bytes

	Peak     Tensors `json:"peak"`      // at the peak
	StepEnd  Tensors `json:"step_end"`  // in Digest.StepEnd
	StepPeak int64   `json:"step_peak"` // median over the last SiteSteps complete steps of the most bytes held at once
	Alive    int     `json:"alive"`     // the most tensors alive at once in those steps; without any, in all states
}

// OOM is a request that failed.
type OOM struct {
	State           int    `json:"state"`
	Micros          *int64 `json:"micros,omitempty"`
	RequestedBytes  int64  `json:"requested_bytes"` // rounded as the allocator does
	DeviceFreeBytes int64  `json:"device_free_bytes"`
	Verdict         string `json:"verdict"` // oom.Verdict.Key
	Site            string `json:"site,omitempty"`
	Step            int    `json:"step,omitempty"` // number of its step, from 1; 0 without steps
}

// Leak is memory that grows with the steps, by the rules of package leaks.
type Leak struct {
	Kind    string `json:"kind"` // leaks.Kind.Key
	Strong  bool   `json:"strong"`
	Site    string `json:"site"`           // what its call sites have in common
	Path    string `json:"path"`           // Site.Path of its largest call site
	Key     string `json:"key"`            // Site.Key of that site
	PerStep int64  `json:"bytes_per_step"` // on average, from the first step that adds any
	Bytes   int64  `json:"bytes"`          // held at the end of the recording
	Steps   int    `json:"steps"`          // that added to it
}

// Cache is reserved memory that was not in use.
type Cache struct {
	CachedBytes        int64 `json:"cached_bytes"`        // in no live block
	FragmentationBytes int64 `json:"fragmentation_bytes"` // neither returnable nor usable for a large request
	LargestFreeBytes   int64 `json:"largest_free_bytes"`
}

// Stretches is the number of stretches of the curves.
func (d *Digest) Stretches() int {
	if d.Curves.Tail {
		return len(d.Steps) + 1
	}
	return len(d.Steps)
}

// MaxBytes is the most active bytes of each column, at most a 4096th of the peak too
// many.
func (d *Digest) MaxBytes() []int64 { return undelta(d.Curves.Max, d.PeakBytes) }

// MinBytes is the fewest active bytes of each column, at most a 4096th of the peak too
// few.
func (d *Digest) MinBytes() []int64 { return undelta(d.Curves.Min, d.PeakBytes) }

// ReservedBytes is the most reserved bytes of each column.
func (d *Digest) ReservedBytes() []int64 { return undelta(d.Curves.Reserved, d.ReservedPeakBytes) }

// FamilyBytes is the curve of a family, by families.Family; nil if it never has any
// bytes.
func (d *Digest) FamilyBytes(family int) []int64 {
	if family >= len(d.Curves.Families) {
		return nil
	}
	return undelta(d.Curves.Families[family], d.PeakBytes)
}

// unitsOfPeak is the number of units in a peak.
const unitsOfPeak = 4096

// undelta returns the bytes of a curve.
func undelta(deltas []int16, peak int64) []int64 {
	if len(deltas) == 0 {
		return nil
	}
	bytes := make([]int64, len(deltas))
	unit := int64(0)
	for i, delta := range deltas {
		unit += int64(delta)
		// peak*unit may overflow.
		bytes[i] = peak/unitsOfPeak*unit + peak%unitsOfPeak*unit/unitsOfPeak
	}
	return bytes
}

// DeviceLabel is how PyTorch writes the device, as far as the digest shows: "cuda:0", "xpu:0",
// "npu:0"; or "pinned".
func (d *Digest) DeviceLabel() string {
	kind := "cuda:"
	switch {
	case d.Device == int(snapshot.Pinned):
		return "pinned"
	case strings.HasSuffix(d.Torch, "(XPU)"):
		kind = "xpu:"
	case strings.HasSuffix(d.Torch, "(torch_npu)"):
		kind = "npu:"
	}
	return kind + strconv.Itoa(d.Device)
}
