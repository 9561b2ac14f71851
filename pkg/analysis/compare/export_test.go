package compare

// What the tests of this package look at beside its exported names.

const MaxRankSites = maxRankSites

var StepEnd, SpreadOf = stepEnd, spreadOf

// Listed is how many sites a rank has, and what they hold at its peak.
func (s *RankSummary) Listed() (sites int, atPeak int64) {
	for _, site := range s.sites {
		atPeak += site.bytes[AtRankPeak]
	}
	return len(s.sites), atPeak
}
