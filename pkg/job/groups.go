package job

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"math"
	"slices"
)

// comparison is the work on one job.
type comparison struct {
	*Job
	totals []moments // by rank: its bytes as a whole
	chance []int64   // by rank: how far its median of steps may be from its group's by chance
	names  []int     // by rank: ranks with the same number have the same pseudonyms
}

// moments has the bytes of a rank by moment, and which moments are known.
type moments struct {
	bytes [Moments]int64
	known [Moments]bool
}

func newComparison(j *Job) *comparison {
	c := &comparison{Job: j, totals: make([]moments, len(j.Ranks)), chance: make([]int64, len(j.Ranks)),
		names: namesOf(j.Ranks)}
	for i := range j.Ranks {
		d, m := &j.Ranks[i], &c.totals[i]
		m.known = [Moments]bool{InSteps: len(d.Steps) > 0, AfterSteps: d.StepEnd != nil, AtPeak: true}
		m.bytes = [Moments]int64{AfterSteps: d.StepEndBytes, AtPeak: d.PeakBytes}
		m.bytes[InSteps], c.chance[i] = medianOfSteps(d, j.CommonSteps)
	}
	return c
}

// medianOfSteps returns the median of the peaks of the last steps of a rank, and how far
// from it the median of similar steps may be by chance. Steps that begin before the
// recording count only where there are no others.
func medianOfSteps(d *Digest, common int) (median, chance int64) {
	var peaks []int64
	for i := range d.Steps {
		if d.Steps[i].Complete {
			peaks = append(peaks, min(max(d.Steps[i].PeakBytes, 0), maxBytes))
		}
	}
	if len(peaks) == 0 {
		for i := range d.Steps {
			peaks = append(peaks, min(max(d.Steps[i].PeakBytes, 0), maxBytes))
		}
	}
	if len(peaks) == 0 {
		return 0, 0
	}
	if common < 1 {
		common = SiteSteps // of a rank that is not compared with others
	}
	peaks = peaks[max(0, len(peaks)-min(common, SiteSteps)):]
	slices.Sort(peaks)
	median = middle(peaks)
	var sum int64 // of at most SiteSteps distances
	for _, bytes := range peaks {
		sum += distance(bytes, median)
	}
	// The mean distance is 0.8 standard deviations of a step, and the standard deviation of
	// a median 1.25 of these divided by the square root of the number of steps. 9.4 are 6.
	n := float64(len(peaks))
	return median, int64(9.4 * float64(sum) / (n * math.Sqrt(n)))
}

// findGroups groups the ranks that can be compared, separately for each set of
// pseudonyms.
func (c *comparison) findGroups() {
	c.GroupOf = slices.Repeat([]int{NoGroup}, len(c.Ranks))
	byNames := map[int][]int{}
	for i := range c.Ranks {
		if Comparable(&c.Ranks[i]) {
			byNames[c.names[i]] = append(byNames[c.names[i]], i)
		}
	}
	c.Unlike = !c.InNames && !c.mostlyShared()
	if c.Unlike {
		return
	}
	for _, names := range slices.Sorted(maps.Keys(byNames)) {
		if ranks := byNames[names]; len(ranks) > 2 {
			c.Groups = append(c.Groups, c.group(ranks)...)
		}
	}
	slices.SortFunc(c.Groups, func(a, b Group) int { return cmp.Compare(a.Ranks[0], b.Ranks[0]) })
	for g := range c.Groups {
		for _, rank := range c.Groups[g].Ranks {
			c.GroupOf[rank] = g
		}
		c.measure(&c.Groups[g])
	}
	c.nameGroups()
}

// mostlyShared reports whether at least half of the bytes at the peaks are at sites
// that all ranks have.
func (c *comparison) mostlyShared() bool {
	ranks := 0
	for i := range c.Ranks {
		if Comparable(&c.Ranks[i]) {
			ranks++
		}
	}
	var shared, all int64 // in KiB, so that thousands of ranks cannot overflow
	for i := range c.Sites {
		var bytes int64
		runs := 0
		for k := range c.Sites[i].Cells {
			if cell := &c.Sites[i].Cells[k]; Comparable(&c.Ranks[cell.Rank]) {
				bytes += cell.Bytes[AtPeak] >> 10
				runs++
			}
		}
		all += bytes
		if runs == ranks {
			shared += bytes
		}
	}
	return 2*shared >= all
}

// signature is a hash of what a rank runs.
type signature uint64

// group finds the ranks that do the same work: those that hold as many tensors at the
// same sites. If that leaves too many ranks alone, those that run the same sites; if that
// does not help either, all of them.
func (c *comparison) group(ranks []int) []Group {
	if !c.WithoutOperators {
		if groups := c.groupBy(ranks, true); groups != nil {
			return groups
		}
	}
	if groups := c.groupBy(ranks, false); groups != nil {
		return groups
	}
	return []Group{{Ranks: ranks, Mixed: true}}
}

