// Package compare is the view model of the page that compares two recordings.
package compare

import (
	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/report/codec"
)

// Comparison is what a compare page gets as JSON beside its report, of which file 0 is
// the one before and file 1 the one after. Slices are never nil.
type Comparison struct {
	Schema string      `json:"schema"`
	Start  int         `json:"start"` // the pair that the page shows first: the GPU with the highest peak
	Pairs  []pairModel `json:"pairs"` // the devices that both files have
}

// pairModel is a device of each file, compared. Where a list has two items, the first is
// of the file before.
type pairModel struct {
	Devices [2]int `json:"devices"` // positions in the files' Devices
	Payload string `json:"payload"`

	Operators bool `json:"operators"` // both recordings have C++ frames, so operators are compared
	Different bool `json:"different"` // less than half of the bytes are from lines of both

	Runs    []runModel       `json:"runs"`    // empty where the phases of one are not known
	Steps   []stepModel      `json:"steps"`   // empty where they are not paired
	Moments []compare.Moment `json:"moments"` // the peaks first, the end last

	// What is said of the pair, and of the pair with its files swapped.
	Answers  [2][]Answer        `json:"answers"` // four
	Warnings [2][]trust.Warning `json:"warnings"`

	compared *compare.Comparison
	columns  *codec.Pair
}

// Answer is one of the four answers under the header.
type Answer struct {
	diff.Headline
	Group  int `json:"group"`  // the row that changed most, an index into the groups of the payload; -1: none
	Family int `json:"family"` // the family that changed most, an index into Report.Families; -1: none
}

// runModel is a stretch of a phase in both recordings, or in one.
type runModel struct {
	Phase  string     `json:"phase"`  // "forward"; "before" for the events before the first phase
	States [2]*[2]int `json:"states"` // the first and the last one; null on a side that lacks the run
	Step   int        `json:"step"`   // index in Steps; -1: none
}

// stepModel is a step of both recordings, or of one.
type stepModel struct {
	Label string  `json:"label"` // its number
	Has   [2]bool `json:"has"`
}

// schema names this version of the JSON and payloads that a compare page has
// beside those of its report.
const schema = "memviz.compare/1"
