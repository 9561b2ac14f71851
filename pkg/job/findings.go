package job

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/replay"
)

// sameMoment is how far apart the clocks of two hosts may be, in microseconds.
const sameMoment = 1_000_000

// findOOMs lists the first out-of-memory error of each rank by time. Errors at unknown
// times come last.
func (c *comparison) findOOMs() {
	for i := range c.Ranks {
		if list := c.Ranks[i].OOMs; len(list) > 0 {
			c.Findings = append(c.Findings, Finding{Kind: OutOfMemory, Rank: i, OOM: &list[0]})
		}
	}
	slices.SortStableFunc(c.Findings, func(a, b Finding) int {
		x, y := a.OOM.Micros, b.OOM.Micros
		if x == nil || y == nil {
			return falseFirst(x == nil, y == nil)
		}
		return cmp.Compare(*x, *y) // as integers: a float loses milliseconds of Unix microseconds
	})
	for i := range c.Findings {
		if !c.mayBeFirst(i) {
			break
		}
		c.FirstOOMs++
	}
}

// mayBeFirst reports whether an out-of-memory error may have been the first one: its time
// is unknown, or it came within a second of the first on what may be another host, whose
// clock may differ.
func (c *comparison) mayBeFirst(i int) bool {
	first, f := &c.Findings[0], &c.Findings[i]
	if i == 0 {
		return true
	}
	if first.OOM.Micros == nil || f.OOM.Micros == nil {
		return first.OOM.Micros == nil
	}
	a, b := c.Ranks[first.Rank].File.Host, c.Ranks[f.Rank].File.Host
	return (a != b || a == "") && uint64(*f.OOM.Micros)-uint64(*first.OOM.Micros) < sameMoment ||
		a == b && a != "" && *f.OOM.Micros == *first.OOM.Micros
}

// findDifferences compares each rank with its group.
func (c *comparison) findDifferences() {
	before := len(c.Findings)
	byRank := make([]rankDifferences, len(c.Ranks))
	for g := range c.Groups {
		c.compareSites(&c.Groups[g], byRank)
	}
	for rank := range byRank {
		if g := c.GroupOf[rank]; g != NoGroup {
			c.Findings = append(c.Findings, c.merge(rank, &c.Groups[g], &byRank[rank])...)
		}
	}
	found := c.Findings[before:]
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Compare(distance(b.Bytes, b.Median), distance(a.Bytes, a.Median))
	})
}

// rankDifferences are the sites where a rank differs, by moment.
type rankDifferences [Moments][]Finding

// compareSites finds the sites where ranks of a group differ. After a step all ranks are
// at the same line of the program, so every difference counts. During a step what a rank
// holds depends on its data, so a site counts only where it helps to explain a rank that
// is high as a whole.
func (c *comparison) compareSites(g *Group, byRank []rankDifferences) {
	least := max(minDifference, g.PeakBytes/100)
	var values []int64
	for i := range c.Sites {
		s := &c.Sites[i]
		if s.most <= least {
			return // the largest come first
		}
		runs := c.ranksWith(g, s)
		if runs == 0 || !s.hasStack() { // without a stack, the rank as a whole says as much
			continue
		}
		for when := range When(Moments) {
			if values = c.column(values, s, g.Ranks, when); len(values) < 3 || slices.Max(values) <= least {
				continue
			}
			spread := spreadAt(when, values, g.PeakBytes)
			always := when == AfterSteps && (!g.Mixed || runs == len(g.Ranks))
			for _, rank := range g.Ranks {
				if !c.counts(rank, when) {
					continue
				}
				bytes := s.Of(rank).Bytes[when]
				high := g.Totals[when].Above(c.totals[rank].bytes[when]) && spread.Above(bytes)
				if spread.Outside(bytes) && (always || high) {
					byRank[rank][when] = append(byRank[rank][when], Finding{Kind: Differs, Rank: rank, When: when,
						Site: s, Bytes: bytes, Median: spread.Median, Limit: spread.Limit,
						OnlyHere: runs < len(g.Ranks)})
				}
			}
		}
	}
}

// counts reports whether a rank is compared at a moment. Its peak depends on the data of
// one step, so it counts only without steps.
func (c *comparison) counts(rank int, when When) bool {
	known := &c.totals[rank].known
	return known[when] && (when != AtPeak || !known[InSteps])
}

// ranksWith returns how many ranks of a group run a site.
func (c *comparison) ranksWith(g *Group, s *SiteRow) int {
	n := 0
	for i := range s.Cells {
		if rank := s.Cells[i].Rank; c.GroupOf[rank] != NoGroup && &c.Groups[c.GroupOf[rank]] == g {
			n++
		}
	}
	return n
}

