package report

import (
	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/answer"
)

// comparison is what a compare page gets as JSON beside its report, of which file 0 is
// the one before and file 1 the one after. Slices are never nil.
type comparison struct {
	Schema string       `json:"schema"`
	Start  int          `json:"start"` // the pair that the page shows first: the GPU with the highest peak
	Pairs  []devicePair `json:"pairs"` // the devices that both files have
}

// devicePair is a device of each file, compared. Where a list has two items, the first is
// of the file before.
type devicePair struct {
	Devices [2]int `json:"devices"` // positions in the files' Devices
	Payload string `json:"payload"`

	Operators bool `json:"operators"` // both recordings have C++ frames, so operators are compared
	Different bool `json:"different"` // less than half of the bytes are from lines of both

	Runs    []comparedRun    `json:"runs"`    // empty where the phases of one are not known
	Steps   []comparedStep   `json:"steps"`   // empty where they are not paired
	Moments []comparedMoment `json:"moments"` // the peaks first, the end last

	// What is said of the pair, and of the pair with its files swapped.
	Answers  [2][]comparedAnswer `json:"answers"` // four
	Warnings [2][]answer.Warning `json:"warnings"`

	compared *compare.Comparison
	columns  *pairColumns
}

// comparedAnswer is one of the four answers under the header.
type comparedAnswer struct {
	answer.DiffAnswer
	Group  int `json:"group"`  // the row that changed most, an index into the groups of the payload; -1: none
	Family int `json:"family"` // the family that changed most, an index into Report.Families; -1: none
}

// comparedRun is a stretch of a phase in both recordings, or in one.
type comparedRun struct {
	Phase  string     `json:"phase"`  // "forward"; "before" for the events before the first phase
	States [2]*[2]int `json:"states"` // the first and the last one; null on a side that lacks the run
	Step   int        `json:"step"`   // index in Steps; -1: none
}

// comparedStep is a step of both recordings, or of one.
type comparedStep struct {
	Label string  `json:"label"` // its number
	Has   [2]bool `json:"has"`
}

// comparedMoment is a state of each recording that is worth comparing.
type comparedMoment struct {
	Key    string `json:"key"` // "peak", "forward", "step:3", "end"
	States [2]int `json:"states"`
}

// compareSchema names this version of the JSON and payloads that a compare page has
// beside those of its report.
const compareSchema = "memviz.compare/1"
