// Package recording is the view model of recordings: what the page gets as JSON, and the
// order, colours and static curve that go with it. [Report] is its root.
package recording

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/strip"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/replay"
)

// schema names this version of the report's JSON and payloads.
const schema = "memviz.report/2"

// Report is what the page gets as JSON. Slices are never nil.
type Report struct {
	Schema   string   `json:"schema"`
	Program  string   `json:"program"` // "memviz 0.1.0"
	Files    []File   `json:"files"`
	Families []Family `json:"families"` // index: the payload's family column
	Rules    []Rule   `json:"rules"`    // index: the payload's rule column
	Palette  Palette  `json:"palette"`
	Start    Start    `json:"start"`
	Redacted []string `json:"redacted,omitempty"` // what was replaced by pseudonyms: paths, names, prefixes
	// GivenCapacity is the capacity that the user gave for every device; left out without one.
	GivenCapacity *GivenCapacity `json:"given_capacity,omitempty"`
	LeftOut       []string       `json:"left_out,omitempty"` // to make the file smaller; see Document.LeftOut
}

// Start says what the page shows first: the GPU with the highest peak.
type Start struct {
	File   int `json:"file"`
	Device int `json:"device"` // position in the file's Devices
}

// File is one snapshot.
type File struct {
	Name  string `json:"name"`  // base name; U+FFFD stands for what cannot be printed
	Torch string `json:"torch"` // a guess, such as "2.10 or 2.11"
	// Record is the function of Python that starts recording, left out if torch did not write the file.
	Record  string   `json:"record,omitempty"`
	Streams []string `json:"streams"` // handles in hex, or their numbers where addresses are left out; [0] is the default stream
	Stacks  string   `json:"stacks"`  // id of the payload element
	// Settings of the allocator, as key and value; the first ones of very many, and
	// none where the file has none.
	Settings [][2]string `json:"settings,omitempty"`
	// Snapshot is the id of the payload that makes a snapshot of the others;
	// left out where the report holds too little for one.
	Snapshot string   `json:"snapshot,omitempty"`
	Devices  []Device `json:"devices"`
	// Categories: the payload Snapshot has the categories of events.
	Categories bool `json:"categories,omitempty"`
	// Predicted is left out of what was recorded.
	Predicted *analysis.Predicted `json:"predicted,omitempty"`
	// Salvaged says that the file was read in part, and what is missing; left
	// out when it was read whole. It is the first warning of each device, too.
	Salvaged string `json:"salvaged,omitempty"`
}

// Device is one device of a file that has events or segments. Bytes are
// requested bytes where they are called active, segment bytes where reserved.
type Device struct {
	Device  int    `json:"device"` // ordinal in the recorded process; -1: snapshot.Pinned
	Label   string `json:"label"`  // "cuda:0"
	Payload string `json:"payload"`

	Events      int    `json:"events"`
	Allocations int    `json:"allocations"`
	PreExisting int    `json:"pre_existing"`
	HasTime     bool   `json:"has_time"`
	FirstTime   string `json:"first_time"` // RFC 3339 with microseconds, UTC; "" without time
	SpanMicros  int64  `json:"span_us"`

	TimeStepMicros int64  `json:"time_step_us"` // what the payload's times are multiples of: 1 unless the report was made smaller
	HasAddr        bool   `json:"has_addr"`     // false when addresses were left out to make the report smaller
	BaseAddr       string `json:"base_addr"`    // hex
	WideAddr       bool   `json:"wide_addr"`

	replay.Totals
	WithStack int `json:"with_stack"` // allocations that carry an allocation stack

	Pools []string `json:"pools"` // index: the payload's pool column; "default" first, then "1,2"

	Space *Space `json:"space"` // null: it is not known where the tensors lay
	// LargePage is the bytes of a page of large expandable segments, if it is not 20 MiB.
	LargePage int64 `json:"large_page,omitempty"`

	Lanes    Lanes     `json:"lanes"`
	Capacity *Capacity `json:"capacity"` // null: not known

	Answers   []Card            `json:"answers"`           // four
	Failures  []strip.Failure   `json:"failures"`          // the last requests that failed, in order
	Retries   []strip.RetryCard `json:"retries,omitempty"` // the last requests that were served only after the cache was given back, in order
	Predicted *Predicted        `json:"predicted"`         // null: no finding that settings can cure, or no proof
	Measures  *Measures         `json:"measures"`          // null: no forward pass, no proof, or nothing helps
	Verdict   trust.Verdict     `json:"verdict"`
	Warnings  []trust.Warning   `json:"warnings"`
}

// Card is one of the four answers under the header.
type Card struct {
	answer.Brief
	Bar      []familyBytes   `json:"bar"`      // in the order of the legend
	Curve    []int64         `json:"curve"`    // the least active bytes of each step
	Evidence *strip.Evidence `json:"evidence"` // its allocation is an index into the payload; null: there is nothing to show
}

// familyBytes is what a family holds.
type familyBytes struct {
	Family int   `json:"family"` // index into Report.Families
	Bytes  int64 `json:"bytes"`
}

// Capacity is how much memory a device has for this process, as far as that is
// known.
type Capacity struct {
	Bytes int64  `json:"bytes"`
	Text  string `json:"text"` // what and where from: "capacity, from the OOM: 10.6 GiB"
}

// GivenCapacity is the memory of every device, according to the user.
type GivenCapacity struct {
	Bytes int64  `json:"bytes"`         // 0: nothing
	GPU   string `json:"gpu,omitempty"` // the card that was named, if one was
}

// Family is one row of the legend.
type Family struct {
	Key   string `json:"key"`   // "optimizer"
	Label string `json:"label"` // "Optimizer state"
	One   string `json:"one"`   // of a single tensor: "optimizer state"
	Hue   int    `json:"hue"`   // index into the palette's hues
}

// Rule is a reason for a family.
type Rule struct {
	Family    int    `json:"family"`    // index into Families
	Because   string `json:"because"`   // a clause: "allocated in forward and freed in backward"
	Qualifier string `json:"qualifier"` // "", "by its lifetime" or "probably"
	Retained  bool   `json:"retained"`  // an activation that outlived its backward pass
}

// Palette is the colours of both themes, "#rrggbb". Shades[hue][i] is the
// colour of a call site with lightness step i; Ink is the label colour on it.
type Palette struct {
	Light []Hue `json:"light"`
	Dark  []Hue `json:"dark"`
}

// Hue is one family colour.
type Hue struct {
	Name   string    `json:"name"`
	Color  string    `json:"color"`
	Shades [5]string `json:"shades"`
	Ink    string    `json:"ink"`
}

// maxExact bounds a number whose difference to another such number JavaScript
// still holds exactly after zigzag coding.
const MaxExact = 1<<51 - 1
