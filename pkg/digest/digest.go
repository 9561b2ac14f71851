// Package digest holds what a comparison of the ranks of a job needs to know of
// each of them: one JSON object a device, one a line, about 3 KB compressed. A
// digest is made where the snapshot lies, and digests are merged by writing them
// one after the other, compressed or not.
//
// [Of] makes one from a recording in one pass over its allocations. [Read] takes
// a file of many, in any order and with repetitions, and bounds what it holds.
package digest

import "github.com/memviz-go/memviz/pkg/replay"

// Schema names the format. A reader refuses a newer one by its name.
const Schema = "memviz.digest/1"

// Digest is one device of one file. Bytes are requested bytes of live allocations
// unless reserved is said; state k is the allocator before event k.
type Digest struct {
	Schema string `json:"schema"`
	Name   Name   `json:"name"`
	File   File   `json:"file"`
	Device int    `json:"device"`
	// Error says why the file could not be read. Only Schema, Name and File are set
	// then.
	Error string `json:"error,omitempty"`

	Torch     string      `json:"torch,omitempty"`
	Settings  [][2]string `json:"settings,omitempty"` // of the allocator, as recorded
	Operators bool        `json:"operators"`          // C++ frames were recorded

	Events      int    `json:"events"`
	Allocations int    `json:"allocations"`
	FirstMicros *int64 `json:"first_micros,omitempty"` // time of the first event, Unix microseconds; nil without times
	SpanMicros  *int64 `json:"span_micros,omitempty"`

	PeakBytes         int64 `json:"peak_bytes"`
	PeakState         int   `json:"peak_state"`
	ReservedPeakBytes int64 `json:"reserved_peak_bytes"`
	BaselineBytes     int64 `json:"baseline_bytes"` // state 0
	FinalBytes        int64 `json:"final_bytes"`

	AddsUp     bool             `json:"adds_up"`
	HistoryCut bool             `json:"history_cut"`        // the ring buffer dropped the beginning
	Partial    bool             `json:"partial"`            // the file was read in part: totals are lower bounds
	Anomalies  replay.Anomalies `json:"anomalies"`          // only those that occur
	Redacted   string           `json:"redacted,omitempty"` // what is not as recorded, as --redact has it

	StepMethod string `json:"step_method"` // "annotation", "optimizer", ...; "none"
	Steps      []Step `json:"steps"`       // those that end in the recording, at most the last MaxSteps
	StepsSeen  int    `json:"steps_seen"`  // how many ended in the recording

	// Families are bytes by family, in the order of families.Family.
	PeakFamilies    []int64 `json:"peak_families"`
	StepEndFamilies []int64 `json:"step_end_families,omitempty"` // after the last step

	Curves Curves `json:"curves"`

	Sites []Site `json:"sites"` // most bytes first, at most MaxSites
	Rest  Held   `json:"rest"`  // of the sites beyond

	OOMs   []OOM  `json:"ooms,omitempty"`
	Leaks  []Leak `json:"leaks,omitempty"`
	Cached *Cache `json:"cached,omitempty"` // at the peak of reserved memory
}

// Bounds of a digest.
const (
	MaxSteps   = 16   // of Steps
	MaxCurves  = 32   // steps that the curves cover
	Columns    = 1024 // of the curves of totals, at most
	FewColumns = 256  // of the curves of families, at most
	MaxSites   = 4096
)

// Name is what is known of the process that wrote the file. The snapshot itself
// does not say its rank.
type Name struct {
	Rank  int    `json:"rank"`  // from 0
	Label string `json:"label"` // as read: "3", "tp1 pp0"
	From  string `json:"from"`  // where the rank was read: "word", "axes", "number", "order", "pattern", "environment"
	Run   string `json:"run,omitempty"`
	Step  *int   `json:"iteration,omitempty"` // training iteration in the name
	OOM   bool   `json:"oom,omitempty"`       // the name says that memory ran out
}

// File is where a digest comes from.
type File struct {
	Name   string `json:"name"`
	Path   string `json:"path,omitempty"` // what the rank is read from, relative to what was named
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256,omitempty"` // its first half, in hexadecimal
	Host   string `json:"host,omitempty"`
	Report string `json:"report,omitempty"` // relative link to the rank's own report
}

// Step is one step that ends in the recording.
type Step struct {
	Name              string `json:"name,omitempty"`
	End               int    `json:"end"` // state
	PeakBytes         int64  `json:"peak_bytes"`
	ReservedPeakBytes int64  `json:"reserved_peak_bytes"`
	EndBytes          int64  `json:"end_bytes"`
	Micros            *int64 `json:"micros,omitempty"` // its duration; nil without times
	Complete          bool   `json:"complete"`         // it begins in the recording too
}

// Curves are the highest and the lowest of each column of states. Every step has
// the same number of columns, so that ranks align without times; what follows the
// last end of a step has as many. Numbers are in units of a 4096th of PeakBytes (of
// ReservedPeakBytes for reserved), each as its difference from the one before it.
// Max is rounded up and Min down, so that no state lies outside.
type Curves struct {
	Steps    int     `json:"steps"` // steps with columns: the last of StepsSeen
	PerStep  int     `json:"per_step"`
	Tail     bool    `json:"tail"` // the columns of a step that did not finish follow
	Max      []int32 `json:"max"`
	Min      []int32 `json:"min"`
	Reserved []int32 `json:"reserved"`
	// Families are curves of the bytes of each family where active memory is
	// highest in the column, FewPerStep columns a step; null for a family that never
	// holds any.
	FewPerStep int       `json:"few_per_step"`
	Families   [][]int32 `json:"families"`
}

// Held is what is held in some tensors.
type Held struct {
	Bytes int64 `json:"b"`
	Count int   `json:"n"`
}

// Site is one call site on one path to it. Keys are hexadecimal; see stacks.Key.
type Site struct {
	Path     string `json:"path"` // key of the whole path
	Key      string `json:"key"`  // key of the site
	Line     string `json:"line"` // key without operators
	Site     string `json:"site"` // file:line:function
	Operator string `json:"op,omitempty"`
	Family   int    `json:"family"`
	Peak     Held   `json:"peak"`      // at the peak
	StepEnd  Held   `json:"step_end"`  // after the last step
	StepPeak int64  `json:"step_peak"` // median over complete steps of the most bytes held at once
	Alive    int    `json:"alive"`     // the most tensors alive at once in complete steps
}

// OOM is a request that failed.
type OOM struct {
	State           int    `json:"state"`
	Micros          *int64 `json:"micros,omitempty"` // Unix microseconds
	RequestedBytes  int64  `json:"requested_bytes"`
	DeviceFreeBytes int64  `json:"device_free_bytes"`
	Verdict         string `json:"verdict"`
	Site            string `json:"site,omitempty"`
	Step            int    `json:"step"` // number of the step it falls in, from 1
}

// Leak is memory that grows with the steps, by the rules of package leaks.
type Leak struct {
	Kind    string `json:"kind"`
	Strong  bool   `json:"strong"`
	Site    string `json:"site"`
	Key     string `json:"key"`
	PerStep int64  `json:"bytes_per_step"`
	Bytes   int64  `json:"bytes"`
	Steps   int    `json:"steps"`
}

// Cache is reserved memory that was not in use at the peak of reserved memory.
type Cache struct {
	CachedBytes      int64 `json:"cached_bytes"`
	LargestFreeBytes int64 `json:"largest_free_bytes"`
}
