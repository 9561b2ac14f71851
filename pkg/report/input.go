package report

import (
	"path/filepath"
	"strings"
	"unicode"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Input is one snapshot with everything that a report says about it.
type Input struct {
	Name     string // of the file; only its base name is shown
	Snapshot *snapshot.Snapshot
	Stacks   *analysis.StackFacts
	Devices  []*replay.Device
	Families []*analysis.Families // of the devices, in their order
}

// Analyse replays every device of a snapshot that has events or segments and
// finds out what its allocations were for.
func Analyse(name string, s *snapshot.Snapshot) Input {
	in := Input{Name: name, Snapshot: s, Stacks: analysis.Stacks(s)}
	for _, id := range s.Devices() {
		d := replay.Replay(s, id)
		in.Devices = append(in.Devices, d)
		in.Families = append(in.Families, analysis.Classify(in.Stacks, d))
	}
	return in
}

// fileName is the base name of the file, without what a terminal might obey or
// a page could not show.
func (in *Input) fileName() string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, filepath.Base(in.Name))
}
