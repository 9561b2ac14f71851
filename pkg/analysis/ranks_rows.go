package analysis

import (
	"cmp"
	"slices"
)

// maxRankRows bounds the rows of a comparison; those with the most bytes on some
// rank stay.
const maxRankRows = 4096

// rankRows brings the sites of all ranks together: by path those that every rank
// has, and all others by their innermost frames. Rows hold memory at some moment.
func rankRows(ranks []RankSummary, operators bool) []RankRow {
	everywhere := pathsEverywhere(ranks, operators)
	t := rankTable{place: map[rankRowKey]int{}}
	for i := range ranks {
		for j := range ranks[i].sites {
			site := &ranks[i].sites[j]
			keys := site.keys(operators)
			key := rankRowKey{keys.site, false}
			if everywhere[keys.path] {
				key = rankRowKey{keys.path, true}
			}
			t.add(key, i, site)
		}
	}
	t.rows = slices.DeleteFunc(t.rows, func(r rankTableRow) bool { return r.most == 0 })
	slices.SortStableFunc(t.rows, func(a, b rankTableRow) int { return cmp.Compare(b.most, a.most) })
	t.rows = t.rows[:min(len(t.rows), maxRankRows)]
	rows := make([]RankRow, len(t.rows))
	for i := range t.rows {
		rows[i] = t.rows[i].row(len(ranks), operators)
	}
	return rows
}

// pathsEverywhere are the paths that all ranks have.
func pathsEverywhere(ranks []RankSummary, operators bool) map[SiteKey]bool {
	on := map[SiteKey]int{} // how many ranks have it
	for i := range ranks {
		for j := range ranks[i].sites {
			// Ranks are counted one after another, so a rank counts a path once.
			if key := ranks[i].sites[j].keys(operators).path; on[key] == i {
				on[key]++
			}
		}
	}
	everywhere := map[SiteKey]bool{}
	for key, n := range on {
		everywhere[key] = n == len(ranks)
	}
	return everywhere
}

// rankTable is rows under construction.
type rankTable struct {
	rows  []rankTableRow
	place map[rankRowKey]int
}

// rankRowKey says what the sites of a row share.
type rankRowKey struct {
	SiteKey
	path bool
}

// rankTableRow is a row with the ranks that have it only, since many rows of
// large jobs belong to few ranks.
type rankTableRow struct {
	named bool
	shown *rankSite // the one with the most bytes
	most  int64     // bytes of the rank that holds the most, at either moment
	cells []rankCell
}

type rankCell struct {
	rank  int
	bytes rankBytes
}

// add counts a site; ranks come in order.
func (t *rankTable) add(key rankRowKey, rank int, site *rankSite) {
	i, ok := t.place[key]
	if !ok {
		i = len(t.rows)
		t.place[key] = i
		t.rows = append(t.rows, rankTableRow{named: key.SiteKey != SiteKey{}, shown: site})
	}
	row := &t.rows[i]
	if n := len(row.cells); n == 0 || row.cells[n-1].rank != rank {
		row.cells = append(row.cells, rankCell{rank: rank})
	}
	cell := &row.cells[len(row.cells)-1]
	cell.bytes.add(site.bytes)
	row.most = max(row.most, cell.bytes.most())
	if site.bytes.most() > row.shown.bytes.most() {
		row.shown = site
	}
}

func (r *rankTableRow) row(ranks int, operators bool) RankRow {
	row := RankRow{Runs: make([]bool, ranks)}
	for m := range RankMoment(rankMoments) {
		row.At(m).Bytes = make([]int64, ranks)
		for _, cell := range r.cells {
			row.At(m).Bytes[cell.rank] = cell.bytes[m]
		}
	}
	for _, cell := range r.cells {
		row.Runs[cell.rank] = true
	}
	if r.named {
		row.Site = r.shown.site
		if operators {
			row.Operator = r.shown.operator
		}
	}
	return row
}
