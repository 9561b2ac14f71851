package job

import (
	"cmp"
	"slices"
)

// SiteRow is a call site of a job with what each rank holds there.
type SiteRow struct {
	Site         // as on the rank with the most bytes
	Cells []Cell // for the ranks that run it, in order

	most int64 // bytes of the rank that holds the most, at any moment
}

// Cell is what one rank holds at a site.
type Cell struct {
	Rank  int32 // index in Job.Ranks
	Alive int32 // the most tensors alive at once in complete steps
	Bytes [Moments]int64

	runs bool // false for a rank that is not among SiteRow.Cells
}

// hasStack reports whether the site is known: a stack was recorded.
func (s *SiteRow) hasStack() bool { return s.Site.Site != "" }

// Of returns what a rank holds at the site; all zero for one that does not run it.
func (s *SiteRow) Of(rank int) Cell {
	i, found := slices.BinarySearchFunc(s.Cells, int32(rank), func(c Cell, rank int32) int {
		return cmp.Compare(c.Rank, rank)
	})
	if !found {
		return Cell{Rank: int32(rank)}
	}
	return s.Cells[i]
}

// Runs reports whether a rank allocates at the site at all.
func (s *SiteRow) Runs(rank int) bool { return s.Of(rank).runs }

// findSites matches the call sites of all ranks: by their whole paths if all ranks that
// run the innermost frames have the same paths to them, else by these frames. Where some
// rank recorded no operators, paths without them match.
func (j *Job) findSites() {
	var with, without bool
	for i := range j.Ranks {
		if d := &j.Ranks[i]; Comparable(d) {
			with, without = with || d.Operators, without || !d.Operators
		}
	}
	j.WithoutOperators = with && without // if no rank has operators, all paths are alike
	paths := j.pathsOfAll()
	type siteKey struct {
		key  string
		path bool
	}
	index := map[siteKey]int{} // in j.Sites
	for i := range j.Ranks {
		d := &j.Ranks[i]
		for k := range d.Sites {
			from := &d.Sites[k]
			key := siteKey{j.keyOf(from), false}
			if paths[from.Path] {
				key = siteKey{from.Path, true}
			}
			at, known := index[key]
			if !known {
				at = len(j.Sites)
				index[key] = at
				j.Sites = append(j.Sites, SiteRow{})
			}
			j.Sites[at].add(i, from)
		}
	}
	slices.SortStableFunc(j.Sites, func(a, b SiteRow) int {
		return cmp.Or(cmp.Compare(b.most, a.most), cmp.Compare(a.Site.Site, b.Site.Site),
			cmp.Compare(a.Path, b.Path))
	})
	j.Sites = slices.DeleteFunc(j.Sites, func(s SiteRow) bool { return s.most == 0 })
	if j.WithoutOperators {
		for i := range j.Sites {
			j.Sites[i].Operator = ""
		}
	}
}

// add counts a site of a rank; ranks come in order.
func (s *SiteRow) add(rank int, from *Site) {
	if n := len(s.Cells); n == 0 || s.Cells[n-1].Rank != int32(rank) {
		s.Cells = append(s.Cells, Cell{Rank: int32(rank), runs: true})
	}
	cell := &s.Cells[len(s.Cells)-1]
	cell.Alive = int32(min(int64(cell.Alive)+int64(max(0, from.Alive)), 1<<30))
	for when, bytes := range [Moments]int64{from.StepPeak, from.StepEnd.Bytes, from.Peak.Bytes} {
		cell.Bytes[when] = min(cell.Bytes[when]+min(max(bytes, 0), maxBytes), maxBytes)
	}
	if most := slices.Max(cell.Bytes[:]); most > s.most || s.Path == "" {
		s.most, s.Site = most, *from
	}
}

// keyOf returns the key by which a site is matched if not by its path.
func (j *Job) keyOf(s *Site) string {
	switch {
	case !j.WithoutOperators:
		return s.Key
	case s.PythonPath != "":
		return s.PythonPath
	}
	return s.Path
}

// pathsOfAll returns the paths that are common to all ranks that run their innermost
// frames.
func (j *Job) pathsOfAll() map[string]bool {
	if j.WithoutOperators {
		return nil
	}
	type seen struct{ ranks, last int }
	count := func(m map[string]seen, key string, rank int) {
		if s := m[key]; s.ranks == 0 || s.last != rank {
			m[key] = seen{s.ranks + 1, rank}
		}
	}
	paths, keys, keyOf := map[string]seen{}, map[string]seen{}, map[string]string{}
	for i := range j.Ranks {
		for k := range j.Ranks[i].Sites {
			s := &j.Ranks[i].Sites[k]
			count(paths, s.Path, i)
			count(keys, s.Key, i)
			keyOf[s.Path] = s.Key
		}
	}
	all := make(map[string]bool, len(paths))
	for path, s := range paths {
		all[path] = s.ranks == keys[keyOf[path]].ranks
	}
	return all
}
