package answer

import (
	"strings"
	"unicode"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Input is one snapshot with everything that a report says about it.
type Input struct {
	Name     string // of the file, as it is to be shown
	Snapshot *snapshot.Snapshot
	Devices  []*replay.Device

	Stacks     *analysis.StackFacts
	Recordings []*analysis.Recording // of the devices, in their order
}

// Replay replays every device of a snapshot that has events or segments. That
// is all that the totals need.
func Replay(name string, s *snapshot.Snapshot) Input {
	in := Input{Name: name, Snapshot: s}
	for _, id := range s.Devices() {
		in.Devices = append(in.Devices, replay.Replay(s, id))
	}
	return in
}

// Analyse replays a snapshot and finds out what its allocations were for.
func Analyse(name string, s *snapshot.Snapshot) Input {
	in := Replay(name, s)
	in.Stacks = analysis.Stacks(s)
	for _, d := range in.Devices {
		in.Recordings = append(in.Recordings, analysis.Record(s, in.Stacks, d))
	}
	return in
}

// FileName is the name without what a terminal might obey or a page could not
// show.
func (in *Input) FileName() string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, in.Name)
}
