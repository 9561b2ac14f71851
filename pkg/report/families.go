package report

import (
	"maps"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/answer"
)

// legend is the order of the families in the legend, and of memory from before
// the recording in the pile, bottom first: the model, then the step, then the
// machinery, then what is not known. Families that share a hue are never told
// apart by colour alone.
var legend = [analysis.FamilyCount]struct {
	family analysis.Family
	hue    int
}{
	{analysis.Parameter, hueParameter},
	{analysis.ParameterOrGradient, hueParameterOr},
	{analysis.ParameterOrOptimizer, hueParameterOr},
	{analysis.Optimizer, hueOptimizer},
	{analysis.Gradient, hueGradient},
	{analysis.Activation, hueActivation},
	{analysis.Temporary, hueTemporary},
	{analysis.Input, hueInput},
	{analysis.Output, hueInput},
	{analysis.Cache, hueCache},
	{analysis.Communication, hueCommunication},
	{analysis.Workspace, hueCommunication},
	{analysis.Resident, hueUnknown},
	{analysis.Unknown, hueUnknown},
}

// familyPlace is the place of each family in the legend.
var familyPlace = func() (place [analysis.FamilyCount]uint8) {
	for i, entry := range legend {
		place[entry.family] = uint8(i)
	}
	return place
}()

// newFamilies are the rows of the legend.
func newFamilies() []Family {
	list := make([]Family, len(legend))
	for i, entry := range legend {
		list[i] = Family{
			Key:   entry.family.Key(),
			Label: entry.family.Label(),
			One:   entry.family.One(),
			Hue:   entry.hue,
		}
	}
	return list
}

// ruleTable lists the rules that decided any family of a report, in the order
// in which they are tried, then the overrides, and where each stands in the
// list. The snapshots of a report have the same overrides.
func ruleTable(in []answer.Input) ([]Rule, map[analysis.Rule]int) {
	place := map[analysis.Rule]int{}
	reasons := map[analysis.Rule]analysis.Reason{}
	for i := range in {
		for _, recording := range in[i].Recordings {
			var used [256]bool
			families := recording.Families()
			for _, rule := range families.Rules {
				used[rule] = true
			}
			for rule, is := range used {
				if is {
					reasons[analysis.Rule(rule)] = families.Reason(analysis.Rule(rule))
				}
			}
		}
	}
	list := []Rule{}
	for _, rule := range slices.Sorted(maps.Keys(reasons)) {
		reason := reasons[rule]
		place[rule] = len(list)
		list = append(list, Rule{
			Family:    int(familyPlace[reason.Family]),
			Because:   reason.Because,
			Qualifier: reason.Confidence.Qualifier(),
			Retained:  reason.Retained,
		})
	}
	return list, place
}
