package job

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// What the tests of this package look at beside its exported names. They are a package
// of their own because they ask pkg/answer, which imports this one.
const (
	UnitsOfPeak = unitsOfPeak
	MaxLine     = maxLine
	MaxDigests  = maxDigests
	MaxText     = maxText
	MaxSettings = maxSettings
)

var LineStart = lineStart

// PathsOf gives the Site.Path of stacks.
func PathsOf(r *analysis.Recording) func(snapshot.StackID) string {
	keys := newSiteKeys(r)
	return func(id snapshot.StackID) string { return shortKey(keys.of(id).Path) }
}
