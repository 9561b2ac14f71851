package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// finding is what a diagnosis says; it is held against the truth.
type finding = truth

// record prepares a file for questions.
func (run told) record() *analysis.Recording {
	return analysis.NewRecording(analysis.NewSource(run.Snapshot), run.device)
}

// diagnose asks a file everything that has an answer of yes or no. Findings of
// one problem are in the order in which they are shown.
func diagnose(r *analysis.Recording, card int64) (found []finding) {
	for _, l := range r.Leaks().Leaks {
		strength := "weak"
		if l.Strong {
			strength = "strong"
		}
		site := r.Stacks.Site(l.Sites[0].Stack).String()
		if l.Frame != stacks.NoFrame {
			f := r.Snapshot.Frames[l.Frame]
			site = fmt.Sprintf("%s:%d:%s", r.Snapshot.String(f.File), f.Line, r.Snapshot.String(f.Name))
		}
		found = append(found, finding{leak, strength, site})
	}
	if t := r.Leaks().Trend; t != nil && t.GoesOn {
		found = append(found, finding{unexplained, "goes on", r.Stacks.Site(t.Stack).String()})
	}
	for _, c := range r.Cycles().Cycles {
		found = append(found, finding{cycle, "proved", r.Stacks.Site(c.Stack).String()})
	}
	ooms := r.OOMs(card)
	for i := range ooms {
		found = append(found, finding{outOfCapacity, ooms[i].Verdict.Key(), largest(r, ooms[i].State())})
	}
	if len(ooms) > 0 {
		return found // the failure says all that there is to say of fragmentation
	}
	// At the peak of reserved memory: at the end the cache of a run is idle.
	if f := r.Fragmentation().AtPeak; f.Matters() {
		found = append(found, finding{fragmentation, f.Grade().Key(), largest(r, f.State)})
	}
	return found
}

// largest is the site that holds most in a state.
func largest(r *analysis.Recording, state int) string {
	return r.Holders(state, holders.Grouping{By: holders.BySite}).Rows[0].Key
}

// diagnoseJob compares the ranks of a job. Ranks that stand out are findings,
// the one that stands out most first, each with the site where it does most.
func diagnoseJob(ranks []*analysis.Recording) (found []finding, where []int) {
	var summaries []compare.RankSummary
	for rank, r := range ranks {
		summaries = append(summaries, r.Rank(compare.RankName{Rank: rank},
			fmt.Sprint(rank)))
	}
	c := compare.Ranks(summaries)
	for _, o := range c.Outliers {
		if rank := c.Ranks[o.Rank].Name.Rank; !slices.Contains(where, rank) {
			where = append(where, rank)
			found = append(found, finding{badRank, "outlier", c.Rows[o.Row].Site.String()})
		}
	}
	return found, where
}

// findings diagnoses a run, or all ranks of a job. The site of a rank's finding is
// replaced by that of the truth when it lies below it.
func findings(t *testing.T, s *scenario, seed uint64) []finding {
	if s.job == nil {
		return diagnose(tell(t, s, seed, 0).record(), s.card)
	}
	var ranks []*analysis.Recording
	for rank := range jobSize {
		ranks = append(ranks, tell(t, s, seed, rank).record())
	}
	found, where := diagnoseJob(ranks)
	for i := range found {
		if where[i] != badRankOf(seed) {
			found[i].verdict = fmt.Sprintf("on rank %d", where[i])
		} else if calls(ranks[where[i]], s.truth.site, found[i].site) {
			found[i].site = s.truth.site
		}
	}
	return found
}

// calls reports whether a recording has a stack with both frames.
func calls(r *analysis.Recording, outer, inner string) bool {
	for id := range r.Snapshot.Stacks.Len() {
		var has [2]bool
		for _, f := range r.Snapshot.Stacks.Frames(snapshot.StackID(id)) {
			frame := r.Snapshot.Frames[f]
			text := fmt.Sprintf("%s:%d:%s", r.Snapshot.String(frame.File), frame.Line, r.Snapshot.String(frame.Name))
			has[0], has[1] = has[0] || text == outer, has[1] || text == inner
		}
		if has[0] && has[1] {
			return true
		}
	}
	return false
}
