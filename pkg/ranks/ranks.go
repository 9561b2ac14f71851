// Package ranks says which ranks of a job differ from the ranks that do the same
// work, and how. It rests on digests only, so that a thousand ranks take little
// memory and no snapshot has to be moved.
//
// Ranks that hold as many tensors at the same call sites are a [Group]: the ranks
// of one pipeline stage, for instance. A rank is judged against its group only.
package ranks

import "github.com/memviz-go/memviz/pkg/digest"

// Job is what was recorded together: by all ranks of one run, at one iteration, on
// one occasion.
type Job struct {
	Run  string // where folders hold the same ranks; else ""
	Step *int   // training iteration in the names
	OOM  bool   // the names say that memory ran out

	Ranks       []digest.Digest // by rank, file and device; unreadable ones too
	Groups      []Group         // in the order of their first rank; none with fewer than three ranks
	GroupOf     []int           // index in Groups of each rank, or NoGroup
	CommonSteps int             // the last finished steps that ranks are aligned by
	Findings    []Finding       // out-of-memory by time, differences by bytes, short recordings, ...
}

// NoGroup is the group of a rank that is not judged.
const NoGroup = -1

// Group is the ranks that do the same work.
type Group struct {
	Name   string // its ranks: "0–255", "every 8th from 3"
	Ranks  []int  // indices in Job.Ranks
	Median int64  // of the peaks, bytes
	Low    int64  // least peak
	High   int64  // highest peak
}

// Kind is what is found of a rank.
type Kind uint8

const (
	OutOfMemory Kind = iota
	Differs          // more or less than its group, at a call site or as a whole
	Leaks            // memory grows with its steps
	Short            // it recorded fewer steps than most ranks
	Unreadable
	DoesNotAddUp
)

// When is the moment of a difference.
type When uint8

const (
	InSteps    When = iota // the median of the highest of its steps
	AfterSteps             // after its last step
	AtPeak                 // at its peak, where no steps are known
)

// Finding is one thing to know about a rank.
type Finding struct {
	Kind   Kind
	Rank   int // index in Job.Ranks
	When   When
	Site   *digest.Site // of a difference or a leak; nil for the rank as a whole
	Bytes  int64        // of the rank: what it holds, asked for, or adds a step
	Median int64        // of its group
	OOM    *digest.OOM
	Leak   *digest.Leak
	Steps  int // of a short recording: how many it has
}