// merge makes the findings of one rank: each site once, at the first moment that shows
// it, except sites that its leaks explain, and the rank as a whole if no site explains at
// least half of its distance from the group.
func (c *comparison) merge(rank int, g *Group, sites *rankDifferences) []Finding {
	var found []Finding
	explained := map[bool]int64{} // bytes of sites that hold more (true) and less
	known := map[*SiteRow]bool{}
	for _, when := range []When{AfterSteps, InSteps, AtPeak} {
		for _, f := range sites[when] {
			if known[f.Site] {
				continue
			}
			known[f.Site] = true
			explained[f.Difference() > 0] += distance(f.Bytes, f.Median)
			if !leaksAt(&c.Ranks[rank], f.Site) {
				found = append(found, f)
			}
		}
	}
	for _, when := range []When{AfterSteps, InSteps, AtPeak} {
		if !c.counts(rank, when) {
			continue
		}
		spread, bytes := &g.Totals[when], c.totals[rank].bytes[when]
		outside := spread.Outside(bytes)
		if when == AtPeak { // a low peak of a rank without steps may just be a short recording
			outside = spread.Above(bytes)
		}
		if far := distance(bytes, spread.Median); outside && far > 2*explained[bytes > spread.Median] {
			return append(found, Finding{Kind: Differs, Rank: rank, When: when, Bytes: bytes, Median: spread.Median,
				Limit: spread.Limit})
		}
	}
	return found
}

// leaksAt reports whether a rank is known to keep growing at a site.
func leaksAt(d *Digest, s *SiteRow) bool {
	return slices.ContainsFunc(d.Leaks, func(l Leak) bool { return l.Path == s.Path || l.Key == s.Key })
}

// findShort lists the ranks that recorded fewer steps than most. Where the ring buffer of
// a rank dropped the beginning, its size decides how many steps it holds, so it is only
// listed with less than half.
func (c *comparison) findShort(holders int) {
	n := 0
	for i := range c.Ranks {
		if Comparable(&c.Ranks[i]) {
			n++
		}
	}
	if n < 3 || 2*holders < n {
		return
	}
	for i := range c.Ranks {
		d := &c.Ranks[i]
		fewer := d.StepsSeen > 0 && d.StepsSeen < c.CommonSteps && (!d.HistoryCut || 2*d.StepsSeen < c.CommonSteps)
		if Comparable(d) && fewer && len(d.OOMs) == 0 {
			c.Findings = append(c.Findings, Finding{Kind: Short, Rank: i})
		}
	}
}

// findLeaks lists the leaks, one finding for all ranks that leak at the same site.
func (c *comparison) findLeaks() {
	before := len(c.Findings)
	index := map[string]int{} // in c.Findings
	for i := range c.Ranks {
		leaks := c.Ranks[i].Leaks
		for k := range leaks {
			l := &leaks[k]
			at, known := index[l.Key]
			if !known {
				index[l.Key] = len(c.Findings)
				c.Findings = append(c.Findings, Finding{Kind: Leaks, Rank: i, Leak: l})
				continue
			}
			f := &c.Findings[at]
			if last := len(f.Also) - 1; f.Rank == i || last >= 0 && f.Also[last] == i {
				continue // another path to the same site
			}
			if falseFirst(l.Strong, f.Leak.Strong) > 0 || l.Strong == f.Leak.Strong && l.PerStep > f.Leak.PerStep {
				f.Also, f.Rank, f.Leak = append(f.Also, f.Rank), i, l
			} else {
				f.Also = append(f.Also, i)
			}
		}
	}
	found := c.Findings[before:]
	for i := range found {
		slices.Sort(found[i].Also)
	}
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(falseFirst(b.Leak.Strong, a.Leak.Strong), cmp.Compare(b.Leak.PerStep, a.Leak.PerStep))
	})
}

// findBroken lists ranks that could not be read, and ranks that contradict themselves.
func (c *comparison) findBroken() {
	for i := range c.Ranks {
		if c.Ranks[i].Error != "" {
			c.Findings = append(c.Findings, Finding{Kind: Unreadable, Rank: i})
		}
	}
	for i := range c.Ranks {
		if contradicted(&c.Ranks[i]) {
			c.Findings = append(c.Findings, Finding{Kind: DoesNotAddUp, Rank: i})
		}
	}
}

// denying are the keys of the anomalies that keep a recording from adding up.
var denying = func() map[string]bool {
	keys := map[string]bool{}
	for i := range (&replay.Anomalies{})[:] {
		kind := replay.Anomaly(i).Kind()
		keys[kind.Key] = kind.Denies
	}
	return keys
}()

// contradicted reports whether something in the file of a rank contradicts its events.
// AddsUp is stricter: it is also false where that cannot be known.
func contradicted(d *Digest) bool {
	for key, n := range d.Anomalies {
		if n > 0 && denying[key] {
			return true
		}
	}
	return false
}