// signatures hashes the sites of each rank, with or without the number of tensors that it
// holds there at once. Sites that hold next to nothing are left out: their number of
// tensors depends on more than the work of a rank, such as what it logs.
func (c *comparison) signatures(ranks []int, counts bool) []signature {
	peaks := make([]int64, len(ranks))
	for i, rank := range ranks {
		peaks[i] = c.totals[rank].bytes[AtPeak]
	}
	slices.Sort(peaks)
	least := max(minDifference, middle(peaks)/200)
	list := make([]signature, len(c.Ranks))
	var text [20]byte
	for s := range c.Sites {
		if c.Sites[s].most < least {
			break // the largest come first
		}
		for _, cell := range c.Sites[s].Cells {
			alive := cell.Alive
			if !counts {
				alive = 1
			}
			binary.LittleEndian.PutUint64(text[:], uint64(list[cell.Rank]))
			binary.LittleEndian.PutUint64(text[8:], uint64(s))
			binary.LittleEndian.PutUint32(text[16:], uint32(alive))
			hash := fnv.New64a()
			hash.Write(text[:])
			list[cell.Rank] = signature(hash.Sum64())
		}
	}
	return list
}

// groupBy groups ranks by their signatures. Signatures of few ranks join the nearest
// group. It returns nil if these are more than a third of the ranks.
func (c *comparison) groupBy(ranks []int, counts bool) []Group {
	signatures := c.signatures(ranks, counts)
	index := map[signature]int{}
	var all []Group
	for _, rank := range ranks {
		g, known := index[signatures[rank]]
		if !known {
			g = len(all)
			index[signatures[rank]] = g
			all = append(all, Group{})
		}
		all[g].Ranks = append(all[g].Ranks, rank)
	}
	fewest := max(3, (len(ranks)+99)/100)
	var groups []Group
	var left []int
	for _, g := range all {
		if len(g.Ranks) < fewest {
			left = append(left, g.Ranks...)
		} else {
			groups = append(groups, g)
		}
	}
	if 3*len(left) > len(ranks) {
		return nil
	}
	c.join(groups, left, counts)
	return groups
}

// join adds each remaining rank to the nearest group: the one with the fewest bytes at
// sites where the rank has another number of tensors, or that only one of them runs. Ties
// go to the group nearest in bytes. Bytes alone are not enough: a rank with little data
// looks like one of another pipeline stage.
func (c *comparison) join(groups []Group, left []int, counts bool) {
	if len(left) == 0 {
		return
	}
	type apart struct{ otherwise, bytes int64 } // in KiB, so that many sites cannot overflow
	distances := make([][]apart, len(left))     // by rank and group
	for k := range left {
		distances[k] = make([]apart, len(groups))
	}
	var values []int64
	for s := range c.Sites {
		site := &c.Sites[s]
		for g := range groups {
			values = c.column(values, site, groups[g].Ranks, AtPeak)
			slices.Sort(values)
			median, twin := middle(values), site.Of(groups[g].Ranks[0])
			for k, rank := range left {
				cell, d := site.Of(rank), &distances[k][g]
				d.bytes += distance(cell.Bytes[AtPeak], median) >> 10
				if counts && cell.Alive != twin.Alive || cell.runs != twin.runs {
					d.otherwise += max(cell.Bytes[AtPeak], median) >> 10
				}
			}
		}
	}
	for k, rank := range left {
		nearest := slices.IndexFunc(distances[k], func(d apart) bool {
			return d == slices.MinFunc(distances[k], func(a, b apart) int {
				return cmp.Or(cmp.Compare(a.otherwise, b.otherwise), cmp.Compare(a.bytes, b.bytes))
			})
		})
		groups[nearest].Ranks = append(groups[nearest].Ranks, rank)
	}
	for g := range groups {
		slices.Sort(groups[g].Ranks)
	}
}

// column returns what the ranks, which are in order, hold at a site at a moment, without
// the ranks for which the moment is unknown.
func (c *comparison) column(values []int64, s *SiteRow, ranks []int, when When) []int64 {
	values = values[:0]
	k := 0
	for _, rank := range ranks {
		for k < len(s.Cells) && int(s.Cells[k].Rank) < rank {
			k++
		}
		switch {
		case !c.totals[rank].known[when]:
		case k < len(s.Cells) && int(s.Cells[k].Rank) == rank:
			values = append(values, s.Cells[k].Bytes[when])
		default:
			values = append(values, 0)
		}
	}
	return values
}

// measure computes the spread of the bytes that the ranks of a group hold as a whole.
func (c *comparison) measure(g *Group) {
	var values []int64
	for _, when := range []When{AtPeak, AfterSteps, InSteps} {
		values = values[:0]
		for _, rank := range g.Ranks {
			if c.totals[rank].known[when] {
				values = append(values, c.totals[rank].bytes[when])
			}
		}
		if when == AtPeak {
			slices.Sort(values)
			g.PeakBytes = middle(values)
		}
		g.Totals[when] = spreadAt(when, values, g.PeakBytes)
	}
	// The ranks of a small group may be alike by chance. The variation between their steps
	// shows whether they are.
	values = values[:0]
	for _, rank := range g.Ranks {
		if c.totals[rank].known[InSteps] {
			values = append(values, c.chance[rank])
		}
	}
	if len(values) > 0 {
		slices.Sort(values)
		g.Totals[InSteps].Limit = max(g.Totals[InSteps].Limit, middle(values))
	}
}
