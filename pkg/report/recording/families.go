package recording

import (
	"maps"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer"
)

// legendEntry is a family and its hue in the palette.
type legendEntry struct {
	Family families.Family
	Hue    int
}

// legend is the order of the families in the legend, and of memory from before
// the recording in the pile, bottom first: the model, then the step, then the
// machinery, then what is not known.
var Legend = [families.Count]legendEntry{
	{families.Parameter, hueParameter},
	{families.ParameterOrGradient, hueParameterOrGradient},
	{families.ParameterOrOptimizer, hueParameterOrOptimizer},
	{families.Optimizer, hueOptimizer},
	{families.Gradient, hueGradient},
	{families.Activation, hueActivation},
	{families.Temporary, hueTemporary},
	{families.Input, hueInput},
	{families.Output, hueOutput},
	{families.Cache, hueCache},
	{families.Communication, hueCommunication},
	{families.Workspace, hueWorkspace},
	{families.Resident, hueResident},
	{families.Unknown, hueUnknown},
}

// familyPlace is the place of each family in the legend.
var FamilyPlace = func() (place [families.Count]uint8) {
	for i, entry := range Legend {
		place[entry.Family] = uint8(i)
	}
	return place
}()

// HueColors are the colours of a hue in the light and in the dark theme.
func HueColors(hue int) (light, dark string) { return hueColors[hue].light, hueColors[hue].dark }

// newFamilies are the rows of the legend.
func newFamilies() []Family {
	list := make([]Family, len(Legend))
	for i, entry := range Legend {
		list[i] = Family{
			Key:   entry.Family.Key(),
			Label: entry.Family.Label(),
			One:   entry.Family.One(),
			Hue:   entry.Hue,
		}
	}
	return list
}

// RuleTable lists the rules that decided any family of a report, in the order
// in which they are tried, then the overrides, and the position of each in the
// list. The snapshots of a report have the same overrides.
func RuleTable(in []answer.Input) ([]Rule, map[families.Rule]int) {
	place := map[families.Rule]int{}
	reasons := map[families.Rule]families.Reason{}
	for i := range in {
		for _, recording := range in[i].Recordings {
			var used [256]bool
			found := recording.Families()
			for _, rule := range found.Rules {
				used[rule] = true
			}
			for rule, is := range used {
				if is {
					reasons[families.Rule(rule)] = found.Reason(families.Rule(rule))
				}
			}
		}
	}
	list := []Rule{}
	for _, rule := range slices.Sorted(maps.Keys(reasons)) {
		reason := reasons[rule]
		place[rule] = len(list)
		list = append(list, Rule{
			Family:    int(FamilyPlace[reason.Family]),
			Because:   reason.Because,
			Qualifier: reason.Confidence.Qualifier(),
			Retained:  reason.Retained,
		})
	}
	return list, place
}
